use super::{Context, Sink, ports, words};
use crate::fix::{Fix, edit};
use crate::model::{Action, Annotation, Container, Field, Number, PeerAuthentication, Probe};

const REWRITE: &str = "sidecar.istio.io/rewriteAppHTTPProbers";
const INJECT: &str = "sidecar.istio.io/inject";
const EXCLUDED: &str = "traffic.sidecar.istio.io/excludeInboundPorts";
const INCLUDED: &str = "traffic.sidecar.istio.io/includeInboundPorts";

/// Where policies for the whole mesh live, unless the mesh is configured otherwise.
const ROOT_NAMESPACE: &str = "istio-system";

/// What the proxy does with a request without mutual TLS.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Mode {
    Refuses,
    Accepts,
    /// Nothing in the input says so; the default is to accept.
    Unsaid,
}

pub(super) fn check(cx: &Context<'_>, sink: &mut Sink<'_>) {
    let Some(rewrite) = cx.workload.annotation(REWRITE).filter(|rewrite| rewrite.value == "false") else { return };
    if !is_injected(cx) {
        return;
    }
    for (container, probe) in cx.workload.probes().filter(|(container, _)| container.may_have_probes()) {
        let Some(handler) = probe.handler().filter(|_| container.name != "istio-proxy") else { continue };
        if !matches!(handler.action, Action::HttpGet(_) | Action::TcpSocket(_) | Action::Grpc(_)) {
            continue;
        }
        let number = ports::asked(container, handler).and_then(|asked| asked.number);
        if number.is_some_and(|number| passes_by(cx, number)) {
            continue;
        }
        report(cx, sink, container, probe, rewrite, number);
    }
}

fn report(
    cx: &Context<'_>,
    sink: &mut Sink<'_>,
    container: &Container,
    probe: &Probe,
    rewrite: &Annotation,
    number: Option<Number>,
) {
    let is_tcp = probe.handler().is_some_and(|handler| matches!(handler.action, Action::TcpSocket(_)));
    let who = words::probe(cx.workload, container, probe);
    let why = match (is_tcp, mode(cx, number)) {
        (true, _) => format!(
            "the proxy takes the connection in the place of the container, whether it listens or not: {}",
            words::fate_of_passing(probe.kind)
        ),
        (false, Mode::Refuses) => format!(
            "the kubelet has no certificate of the mesh, and a policy in the input demands one (`STRICT`): {}",
            words::fate_of_failing(probe)
        ),
        (false, Mode::Accepts | Mode::Unsaid) => format!(
            "the kubelet has no certificate of the mesh, so the probe works only as long as no policy demands mutual \
             TLS; with `STRICT` {}",
            words::fate_of_failing(probe)
        ),
    };
    let fix = edit::quoted_like(cx.text, rewrite.at, "true");
    let fix =
        rewrite.editable.then(|| Fix::risky("let Istio rewrite the probes", vec![edit::replace(rewrite.at, fix)]));
    sink.probe(container, probe, "", probe.key, format!("{who} reaches the Istio proxy, not the container"))
        .label(rewrite.at, "probes are not rewritten")
        .why(why)
        .help(format!(
            "remove `{REWRITE}`, so that the agent asks the container itself, or exclude the port with `{EXCLUDED}`"
        ))
        .fix(fix);
}

/// Whether Istio puts its proxy into the pod, as far as the input tells.
///
/// Source: Istio documentation, "Installing the Sidecar", section "Controlling the injection policy".
fn is_injected(cx: &Context<'_>) -> bool {
    let workload = cx.workload;
    let says =
        workload.label(INJECT).or_else(|| workload.annotation(INJECT).map(|annotation| annotation.value.as_str()));
    if let Some(says) = says {
        return says == "true";
    }
    if matches!(workload.host_network, Field::Value { value: true, .. }) {
        return false;
    }
    // Who switches the rewriting off means a pod that would have it, unless the namespace says no.
    let mut namespaces = cx.project.namespaces(&workload.namespace);
    !namespaces.any(|(_, namespace)| {
        namespace.labels.iter().any(|(name, value)| name == "istio-injection" && value == "disabled")
            || namespace.labels.iter().any(|(name, value)| name == "istio.io/dataplane-mode" && value == "ambient")
    })
}

/// Whether requests to a port go past the proxy.
///
/// Source: Istio documentation, "Resource Annotations".
fn passes_by(cx: &Context<'_>, number: Number) -> bool {
    let lists = |name: &str| {
        cx.workload.annotation(name).map(|annotation| {
            annotation.value.split(',').any(|port| port.trim() == "*" || port.trim() == number.to_string())
        })
    };
    lists(EXCLUDED) == Some(true) || lists(INCLUDED) == Some(false)
}

/// What the policies of the input say, the narrowest first.
///
/// Source: Istio reference, "PeerAuthentication".
fn mode(cx: &Context<'_>, number: Option<Number>) -> Mode {
    let selects = |policy: &PeerAuthentication| {
        policy.selector.iter().all(|(name, value)| cx.workload.label(name) == Some(value.as_str()))
    };
    let own = |policy: &PeerAuthentication| policy.namespace == cx.workload.namespace;
    let narrowest = cx
        .project
        .peer_authentications()
        .map(|(_, policy)| policy)
        .filter(|policy| selects(policy) && (own(policy) || policy.namespace == ROOT_NAMESPACE))
        .filter_map(|policy| {
            let of_port = policy.ports.iter().find(|(port, _)| Some(*port) == number).map(|(_, mode)| mode);
            let mode = of_port.unwrap_or(&policy.mode).value().map(String::as_str)?;
            let rank = (own(policy), !policy.selector.is_empty());
            (mode != "UNSET").then_some((rank, mode == "STRICT"))
        })
        .max_by_key(|(rank, _)| *rank);
    match narrowest {
        Some((_, true)) => Mode::Refuses,
        Some((_, false)) => Mode::Accepts,
        None => Mode::Unsaid,
    }
}
