use super::{Context, Sink, startup_exceeds_progress_deadline, words};
use crate::knowledge;
use crate::model::{ProbeKind, Timing};

/// Seconds after which somebody should notice that a start does not end.
const LONGEST_WINDOW: u64 = 15 * 60;

pub(super) fn check(cx: &Context<'_>, sink: &mut Sink<'_>) {
    for (container, startup, numbers) in words::timed(cx, ProbeKind::Startup) {
        let window = numbers.act_after_endless_start();
        let image = container.image.value().and_then(|image| knowledge::image(image));
        // What is known to take its time may have twice that.
        let allowed = image.and_then(|image| image.start).map_or(0, |seconds| seconds * 2).max(LONGEST_WINDOW);
        // A rollout that is declared failed before has a rule of its own.
        if window.earliest <= allowed || startup_exceeds_progress_deadline::is_exceeded(cx, container) {
            continue;
        }
        let who = words::probe(cx.workload, container, startup);
        let minutes = window.earliest / 60;
        // Whatever the threshold, it cannot be sooner than the delay.
        let is_delay = numbers.initial_delay >= allowed;
        let timing = if is_delay { Timing::InitialDelay } else { Timing::FailureThreshold };
        let (at, field) = (startup.timing(timing).at().unwrap_or(startup.key), startup.timing_field(timing));
        let help = if is_delay {
            "the first attempts of a startup probe may fail; `initialDelaySeconds` need not cover the start".to_owned()
        } else {
            let wanted = numbers.failures_to_allow(allowed);
            format!("set `{field}` to what the slowest good start needs; {wanted} allows {} minutes", allowed / 60)
        };
        sink.probe(container, startup, field, at, format!("{who} waits {window} for a start that never ends"))
            .why(format!(
                "a process that is stuck in its start stays like that for {minutes} minutes before anything happens, and \
                 liveness is held back all the while"
            ))
            .help(help);
    }
}
