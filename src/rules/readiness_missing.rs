use super::{Context, Sink, coverage, traffic, words};
use crate::finding::Level;
use crate::model::ProbeKind;

pub(super) fn check(cx: &Context<'_>, sink: &mut Sink<'_>) {
    let workload = cx.workload;
    if !coverage::is_complete(workload) || workload.runs_to_completion() {
        return;
    }
    let services = cx.project.services_of(cx.source, workload);
    if !services.is_empty() && services.iter().all(|(_, service)| service.publish_not_ready_addresses) {
        return;
    }
    for container in &workload.containers {
        if coverage::may_have(container, ProbeKind::Readiness) || !container.may_have_probes() {
            continue;
        }
        let owner = words::owner(workload, container);
        if let Some((source, service, port)) = traffic::into(cx.workload, &services, container).into_iter().next() {
            let message = format!("{owner} gets traffic from Service `{}` and has no readiness probe", service.name);
            sink.container(container, "readinessProbe", container.name_at, message)
                .label_in(source, port.at, "this port leads to the container")
                .why(
                    "the pod counts as ready the moment its containers run: requests arrive before the process listens, \
                     at every start, restart and rollout, and nothing takes it out of traffic when it cannot serve",
                )
                .help("add a `readinessProbe` that asks the port which the Service uses");
        } else if !container.ports.is_empty() && services.is_empty() {
            let message = format!("{owner} declares ports and has no readiness probe");
            sink.container(container, "readinessProbe", container.name_at, message)
                .level(Level::Advice)
                .why("if a Service selects the pod, it gets traffic the moment its containers run")
                .help("add a `readinessProbe`, unless nothing routes traffic to the pod");
        }
    }
}
