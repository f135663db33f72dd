//! Reads objects beside the workloads: namespaces, autoscalers, policies of a service mesh.

use super::map::Map;
use super::{labels, name, namespace};
use crate::model::{Annotation, Autoscaler, Field, Model, Namespace, PeerAuthentication, ScalerKind};
use crate::yaml::{Kind, Node};

/// Reads an object of one of these kinds into the model. Returns whether it is one.
pub(super) fn read(map: &Map<'_>, node: Node<'_>, kind: &str, group: &str, model: &mut Model) -> bool {
    match (kind, group) {
        ("Namespace", "") => model.namespaces.push(Namespace {
            labels: labels(&map.map("metadata").map("labels")),
            at: name(map).map_or(node.span(), |name| name.span),
            name: name(map).map(|name| name.value).unwrap_or_default(),
        }),
        ("HorizontalPodAutoscaler", "autoscaling") => {
            model.autoscalers.extend(autoscaler(map, node, ScalerKind::Horizontal));
        }
        ("ScaledObject", "keda.sh") => model.autoscalers.extend(autoscaler(map, node, ScalerKind::Keda)),
        ("PeerAuthentication", "security.istio.io") => model.peer_authentications.push(peer_authentication(map)),
        _ => return false,
    }
    true
}

/// A patch of an autoscaler often names no target; then nobody knows whom it scales.
fn autoscaler(map: &Map<'_>, node: Node<'_>, kind: ScalerKind) -> Option<Autoscaler> {
    let spec = map.map("spec");
    let target = spec.map("scaleTargetRef");
    let default_kind = if kind == ScalerKind::Keda { "Deployment" } else { "" };
    let name = name(map);
    Some(Autoscaler {
        kind,
        at: name.as_ref().map_or(node.span(), |name| name.span),
        name: name.map(|name| name.value).unwrap_or_default(),
        namespace: namespace(map),
        target_kind: target.text("kind").unwrap_or(default_kind).to_owned(),
        target_name: target.text("name")?.to_owned(),
        least: spec.number(kind.field()),
    })
}

fn peer_authentication(map: &Map<'_>) -> PeerAuthentication {
    let spec = map.map("spec");
    let ports = spec.map("portLevelMtls");
    let ports = ports.entries.iter().filter_map(|entry| {
        let port = entry.name.parse().ok()?;
        Some((port, Map::read(entry.value).string("mode")))
    });
    PeerAuthentication {
        namespace: namespace(map),
        selector: labels(&spec.map("selector").map("matchLabels")),
        mode: match spec.get("mtls") {
            Some(_) => spec.map("mtls").string("mode"),
            None => Field::Absent,
        },
        ports: ports.collect(),
    }
}

/// Reads the annotations in a `metadata`.
pub(super) fn annotations(metadata: &Map<'_>) -> Vec<Annotation> {
    let map = metadata.map("annotations");
    let shared = metadata.entry("annotations").is_some_and(|entry| entry.alias.is_some() || entry.value.is_shared());
    map.entries
        .iter()
        .filter(|entry| entry.value.kind() == Kind::Scalar)
        .map(|entry| Annotation {
            name: entry.name.clone().into_owned(),
            value: entry.value.text().to_owned(),
            at: entry.value.span(),
            editable: !shared && entry.alias.is_none() && !entry.value.is_shared(),
        })
        .collect()
}
