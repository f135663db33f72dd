use super::{Context, Sink, words};
use crate::knowledge::{self, Answer};
use crate::model::{Action, Field, ProbeKind, Timing};

pub(super) fn check(cx: &Context<'_>, sink: &mut Sink<'_>) {
    for (container, probe) in cx.workload.probes() {
        // A startup probe asks no more once it has passed.
        if probe.kind == ProbeKind::Startup || !container.may_have_probes() {
            continue;
        }
        let Some(handler) = probe.handler() else { continue };
        let Action::HttpGet(http) = &handler.action else { continue };
        let kind = probe.handler_field(handler.kind());
        let (path, at, field) = match &http.path {
            Field::Absent | Field::Null { .. } if !probe.partial => ("/", handler.key, kind.to_owned()),
            Field::Value { value, at, .. } => (value.as_str(), *at, format!("{kind}.path")),
            _ => continue,
        };
        let image = container.image.value().map(String::as_str);
        let row = knowledge::web_pages(path, &container.name, image).find_map(|row| {
            let what = match row.answer {
                Answer::Metrics => "gathers everything that is measured",
                Answer::Profile => "is there for debugging",
                Answer::WholePage => "makes a whole page from the database",
                Answer::Login | Answer::Refused => return None,
            };
            Some((row, what))
        });
        let Some((row, what)) = row else { continue };
        let who = words::probe(cx.workload, container, probe);
        let every = probe.effective(Timing::Period).map(|period| format!(" every {}", words::seconds(period)));
        let limit = probe.effective(Timing::Timeout).map(|timeout| format!(" {}", words::seconds(timeout)));
        let fate = words::numbers(probe).map(|numbers| {
            let consequence = words::consequence(probe.orchestrator, probe.kind);
            format!("; when it does so for {}, {consequence}", numbers.act_after_hang())
        });
        let help = match row.instead.as_deref() {
            Some(instead) => format!("ask `{instead}`, which costs next to nothing"),
            None => "ask an endpoint that is made for probes and does nothing else".to_owned(),
        };
        sink.probe(container, probe, &field, at, format!("{who} asks `{path}`, which {what}"))
            .why(format!(
                "that work is done again{}, for an answer of which the probe looks at the status alone, and under load \
                 it takes longer than the timeout of{} without anything being broken{}",
                every.unwrap_or_default(),
                limit.unwrap_or_else(|| " the probe".to_owned()),
                fate.unwrap_or_default()
            ))
            .help(help);
    }
}
