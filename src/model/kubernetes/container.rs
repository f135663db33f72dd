//! Reads containers.

use super::fields;
use super::map::{Map, is_null, is_placeholder, not_a_map};
use super::probe::{read_lifecycle, read_probes};
use crate::model::{ConfigMapUse, Container, ContainerPort, EnvSource, EnvVar, Field, Found, Orchestrator, Role};
use crate::span::Span;
use crate::yaml::{Kind, Node};

/// Where a list of containers stands in a pod spec.
pub(super) const LISTS: [&str; 3] = ["initContainers", "containers", "ephemeralContainers"];

/// Reads one item of a list of containers. `editable` is false when the item is reached through an alias.
pub(super) fn read(
    node: Node<'_>,
    list: &str,
    path: String,
    index: usize,
    orchestrator: Orchestrator,
    editable: bool,
) -> Container {
    let map = Map::read(node);
    let name = map.string("name");
    let restart_policy = map.text("restartPolicy");
    let role = match list {
        "initContainers" if restart_policy == Some("Always") => Role::Sidecar,
        "initContainers" => Role::Init,
        "ephemeralContainers" => Role::Ephemeral,
        _ => Role::Main,
    };
    let (name, name_at) = match name.spanned() {
        Some((name, at)) => (name.clone(), at),
        None => (format!("{list}[{index}]"), Span::new(node.span().start, first_line_end(node))),
    };
    let (ports, ports_known) = ports(&map);
    let mut container = Container {
        role,
        path,
        name,
        name_at,
        at: node.span(),
        image: map.string("image"),
        command: map.args("command").value().cloned().unwrap_or_default(),
        args: map.args("args").value().cloned().unwrap_or_default(),
        ports,
        ports_known,
        ports_wrong: ports_wrong(&map),
        restart_policy: map.string("restartPolicy"),
        probes: Vec::new(),
        templated_probes: Vec::new(),
        lifecycle: read_lifecycle(&map),
        env: env(&map),
        env_from: map.get("envFrom").is_some(),
        config_maps: env_from(&map),
        mounts: map
            .list("volumeMounts")
            .into_iter()
            .filter_map(|item| Map::read(item).text("name").map(str::to_owned))
            .collect(),
        cpu_limit: map.map("resources").map("limits").get("cpu").and_then(|node| cpu(node.text())),
        keys: map.keys(&fields::CONTAINER),
        editable: editable && map.alias().is_none() && !node.is_shared(),
    };
    read_probes(&map, orchestrator, &mut container);
    container
}

/// The end of the first line of a node, for a place that should not underline a whole block.
fn first_line_end(node: Node<'_>) -> u32 {
    let text = node.span().text(node.source());
    node.span().start + text.lines().next().unwrap_or_default().trim_end().len() as u32
}

/// What stands under `ports` where a list, or a map in it, belongs.
fn ports_wrong(map: &Map<'_>) -> Vec<(String, Found, Span)> {
    let Some(node) = map.get("ports").filter(|node| !is_null(*node) && !is_placeholder(*node)) else {
        return Vec::new();
    };
    if node.kind() != Kind::Sequence {
        return vec![("ports".to_owned(), not_a_map(node).unwrap_or(Found::Map), node.span())];
    }
    let items = node.items().filter_map(Node::resolved).enumerate();
    items
        .filter(|(_, item)| !is_null(*item) && !is_placeholder(*item))
        .filter_map(|(index, item)| Some((format!("ports[{index}]"), not_a_map(item)?, item.span())))
        .collect()
}

fn ports(map: &Map<'_>) -> (Vec<ContainerPort>, bool) {
    let Some(node) = map.get("ports") else {
        return (Vec::new(), true);
    };
    let mut known = !is_placeholder(node);
    let mut ports = Vec::new();
    for item in node.items().filter_map(Node::resolved) {
        // A null item is a port without anything.
        if item.kind() != Kind::Mapping && !is_null(item) || is_placeholder(item) {
            known = false;
            continue;
        }
        let item_map = Map::read(item);
        let port = ContainerPort {
            name: item_map.string("name"),
            number: item_map.number("containerPort"),
            protocol: item_map.string("protocol"),
            host_port: item_map.number("hostPort"),
            host_ip: item_map.string("hostIP"),
            keys: item_map.keys(&fields::PORT),
            at: item.span(),
        };
        known &= !port.name.is_templated();
        ports.push(port);
    }
    (ports, known)
}

fn env(map: &Map<'_>) -> Vec<EnvVar> {
    let mut variables = Vec::new();
    for item in map.list("env") {
        let variable = Map::read(item);
        let Some(name) = variable.text("name") else { continue };
        let value = variable.string("value");
        let from = variable.map("valueFrom");
        let source = match value {
            Field::Value { value, .. } => EnvSource::Literal(value),
            Field::Absent | Field::Null { .. } if from.entries.is_empty() => EnvSource::Literal(String::new()),
            Field::Absent | Field::Null { .. } => {
                let config_map = from.map("configMapKeyRef");
                match (from.map("fieldRef").text("fieldPath"), config_map.text("name"), config_map.text("key")) {
                    (Some(path), ..) => EnvSource::Pod(path.to_owned()),
                    (_, Some(name), Some(key)) => EnvSource::ConfigMap(name.to_owned(), key.to_owned()),
                    _ => EnvSource::Unknown,
                }
            }
            _ => EnvSource::Unknown,
        };
        let at = variable.get("value").or(variable.get("valueFrom")).map_or(item.span(), Node::span);
        variables.push(EnvVar { name: name.to_owned(), source, at });
    }
    variables
}

/// The ConfigMaps of `envFrom`.
fn env_from(map: &Map<'_>) -> Vec<ConfigMapUse> {
    let read = |item| {
        let item = Map::read(item);
        let name = item.map("configMapRef").text("name")?.to_owned();
        Some(ConfigMapUse { name, prefix: Some(item.text("prefix").unwrap_or_default().to_owned()) })
    };
    map.list("envFrom").into_iter().filter_map(read).collect()
}

/// A CPU quantity in thousandths of a core: `250m`, `0.5`, `2`.
fn cpu(text: &str) -> Option<u64> {
    if let Some(thousandths) = text.strip_suffix('m') {
        return thousandths.parse().ok();
    }
    let cores: f64 = text.parse().ok()?;
    (cores.is_finite() && (0.0..1e6).contains(&cores)).then(|| (cores * 1000.0).round() as u64)
}

#[cfg(test)]
mod tests {
    use super::cpu;

    #[test]
    fn cpu_quantities_are_thousandths() {
        assert_eq!(
            (cpu("250m"), cpu("0.1"), cpu("2"), cpu("x"), cpu("nan")),
            (Some(250), Some(100), Some(2000), None, None)
        );
    }
}
