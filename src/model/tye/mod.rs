//! Reads `tye.yaml`: services, bindings, probes, replicas and the ingress, with Tye's own types. All scalars are text to
//! Tye, so quotes do not matter and merge keys are not applied.
//!
//! Source: dotnet/tye `Serialization/ConfigServiceParser.cs`, `ConfigIngressParser.cs`.

use super::probe::{Action, Handler, Header, HttpGet, Key, Number, Orchestrator, Port, Probe, ProbeKind, Timing};
use super::{Binding, Container, Field, Found, Model, Origin, Role, TyeKind, TyeService, Workload};
use crate::span::{Span, Spanned};
use crate::yaml::scalar::{tye_bool, tye_integer};
use crate::yaml::{Kind, Node, Style};

/// Keys of a probe.
const PROBE_KEYS: [&str; 6] = ["http", "initialDelay", "period", "timeout", "successThreshold", "failureThreshold"];
/// Keys of `http`.
const HTTP_KEYS: [&str; 4] = ["path", "port", "protocol", "headers"];
/// Keys of a header.
const HEADER_KEYS: [&str; 2] = ["name", "value"];
/// Keys that a service of no other tool has. `image`, `external` and `replicas` are not among them: build pipelines list
/// services with a name and an image too.
const TELLING_KEYS: [&str; 10] = [
    "project",
    "bindings",
    "liveness",
    "readiness",
    "dockerFile",
    "executable",
    "azureFunction",
    "include",
    "repository",
    "buildProperties",
];

/// Whether a document is a Tye application: by the name of the file, or by its shape.
pub(super) fn is_tye(file_name: &str, root: Node<'_>) -> bool {
    if root.kind() != Kind::Mapping || root.get("apiVersion").is_some() {
        return false;
    }
    let services = root.get("services").filter(|services| services.kind() == Kind::Sequence);
    let named = matches!(file_name, "tye.yaml" | "tye.yml");
    let tells = |service: Node<'_>| TELLING_KEYS.iter().any(|key| service.get(key).is_some());
    let shaped = services.is_some_and(|services| {
        services.items().all(|service| service.get("name").is_some()) && services.items().any(tells)
    });
    named && (services.is_some() || root.get("name").is_some()) || shaped
}

/// Reads an application into the model, one workload a service.
pub(super) fn read(root: Node<'_>, document: u32, model: &mut Model) {
    let behind_ingress: Vec<String> = list(root, "ingress")
        .flat_map(|ingress| list(ingress, "rules").collect::<Vec<_>>())
        .filter_map(|rule| rule.get("service").map(|service| service.text().to_lowercase()))
        .collect();
    for (index, service) in list(root, "services").enumerate() {
        if service.kind() == Kind::Mapping {
            model.workloads.push(read_service(service, index, document, &behind_ingress));
        }
    }
}

fn list<'t>(node: Node<'t>, key: &str) -> impl Iterator<Item = Node<'t>> {
    node.get(key).and_then(Node::resolved).into_iter().flat_map(Node::items).filter_map(Node::resolved)
}

fn read_service(node: Node<'_>, index: usize, document: u32, behind_ingress: &[String]) -> Workload {
    let name_node = node.get("name").filter(|name| name.kind() == Kind::Scalar && !name.text().is_empty());
    // Tye lower-cases names on reading.
    let name = name_node.map(|name| Spanned { value: name.text().to_lowercase(), span: name.span() });
    let shown = name.as_ref().map_or_else(|| format!("services[{index}]"), |name| name.value.clone());
    let bindings = list(node, "bindings")
        .map(|binding| Binding {
            name: text(binding, "name"),
            port: number(binding, "port"),
            container_port: number(binding, "containerPort"),
            protocol: text(binding, "protocol"),
            host: text(binding, "host"),
            connection_string: text(binding, "connectionString"),
            at: binding.span(),
        })
        .collect();
    let name_at = name.as_ref().map_or(Span::at(node.span().start), |name| name.span);
    let mut container = Container {
        image: text(node, "image"),
        ports_known: true,
        keys: keys(node, &[]),
        editable: !node.is_shared(),
        ..Container::new(Role::Main, format!("services[{index}]"), shown.clone(), name_at, node.span())
    };
    for kind in [ProbeKind::Liveness, ProbeKind::Readiness] {
        if let Some((key, value)) = entry(node, kind.word()) {
            container.probes.push(read_probe(kind, key, value, container.editable));
        }
    }
    let behind_ingress = name.as_ref().is_some_and(|name| behind_ingress.contains(&name.value));
    Workload {
        kind: "service".to_owned(),
        replicas: number(node, "replicas"),
        containers: vec![container],
        tye: Some(TyeService { kind: service_kind(node), bindings, behind_ingress }),
        name,
        ..Workload::new(document, Orchestrator::Tye, Origin::Complete, format!("service/{shown}"))
    }
}

fn service_kind(node: Node<'_>) -> TyeKind {
    let kinds = [
        ("azureFunction", TyeKind::AzureFunction),
        ("project", TyeKind::Project),
        ("image", TyeKind::Image),
        ("dockerFile", TyeKind::DockerFile),
        ("executable", TyeKind::Executable),
        ("include", TyeKind::Include),
        ("repository", TyeKind::Repository),
    ];
    let found = kinds.iter().find(|(key, _)| node.get(key).is_some()).map(|&(_, kind)| kind);
    let external = node.get("external").is_some_and(|value| tye_bool(value.text()) == Some(true));
    found.or(external.then_some(TyeKind::External)).unwrap_or(TyeKind::Unknown)
}

fn read_probe(kind: ProbeKind, key: Node<'_>, value: Node<'_>, editable: bool) -> Probe {
    let alias = (value.kind() == Kind::Alias).then(|| value.span());
    let Some(node) = value.resolved() else {
        return Probe::new(kind, Orchestrator::Tye, key.span(), value.span());
    };
    let mut probe = Probe::new(kind, Orchestrator::Tye, key.span(), node.span());
    probe.alias = alias;
    probe.editable = editable && alias.is_none() && !node.is_shared();
    probe.wrong = match node.kind() {
        Kind::Mapping => None,
        Kind::Sequence => Some(Found::List),
        _ => Some(Found::Text),
    };
    probe.keys = keys(node, &PROBE_KEYS);
    for timing in Timing::ALL {
        probe.set_timing(timing, number(node, timing.field(Orchestrator::Tye)));
    }
    if let Some((key, http)) = entry(node, "http") {
        probe.handlers.push(read_http(key, http));
    }
    probe
}

fn read_http(key: Node<'_>, value: Node<'_>) -> Handler {
    let node = value.resolved().unwrap_or(value);
    let headers = field(node, "headers", |node| {
        if node.kind() != Kind::Sequence {
            return Err(if node.kind() == Kind::Mapping { Found::Map } else { Found::Text });
        }
        let header = |item: Node<'_>| Header {
            name: text(item, "name"),
            value: text(item, "value"),
            keys: keys(item, &HEADER_KEYS),
            at: item.span(),
        };
        Ok(node.items().filter_map(Node::resolved).map(header).collect())
    });
    let port = match number(node, "port") {
        Field::Value { value, key, at } => Field::Value { value: Port::Number(value), key, at },
        Field::Wrong { found, key, at } => Field::Wrong { found, key, at },
        Field::Null { key, at } => Field::Null { key, at },
        Field::Templated { key, at } => Field::Templated { key, at },
        Field::Absent => Field::Absent,
    };
    let action = match node.kind() {
        Kind::Mapping => Action::HttpGet(HttpGet {
            path: text(node, "path"),
            port,
            scheme: text(node, "protocol"),
            host: Field::Absent,
            headers,
        }),
        Kind::Sequence => Action::Wrong(super::HandlerKind::HttpGet, Found::List),
        _ => Action::Wrong(super::HandlerKind::HttpGet, Found::Text),
    };
    Handler { action, key: key.span(), at: node.span(), keys: keys(node, &HTTP_KEYS) }
}

fn entry<'t>(node: Node<'t>, name: &str) -> Option<(Node<'t>, Node<'t>)> {
    node.entries().filter(|(key, _)| key.text() == name).last()
}

fn keys(node: Node<'_>, known: &[&str]) -> Vec<Key> {
    node.entries()
        .map(|(key, value)| Key {
            name: key.text().to_owned().into(),
            at: key.span(),
            value: value.span(),
            known: known.contains(&key.text()),
        })
        .collect()
}

fn field<'t, T>(node: Node<'t>, name: &str, read: impl FnOnce(Node<'t>) -> Result<T, Found>) -> Field<T> {
    let Some((key, value)) = entry(node, name) else {
        return Field::Absent;
    };
    let (key, at) = (key.span(), value.span());
    let Some(value) = value.resolved() else {
        return Field::Absent;
    };
    match read(value) {
        Ok(value) => Field::Value { value, key, at },
        Err(found) => Field::Wrong { found, key, at },
    }
}

fn text(node: Node<'_>, name: &str) -> Field<String> {
    field(node, name, |node| match node.kind() {
        Kind::Scalar => Ok(node.text().to_owned()),
        Kind::Sequence => Err(Found::List),
        _ => Err(Found::Map),
    })
}

fn number(node: Node<'_>, name: &str) -> Field<Number> {
    field(node, name, |node| match node.kind() {
        Kind::Scalar => tye_integer(node.text()).map(Number::from).ok_or(if node.style() == Style::Plain {
            Found::Text
        } else {
            Found::QuotedText
        }),
        Kind::Sequence => Err(Found::List),
        _ => Err(Found::Map),
    })
}
