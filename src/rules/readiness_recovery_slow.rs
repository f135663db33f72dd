use super::{Context, Sink, words};
use crate::model::{Orchestrator, ProbeKind, Timing};
use crate::timing::Numbers;

/// Seconds within which a pod that works again should get traffic.
const SLOWEST_RECOVERY: u64 = 60;

pub(super) fn check(cx: &Context<'_>, sink: &mut Sink<'_>) {
    // Their pods get no traffic.
    if cx.workload.runs_to_completion() {
        return;
    }
    let is_slow =
        |numbers: &Numbers| numbers.success_threshold > 1 && numbers.pass_after_recovery().latest > SLOWEST_RECOVERY;
    let all = words::timed(cx, ProbeKind::Readiness);
    for (container, readiness, numbers) in all.filter(|(_, _, numbers)| is_slow(numbers)) {
        let field = readiness.timing_field(Timing::SuccessThreshold);
        let Some(at) = readiness.effective(Timing::SuccessThreshold).and_then(|threshold| threshold.written) else {
            continue;
        };
        let who = words::probe(cx.workload, container, readiness);
        let back = numbers.pass_after_recovery().latest;
        let counted = match readiness.orchestrator {
            Orchestrator::Tye => " (Tye counts one more than it says)",
            _ => "",
        };
        sink.probe(
            container,
            readiness,
            field,
            at,
            format!("{who} lets up to {back} s pass before a pod that works again gets traffic"),
        )
        .why(format!(
            "it takes {} successes in a row{counted}, {} s apart; after a blip that took out all replicas, nobody serves for as long",
            numbers.successes_that_pass(),
            numbers.period
        ))
        .help(format!("lower `{field}` or `{}`", readiness.timing_field(Timing::Period)));
    }
}
