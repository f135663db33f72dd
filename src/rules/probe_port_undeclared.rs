use super::{Context, Sink, ports, words};
use crate::finding::{Confidence, Level};
use crate::fix::{Fix, edit};
use crate::model::{
    Container, ContainerPort, EnvSource, EnvVar, Field, HandlerKind, Number, Orchestrator, Origin, Port, Probe,
    ProbeKind, Workload,
};
use crate::span::Span;

/// Ports that look like another one with two digits swapped and are somebody's own.
///
/// Source: Apache Tomcat documentation (AJP connector); Grafana Mimir and ClickHouse configuration reference.
const OF_THEIR_OWN: [Number; 2] = [8009, 9009];

/// A number that a probe asks and nobody declares.
struct Stray<'m> {
    probe: &'m Probe,
    kind: HandlerKind,
    number: Number,
    at: Span,
}

pub(super) fn check(cx: &Context<'_>, sink: &mut Sink<'_>) {
    let workload = cx.workload;
    // Knative completes the ports; in the node's network any process of the node may be meant.
    let node_network = !matches!(workload.host_network, Field::Absent | Field::Value { value: false, .. });
    let complete = workload.origin == Origin::Complete && workload.orchestrator == Orchestrator::Kubernetes;
    if !complete || node_network || !ports::all_known(workload) {
        return;
    }
    for container in workload.containers.iter().filter(|container| container.may_have_probes()) {
        if container.ports.is_empty() || may_be_set_elsewhere(cx, container) {
            continue;
        }
        let mut strays = strays(cx, container);
        while let Some(first) = strays.first() {
            let number = first.number;
            let (same, rest): (Vec<_>, Vec<_>) = strays.into_iter().partition(|stray| stray.number == number);
            strays = rest;
            match swapped(container, number) {
                Some(meant) => report_swapped(cx, sink, container, &same, meant),
                None => report_undeclared(cx, sink, container, &same),
            }
        }
    }
}

/// The probes of a container whose number nobody declares or mentions.
fn strays<'m>(cx: &Context<'m>, container: &'m Container) -> Vec<Stray<'m>> {
    let settings = ports::settings(cx, container);
    let services = cx.project.services_of(cx.source, cx.workload);
    let is_known = |number: Number| {
        let is_target =
            services.iter().flat_map(|(_, service)| &service.ports).any(|port| port.target == Port::Number(number));
        is_target
            || is_declared(cx.workload, number)
            || settings.iter().any(|setting| ports::mentions(setting.value, number))
    };
    let stray = |probe: &'m Probe| {
        let handler = probe.handler()?;
        let asked = ports::asked(container, handler).filter(|asked| asked.name.is_none())?;
        let number = asked.number.filter(|number| (1..=65535).contains(number) && !is_known(*number))?;
        Some(Stray { probe, kind: handler.kind(), number, at: asked.at })
    };
    container.probes.iter().filter_map(stray).collect()
}

fn is_declared(workload: &Workload, number: Number) -> bool {
    workload.containers.iter().flat_map(|container| &container.ports).any(|port| port.number.value() == Some(&number))
}

/// Whether a port or an address is set by something that is not to be seen: a variable from a Secret, or a placeholder
/// in an option.
fn may_be_set_elsewhere(cx: &Context<'_>, container: &Container) -> bool {
    let sounds_like_port = |text: &str| {
        let text = text.to_ascii_uppercase();
        ["PORT", "ADDR", "LISTEN", "BIND"].iter().any(|word| text.contains(word))
    };
    let is_hidden = |variable: &EnvVar| ports::value(cx, variable).is_none_or(|value| value.contains('$'));
    let is_filled_in = |text: &str| {
        let is_known = container.env.iter().any(|variable| text.contains(&variable.name) && !is_hidden(variable));
        text.contains('$') && sounds_like_port(text) && !is_known
    };
    container.env.iter().any(|variable| {
        let is_address = !matches!(variable.source, EnvSource::Pod(_));
        is_address && sounds_like_port(&variable.name) && is_hidden(variable)
    }) || container.command.iter().chain(&container.args).any(|arg| is_filled_in(&arg.text))
}

/// The only port of the container, when the number is that one with two neighbouring digits swapped. A different digit
/// proves nothing: 8081 beside 8080 is how management ports are chosen.
fn swapped(container: &Container, number: Number) -> Option<&ContainerPort> {
    let [port] = container.ports.as_slice() else { return None };
    let declared = *port.number.value()?;
    let is_swapped = are_swapped(&declared.to_string(), &number.to_string());
    (is_swapped && !OF_THEIR_OWN.contains(&number) && !container.env_from && ports::is_tcp(port)).then_some(port)
}

fn are_swapped(a: &str, b: &str) -> bool {
    let different: Vec<_> = a.bytes().zip(b.bytes()).enumerate().filter(|(_, (a, b))| a != b).collect();
    let [(first, (a1, b1)), (second, (a2, b2))] = different.as_slice() else { return false };
    a.len() == b.len() && a.len() >= 4 && first + 1 == *second && a1 == b2 && a2 == b1
}

fn report_swapped(
    cx: &Context<'_>,
    sink: &mut Sink<'_>,
    container: &Container,
    strays: &[Stray<'_>],
    port: &ContainerPort,
) {
    let Some((declared, declared_at)) = port.number.spanned() else { return };
    for stray in strays {
        let who = words::probe(cx.workload, container, stray.probe);
        let number = stray.number;
        let message = format!("{who} asks port {number}, and the only port of the container is {declared}");
        let fate = match words::numbers(stray.probe) {
            Some(numbers) => {
                let consequence = words::consequence(stray.probe.orchestrator, stray.probe.kind);
                match stray.probe.kind {
                    ProbeKind::Readiness => "the pod never becomes ready".to_owned(),
                    _ => format!("{consequence} within {} of each start", numbers.act_after_start()),
                }
            }
            None => "the probe never succeeds".to_owned(),
        };
        sink.probe(container, stray.probe, &format!("{}.port", stray.kind.field()), stray.at, message)
            .level(Level::Warning)
            .confidence(Confidence::Medium)
            .why(format!("{number} is {declared} with two digits swapped; if nothing listens there, {fate}"))
            .help(format!("write {declared}, or declare {number} if the process listens there"))
            .label(declared_at, "the only port that is declared")
            .fix(Some(Fix::risky(format!("write {declared}"), vec![edit::replace(stray.at, declared.to_string())])));
    }
}

/// One finding however many probes ask it: one declaration mends them all.
fn report_undeclared(cx: &Context<'_>, sink: &mut Sink<'_>, container: &Container, strays: &[Stray<'_>]) {
    let Some((first, rest)) = strays.split_first() else { return };
    let number = first.number;
    let who = words::probe(cx.workload, container, first.probe);
    let message = format!("{who} asks port {number}, which the container does not declare");
    let declared: Vec<String> =
        container.ports.iter().filter_map(|port| Some(port.number.value()?.to_string())).collect();
    let mut report = sink
        .probe(container, first.probe, &format!("{}.port", first.kind.field()), first.at, message)
        .why(format!(
            "`containerPort` only informs, so the probe works if the process listens on {number}; nothing in this file \
             says that it does, and it declares {}",
            declared.join(", ")
        ))
        .help(format!("add `containerPort: {number}` to `ports`, or correct the number"));
    if let Some(port) = container.ports.first() {
        report = report.label(port.number.at().unwrap_or(port.at), "declared");
    }
    for stray in rest {
        report = report.label(stray.at, format!("the {} probe asks it too", stray.probe.kind.word()));
    }
    let _ = report;
}

#[cfg(test)]
mod tests {
    use super::are_swapped;

    #[test]
    fn swapped_digits_are_neighbours() {
        assert!(are_swapped("8080", "8008") && are_swapped("5432", "5423") && are_swapped("9200", "2900"));
        for (a, b) in
            [("8080", "8081"), ("8080", "8088"), ("3000", "3001"), ("8080", "80"), ("9091", "1999"), ("80", "08")]
        {
            assert!(!are_swapped(a, b), "{a} {b}");
        }
    }
}
