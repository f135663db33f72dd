//! Turns of phrase that several rules share, so that one thing is always called the same.

use super::Context;
use crate::model::{Container, Effective, Number, Orchestrator, Origin, Probe, ProbeKind, Timing, Workload};
pub(super) use crate::timeline::numbers;
use crate::timeline::{deployed, is_deployed, is_probed};
use crate::timing::Numbers;

/// "the liveness probe of container `app`".
pub(super) fn probe(workload: &Workload, container: &Container, probe: &Probe) -> String {
    kind_of_probe(workload, container, probe.kind)
}

/// The same for a kind of probe.
pub(super) fn kind_of_probe(workload: &Workload, container: &Container, kind: ProbeKind) -> String {
    let kind = kind.word();
    match (workload.origin, workload.orchestrator) {
        (Origin::Fragment, _) => format!("the {kind} probe"),
        _ => format!("the {kind} probe of {}", owner(workload, container)),
    }
}

/// "container `app`", "sidecar `proxy`", "service `web`".
pub(super) fn owner(workload: &Workload, container: &Container) -> String {
    let what = match (workload.orchestrator, container.role) {
        (Orchestrator::Tye, _) => "service",
        (_, crate::model::Role::Sidecar) => "sidecar",
        _ => "container",
    };
    format!("{what} `{}`", container.name)
}

/// What becomes of an object that API validation refuses.
///
/// Source: kubernetes pull request 131790: the pod template of a StatefulSet is validated since 1.34.
pub(super) fn refused(cx: &Context<'_>) -> &'static str {
    let is_unchecked = cx.workload.kind == "StatefulSet" && cx.kubernetes_version.is_some_and(|it| it.minor < 34);
    if is_unchecked {
        "before 1.34 the API server keeps such a StatefulSet unchecked, and then refuses each of its pods"
    } else {
        "the API server refuses the object, so none of it is deployed"
    }
}

/// The probes of a kind that a workload's containers may have, that somebody runs, and whose numbers are known.
pub(super) fn timed<'a>(
    cx: &Context<'a>,
    kind: ProbeKind,
) -> impl Iterator<Item = (&'a Container, &'a Probe, Numbers)> {
    acting(cx, kind).filter_map(|(container, probe)| Some((container, probe, numbers(probe)?)))
}

/// The probes of a kind that a workload's containers may have and that somebody runs.
pub(super) fn acting<'a>(cx: &Context<'a>, kind: ProbeKind) -> impl Iterator<Item = (&'a Container, &'a Probe)> {
    let (workload, text) = (cx.workload, cx.text);
    let is_probed = is_probed(workload);
    let containers = workload.containers.iter().filter(move |container| container.may_have_probes() && is_probed);
    containers.filter_map(move |container| {
        let probe = container.probe(kind)?;
        let acts = !probe.handlers.is_empty() || workload.origin == Origin::Fragment && is_completed(probe, text);
        acts.then_some((container, probe))
    })
}

/// Whether a loose block without a handler has all that its template leaves to it: the handler stands there, the numbers
/// here, as in the values of many charts.
fn is_completed(probe: &Probe, text: &str) -> bool {
    let is_written = |timing| probe.effective(timing).is_some_and(|number| number.written.is_some());
    let is_off = probe.keys.iter().any(|key| key.name == "enabled" && key.value.text(text) != "true");
    !is_off && [Timing::Period, Timing::Timeout, Timing::FailureThreshold].into_iter().all(is_written)
}

/// What a failing liveness probe does to the container: "restarts", or "ends" where nothing starts it again.
pub(super) fn kills(workload: &Workload, container: &Container) -> &'static str {
    let is_final = workload.restart_policy.value().is_some_and(|policy| policy == "Never");
    if is_final && container.role == crate::model::Role::Main { "ends" } else { "restarts" }
}

/// What a failing probe does, in a main clause: "the container is restarted".
pub(super) const fn consequence(orchestrator: Orchestrator, kind: ProbeKind) -> &'static str {
    match (orchestrator, kind) {
        (Orchestrator::Tye, ProbeKind::Readiness) => "the replica gets no more requests",
        (Orchestrator::Tye, _) => "the replica is restarted",
        (_, ProbeKind::Readiness) => "the pod is taken out of its Services",
        _ => "the container is restarted",
    }
}

/// Seconds that a process may well hang for without being broken.
pub(super) const LEAST_WINDOW: u64 = 10;
/// A greater threshold is nothing to propose: then it is the period that is wrong.
const MOST_FAILURES: u64 = 60;

/// The failure threshold to propose for liveness, the same in all rules: one under which it outlasts a pause, and acts
/// only when readiness has, whatever the phases; for a Tye service also where it is deployed.
pub(super) fn calm_failures(workload: &Workload, container: &Container, kill: Numbers) -> u64 {
    let removal = container.probe(ProbeKind::Readiness).filter(|_| !workload.runs_to_completion()).and_then(numbers);
    let least = |kill: Numbers, removal: Option<Numbers>| {
        let pause = kill.failures_to_outlast_hang(LEAST_WINDOW - 1);
        let patience = removal.map(|removal| kill.failures_to_outlast_hang(removal.act_after_hang().latest));
        pause.max(patience.filter(|&patience| patience <= MOST_FAILURES).unwrap_or(0))
    };
    let usual = Timing::FailureThreshold.default(Orchestrator::Kubernetes).unsigned_abs();
    let here = least(kill, removal).max(usual);
    if is_deployed(workload) { here.max(least(deployed(kill), removal.map(deployed))) } else { here }
}

/// What follows when every attempt fails.
pub(super) fn fate_of_failing(probe: &Probe) -> String {
    match (probe.kind, numbers(probe)) {
        (ProbeKind::Readiness, _) => "the pod never becomes ready".to_owned(),
        (_, Some(numbers)) => {
            format!(
                "{} within {} of each start",
                consequence(probe.orchestrator, probe.kind),
                numbers.act_after_start()
            )
        }
        (_, None) => format!("{}, again and again", consequence(probe.orchestrator, probe.kind)),
    }
}

/// What follows when every attempt passes, whatever the process does.
pub(super) const fn fate_of_passing(kind: ProbeKind) -> &'static str {
    match kind {
        ProbeKind::Liveness => "a process that hangs is never restarted",
        ProbeKind::Readiness => "the pod gets traffic from its start on, whether it serves or not",
        ProbeKind::Startup => "the start counts as done at the first attempt",
    }
}

/// "10 s (the default)" or "10 s".
pub(super) fn seconds(effective: Effective) -> String {
    let default = if effective.written.is_none() { " (the default)" } else { "" };
    format!("{} s{default}", effective.value)
}

/// Why a number is out of range for a 32-bit field, if it is.
pub(super) fn beyond_int32(value: Number) -> bool {
    i32::try_from(value).is_err()
}
