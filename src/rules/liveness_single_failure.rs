use super::{Context, Sink, edits, words};
use crate::model::{Orchestrator, ProbeKind, Timing};
use crate::timeline::{deployed, is_deployed};
use crate::timing::Numbers;

pub(super) fn check(cx: &Context<'_>, sink: &mut Sink<'_>) {
    for (container, liveness) in words::acting(cx, ProbeKind::Liveness) {
        let threshold = liveness.effective(Timing::FailureThreshold).filter(|threshold| threshold.value == 1);
        let Some(at) = threshold.and_then(|threshold| threshold.written) else { continue };
        let field = liveness.timing_field(Timing::FailureThreshold);
        let who = words::probe(cx.workload, container, liveness);
        // Tye counts one failure more than it says, until the service is deployed.
        let is_tye = liveness.orchestrator == Orchestrator::Tye;
        if is_tye && !is_deployed(cx.workload) {
            continue;
        }
        let (message, first) = if is_tye {
            (
                format!("{who} acts on the second failure at `tye run`, and on the first one when it is deployed"),
                "deployed, one lost packet is enough",
            )
        } else {
            (format!("{who} acts on a single failure"), "one lost packet is enough")
        };
        let what = match words::kills(cx.workload, container) {
            "restarts" => words::consequence(liveness.orchestrator, ProbeKind::Liveness),
            _ => "the container is ended for good",
        };
        let mut report = sink.probe(container, liveness, field, at, message);
        // One of the other numbers may be known only after rendering.
        report = match words::numbers(liveness) {
            Some(numbers) => {
                let acting = if is_tye { deployed(numbers) } else { numbers };
                let wanted = words::calm_failures(cx.workload, container, numbers);
                let calm = Numbers { failure_threshold: wanted, ..acting };
                report
                    .why(format!(
                        "{first}, or one answer that takes more than {} s: {what}, though nothing is broken",
                        acting.act_after_hang().earliest
                    ))
                    .help(format!(
                        "set `{field}` to {wanted}; a process that really hangs is then noticed after {}",
                        calm.act_after_hang()
                    ))
                    .fix(edits::set_failures(cx.text, liveness, wanted))
            }
            None => report
                .why(format!("{first}, or one slow answer: {what}, though nothing is broken"))
                .help(format!("set `{field}` to 3 or more")),
        };
        let _ = report;
    }
}
