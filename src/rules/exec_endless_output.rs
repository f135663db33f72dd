use super::exec;
use super::{Context, Sink, words};
use crate::model::Timing;
use crate::shell::{Output, Run, Word};

/// A program that does not end by itself.
struct Endless {
    program: &'static str,
    /// Words that make it endless, any one of them; none needed when empty. Short options also count in a bundle.
    with: &'static [&'static str],
    /// Words that make it end.
    unless: &'static [&'static str],
    /// Words of which one must be there as well, such as a subcommand.
    and: &'static [&'static str],
}

const fn endless(
    program: &'static str,
    with: &'static [&'static str],
    unless: &'static [&'static str],
    and: &'static [&'static str],
) -> Endless {
    Endless { program, with, unless, and }
}

/// Sources: GNU coreutils manual, "tail invocation" and "yes invocation"; util-linux dmesg(1); systemd journalctl(1);
/// procps-ng watch(1), top(1); iputils ping(8); Redis, "redis-cli"; kubectl reference, "logs" and "get"; Apache Kafka,
/// `ConsoleConsumer`; Mosquitto, mosquitto_sub(1); tcpdump(1); inotifywait(1).
const ENDLESS: [Endless; 20] = [
    endless("tail", &["-f", "-F", "--follow"], &["--pid"], &[]),
    endless("yes", &[], &[], &[]),
    endless("cat", &["/dev/zero", "/dev/urandom", "/dev/random", "/dev/full", "/dev/kmsg"], &[], &[]),
    endless("journalctl", &["-f", "--follow"], &[], &[]),
    endless("dmesg", &["-w", "-W", "--follow"], &[], &[]),
    endless("watch", &[], &["--errexit", "-e", "--chgexit", "-g"], &[]),
    endless("top", &["-b"], &["-n"], &[]),
    endless("ping", &[], &["-c", "-w", "-W", "-h", "-V"], &[]),
    endless("ping6", &[], &["-c", "-w", "-W"], &[]),
    endless(
        "redis-cli",
        &["monitor", "MONITOR", "subscribe", "SUBSCRIBE", "psubscribe", "--stat", "--latency"],
        &[],
        &[],
    ),
    endless(
        "valkey-cli",
        &["monitor", "MONITOR", "subscribe", "SUBSCRIBE", "psubscribe", "--stat", "--latency"],
        &[],
        &[],
    ),
    endless("kubectl", &["-f", "--follow", "--follow=true"], &[], &["logs"]),
    endless("kubectl", &["-w", "--watch", "--watch=true", "--watch-only"], &[], &["get"]),
    endless("docker", &["-f", "--follow"], &[], &["logs"]),
    endless("tcpdump", &[], &["-c", "-D", "-h", "--version"], &[]),
    endless("inotifywait", &["-m", "--monitor"], &[], &[]),
    endless("kafka-console-consumer", &[], &["--max-messages", "--timeout-ms"], &[]),
    endless("kafka-console-consumer.sh", &[], &["--max-messages", "--timeout-ms"], &[]),
    endless("mosquitto_sub", &[], &["-C", "-W", "-E", "--help"], &[]),
    endless("sleep", &["infinity", "inf"], &[], &[]),
];

pub(super) fn check(cx: &Context<'_>, sink: &mut Sink<'_>) {
    for (container, probe) in cx.workload.probes() {
        let Some(command) = probe.handler().filter(|_| container.may_have_probes()).and_then(exec::read) else {
            continue;
        };
        // A `timeout` around a whole script ends all of it.
        let is_limited = command.exec.runs().iter().any(|run| run.limit.is_some() && run.script.is_some());
        let found = command.exec.programs().find(|(_, run)| !is_limited && never_ends(run));
        let Some((_, run)) = found.filter(|_| command.exec.understood()) else { continue };
        let who = words::probe(cx.workload, container, probe);
        let program = run.program().unwrap_or_default();
        let limit = match probe.effective(Timing::Timeout) {
            Some(timeout) => format!("after {}", words::seconds(timeout)),
            None => "by the timeout".to_owned(),
        };
        let place = command.span(run.place);
        sink.probe(container, probe, "exec.command", place, format!("{who} runs `{program}`, which never ends here"))
            .why(format!(
                "each attempt is cut off {limit} and counts as failed: {}; until then its output is read by the node",
                words::fate_of_failing(probe)
            ))
            .help(format!("ask a question that has an end, or put `timeout` in front of `{program}`"));
    }
}

/// Whether it goes on until somebody ends it. Whoever reads its output may be that one, and what runs in the background
/// is not waited for.
fn never_ends(run: &Run) -> bool {
    let is_waited_for = run.limit.is_none() && !matches!(run.output, Output::Pipe(_));
    let in_background = run.ignored.is_some_and(|ignored| ignored.by == crate::shell::IgnoredBy::Background);
    if !is_waited_for || in_background || run.keyword {
        return false;
    }
    let Some(program) = run.program() else { return false };
    let texts: Option<Vec<_>> = run.words.iter().skip(1).map(Word::text).collect();
    let Some(texts) = texts else { return false };
    let has = |wanted: &&str| texts.iter().any(|text| is_given(text, wanted));
    ENDLESS.iter().any(|row| {
        row.program == program
            && (row.with.is_empty() || row.with.iter().any(has))
            && !row.unless.iter().any(has)
            && row.and.iter().all(has)
            // A program that is given nothing at all prints its usage.
            && (!texts.is_empty() || row.program == "yes" || row.program == "tcpdump")
    })
}

/// Whether a word is the wanted one, or an option that holds it: `-5f` holds `-f`, `--follow=name` is `--follow`.
fn is_given(text: &str, wanted: &str) -> bool {
    let letter = wanted.strip_prefix('-').filter(|rest| rest.len() == 1 && !rest.starts_with('-'));
    match letter {
        Some(letter) => text.starts_with('-') && !text.starts_with("--") && text.contains(letter),
        None => text == wanted || (wanted.starts_with("--") && text.starts_with(&format!("{wanted}="))),
    }
}
