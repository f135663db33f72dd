//! When the absence of a probe says something.

use super::spelling;
use crate::model::{Container, Orchestrator, Origin, ProbeKind, Workload};

/// Whether the document shows the whole object and nobody else adds probes: Tye has rules of its own, and Knative adds a
/// readiness probe by itself.
pub(super) fn is_complete(workload: &Workload) -> bool {
    workload.origin == Origin::Complete && workload.orchestrator == Orchestrator::Kubernetes
}

/// Whether a container has a probe of a kind, or a placeholder or a misspelt key in its place.
pub(super) fn may_have(container: &Container, kind: ProbeKind) -> bool {
    container.probe(kind).is_some()
        || container.templated_probes.contains(&kind)
        || container.keys.iter().any(|key| !key.known && spelling::guess(&key.name, &[kind.field()]).is_some())
}
