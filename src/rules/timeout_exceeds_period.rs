use super::{Context, Sink, words};
use crate::finding::Level;
use crate::fix::{Fix, edit};
use crate::model::{Orchestrator, ProbeKind, Timing};

pub(super) fn check(cx: &Context<'_>, sink: &mut Sink<'_>) {
    for (container, probe) in cx.workload.probes() {
        // Tye waits a whole period after each attempt, however long it took.
        if !container.may_have_probes() || probe.orchestrator == Orchestrator::Tye {
            continue;
        }
        let (Some(timeout), Some(period)) = (probe.effective(Timing::Timeout), probe.effective(Timing::Period)) else {
            continue;
        };
        let Some(at) = timeout.written.filter(|_| timeout.value > period.value) else { continue };
        let who = words::probe(cx.workload, container, probe);
        let message = format!(
            "`timeoutSeconds` of {who} is {}, longer than its period of {}",
            timeout.value,
            words::seconds(period)
        );
        let fate = words::numbers(probe).map_or_else(String::new, |numbers| {
            let hang = numbers.act_after_hang();
            match probe.kind {
                ProbeKind::Startup => {
                    format!("; a start that never answers is given up {} s after the first attempt", hang.earliest)
                }
                kind => format!("; after a hang, {} within {hang}", words::consequence(probe.orchestrator, kind)),
            }
        });
        let wanted = timeout.value.to_string();
        let change = match period.written {
            Some(place) => Some(edit::replace(place, wanted)),
            None => probe
                .timing(Timing::Timeout)
                .key()
                .and_then(|key| edit::insert_entry(cx.text, probe.at, key, at, "periodSeconds", &wanted)),
        };
        let mut report = sink.probe(container, probe, "timeoutSeconds", at, message);
        report = match period.written {
            Some(place) => report.label(place, "the period is set here"),
            // Only one of the two numbers was chosen; kubeadm's own static pods are like that.
            None => report.level(Level::Advice),
        };
        report
            .why(format!(
                "attempts never overlap, so while they time out one starts every {} s and the period means nothing{fate}",
                timeout.value
            ))
            .help(format!("set `periodSeconds` to at least {}, or lower `timeoutSeconds` to {}", timeout.value, period.value))
            .fix(change.map(|edit| Fix::risky(format!("set `periodSeconds` to {}", timeout.value), vec![edit])));
    }
}
