use super::{Context, Sink, names, words};
use crate::fix::{Fix, edit};
use crate::model::{Container, ContainerPort, Field, Orchestrator, Origin, Port, ProbeKind};

pub(super) fn check(cx: &Context<'_>, sink: &mut Sink<'_>) {
    // Patches and loose blocks do not show the ports; Knative names the port itself.
    if cx.workload.origin != Origin::Complete || cx.workload.orchestrator == Orchestrator::Knative {
        return;
    }
    for (container, probe) in cx.workload.probes() {
        let Some(handler) = probe.handlers.first().filter(|_| container.may_have_probes()) else { continue };
        let Some(Field::Value { value: Port::Name(name), at, .. }) = handler.port() else { continue };
        // Digits in quotes, and other names that cannot be one, are a fault of their own.
        let is_name = names::port_name_fault(name).is_none();
        if !is_name || !container.ports_known || declares(container, name) {
            continue;
        }
        let field = format!("{}.port", handler.kind().field());
        let who = words::probe(cx.workload, container, probe);
        let message = format!("{who} asks port `{name}`, which the container does not declare");
        let fate = match probe.kind {
            ProbeKind::Liveness => "a liveness probe that never runs restarts nothing, however long the process hangs",
            ProbeKind::Readiness => "the pod never becomes ready",
            ProbeKind::Startup => "the start never ends: liveness and readiness never run, and nothing is restarted",
        };
        let mut report = sink.probe(container, probe, &field, *at, message).why(format!(
            "the kubelet cannot resolve the name and throws each attempt away, neither success nor failure; {fate}"
        ));
        let named: Vec<&ContainerPort> = container.ports.iter().filter(|port| port.name.value().is_some()).collect();
        let same_but_for_case =
            named.iter().find(|port| port.name.value().is_some_and(|declared| declared.eq_ignore_ascii_case(name)));
        let elsewhere = cx.workload.containers.iter().find(|other| declares(other, name));
        let written = at.text(cx.text);
        let rename = |declared: &str| edit::replace(*at, written.replace(name.as_str(), declared));
        if let Some(port) = same_but_for_case {
            let declared = port.name.value().map_or("", String::as_str);
            report = report
                .label(port.name.at().unwrap_or(port.at), "declared with other capitals")
                .help(format!("write `{declared}`: port names are compared letter by letter"))
                .fix(Some(Fix::safe(format!("write `{declared}`"), vec![rename(declared)])));
        } else if let Some(other) = elsewhere {
            let port = other.ports.iter().find(|port| port.name.value().is_some_and(|declared| declared == name));
            let number = port.and_then(|port| port.number.value());
            if let Some(port) = port {
                report =
                    report.label(port.name.at().unwrap_or(port.at), format!("declared by container `{}`", other.name));
            }
            report = report.help(match number {
                Some(number) => format!("names are looked up in the probe's own container only; write the number {number}, since all containers of a pod share its address"),
                None => "names are looked up in the probe's own container only; write the number".to_owned(),
            });
            report = report.fix(number.map(|number| {
                Fix::risky(format!("write the number {number}"), vec![edit::replace(*at, number.to_string())])
            }));
        } else if let [port] = named.as_slice() {
            let declared = port.name.value().map_or("", String::as_str);
            report = report
                .label(port.name.at().unwrap_or(port.at), "the only named port of the container")
                .help(format!("write `{declared}`, or declare a port named `{name}`"))
                .fix(Some(Fix::risky(format!("write `{declared}`"), vec![rename(declared)])));
        } else if let [port] = container.ports.as_slice()
            && let Some(number) = port.number.value()
        {
            report = report
                .label(port.at, "the only port of the container has no name")
                .help(format!("give port {number} the name `{name}`, or write {number}"))
                .fix(Some(Fix::risky(format!("write {number}"), vec![edit::replace(*at, number.to_string())])));
        } else if named.is_empty() {
            report = report
                .help(format!("declare it: `ports: [{{name: {name}, containerPort: ...}}]`, or write the number"));
        } else {
            let names: Vec<String> =
                named.iter().filter_map(|port| Some(format!("`{}`", port.name.value()?))).collect();
            for port in &named {
                report = report.label(port.name.at().unwrap_or(port.at), "declared");
            }
            report = report.help(format!("write one of the declared names: {}", names.join(", ")));
        }
        let _ = report;
    }
}

fn declares(container: &Container, name: &str) -> bool {
    container.ports.iter().any(|port| port.name.value().is_some_and(|declared| declared == name))
}
