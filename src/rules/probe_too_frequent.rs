use super::{Context, Sink, edits, exec, words};
use crate::knowledge;
use crate::model::{Handler, ProbeKind, Timing};

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
        let Some((handler, command)) = probe.handler().and_then(|handler| Some((handler, exec::read(handler)?))) else {
            continue;
        };
        let Some(numbers) = words::numbers(probe) else { continue };
        let slow = slow_client(handler);
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

/// The program of a command that takes long to start.
fn slow_client(handler: &Handler) -> Option<String> {
    let command = exec::read(handler)?;
    let calls = command.exec.calls(knowledge::clients());
    let slowest = calls
        .iter()
        .filter(|call| call.client.minimum_timeout.is_some())
        .max_by_key(|call| call.client.minimum_timeout)?;
    Some(slowest.run.program().unwrap_or_default().into_owned())
}

/// `17,280`
fn thousands(number: u64) -> String {
    if number < 1_000 { number.to_string() } else { format!("{},{:03}", thousands(number / 1_000), number % 1_000) }
}
