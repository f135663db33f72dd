use super::exec::{self, Command};
use super::{Context, Sink, edits, words};
use crate::finding::Level;
use crate::knowledge;
use crate::model::{Probe, Timing};
use crate::shell::{Call, Decides, IgnoredBy, Node, Place, Run, Scope, Script};

/// A time that a command may take because it is told so.
pub(super) struct Patience {
    /// In seconds, all attempts together.
    pub(super) seconds: f64,
    /// Of each attempt, and how many there are.
    each: (f64, u32),
    program: String,
    scope: Scope,
    place: Place,
    /// Whether each run of the probe takes that long.
    always: bool,
}

pub(super) fn check(cx: &Context<'_>, sink: &mut Sink<'_>) {
    // Source: kubernetes `pkg/features/kube_features.go`, `ExecProbeTimeout`, on since 1.20.
    if cx.kubernetes_version.is_some_and(|version| version.minor < 20) {
        return;
    }
    for (container, probe) in cx.workload.probes() {
        let (Some(timeout), Some(command)) = (
            probe.effective(Timing::Timeout),
            probe.handler().filter(|_| container.may_have_probes()).and_then(exec::read),
        ) else {
            continue;
        };
        let Some(patience) = beyond(&command, timeout.value) else { continue };
        let who = words::probe(cx.workload, container, probe);
        let field = probe.timing_field(Timing::Timeout);
        let limit = words::seconds(timeout);
        let needed = patience.seconds.ceil().max(1.0) as i64 + i64::from(patience.scope == Scope::Sleep);
        let why = if patience.always {
            format!("no attempt can pass: {}", words::fate_of_failing(probe))
        } else {
            format!(
                "an answer that takes more than {} s counts as a failure, though the command would still wait for it",
                timeout.value
            )
        };
        let report = sink
            .probe(container, probe, "exec.command", command.span(patience.place), message(&who, &patience, &limit))
            .why(why)
            .help(help(probe, &patience, needed))
            .fix(fits(probe, needed).then(|| edits::set_timeout(cx.text, probe, needed)).flatten());
        let report = if patience.always { report.level(Level::Error) } else { report };
        if let Some(at) = timeout.written {
            report.label(at, format!("`{field}`: the command is ended here"));
        }
    }
}

/// The longest time beyond `timeout` seconds that the command is told to take.
pub(super) fn beyond(command: &Command<'_>, timeout: i64) -> Option<Patience> {
    // Where not all is understood, nobody knows what runs at all.
    if !command.exec.understood() {
        return None;
    }
    let outer = command.exec.runs().iter().filter(|run| run.script.is_some()).find_map(|run| run.limit);
    let first = command.exec.programs().next().map(|(id, _)| id);
    let first = first.filter(|_| !starts_in_background(command.exec.script(), command.exec.runs()));
    let mut longest: Option<Patience> = None;
    for call in command.exec.calls(knowledge::clients()) {
        let in_background = call.run.ignored.is_some_and(|ignored| ignored.by == IgnoredBy::Background);
        let matters = call.run.decides != Decides::No || first == Some(call.id) || command.decides(call.id);
        if in_background || !matters {
            continue;
        }
        for patience in patience(&call, first) {
            // A limit around it ends it before.
            let capped = call.run.limit.or(outer).and_then(|limit| limit.seconds).filter(|limit| *limit > 0.0);
            let seconds = capped.map_or(patience.seconds, |cap| cap.min(patience.seconds));
            let is_longer = longest.as_ref().is_none_or(|longest| seconds > longest.seconds);
            let is_beyond = seconds > timeout as f64 || (patience.always && seconds >= timeout as f64);
            if is_beyond && is_longer {
                longest = Some(Patience { seconds, ..patience });
            }
        }
    }
    longest
}

/// Whether nobody waits for what the script does first.
fn starts_in_background(script: &Script, runs: &[Run]) -> bool {
    let Some(item) = script.items.first() else { return false };
    let stage = item.pipelines.first().and_then(|(_, pipeline)| pipeline.stages.first());
    let inner = match stage.map(|stage| &stage.node) {
        Some(Node::Run(id)) => runs.get(*id).and_then(|run| run.script.as_ref()),
        Some(Node::Group(script) | Node::Subshell(script)) => Some(script),
        _ => None,
    };
    item.background || inner.is_some_and(|script| starts_in_background(script, runs))
}

/// What is written on the command line; defaults are nobody's intention.
fn patience(call: &Call<'_>, first: Option<usize>) -> Vec<Patience> {
    let program = call.run.program().unwrap_or_default().into_owned();
    let attempts = call.attempts().unwrap_or(1).clamp(1, 1000);
    let waits = call.waits();
    let written = waits.iter().filter(|wait| wait.written);
    written
        .filter_map(|wait| {
            let each = wait.seconds.filter(|seconds| *seconds > 0.0 && seconds.is_finite())?;
            // `timeout 5 curl --retry 3`: that limit is around all of them.
            let is_around = call.run.limit.is_some_and(|limit| limit.place == wait.place);
            let times = if is_around || wait.scope == Scope::Sleep { 1 } else { attempts };
            // `curl --retry-delay 5` pauses between attempts only, and a pause behind a failure makes it no worse.
            let is_pause = wait.scope == Scope::Sleep && call.given.options.is_empty();
            let always = is_pause && first == Some(call.id) && call.run.limit.is_none();
            (always || wait.scope != Scope::Sleep).then(|| Patience {
                seconds: each * f64::from(times),
                each: (each, times),
                program: program.clone(),
                scope: wait.scope,
                place: wait.place,
                always,
            })
        })
        .collect()
}

fn message(who: &str, patience: &Patience, limit: &str) -> String {
    let (each, times) = patience.each;
    let program = &patience.program;
    let what = match (patience.scope, times) {
        (Scope::Sleep, _) => format!("sleeps for {each} s"),
        (Scope::Connect, 1) => format!("lets `{program}` take {each} s to connect"),
        (_, 1) => format!("lets `{program}` take {each} s"),
        (_, times) => format!("lets `{program}` try {times} times for {each} s"),
    };
    format!("{who} {what}, but is ended after {limit}")
}

fn help(probe: &Probe, patience: &Patience, needed: i64) -> String {
    let field = probe.timing_field(Timing::Timeout);
    if patience.scope == Scope::Sleep {
        return "take the pause out: `periodSeconds` and `initialDelaySeconds` are there for waiting".to_owned();
    }
    let program = &patience.program;
    if fits(probe, needed) {
        return format!("set `{field}` to {needed} or more, or let `{program}` give up earlier");
    }
    format!("let `{program}` give up earlier; {needed} s would be longer than the period of the probe")
}

/// Whether a timeout of so many seconds is no longer than the period.
fn fits(probe: &Probe, seconds: i64) -> bool {
    probe.effective(Timing::Period).is_some_and(|period| seconds <= period.value)
}
