use super::exec::{self, Command};
use super::{Context, Sink, words};
use crate::fix::{Edit, Fix, edit};
use crate::knowledge;
use crate::shell::Place;

pub(super) fn check(cx: &Context<'_>, sink: &mut Sink<'_>) {
    for (container, probe) in cx.workload.probes() {
        let Some(command) = probe.handler().filter(|_| container.may_have_probes()).and_then(exec::read) else {
            continue;
        };
        for call in command.exec.calls(knowledge::clients()) {
            // `! curl` asks that nobody answers.
            let http = call.http_client().filter(|http| http.misses_http_errors() && !call.run.negated);
            let Some(http) = http else { continue };
            let place = call.run.program_word().map_or(call.run.place, |word| word.place);
            let who = words::probe(cx.workload, container, probe);
            let consequence = match probe.kind {
                crate::model::ProbeKind::Liveness => {
                    "a process that answers every request with an error is never restarted"
                }
                crate::model::ProbeKind::Readiness => {
                    "a pod that answers every request with an error stays in its Services"
                }
                crate::model::ProbeKind::Startup => "the start counts as done as soon as anything answers",
            };
            sink.probe(
                container,
                probe,
                "exec.command",
                command.span(place),
                format!("{who} runs `curl` without `--fail`, so an HTTP error counts as success"),
            )
            .why(format!("curl exits with 0 whatever the server answers, 404 and 500 included: {consequence}"))
            .help("add `-f`: curl then exits with 22 from status 400 on")
            .fix(add_flag(cx.text, &command, http.insert_at).map(|edit| Fix::safe("add `-f`", vec![edit])));
        }
    }
}

/// `-f` behind the program: as a word of the script, or as an element of the list.
fn add_flag(text: &str, command: &Command<'_>, place: Place) -> Option<Edit> {
    let arg = command.args.get(place.arg as usize)?;
    let is_whole_element = place.span.end as usize == arg.text.len() && !arg.text.contains(char::is_whitespace);
    if is_whole_element {
        return edit::insert_item(text, command.at, arg.at, "-f");
    }
    // Behind escapes and folded lines nobody knows where a word of the script stands in the file.
    arg.is_exact().then(|| edit::replace(command.span(place), " -f"))
}
