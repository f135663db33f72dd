use super::{Context, Sink, edits, words};
use crate::fix::Fix;
use crate::knowledge;
use crate::model::{Container, Origin, Probe, ProbeKind, Timing};
use crate::timing::Numbers;

/// Seconds of budget that a startup probe has whose numbers are all left to their defaults.
const DEFAULT_BUDGET: u64 = 30;

pub(super) fn check(cx: &Context<'_>, sink: &mut Sink<'_>) {
    for container in &cx.workload.containers {
        let Some(startup) = container.probe(ProbeKind::Startup) else { continue };
        let Some(numbers) = words::numbers(startup).filter(|_| container.may_have_probes()) else { continue };
        if startup.handlers.is_empty() {
            continue;
        }
        let budget = numbers.act_after_start();
        let who = words::probe(cx.workload, container, startup);
        let field = "failureThreshold";
        let at = startup.timing(Timing::FailureThreshold).at().unwrap_or(startup.key);
        let message = format!("{who} gives the start {budget}, then the container is restarted");
        if let Some((needed, short)) = slow_image(container).filter(|(needed, _)| budget.latest < *needed) {
            sink.probe(container, startup, field, at, message)
                .label(container.image.at().unwrap_or(container.name_at), "known to start slowly")
                .why(format!("a start of `{short}` may take {needed} s, recovery included; a restart begins it anew"))
                .help(help(&numbers, needed))
                .fix(longer(cx, startup, &numbers, needed));
        } else if let Some((delay, place)) = replaced_delay(container).filter(|(delay, _)| budget.latest < *delay) {
            sink.probe(container, startup, field, at, message)
                .label(place, format!("the liveness probe waits for {delay} s, longer than the start may take"))
                .why("the delay says how long a start takes; the startup probe ends it before, by a restart")
                .help(help(&numbers, delay))
                .fix(longer(cx, startup, &numbers, delay));
        } else if numbers.failure_threshold == 1 {
            sink.probe(container, startup, field, at, message)
                .why("the first attempt that fails ends the start; a startup probe is there to let attempts fail")
                .help(help(&numbers, 300))
                .fix(longer(cx, startup, &numbers, 300));
        } else if is_left_to_default(cx, startup) && budget.latest <= DEFAULT_BUDGET {
            sink.probe(container, startup, field, at, message)
                .why(format!(
                    "`failureThreshold` is not written, so {} failures end the start, as many as liveness would allow; a \
                     startup probe is there to allow more",
                    numbers.failure_threshold
                ))
                .help(help(&numbers, 300))
                .fix(longer(cx, startup, &numbers, 300));
        }
    }
}

/// Seconds that a start of a well-known image may take, and its short name.
fn slow_image(container: &Container) -> Option<(u64, &str)> {
    let name = container.image.value()?;
    Some((knowledge::image(name)?.start?, name.rsplit('/').next().unwrap_or(name)))
}

/// The initial delay of the liveness probe, which says how long somebody thought a start to take.
fn replaced_delay(container: &Container) -> Option<(u64, crate::span::Span)> {
    let delay = container.probe(ProbeKind::Liveness)?.effective(Timing::InitialDelay)?;
    Some((u64::try_from(delay.value).ok()?, delay.written?))
}

fn is_left_to_default(cx: &Context<'_>, startup: &Probe) -> bool {
    cx.workload.origin == Origin::Complete && startup.timing(Timing::FailureThreshold).is_default()
}

fn help(numbers: &Numbers, needed: u64) -> String {
    format!(
        "set `failureThreshold` to {}: with a period of {} s that allows {needed} s",
        numbers.failures_to_allow(needed),
        numbers.period
    )
}

fn longer(cx: &Context<'_>, probe: &Probe, numbers: &Numbers, needed: u64) -> Option<Fix> {
    edits::set_failures(cx.text, probe, numbers.failures_to_allow(needed))
}
