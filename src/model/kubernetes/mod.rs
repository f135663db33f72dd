//! Reads Kubernetes objects: every kind that carries a pod template, by path for the well-known ones and by shape for
//! the rest; Services and ConfigMaps; loose probe blocks.

mod cluster;
mod container;
pub mod fields;
mod map;
mod probe;
mod strict;

use self::map::{Map, is_null, is_placeholder, not_a_map};
use super::{
    ConfigMap, ConfigMapEntry, ConfigMapUse, Container, Field, Found, Model, OddList, Orchestrator, Origin, ProbeKind,
    Role, Service, ServicePort, Strategy, Workload,
};
use crate::span::Spanned;
use crate::yaml::{Kind, Node, Style};

/// Where the pod spec stands in well-known kinds, by kind and a part of the API group. In an object of such a kind only
/// this place counts, so that a list of containers one level too high is not taken for a workload.
///
/// Source: kubernetes/api `apps/v1`, `batch/v1`, `core/v1`; the shares of kinds seen in public manifests.
const POD_SPECS: [(&str, &str, &[&str]); 14] = [
    ("Pod", "", &["spec"]),
    ("PodTemplate", "", &["template", "spec"]),
    ("ReplicationController", "", &["spec", "template", "spec"]),
    ("ReplicaSet", "", &["spec", "template", "spec"]),
    ("Deployment", "", &["spec", "template", "spec"]),
    ("StatefulSet", "", &["spec", "template", "spec"]),
    ("DaemonSet", "", &["spec", "template", "spec"]),
    ("Job", "batch", &["spec", "template", "spec"]),
    ("CronJob", "batch", &["spec", "jobTemplate", "spec", "template", "spec"]),
    ("DeploymentConfig", "", &["spec", "template", "spec"]),
    ("Rollout", "argoproj.io", &["spec", "template", "spec"]),
    ("Service", "knative.dev", &["spec", "template", "spec"]),
    ("Configuration", "knative.dev", &["spec", "template", "spec"]),
    ("Revision", "knative.dev", &["spec"]),
];

/// Kinds whose "containers" are schemas or patterns, and keys below which nothing is a manifest.
const PATTERN_GROUPS: [&str; 4] = ["kyverno.io", "gatekeeper.sh", "apiextensions.k8s.io", "auto.gke.io"];
const PATTERN_KEYS: [&str; 5] = ["status", "openAPIV3Schema", "pattern", "anyPattern", "properties"];

/// How deep the search for pod specs and probe blocks of unknown objects goes.
const SEARCH_DEPTH: usize = 40;

/// Reads one document into the model. Returns whether it holds a Kubernetes object or a probe block.
pub fn read(root: Node<'_>, document: u32, model: &mut Model) -> bool {
    map::start_document();
    if root.kind() != Kind::Mapping {
        return false;
    }
    let before = model.workloads.len();
    let is_object = object(root, document, model, 0);
    if !is_object && model.workloads.len() == before {
        let mut path = Path::default();
        loose_blocks(root, document, "", &mut path, model, 0);
    }
    is_object || model.workloads.len() > before
}

/// Reads an object and what it wraps. Returns whether it is one (has `apiVersion` and `kind`).
fn object(node: Node<'_>, document: u32, model: &mut Model, depth: usize) -> bool {
    let map = Map::read(node);
    let Some(kind) = map.text("kind") else { return false };
    let Some(api_version) = map.text("apiVersion") else { return false };
    let group = api_version.rsplit_once('/').map_or("", |(group, _)| group);
    if PATTERN_GROUPS.iter().any(|pattern| group.ends_with(pattern)) || depth > SEARCH_DEPTH {
        return true;
    }
    // `kubectl get -o yaml` wraps objects in a List, OpenShift in a Template; typed lists are flattened by kubectl too.
    let is_list = kind == "List" || kind.ends_with("List") && map.get("items").is_some();
    let is_template = kind == "Template" && map.get("objects").is_some();
    if is_list || is_template {
        for item in map.list(if is_list { "items" } else { "objects" }) {
            object(item, document, model, depth + 1);
        }
        return true;
    }
    match kind {
        "Service" if group.is_empty() => model.services.push(service(&map, node)),
        "ConfigMap" if group.is_empty() => model.config_maps.push(config_map(&map)),
        _ if cluster::read(&map, node, kind, group, model) => {}
        _ => workloads(node, &map, kind, group, document, model),
    }
    true
}

fn workloads(node: Node<'_>, map: &Map<'_>, kind: &str, group: &str, document: u32, model: &mut Model) {
    let context = Owner { map, kind, group, document };
    let known = POD_SPECS.iter().find(|(name, part, _)| *name == kind && group.contains(part));
    // `Deployment` of a group of its own is another kind with the same shape more often than not.
    if let Some((.., path)) = known {
        let mut parents = vec![map.clone()];
        for key in *path {
            let next = parents.last().map(|parent| parent.map(key)).unwrap_or_default();
            parents.push(next);
        }
        let template = parents.len().checked_sub(2).and_then(|at| parents.get(at)).cloned().unwrap_or_default();
        if let Some(pod) = parents.last() {
            let mut found = workload(&context, &template, pod, &path.join("."));
            found.odd_keys = strict::object(node, path);
            // The object that has the template: a Job, also that of a CronJob.
            if let Some(owner) = parents.len().checked_sub(3).and_then(|at| parents.get(at)) {
                found.backoff_limit = owner.number("backoffLimit");
            }
            model.workloads.push(found);
        }
        return;
    }
    let before = model.workloads.len();
    let mut path = Path::default();
    pod_specs(node, &context, &mut path, model, 0);
    if model.workloads.len() == before {
        let subject = subject(kind, &namespace(map), name(map).as_ref().map(|name| name.value.as_str()));
        loose_blocks(node, document, &subject, &mut Path::default(), model, 0);
    }
}

/// The object around a pod spec.
struct Owner<'a, 't> {
    map: &'a Map<'t>,
    kind: &'a str,
    group: &'a str,
    document: u32,
}

/// A place in an object: `spec.nodeSets[0].podTemplate`.
#[derive(Default)]
struct Path(String);

impl Path {
    /// Appends a key, runs `inside`, and takes it off again.
    fn with<R>(&mut self, key: &str, inside: impl FnOnce(&mut Self) -> R) -> R {
        let length = self.0.len();
        if length > 0 && !key.starts_with('[') {
            self.0.push('.');
        }
        self.0.push_str(key);
        let result = inside(self);
        self.0.truncate(length);
        result
    }
}

/// Finds pod specs in an object of an unknown kind: maps with a list `containers` whose items have a name or an image.
fn pod_specs(node: Node<'_>, owner: &Owner<'_, '_>, path: &mut Path, model: &mut Model, depth: usize) {
    if depth > SEARCH_DEPTH {
        return;
    }
    match node.kind() {
        Kind::Mapping => {
            if let Some(list) = node.get("containers").and_then(Node::resolved)
                && is_container_list(list)
            {
                // The template is the map around the pod spec; it is found again by the caller of this level.
                let mut workload = workload(owner, &Map::default(), &Map::read(node), &path.0);
                workload.odd_keys = strict::pod_spec(node, &path.0);
                model.workloads.push(workload);
                return;
            }
            for (key, value) in node.entries() {
                if PATTERN_KEYS.contains(&key.text()) {
                    continue;
                }
                let before = model.workloads.len();
                path.with(key.text(), |path| pod_specs(value, owner, path, model, depth + 1));
                // A pod template has its labels beside its spec.
                if model.workloads.len() == before + 1
                    && key.text() == "spec"
                    && let Some(found) = model.workloads.last_mut()
                    && found.labels.is_empty()
                    && depth > 0
                {
                    let metadata = Map::read(node).map("metadata");
                    found.labels = labels(&metadata.map("labels"));
                    found.annotations = cluster::annotations(&metadata);
                }
            }
        }
        Kind::Sequence => {
            for (index, item) in node.items().enumerate() {
                path.with(&format!("[{index}]"), |path| pod_specs(item, owner, path, model, depth + 1));
            }
        }
        Kind::Scalar | Kind::Alias => {}
    }
}

fn is_container_list(node: Node<'_>) -> bool {
    node.kind() == Kind::Sequence
        && node.items().filter_map(Node::resolved).any(|item| {
            ["image", "livenessProbe", "readinessProbe", "startupProbe"].iter().any(|key| item.get(key).is_some())
        })
}

fn workload(owner: &Owner<'_, '_>, template: &Map<'_>, pod: &Map<'_>, path: &str) -> Workload {
    let Owner { map, kind, group, document } = *owner;
    let spec = map.map("spec");
    let name = name(map);
    let namespace = namespace(map);
    let orchestrator =
        if group.ends_with("serving.knative.dev") { Orchestrator::Knative } else { Orchestrator::Kubernetes };
    let mut containers = Vec::new();
    for list in container::LISTS {
        for (index, item) in pod.list(list).into_iter().enumerate() {
            if item.kind() == Kind::Mapping && !is_placeholder(item) {
                let place = join(path, &format!("{list}[{index}]"));
                let editable = pod.entry(list).is_none_or(|entry| entry.alias.is_none() && !entry.value.is_shared());
                containers.push(container::read(item, list, place, index, orchestrator, editable));
            }
        }
    }
    let volumes = config_map_volumes(pod);
    for container in &mut containers {
        let mounted = volumes.iter().filter(|(volume, _)| container.mounts.contains(volume));
        container.config_maps.extend(mounted.map(|(_, name)| ConfigMapUse { name: name.clone(), prefix: None }));
    }
    let odd_lists = odd_lists(pod, path);
    let metadata = if kind == "Pod" { map.map("metadata") } else { template.map("metadata") };
    let subject = subject(kind, &namespace, name.as_ref().map(|name| name.value.as_str()));
    let mut workload = Workload {
        group: group.to_owned(),
        kind: kind.to_owned(),
        name,
        namespace,
        labels: labels(&metadata.map("labels")),
        pod_path: path.to_owned(),
        annotations: cluster::annotations(&metadata),
        replicas: spec.number("replicas"),
        strategy: strategy(&spec.map(if kind == "StatefulSet" { "updateStrategy" } else { "strategy" })),
        progress_deadline: spec.number("progressDeadlineSeconds"),
        min_ready: spec.number("minReadySeconds"),
        service_name: spec.string("serviceName"),
        pod_management_policy: spec.string("podManagementPolicy"),
        host_network: pod.boolean("hostNetwork"),
        restart_policy: pod.string("restartPolicy"),
        grace_period: pod.number("terminationGracePeriodSeconds"),
        containers,
        odd_lists,
        is_live: map.map("metadata").get("uid").is_some() || !map.map("status").entries.is_empty(),
        ..Workload::new(document, orchestrator, Origin::Complete, subject)
    };
    if is_partial(&workload, &spec, map) {
        workload.make_patch();
    }
    workload
}

/// Volumes that hold ConfigMaps: name of the volume and of the ConfigMap, projected ones included.
fn config_map_volumes(pod: &Map<'_>) -> Vec<(String, String)> {
    let mut found = Vec::new();
    for item in pod.list("volumes") {
        let volume = Map::read(item);
        let Some(name) = volume.text("name") else { continue };
        let mut add = |config_map: Option<&str>| found.extend(config_map.map(|it| (name.to_owned(), it.to_owned())));
        add(volume.map("configMap").text("name"));
        for source in volume.map("projected").list("sources") {
            add(Map::read(source).map("configMap").text("name"));
        }
    }
    found
}

/// Lists of containers that are refused as such.
fn odd_lists(pod: &Map<'_>, path: &str) -> Vec<OddList> {
    let mut found = Vec::new();
    for list in container::LISTS {
        let Some(entry) = pod.entry(list) else { continue };
        let place = join(path, list);
        let node = entry.value;
        let is_empty = node.kind() == Kind::Sequence && node.items().next().is_none();
        if is_placeholder(node) || is_null(node) && list != "containers" {
            continue;
        }
        if list == "containers" && (is_null(node) || is_empty) {
            found.push(OddList::Empty(place, entry.key.span()));
        } else if node.kind() != Kind::Sequence {
            found.push(OddList::Wrong(place, not_a_map(node).unwrap_or(Found::Map), node.span()));
        } else if list == "ephemeralContainers" && !is_empty {
            found.push(OddList::Ephemeral(place, entry.key.span()));
        } else {
            for (index, item) in node.items().filter_map(Node::resolved).enumerate() {
                let place = format!("{place}[{index}]");
                if is_null(item) {
                    found.push(OddList::NullItem(place, item.span()));
                } else if let Some(wrong) = not_a_map(item).filter(|_| !is_placeholder(item)) {
                    found.push(OddList::Wrong(place, wrong, item.span()));
                }
            }
        }
    }
    found
}

/// Whether an object is only a part, to be merged into another: a Kustomize patch, or containers that an operator
/// completes. Complete objects have images, and what their kind demands: a selector, pod labels.
fn is_partial(workload: &Workload, spec: &Map<'_>, map: &Map<'_>) -> bool {
    if map.get("$patch").is_some() || workload.containers.is_empty() {
        return true;
    }
    // Istio's injector completes a container with the image `auto`.
    let lacks_image = |container: &Container| {
        container.image == Field::Absent || container.image.value().is_some_and(|image| image == "auto")
    };
    if workload.containers.iter().any(lacks_image) {
        return true;
    }
    match workload.kind.as_str() {
        "Deployment"
        | "StatefulSet"
        | "DaemonSet"
        | "ReplicaSet"
        | "ReplicationController"
        | "DeploymentConfig"
        | "Rollout" => spec.get("selector").is_none() && workload.labels.is_empty(),
        _ => false,
    }
}

fn name(map: &Map<'_>) -> Option<Spanned<String>> {
    let metadata = map.map("metadata");
    let node = metadata.get("name").or_else(|| metadata.get("generateName"))?;
    (node.kind() == Kind::Scalar && !node.text().is_empty())
        .then(|| Spanned { value: node.text().to_owned(), span: node.span() })
}

fn namespace(map: &Map<'_>) -> String {
    map.map("metadata").text("namespace").unwrap_or_default().to_owned()
}

fn subject(kind: &str, namespace: &str, name: Option<&str>) -> String {
    let name = name.unwrap_or("(no name)");
    if namespace.is_empty() { format!("{kind}/{name}") } else { format!("{kind}/{namespace}/{name}") }
}

fn labels(map: &Map<'_>) -> Vec<(String, String)> {
    map.entries.iter().map(|entry| (entry.name.clone().into_owned(), entry.value.text().to_owned())).collect()
}

fn join(path: &str, key: &str) -> String {
    if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") }
}

fn service(map: &Map<'_>, node: Node<'_>) -> Service {
    let spec = map.map("spec");
    let name = name(map);
    let ports = spec
        .list("ports")
        .into_iter()
        .filter_map(|item| {
            let port = Map::read(item);
            let key = if port.get("targetPort").is_some() { "targetPort" } else { "port" };
            let field = port.port(key);
            let (target, at) = field.spanned()?;
            Some(ServicePort {
                target: target.clone(),
                at,
                name: port.text("name").unwrap_or_default().to_owned(),
                protocol: port.text("protocol").unwrap_or("TCP").to_owned(),
            })
        })
        .collect();
    let annotated = map
        .map("metadata")
        .map("annotations")
        .text("service.alpha.kubernetes.io/tolerate-unready-endpoints")
        .is_some_and(|value| value == "true");
    Service {
        at: name.as_ref().map_or(node.span(), |name| name.span),
        name: name.map(|name| name.value).unwrap_or_default(),
        namespace: namespace(map),
        selector: labels(&spec.map("selector")),
        ports,
        publish_not_ready_addresses: annotated
            || spec.boolean("publishNotReadyAddresses").value().copied().unwrap_or(false),
        headless: spec.text("clusterIP") == Some("None"),
    }
}

fn strategy(map: &Map<'_>) -> Strategy {
    let numbers = map.map("rollingUpdate");
    Strategy {
        kind: map.string("type"),
        max_unavailable: numbers.port("maxUnavailable"),
        max_surge: numbers.port("maxSurge"),
    }
}

fn config_map(map: &Map<'_>) -> ConfigMap {
    let data = map.map("data");
    let texts = data.entries.iter().filter(|entry| entry.value.kind() == Kind::Scalar);
    ConfigMap {
        name: name(map).map(|name| name.value).unwrap_or_default(),
        namespace: namespace(map),
        data: texts
            .map(|entry| ConfigMapEntry {
                name: entry.name.clone().into_owned(),
                text: entry.value.text().to_owned(),
                at: entry.value.span(),
                is_literal: entry.value.style() == Style::Literal,
            })
            .collect(),
    }
}

/// Finds maps under a key that is exactly the name of a probe and that look like one, outside any workload.
fn loose_blocks(node: Node<'_>, document: u32, owner: &str, path: &mut Path, model: &mut Model, depth: usize) {
    if depth > SEARCH_DEPTH {
        return;
    }
    match node.kind() {
        Kind::Mapping => {
            let has_probe = ProbeKind::ALL.iter().any(|kind| node.get(kind.field()).is_some_and(looks_like_probe));
            if has_probe {
                model.workloads.push(fragment(node, document, owner, &path.0));
            }
            for (key, value) in node.entries() {
                let name = key.text();
                if !PATTERN_KEYS.contains(&name) && !ProbeKind::ALL.iter().any(|kind| kind.field() == name) {
                    path.with(name, |path| loose_blocks(value, document, owner, path, model, depth + 1));
                }
            }
        }
        Kind::Sequence => {
            for (index, item) in node.items().enumerate() {
                path.with(&format!("[{index}]"), |path| {
                    loose_blocks(item, document, owner, path, model, depth + 1);
                });
            }
        }
        Kind::Scalar | Kind::Alias => {}
    }
}

/// Whether a map has the shape of a probe: a number of one, or a handler with a field of one. A JSON schema of a probe,
/// or a custom resource's own `livenessProbe`, has not.
fn looks_like_probe(node: Node<'_>) -> bool {
    let Some(node) = node.resolved() else { return false };
    let is_schema = ["type", "properties", "$ref", "anyOf"].iter().any(|key| node.get(key).is_some());
    !is_schema
        && node.entries().any(|(key, value)| match key.text() {
            "exec" | "httpGet" | "tcpSocket" | "grpc" => value.kind() == Kind::Mapping,
            name => fields::PROBE.contains(&name) && value.kind() == Kind::Scalar,
        })
}

fn fragment(node: Node<'_>, document: u32, owner: &str, path: &str) -> Workload {
    let place = if path.is_empty() { "(root)" } else { path };
    let subject = if owner.is_empty() { place.to_owned() } else { format!("{owner} > {place}") };
    let map = Map::read(node);
    let start = crate::span::Span::at(node.span().start);
    let mut container = Container::new(Role::Main, path.to_owned(), String::new(), start, node.span());
    container.editable = map.alias().is_none() && !node.is_shared();
    probe::read_probes(&map, Orchestrator::Kubernetes, &mut container);
    let kinds_that_look_right: Vec<_> =
        ProbeKind::ALL.into_iter().filter(|kind| node.get(kind.field()).is_some_and(looks_like_probe)).collect();
    container.probes.retain(|probe| kinds_that_look_right.contains(&probe.kind));
    let mut workload = Workload::new(document, Orchestrator::Kubernetes, Origin::Fragment, subject);
    workload.containers.push(container);
    workload.odd_keys = strict::fragment(node, path, &kinds_that_look_right);
    workload
}
