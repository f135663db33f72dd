//! Reads probes, their handlers and lifecycle hooks.

use super::fields;
use super::map::{Map, is_null, is_placeholder, not_a_map};
use crate::model::probe::{
    Action, Grpc, Handler, HandlerKind, Header, HttpGet, Orchestrator, Probe, ProbeKind, TcpSocket, Timing,
};
use crate::model::{Container, Hook, HookKind, Lifecycle};
use crate::yaml::{Kind, Node};

/// Reads the probes of a container's map into it.
pub(super) fn read_probes(map: &Map<'_>, orchestrator: Orchestrator, container: &mut Container) {
    for kind in ProbeKind::ALL {
        let Some(entry) = map.entry(kind.field()) else { continue };
        if is_null(entry.value) {
            continue;
        }
        if is_placeholder(entry.value) {
            container.templated_probes.push(kind);
            continue;
        }
        let mut probe = Probe::new(kind, orchestrator, entry.key.span(), entry.value.span());
        fill(&mut probe, entry.value);
        probe.alias = entry.alias.or(probe.alias);
        probe.editable = container.editable && probe.alias.is_none() && !entry.value.is_shared();
        container.probes.push(probe);
    }
}

/// Reads the fields of a probe.
fn fill(probe: &mut Probe, node: Node<'_>) {
    probe.wrong = not_a_map(node);
    let map = Map::read(node);
    probe.keys = map.keys(&fields::PROBE);
    probe.alias = map.alias();
    for kind in HandlerKind::OF_PROBES {
        let Some(entry) = map.entry(kind.field()) else { continue };
        if is_null(entry.value) {
            probe.null_handlers.push(entry.key.span());
        } else {
            probe.handlers.push(handler(kind, entry.key, entry.value));
        }
    }
    for timing in Timing::ALL {
        probe.set_timing(timing, map.number(timing.field(Orchestrator::Kubernetes)));
    }
    probe.grace_period = map.number("terminationGracePeriodSeconds");
}

fn handler(kind: HandlerKind, key: Node<'_>, node: Node<'_>) -> Handler {
    let (key, at) = (key.span(), node.span());
    if is_placeholder(node) {
        return Handler { action: Action::Templated(kind), key, at, keys: Vec::new() };
    }
    if let Some(found) = not_a_map(node) {
        return Handler { action: Action::Wrong(kind, found), key, at, keys: Vec::new() };
    }
    let map = Map::read(node);
    let action = match kind {
        HandlerKind::Exec => Action::Exec(map.args("command")),
        HandlerKind::HttpGet => Action::HttpGet(HttpGet {
            path: map.string("path"),
            port: map.port("port"),
            scheme: map.string("scheme"),
            host: map.string("host"),
            headers: map.field("httpHeaders", |node| match node.kind() {
                Kind::Sequence => Ok(node.items().filter_map(Node::resolved).map(header).collect()),
                _ => Err(not_a_map(node).unwrap_or(crate::model::Found::Map)),
            }),
        }),
        HandlerKind::TcpSocket => Action::TcpSocket(TcpSocket { port: map.port("port"), host: map.string("host") }),
        HandlerKind::Grpc => Action::Grpc(Grpc { port: map.number("port"), service: map.string("service") }),
        HandlerKind::Sleep => Action::Sleep(map.number("seconds")),
    };
    Handler { action, key, at, keys: map.keys(fields::of_handler(kind)) }
}

fn header(node: Node<'_>) -> Header {
    let map = Map::read(node);
    Header { name: map.string("name"), value: map.string("value"), keys: map.keys(&fields::HEADER), at: node.span() }
}

/// Reads `lifecycle`.
pub(super) fn read_lifecycle(map: &Map<'_>) -> Lifecycle {
    let entry = map.entry("lifecycle").filter(|entry| !is_null(entry.value) && !is_placeholder(entry.value));
    let Some(entry) = entry else {
        return Lifecycle::default();
    };
    let node = entry.value;
    let hooks = Map::read(node);
    let read = |kind: HookKind| {
        let entry = hooks.entry(kind.field()).filter(|entry| !is_null(entry.value) && !is_placeholder(entry.value))?;
        let hook = Map::read(entry.value);
        let handlers = HandlerKind::OF_HOOKS.iter().filter_map(|&kind| {
            let entry = hook.entry(kind.field()).filter(|entry| !is_null(entry.value))?;
            Some(handler(kind, entry.key, entry.value))
        });
        Some(Hook {
            kind,
            key: entry.key.span(),
            wrong: not_a_map(entry.value).map(|found| (found, entry.value.span())),
            handlers: handlers.collect(),
            keys: hook.keys(&HandlerKind::OF_HOOKS.map(HandlerKind::field)),
        })
    };
    Lifecycle {
        key: Some(entry.key.span()),
        wrong: not_a_map(node).map(|found| (found, node.span())),
        hooks: HookKind::ALL.into_iter().filter_map(read).collect(),
    }
}
