use super::{Context, Sink, words};
use crate::fix::{Fix, edit};
use crate::model::{Container, Field, ProbeKind};
use crate::span::Span;
use crate::timeline::{pod_grace_period, pre_stop_pause};
use crate::timing::Stop;

/// Seconds proposed for the process itself, on top of the hook.
const FOR_THE_PROCESS: u64 = 30;

/// A grace period that may be in force.
struct Grace {
    seconds: u64,
    written: Option<Span>,
    /// The probe whose own it is; the pod's otherwise.
    probe: Option<ProbeKind>,
}

pub(super) fn check(cx: &Context<'_>, sink: &mut Sink<'_>) {
    for container in cx.workload.containers.iter().filter(|container| container.may_have_probes()) {
        let Some(pause) = pre_stop_pause(container).filter(|pause| pause.seconds > 0) else { continue };
        let short: Vec<Grace> =
            graces(cx, container).into_iter().filter(|grace| pause.seconds >= grace.seconds).collect();
        let Some(least) = short.iter().min_by_key(|grace| grace.seconds) else { continue };
        let owner = words::owner(cx.workload, container);
        let default = if least.written.is_none() { " (the default)" } else { "" };
        let of = match least.probe {
            Some(kind) => format!("the {} probe's grace period", kind.word()),
            None => "the grace period".to_owned(),
        };
        let grace = least.seconds;
        let takes = match pause.seconds {
            u64::MAX => "never ends, and takes".to_owned(),
            seconds => format!("pauses for {seconds} s,"),
        };
        let message = format!("the `preStop` hook of {owner} {takes} all of {of} of {grace} s{default}");
        let stop = Stop { grace_period: grace, pre_stop: pause.seconds };
        let why = match stop.time_to_stop() {
            0 => "with no grace period at all the hook is not run, and the process is ended at once".to_owned(),
            left => format!(
                "TERM comes after {} s, and the process is ended {left} s later: open requests are cut off, and what it \
                 holds in memory is lost",
                stop.term_after()
            ),
        };
        let mut report = sink.container(container, "lifecycle.preStop", pause.at, message).why(why);
        let mut changes = Vec::new();
        let wanted = pause.seconds.saturating_add(FOR_THE_PROCESS);
        for at in short.iter().filter_map(|grace| grace.written) {
            report = report.label(at, "the time that hook and process have");
            changes.push(edit::replace(at, wanted.to_string()));
        }
        let is_endless = i64::try_from(wanted).is_err();
        report = report.help(match is_endless {
            true => "let the hook end by itself, well before the grace period does".to_owned(),
            false => {
                format!("set `terminationGracePeriodSeconds` to what the hook and the process need, such as {wanted}")
            }
        });
        if !is_endless {
            let title = format!("set `terminationGracePeriodSeconds` to {wanted}");
            report = report.fix(Some(Fix::risky(title, changes)));
        }
        let _ = report;
    }
}

/// The pod's grace period and those that probes of the container have of their own, as far as they are known.
fn graces(cx: &Context<'_>, container: &Container) -> Vec<Grace> {
    let pod = pod_grace_period(cx.workload);
    let pod = pod.map(|seconds| Grace { seconds, written: cx.workload.grace_period.at(), probe: None });
    let own = [ProbeKind::Liveness, ProbeKind::Startup].into_iter().filter_map(|kind| {
        let Field::Value { value, at, .. } = &container.probe(kind)?.grace_period else { return None };
        Some(Grace { seconds: u64::try_from(*value).ok()?, written: Some(*at), probe: Some(kind) })
    });
    pod.into_iter().chain(own).collect()
}
