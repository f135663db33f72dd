use super::{Context, Sink, edits, words};
use crate::model::{Container, Probe, ProbeKind, Timing, Workload};
use crate::span::Span;
use crate::timeline::{deployed, is_deployed};
use crate::timing::{Numbers, Worker};

/// Seconds that a process may well hang for without being broken.
const LEAST_WINDOW: u64 = 10;

pub(super) fn check(cx: &Context<'_>, sink: &mut Sink<'_>) {
    for (container, liveness, numbers) in words::timed(cx.workload, ProbeKind::Liveness) {
        let strictest = strictest(cx.workload, numbers);
        if strictest.act_after_hang().earliest >= LEAST_WINDOW {
            continue;
        }
        let (at, field) = place(liveness);
        let who = words::probe(cx.workload, container, liveness);
        let window = numbers.act_after_hang();
        let message = if strictest == numbers {
            format!("{who} restarts it after a hang of {window}")
        } else {
            format!("{who} restarts it after a hang of {window}, and deployed after {}", strictest.act_after_hang())
        };
        let wanted = strictest.failures_to_outlast_hang(LEAST_WINDOW - 1);
        let threshold = liveness.timing_field(Timing::FailureThreshold);
        sink.probe(container, liveness, field, at, message)
            .why(why(container, &numbers, &strictest))
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

fn why(container: &Container, numbers: &Numbers, strictest: &Numbers) -> String {
    let what = match numbers.worker {
        Worker::Kubelet => "the container",
        Worker::ReplicaMonitor => "the replica",
    };
    let limit = container.cpu_limit.map_or_else(String::new, |limit| format!(" under its CPU limit of {limit}m"));
    format!(
        "a pause of {} s restarts {what}, though nothing is broken: a garbage collection, a slow disk or throttling{limit} \
         can take that long, and the new process starts from cold under the same load",
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
