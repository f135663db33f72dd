use super::{Context, Sink, words};
use crate::fix::{Fix, edit};
use crate::model::{ProbeKind, Timing};
use crate::timing::first_ready;

pub(super) fn check(cx: &Context<'_>, sink: &mut Sink<'_>) {
    for (container, startup, start) in words::timed(cx, ProbeKind::Startup) {
        for kind in [ProbeKind::Liveness, ProbeKind::Readiness] {
            let Some(probe) = container.probe(kind).filter(|probe| !probe.handlers.is_empty()) else { continue };
            let Some(numbers) = words::numbers(probe).filter(|numbers| numbers.initial_delay > 0) else { continue };
            let Some(at) = probe.effective(Timing::InitialDelay).and_then(|delay| delay.written) else { continue };
            let delay = numbers.initial_delay;
            let who = words::probe(cx.workload, container, probe);
            let is_idle = delay <= start.first_attempt().earliest;
            let why = if is_idle {
                format!(
                    "it counts from the start of the container, and the startup probe holds this one back for {} s in any case",
                    start.first_attempt().earliest
                )
            } else if kind == ProbeKind::Readiness {
                let quickest = first_ready(Some(start), None, Some(numbers)).earliest;
                let without = crate::timing::Numbers { initial_delay: 0, ..numbers };
                format!(
                    "it counts from the start of the container: a quick start gets its first traffic after {quickest} s \
                     instead of {} s, and one that takes longer than {delay} s is not protected by it, but by the startup probe",
                    first_ready(Some(start), None, Some(without)).earliest
                )
            } else {
                format!(
                    "it counts from the start of the container: a quick start runs without liveness until {delay} s, and \
                     one that takes longer is not protected by it, but by the startup probe"
                )
            };
            let key = probe.timing(Timing::InitialDelay).key();
            let change = key.and_then(|key| edit::remove_entry(cx.text, probe.at, key, at));
            sink.probe(
                container,
                probe,
                "initialDelaySeconds",
                at,
                format!("{who} waits {delay} s, though a startup probe holds it back"),
            )
            .label(startup.key, "the others begin when it has passed")
            .why(why)
            .help("leave out `initialDelaySeconds`")
            .fix(change.map(|edit| Fix::risky("leave out `initialDelaySeconds`", vec![edit])));
        }
    }
}
