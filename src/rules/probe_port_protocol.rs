use super::{Context, Sink, ports, words};
use crate::finding::{Confidence, Level};
use crate::model::{ContainerPort, Handler, HandlerKind, Number, Orchestrator, Origin, Probe, ProbeKind};

/// Ports of protocols that servers offer over TCP as well as UDP, so that a declaration for UDP alone may be half of
/// the truth.
///
/// Source: IANA service name and port number registry; RFC 7766 (DNS over TCP); documentation of Consul, Serf and
/// Alertmanager (gossip on both).
const SERVED_BOTH_WAYS: [Number; 22] = [
    53, 88, 111, 389, 443, 464, 514, 853, 1053, 2049, 3478, 5053, 5060, 5349, 5353, 7946, 8301, 8302, 8443, 9094,
    12201, 24224,
];

pub(super) fn check(cx: &Context<'_>, sink: &mut Sink<'_>) {
    let workload = cx.workload;
    if workload.origin != Origin::Complete
        || workload.orchestrator != Orchestrator::Kubernetes
        || !ports::all_known(workload)
    {
        return;
    }
    for (container, probe) in workload.probes() {
        let Some(handler) = probe.handler().filter(|_| container.may_have_probes()) else { continue };
        let Some(asked) = ports::asked(container, handler) else { continue };
        let Some((declared, number)) = asked.declared.zip(asked.number) else { continue };
        let Some((protocol, protocol_at)) = declared.protocol.spanned() else { continue };
        if ports::is_tcp(declared) {
            continue;
        }
        // The containers of a pod share an address: whoever listens there for TCP is reached.
        let is_same = |port: &ContainerPort| {
            port.number.value() == Some(&number)
                || asked.name.is_some() && port.name.value().map(String::as_str) == asked.name
        };
        if workload.containers.iter().flat_map(|other| &other.ports).any(|port| ports::is_tcp(port) && is_same(port)) {
            continue;
        }
        let field = format!("{}.port", handler.kind().field());
        let who = words::probe(workload, container, probe);
        let how = way(handler);
        let message =
            format!("{who} asks port {} {how}, which the container declares for {protocol} only", asked.words());
        let others: Vec<String> = container.ports.iter().filter(|port| ports::is_tcp(port)).filter_map(name).collect();
        let help = match others.as_slice() {
            [] => format!(
                "if the server listens on {number} for TCP too, declare that port with `protocol: TCP`; if not, ask \
                 with `exec`"
            ),
            [other] => format!("ask port {other}, which is declared for TCP, or declare {number} for TCP too"),
            others => format!("ask one of the ports declared for TCP: {}", others.join(", ")),
        };
        let mut report = sink.probe(container, probe, &field, asked.at, message).why(why(probe, protocol)).help(help);
        if SERVED_BOTH_WAYS.contains(&number) {
            report = report.level(Level::Advice).confidence(Confidence::Low);
        }
        let _ = report.label(protocol_at, format!("port {number} is declared here, and for TCP nowhere"));
    }
}

const fn way(handler: &Handler) -> &'static str {
    match handler.kind() {
        HandlerKind::HttpGet => "by HTTP",
        HandlerKind::Grpc => "by gRPC",
        _ => "by TCP",
    }
}

/// What becomes of the pod when the connection is refused.
fn why(probe: &Probe, protocol: &str) -> String {
    let fate = match (probe.kind, words::numbers(probe)) {
        (ProbeKind::Readiness, _) => "the pod never becomes ready".to_owned(),
        (_, Some(numbers)) => format!("the container is restarted within {} of each start", numbers.act_after_start()),
        (_, None) => "the container is restarted again and again".to_owned(),
    };
    format!("a probe connects by TCP, and a port that takes only {protocol} refuses that; {fate}")
}

/// How a port is best named in a probe.
fn name(port: &ContainerPort) -> Option<String> {
    match port.name.value() {
        Some(name) => Some(format!("`{name}`")),
        None => port.number.value().map(ToString::to_string),
    }
}
