use super::{Context, Sink, edits, words};
use crate::finding::Level;
use crate::model::{Orchestrator, ProbeKind, Timing};
use crate::timing::Numbers;

pub(super) fn check(cx: &Context<'_>, sink: &mut Sink<'_>) {
    // Their pods get no traffic, so there is nothing to be taken out of first.
    if cx.workload.runs_to_completion() {
        return;
    }
    for (container, liveness, kill) in words::timed(cx, ProbeKind::Liveness) {
        let readiness = container.probe(ProbeKind::Readiness).filter(|probe| !probe.handlers.is_empty());
        let Some((readiness, removal)) = readiness.and_then(|probe| Some((probe, words::numbers(probe)?))) else {
            continue;
        };
        let (killed, removed) = (kill.act_after_hang(), removal.act_after_hang());
        if killed.earliest > removed.earliest {
            continue;
        }
        let who = words::probe(cx.workload, container, liveness);
        let threshold = liveness.timing_field(Timing::FailureThreshold);
        let at = liveness.timing(Timing::FailureThreshold).at().unwrap_or(liveness.key);
        let wanted = words::calm_failures(cx.workload, container, kill);
        let is_enough = Numbers { failure_threshold: wanted, ..kill }.act_after_hang().earliest > removed.latest;
        let is_sooner = killed.latest <= removed.earliest;
        let message = if is_sooner {
            format!("{who} acts after a hang of {killed}, readiness only after {removed}")
        } else {
            format!("{who} acts after a hang of {killed}, no later than readiness ({removed})")
        };
        let what = match liveness.orchestrator {
            Orchestrator::Tye => "replica",
            _ => "container",
        };
        let why = if is_sooner {
            format!(
                "a {what} that hangs is restarted before traffic stops: requests reach it until the last moment, and"
            )
        } else {
            format!("a {what} that hangs may be restarted before or just when traffic stops:")
        };
        let mut report = sink
            // Two numbers of several are at odds, so the field is the probe; a rule about the same pair then goes first.
            .probe(container, liveness, "", at, message)
            .label(readiness.alias.unwrap_or(readiness.key), format!("acts after {removed}"))
            .why(format!("{why} a pause that taking it out of traffic would have covered costs a restart"))
            .help(if is_enough {
                format!(
                    "let liveness be the more patient one: with a `{threshold}` of {wanted} it acts only after readiness has"
                )
            } else {
                "let readiness act sooner: it may be less patient than liveness, since all it costs is traffic".to_owned()
            });
        if is_enough {
            report = report.fix(edits::set_failures(cx.text, liveness, wanted));
        }
        if !is_sooner {
            report = report.level(Level::Advice);
        }
        let _ = report;
    }
}
