use super::{Context, Sink, coverage, words};
use crate::model::{ProbeKind, Role};

pub(super) fn check(cx: &Context<'_>, sink: &mut Sink<'_>) {
    let workload = cx.workload;
    let is_restarted = workload.restart_policy.value().is_none_or(|policy| policy == "Always");
    if !coverage::is_complete(workload) || workload.runs_to_completion() || !is_restarted {
        return;
    }
    for container in workload.containers.iter().filter(|container| container.role == Role::Main) {
        // What listens can hang; of a container without ports and probes nobody knows what it does.
        let serves = !container.ports.is_empty() || coverage::may_have(container, ProbeKind::Readiness);
        if !serves || coverage::may_have(container, ProbeKind::Liveness) {
            continue;
        }
        let message = format!("{} has no liveness probe", words::owner(workload, container));
        sink.container(container, "livenessProbe", container.name_at, message)
            .why(
                "a process that ends is restarted anyway; one that hangs stays as it is until somebody deletes the pod",
            )
            .help(
                "add a `livenessProbe` only if the process can hang and an endpoint tells so without asking anybody \
                 else: without one it is better off than with one that restarts it under load",
            );
    }
}
