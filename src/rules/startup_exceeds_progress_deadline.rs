use super::{Context, Sink, words};
use crate::fix::{Fix, edit};
use crate::model::{Container, Field, Origin, Probe, ProbeKind};
use crate::span::Span;

/// `progressDeadlineSeconds` of a Deployment that writes none.
///
/// Source: kubernetes `pkg/apis/apps/v1/defaults.go`, `SetDefaults_Deployment`.
const DEFAULT_DEADLINE: i128 = 600;

pub(super) fn check(cx: &Context<'_>, sink: &mut Sink<'_>) {
    let workload = cx.workload;
    let Some((deadline, written)) = deadline(cx) else { return };
    for container in workload.containers.iter().filter(|container| container.may_have_probes()) {
        let Some((probe, budget)) = budget(container).filter(|(_, budget)| *budget > deadline) else { continue };
        let who = words::probe(workload, container, probe);
        let message = match probe.kind {
            ProbeKind::Startup => format!("{who} lets a start take {budget} s, but the rollout has {deadline} s"),
            _ => format!("{who} begins after {budget} s, but the rollout has {deadline} s"),
        };
        let default = if written.is_none() { " (the default)" } else { "" };
        let wanted = budget + 60;
        let report = sink
            .probe(container, probe, "", probe.key, message)
            .why(format!(
                "after {deadline} s{default} without a new ready pod the Deployment is reported as failed \
                 (`ProgressDeadlineExceeded`), and pipelines that wait for it give up, while the pod may still start"
            ))
            .help(format!("set `progressDeadlineSeconds` of the Deployment to {wanted} or more, or allow less"));
        let _ = match written {
            Some(place) => report.label(place, "the time that a rollout has").fix(Some(Fix::risky(
                format!("set `progressDeadlineSeconds` to {wanted}"),
                vec![edit::replace(place, wanted.to_string())],
            ))),
            None => report,
        };
    }
}

/// Seconds that a rollout of the workload has, and where that is written; `None` where nobody counts, or knows.
fn deadline(cx: &Context<'_>) -> Option<(u64, Option<Span>)> {
    let workload = cx.workload;
    if workload.kind != "Deployment" || workload.origin != Origin::Complete || !workload.is_builtin() {
        return None;
    }
    let (deadline, written) = match &workload.progress_deadline {
        Field::Value { value, at, .. } => (*value, Some(*at)),
        Field::Absent | Field::Null { .. } => (DEFAULT_DEADLINE, None),
        Field::Wrong { .. } | Field::Templated { .. } => return None,
    };
    Some((u64::try_from(deadline).ok()?, written))
}

/// Whether a container may take longer to be ready than its rollout has.
pub(super) fn is_exceeded(cx: &Context<'_>, container: &Container) -> bool {
    let allowed = budget(container).map(|(_, budget)| budget);
    allowed.zip(deadline(cx)).is_some_and(|(budget, (deadline, _))| budget > deadline)
}

/// Seconds that a container may legally take before it is ready, and the probe that allows them.
fn budget(container: &Container) -> Option<(&Probe, u64)> {
    if let Some(startup) = container.probe(ProbeKind::Startup) {
        return Some((startup, words::numbers(startup)?.start_budget()));
    }
    let readiness = container.probe(ProbeKind::Readiness)?;
    Some((readiness, words::numbers(readiness)?.initial_delay))
}
