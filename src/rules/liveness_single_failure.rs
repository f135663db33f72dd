use super::{Context, Sink, edits, words};
use crate::model::{Orchestrator, ProbeKind, Timing};
use crate::timeline::{deployed, is_deployed};
use crate::timing::Numbers;

/// What is proposed instead, Kubernetes' and Tye's own default.
const USUAL_FAILURES: u64 = 3;

pub(super) fn check(cx: &Context<'_>, sink: &mut Sink<'_>) {
    let all = words::timed(cx.workload, ProbeKind::Liveness);
    for (container, liveness, numbers) in all.filter(|(_, _, numbers)| numbers.failure_threshold == 1) {
        let Some(at) = liveness.effective(Timing::FailureThreshold).and_then(|threshold| threshold.written) else {
            continue;
        };
        let field = liveness.timing_field(Timing::FailureThreshold);
        let who = words::probe(cx.workload, container, liveness);
        let what = words::consequence(liveness.orchestrator, ProbeKind::Liveness);
        // Tye counts one failure more than it says, until the service is deployed.
        let is_tye = liveness.orchestrator == Orchestrator::Tye;
        if is_tye && !is_deployed(cx.workload) {
            continue;
        }
        let (message, acting, first) = if is_tye {
            (
                format!("{who} acts on the second failure at `tye run`, and on the first one when it is deployed"),
                deployed(numbers),
                "deployed, one",
            )
        } else {
            (format!("{who} acts on a single failure"), numbers, "one")
        };
        let calm = Numbers { failure_threshold: USUAL_FAILURES, ..acting };
        let pause = acting.act_after_hang().earliest;
        sink.probe(container, liveness, field, at, message)
            .why(format!(
                "{first} lost packet is enough, or one answer that takes more than {pause} s: {what}, though nothing is broken"
            ))
            .help(format!(
                "set `{field}` to {USUAL_FAILURES}; a process that really hangs is then noticed after {}",
                calm.act_after_hang()
            ))
            .fix(edits::set_failures(cx.text, liveness, USUAL_FAILURES));
    }
}
