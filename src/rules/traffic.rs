//! Which Services lead to which container.

use crate::model::{Container, Port, Service, ServicePort, Workload};
use crate::span::SourceId;

/// A port of a Service that leads to a container, and the source it is written in.
pub(super) type Way<'a> = (SourceId, &'a Service, &'a ServicePort);

/// The Service ports that lead to a container: by name or number of a declared port, or because there is no other
/// container. Services that mind no readiness are left out.
pub(super) fn into<'a>(
    workload: &Workload,
    services: &[(SourceId, &'a Service)],
    container: &Container,
) -> Vec<Way<'a>> {
    let alone = workload.containers.iter().filter(|other| other.may_have_probes()).count() == 1;
    let declared_elsewhere = |target: &Port| workload.containers.iter().any(|other| declares(other, target));
    services
        .iter()
        .filter(|(_, service)| !service.publish_not_ready_addresses)
        .flat_map(|&(source, service)| service.ports.iter().map(move |port| (source, service, port)))
        .filter(|(_, _, port)| {
            declares(container, &port.target)
                || alone && matches!(port.target, Port::Number(_)) && !declared_elsewhere(&port.target)
        })
        .collect()
}

fn declares(container: &Container, target: &Port) -> bool {
    container.ports.iter().any(|port| match target {
        Port::Number(number) => port.number.value() == Some(number),
        Port::Name(name) => port.name.value() == Some(name),
    })
}
