//! Looks for what strict decoding would refuse on the way from the object to its probes: keys written twice, and keys
//! that stand where no such field is. What is unknown inside a probe is told by the keys of the probe itself.
//!
//! Sources: `sigs.k8s.io/json` (names are compared letter by letter); `sigs.k8s.io/yaml`, `UnmarshalStrict` (repeated
//! keys); kubernetes/apiserver `pkg/endpoints/handlers/create.go` (both are refused before validation).

use super::fields;
use super::map::{is_merge, is_placeholder};
use crate::model::{HandlerKind, Odd, OddKey, OddPlace, ProbeKind};
use crate::span::Span;
use crate::yaml::scalar;
use crate::yaml::{Kind, Node};

/// Deeper than this no legal manifest goes on the way that is walked.
const MAX_DEPTH: usize = 24;

/// A place in an object together with what may stand there.
#[derive(Clone, Copy)]
enum Place<'p> {
    /// On the way to the pod spec; the keys that lead there.
    Outer(&'p [&'p str]),
    PodSpec,
    Container,
    Port,
    Lifecycle,
    Hook,
    /// A handler of a hook.
    Action(HandlerKind),
    /// A probe, a handler in it, or a header.
    InProbe,
    /// A map where only a probe would be out of place.
    Other,
}

/// Walks an object of a known kind along the path to its pod spec.
pub(super) fn object(root: Node<'_>, path: &[&str]) -> Vec<OddKey> {
    let mut walk = Walk::default();
    walk.map(root, Place::Outer(path), 0);
    walk.found
}

/// Walks a pod spec that was found by its shape.
pub(super) fn pod_spec(node: Node<'_>, path: &str) -> Vec<OddKey> {
    let mut walk = Walk { path: path.to_owned(), ..Walk::default() };
    walk.map(node, Place::PodSpec, 0);
    walk.found
}

/// Walks a loose probe block: the map in which its key stands.
pub(super) fn fragment(node: Node<'_>, path: &str, kinds: &[ProbeKind]) -> Vec<OddKey> {
    let mut walk = Walk { path: path.to_owned(), ..Walk::default() };
    walk.repeated(node, &|name| kinds.iter().any(|kind| kind.field() == name));
    for (key, value) in node.entries() {
        if kinds.iter().any(|kind| kind.field() == key.text()) {
            walk.inside(key.text(), value, Place::InProbe, 0);
        }
    }
    walk.found
}

#[derive(Default)]
struct Walk {
    path: String,
    found: Vec<OddKey>,
}

impl Walk {
    fn inside(&mut self, key: &str, node: Node<'_>, place: Place<'_>, depth: usize) {
        // What an alias brings in is looked at where it is written.
        if node.kind() == Kind::Alias || depth > MAX_DEPTH || is_placeholder(node) {
            return;
        }
        let length = self.path.len();
        if length > 0 && !key.starts_with('[') {
            self.path.push('.');
        }
        self.path.push_str(key);
        match node.kind() {
            Kind::Mapping => self.map(node, place, depth),
            Kind::Sequence => {
                for (index, item) in node.items().enumerate() {
                    self.inside(&format!("[{index}]"), item, place, depth + 1);
                }
            }
            Kind::Scalar | Kind::Alias => {}
        }
        self.path.truncate(length);
    }

    fn map(&mut self, node: Node<'_>, place: Place<'_>, depth: usize) {
        self.repeated(node, &|_| true);
        for (key, value) in node.entries() {
            if is_merge(key) {
                continue;
            }
            let name = scalar::key(key);
            if let Some(at) = misfit(place, &name, depth) {
                self.note(node, &name, key.span(), value, Odd::Unknown, at);
            }
            if let Some(next) = next(place, &name) {
                self.inside(&name, value, next, depth + 1);
            }
        }
    }

    /// Keys that are written twice, and keys that a merge key behind them overrides.
    fn repeated(&mut self, node: Node<'_>, matters: &dyn Fn(&str) -> bool) {
        let mut seen: Vec<(std::borrow::Cow<'_, str>, Node<'_>, Node<'_>)> = Vec::new();
        for (key, value) in node.entries() {
            let name = scalar::key(key);
            if is_merge(key) {
                let merged = merged_names(value);
                for (name, earlier, earlier_value) in &seen {
                    if merged.contains(name) && matters(name) {
                        let odd = Odd::OverriddenByMerge { merge: key.span() };
                        self.note(node, name, earlier.span(), *earlier_value, odd, OddPlace::Elsewhere);
                    }
                }
            }
            match seen.iter().find(|(earlier, ..)| *earlier == name) {
                Some((_, earlier, earlier_value)) if matters(&name) => {
                    let odd = Odd::Repeated { first: earlier.span(), first_value: earlier_value.span() };
                    self.note(node, &name, key.span(), value, odd, OddPlace::Elsewhere);
                }
                Some(_) => {}
                None => seen.push((name, key, value)),
            }
        }
    }

    fn note(&mut self, map: Node<'_>, name: &str, at: Span, value: Node<'_>, odd: Odd, place: OddPlace) {
        let path = if self.path.is_empty() { name.to_owned() } else { format!("{}.{name}", self.path) };
        self.found.push(OddKey { name: name.to_owned(), path, at, value: value.span(), map: map.span(), odd, place });
    }
}

/// The keys that a merge brings in.
fn merged_names(value: Node<'_>) -> Vec<std::borrow::Cow<'_, str>> {
    let Some(value) = value.resolved() else { return Vec::new() };
    match value.kind() {
        Kind::Mapping => value.entries().map(|(key, _)| scalar::key(key)).collect(),
        Kind::Sequence => value
            .items()
            .filter_map(Node::resolved)
            .flat_map(|item| item.entries().map(|(key, _)| scalar::key(key)).collect::<Vec<_>>())
            .collect(),
        Kind::Scalar | Kind::Alias => Vec::new(),
    }
}

/// What the value of a key is, for the next step.
fn next<'p>(place: Place<'p>, name: &str) -> Option<Place<'p>> {
    Some(match (place, name) {
        (Place::Outer([last]), name) if name == *last => Place::PodSpec,
        (Place::Outer([first, rest @ ..]), name) if name == *first => Place::Outer(rest),
        (Place::Outer(_), "metadata") => Place::Other,
        (Place::PodSpec, "containers" | "initContainers" | "ephemeralContainers") => Place::Container,
        (Place::PodSpec, "securityContext") => Place::Other,
        (Place::Container, "ports") => Place::Port,
        (Place::Container, "lifecycle") => Place::Lifecycle,
        (Place::Container, "livenessProbe" | "readinessProbe" | "startupProbe") | (Place::InProbe, _) => Place::InProbe,
        (Place::Container, "resources" | "securityContext" | "env" | "envFrom" | "volumeMounts") => Place::Other,
        (Place::Lifecycle, "postStart" | "preStop") => Place::Hook,
        (Place::Hook, name) => Place::Action(HandlerKind::OF_HOOKS.into_iter().find(|kind| kind.field() == name)?),
        (Place::Action(HandlerKind::HttpGet), "httpHeaders") => Place::Other,
        _ => return None,
    })
}

/// Where a key stands that does not belong there; `None` for keys that do, or of which nothing is said.
fn misfit(place: Place<'_>, name: &str, depth: usize) -> Option<OddPlace> {
    // `$patch` and its kin steer a strategic merge; templates are filled in later.
    if name.starts_with('$') || name.contains("{{") || name.is_empty() {
        return None;
    }
    let is_probe = ProbeKind::ALL.iter().any(|kind| kind.field() == name);
    let unless = |known: &[&str], at| (!known.contains(&name)).then_some(at);
    match place {
        Place::Outer(path) if depth == 0 => {
            let first = path.first().copied().unwrap_or_default();
            let known = fields::OBJECT.contains(&name) || name == first;
            (!known).then_some(if is_probe { OddPlace::Elsewhere } else { OddPlace::Object })
        }
        Place::Outer(_) if is_probe || name == "containers" => Some(OddPlace::Elsewhere),
        Place::Outer(path) => (!path.contains(&name) && !fields::OUTER.contains(&name)).then_some(OddPlace::Outer),
        Place::PodSpec if fields::POD_SPEC.contains(&name) => None,
        Place::PodSpec if is_probe || fields::PROBE.contains(&name) => Some(OddPlace::Elsewhere),
        Place::PodSpec => Some(OddPlace::PodSpec),
        Place::Other => is_probe.then_some(OddPlace::Elsewhere),
        Place::Container => unless(&fields::CONTAINER, OddPlace::Container),
        Place::Port if is_probe => Some(OddPlace::Elsewhere),
        Place::Port => unless(&fields::PORT, OddPlace::Port),
        Place::Lifecycle => unless(&fields::LIFECYCLE, OddPlace::Lifecycle),
        Place::Hook => HandlerKind::OF_HOOKS.iter().all(|kind| kind.field() != name).then_some(OddPlace::Hook),
        Place::Action(kind) => unless(fields::of_handler(kind), OddPlace::Action(kind)),
        Place::InProbe => None,
    }
}
