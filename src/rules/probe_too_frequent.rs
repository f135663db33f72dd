use super::{Context, Sink, edits, exec, words};
use crate::model::{ProbeKind, Timing};

/// Seconds between two commands at the least.
const LEAST_PERIOD: u64 = 5;
/// The same for programs that start a virtual machine or an interpreter of some size.
const LEAST_PERIOD_OF_SLOW: u64 = 10;

pub(super) fn check(cx: &Context<'_>, sink: &mut Sink<'_>) {
    for (container, probe) in cx.workload.probes() {
        // A startup probe ends with the start; until then every second may count.
        if !container.may_have_probes() || probe.kind == ProbeKind::Startup {
            continue;
        }
        let Some(command) = probe.handler().and_then(exec::read) else { continue };
        let Some(numbers) = words::numbers(probe) else { continue };
        let slow = command.slowest_client().map(|call| call.run.program().unwrap_or_default().into_owned());
        let least = if slow.is_some() { LEAST_PERIOD_OF_SLOW } else { LEAST_PERIOD };
        if numbers.period >= least {
            continue;
        }
        let Some(at) = probe.effective(Timing::Period).and_then(|period| period.written) else { continue };
        let who = words::probe(cx.workload, container, probe);
        let what = slow.as_ref().map_or_else(|| "a command".to_owned(), |name| format!("`{name}`"));
        let cost = match slow {
            Some(_) => {
                "each of them starts a run time of its own, next to the work of the container and under its limits"
            }
            None => {
                "each of them is a new process that the container runtime sets up, under the limits of the container"
            }
        };
        sink.probe(container, probe, "periodSeconds", at, format!("{who} runs {what} every {} s", numbers.period))
            .label(command.at, "run each time")
            .why(format!(
                "that is {} commands a day in every replica; {cost}, and under load they take CPU from it or time out",
                thousands(numbers.attempts_per_day())
            ))
            .help(format!(
                "set `periodSeconds` to {least} or more, or ask with `httpGet`, `tcpSocket` or `grpc`, which start nothing"
            ))
            .fix(edits::set_period(cx.text, probe, least as i64));
    }
}

/// `17,280`
fn thousands(number: u64) -> String {
    if number < 1_000 { number.to_string() } else { format!("{},{:03}", thousands(number / 1_000), number % 1_000) }
}
