use super::{Context, Sink, coverage, ports, traffic, words};
use crate::model::{Container, Number, Port, ProbeKind, ServicePort};

/// Parts of port names that stand for a server made for probes.
const MADE_FOR_PROBES: [&str; 10] =
    ["health", "probe", "live", "ready", "manage", "mgmt", "admin", "status", "actuator", "monitor"];

pub(super) fn check(cx: &Context<'_>, sink: &mut Sink<'_>) {
    let workload = cx.workload;
    if !coverage::is_complete(workload) || !ports::all_known(workload) {
        return;
    }
    let services = cx.project.services_of(cx.source, workload);
    for container in workload.containers.iter().filter(|container| container.may_have_probes()) {
        let Some(probe) = container.probe(ProbeKind::Readiness) else { continue };
        let Some(asked) = probe.handler().and_then(|handler| ports::asked(container, handler)) else { continue };
        let Some(number) = asked.number else { continue };
        let ways = traffic::into(workload, &services, container);
        let tcp: Vec<_> = ways.iter().filter(|(_, _, port)| port.protocol == "TCP").collect();
        let asks_one = tcp.iter().any(|(_, _, port)| number_of(container, port) == Some(number));
        let is_made_for_probes = asked.names().any(for_probes);
        let Some((source, service, port)) = tcp.first().filter(|_| !asks_one && !is_made_for_probes) else { continue };
        let Some(target) = number_of(container, port) else { continue };
        let who = words::probe(workload, container, probe);
        let message =
            format!("{who} asks port {}, but Service `{}` sends its requests to {target}", asked.words(), service.name);
        sink.probe(container, probe, "", asked.at, message)
            .label_in(*source, port.at, "requests go here")
            .why(format!(
                "the pod counts as ready when port {} answers, whether or not port {target} does",
                asked.words()
            ))
            .help(format!("ask port {target}, or an endpoint that knows of it"));
    }
}

/// The number of the port to which a Service leads.
fn number_of(container: &Container, port: &ServicePort) -> Option<Number> {
    match &port.target {
        Port::Number(number) => Some(*number),
        Port::Name(name) => {
            let declared = container.ports.iter().find(|port| port.name.value() == Some(name))?;
            declared.number.value().copied()
        }
    }
}

fn for_probes(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    MADE_FOR_PROBES.iter().any(|part| name.contains(part))
}
