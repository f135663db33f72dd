use super::{Context, Sink, edits, words};
use crate::model::{Orchestrator, ProbeKind, Timing};
use crate::timeline::is_deployed;
use crate::timing::Numbers;

/// Seconds of period below which a single failure is a matter of chance.
const QUICK_PERIOD: u64 = 5;
/// What is proposed instead.
const USUAL_FAILURES: u64 = 3;

pub(super) fn check(cx: &Context<'_>, sink: &mut Sink<'_>) {
    // Their pods get no traffic, so there is nothing to be taken out of.
    if cx.workload.runs_to_completion() {
        return;
    }
    let is_flapping = |numbers: &Numbers| numbers.failure_threshold == 1 && numbers.period < QUICK_PERIOD;
    let all = words::timed(cx, ProbeKind::Readiness);
    for (container, readiness, numbers) in all.filter(|(_, _, numbers)| is_flapping(numbers)) {
        let Some(at) = readiness.effective(Timing::FailureThreshold).and_then(|threshold| threshold.written) else {
            continue;
        };
        let field = readiness.timing_field(Timing::FailureThreshold);
        let who = words::probe(cx.workload, container, readiness);
        // Tye counts one failure more than it says, until the service is deployed.
        let count = match readiness.orchestrator {
            Orchestrator::Tye if !is_deployed(cx.workload) => continue,
            Orchestrator::Tye => "on the second failure (deployed: on the first)",
            _ => "on a single failure",
        };
        let message = format!("{who} asks every {} s and acts {count}", numbers.period);
        sink.probe(container, readiness, field, at, message)
            .why(format!(
                "one slow answer is enough: {}, and comes back within {}; under load several replicas may do that at once, \
                 and leave the others with more",
                words::consequence(readiness.orchestrator, ProbeKind::Readiness),
                numbers.pass_after_recovery()
            ))
            .help(format!("set `{field}` to {USUAL_FAILURES}, or ask less often"))
            .fix(edits::set_failures(cx.text, readiness, USUAL_FAILURES));
    }
}
