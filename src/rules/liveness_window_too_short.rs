use super::{Context, Sink, edits, words};
use crate::model::{Container, Origin, Probe, ProbeKind, Timing, Workload};
use crate::span::Span;
use crate::timeline::{deployed, is_deployed};
use crate::timing::{Numbers, Worker};

pub(super) fn check(cx: &Context<'_>, sink: &mut Sink<'_>) {
    for (container, liveness, numbers) in words::timed(cx, ProbeKind::Liveness) {
        let strictest = strictest(cx.workload, numbers);
        if strictest.act_after_hang().earliest >= words::LEAST_WINDOW {
            continue;
        }
        let kills = words::kills(cx.workload, container);
        let (at, field) = place(liveness);
        let who = words::probe(cx.workload, container, liveness);
        let window = numbers.act_after_hang();
        // A loose block has nothing in front of it that "it" could be.
        let what = if cx.workload.origin == Origin::Fragment { "the container" } else { "it" };
        let message = if strictest == numbers {
            format!("{who} {kills} {what} after a hang of {window}")
        } else {
            format!("{who} {kills} {what} after a hang of {window}, and deployed after {}", strictest.act_after_hang())
        };
        let wanted = words::calm_failures(cx.workload, container, numbers);
        let threshold = liveness.timing_field(Timing::FailureThreshold);
        sink.probe(container, liveness, field, at, message)
            .why(why(kills, container, &numbers, &strictest))
            .help(format!(
                "set `{threshold}` to at least {wanted}: with a period of {} s a hang of less than {} s then passes",
                numbers.period,
                Numbers { failure_threshold: wanted, ..strictest }.act_after_hang().earliest
            ))
            .fix(edits::set_failures(cx.text, liveness, wanted));
    }
}

/// The numbers of the worker that acts soonest: a Tye service is also meant to be deployed, where the threshold counts
/// one less and nothing waits for the timeout.
fn strictest(workload: &Workload, numbers: Numbers) -> Numbers {
    let deployed = deployed(numbers);
    let is_sooner = deployed.act_after_hang().earliest < numbers.act_after_hang().earliest;
    if is_deployed(workload) && is_sooner { deployed } else { numbers }
}

fn why(kills: &str, container: &Container, numbers: &Numbers, strictest: &Numbers) -> String {
    let what = match numbers.worker {
        Worker::Kubelet => "the container",
        Worker::ReplicaMonitor => "the replica",
    };
    let then = match kills {
        "restarts" => ", and the new process starts from cold under the same load",
        _ => ", and nothing starts it again",
    };
    let limit = container.cpu_limit.map_or_else(String::new, |limit| format!(" under its CPU limit of {limit}m"));
    format!(
        "a pause of {} s {kills} {what}, though nothing is broken: a garbage collection, a slow disk or throttling{limit} \
         can take that long{then}",
        strictest.act_after_hang().earliest
    )
}

/// What makes the window short: the written threshold, else the written period, else the probe.
fn place(liveness: &Probe) -> (Span, &'static str) {
    let written = |timing| {
        let at = liveness.effective(timing).and_then(|number| number.written)?;
        Some((at, liveness.timing_field(timing)))
    };
    written(Timing::FailureThreshold).or_else(|| written(Timing::Period)).unwrap_or((liveness.key, ""))
}
