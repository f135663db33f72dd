use super::{Context, Sink, words};
use crate::model::{ProbeKind, Timing};
use crate::timeline::is_probed;

/// Seconds within which liveness should notice a hang.
const SLOWEST_LIVENESS: u64 = 180;
/// Seconds within which readiness should.
const SLOWEST_READINESS: u64 = 60;

pub(super) fn check(cx: &Context<'_>, sink: &mut Sink<'_>) {
    for (container, probe) in cx.workload.probes() {
        let slowest = match probe.kind {
            ProbeKind::Liveness => SLOWEST_LIVENESS,
            ProbeKind::Readiness if !cx.workload.runs_to_completion() => SLOWEST_READINESS,
            _ => continue,
        };
        if !container.may_have_probes() || probe.handlers.is_empty() || !is_probed(cx.workload) {
            continue;
        }
        let Some(numbers) = words::numbers(probe).filter(|it| it.act_after_hang().earliest > slowest) else { continue };
        let window = numbers.act_after_hang();
        let who = words::probe(cx.workload, container, probe);
        // What makes it slow: the greater part.
        let timing = [Timing::FailureThreshold, Timing::Period, Timing::Timeout]
            .into_iter()
            .filter_map(|timing| Some((probe.effective(timing)?.written?, timing)))
            .max_by_key(|&(_, timing)| factor(&numbers, timing));
        let (at, field) = timing.map_or((probe.key, ""), |(at, timing)| (at, probe.timing_field(timing)));
        let why = match probe.kind {
            ProbeKind::Liveness => format!("a process that hangs stays like that for up to {} s", window.latest),
            _ => format!("a pod that no longer answers gets its share of requests for up to {} s", window.latest),
        };
        sink.probe(container, probe, field, at, format!("{who} notices a hang only after {window}")).why(why).help(
            format!(
                "lower `{}`, `{}` or `{}`, so that it is noticed within {slowest} s",
                probe.timing_field(Timing::Period),
                probe.timing_field(Timing::FailureThreshold),
                probe.timing_field(Timing::Timeout),
            ),
        );
    }
}

/// How many times its usual value a number is, in thousandths.
fn factor(numbers: &crate::timing::Numbers, timing: Timing) -> u64 {
    match timing {
        Timing::FailureThreshold => numbers.failure_threshold * 1_000 / 3,
        Timing::Period => numbers.period * 1_000 / 10,
        _ => numbers.timeout * 1_000 / 10,
    }
}
