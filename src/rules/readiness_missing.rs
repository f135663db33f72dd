use super::{Context, Sink, words};
use crate::finding::Level;
use crate::model::{Container, Orchestrator, Origin, Port, ProbeKind, Role, Service, ServicePort};
use crate::span::SourceId;

pub(super) fn check(cx: &Context<'_>, sink: &mut Sink<'_>) {
    let workload = cx.workload;
    // Tye has rules of its own; Knative adds a readiness probe by itself.
    if workload.origin != Origin::Complete || workload.orchestrator != Orchestrator::Kubernetes {
        return;
    }
    if workload.runs_to_completion() {
        return;
    }
    let services = cx.project.services_of(cx.source, workload);
    if !services.is_empty() && services.iter().all(|(_, service)| service.publish_not_ready_addresses) {
        return;
    }
    for container in &workload.containers {
        let has_readiness = container.probe(ProbeKind::Readiness).is_some()
            || container.templated_probes.contains(&ProbeKind::Readiness)
            || container
                .keys
                .iter()
                .any(|key| !key.known && super::spelling::guess(&key.name, &["readinessProbe"]).is_some());
        if has_readiness || !matches!(container.role, Role::Main | Role::Sidecar) {
            continue;
        }
        let owner = words::owner(workload, container);
        if let Some((source, service, port)) = traffic(cx, &services, container) {
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

/// The Service port that leads to a container, if any: by name or number of a declared port, or because there is no
/// other container.
fn traffic<'a>(
    cx: &Context<'_>,
    services: &[(SourceId, &'a Service)],
    container: &Container,
) -> Option<(SourceId, &'a Service, &'a ServicePort)> {
    let alone = cx.workload.containers.iter().filter(|other| other.may_have_probes()).count() == 1;
    let declared_elsewhere = |target: &Port| cx.workload.containers.iter().any(|other| declares(other, target));
    services
        .iter()
        .filter(|(_, service)| !service.publish_not_ready_addresses)
        .flat_map(|&(source, service)| service.ports.iter().map(move |port| (source, service, port)))
        .find(|(_, _, port)| {
            declares(container, &port.target)
                || alone && matches!(port.target, Port::Number(_)) && !declared_elsewhere(&port.target)
        })
}

fn declares(container: &Container, target: &Port) -> bool {
    container.ports.iter().any(|port| match target {
        Port::Number(number) => port.number.value() == Some(number),
        Port::Name(name) => port.name.value() == Some(name),
    })
}
