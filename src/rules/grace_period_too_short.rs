use super::{Context, Sink, words};
use crate::fix::{Fix, edit};
use crate::model::{Container, Field, Probe, ProbeKind};
use crate::span::Span;
use crate::timeline::{LongSleep, pod_grace_period, pre_stop_sleep};
use crate::timing::Stop;

/// Seconds proposed for the process itself, on top of the hook.
const FOR_THE_PROCESS: u64 = 30;

pub(super) fn check(cx: &Context<'_>, sink: &mut Sink<'_>) {
    for container in cx.workload.containers.iter().filter(|container| container.may_have_probes()) {
        let Some(pause) = pre_stop_sleep(container).filter(|pause| pause.seconds > 0) else { continue };
        if let Some(grace) = pod_grace_period(cx.workload).filter(|grace| pause.seconds >= *grace) {
            report(cx, sink, container, pause, grace, cx.workload.grace_period.at(), None);
        }
        for kind in [ProbeKind::Liveness, ProbeKind::Startup] {
            let Some(probe) = container.probe(kind) else { continue };
            let Field::Value { value, at, .. } = &probe.grace_period else { continue };
            let Some(grace) = u64::try_from(*value).ok().filter(|grace| pause.seconds >= *grace) else { continue };
            report(cx, sink, container, pause, grace, Some(*at), Some(probe));
        }
    }
}

/// One grace period that the hook uses up: the pod's, or a probe's own.
fn report(
    cx: &Context<'_>,
    sink: &mut Sink<'_>,
    container: &Container,
    pause: LongSleep,
    grace: u64,
    written: Option<Span>,
    probe: Option<&Probe>,
) {
    let owner = words::owner(cx.workload, container);
    let default = if written.is_none() { " (the default)" } else { "" };
    let of = match probe {
        Some(probe) => format!("the {} probe's grace period", probe.kind.word()),
        None => "the grace period".to_owned(),
    };
    let message =
        format!("the `preStop` hook of {owner} pauses for {} s, all of {of} of {grace} s{default}", pause.seconds);
    let stop = Stop { grace_period: grace, pre_stop: pause.seconds };
    let why = match stop.time_to_stop() {
        0 => "with no grace period at all the hook is not run, and the process is ended at once".to_owned(),
        left => format!(
            "TERM comes after {} s, and the process is ended {left} s later: open requests are cut off, and what it holds in \
             memory is lost",
            stop.term_after()
        ),
    };
    let wanted = pause.seconds.saturating_add(FOR_THE_PROCESS);
    let help = format!("set `terminationGracePeriodSeconds` to what the hook and the process need, such as {wanted}");
    let title = format!("set `terminationGracePeriodSeconds` to {wanted}");
    let mut report = sink.container(container, "lifecycle.preStop", pause.at, message).why(why).help(help);
    if let Some(at) = written {
        report = report
            .label(at, "the time that hook and process have")
            .fix(Some(Fix::risky(title, vec![edit::replace(at, wanted.to_string())])));
    }
    let _ = report;
}
