//! Objects beside the workloads that decide what a probe means: namespaces, autoscalers, policies of a service mesh.

use super::{Field, Number};
use crate::span::Span;

/// An annotation of a pod.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Annotation {
    /// Its name.
    pub name: String,
    /// Its value as text.
    pub value: String,
    /// Bytes of the value.
    pub at: Span,
    /// Whether an edit of the value changes this annotation and nothing else.
    pub editable: bool,
}

/// A Kubernetes Namespace.
#[derive(Debug)]
pub struct Namespace {
    /// Its name.
    pub name: String,
    /// Its labels.
    pub labels: Vec<(String, String)>,
    /// Bytes of the name.
    pub at: Span,
}

/// What changes the number of pods of a workload.
#[derive(Debug)]
pub struct Autoscaler {
    /// Its kind.
    pub kind: ScalerKind,
    /// Its name.
    pub name: String,
    /// Its namespace; empty when none is written.
    pub namespace: String,
    /// Kind of the workload: `scaleTargetRef.kind`.
    pub target_kind: String,
    /// Name of the workload: `scaleTargetRef.name`.
    pub target_name: String,
    /// The least number of pods as written.
    pub least: Field<Number>,
    /// Bytes of the name.
    pub at: Span,
}

/// Kinds of autoscalers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScalerKind {
    /// `HorizontalPodAutoscaler`
    Horizontal,
    /// KEDA's `ScaledObject`.
    Keda,
}

impl ScalerKind {
    /// The kind as a manifest has it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Horizontal => "HorizontalPodAutoscaler",
            Self::Keda => "ScaledObject",
        }
    }

    /// Its field for the least number of pods.
    pub const fn field(self) -> &'static str {
        match self {
            Self::Horizontal => "minReplicas",
            Self::Keda => "minReplicaCount",
        }
    }

    /// The least number of pods when none is written.
    ///
    /// Sources: kubernetes/api `autoscaling/v2/types.go`, `HorizontalPodAutoscalerSpec`; KEDA documentation,
    /// "ScaledObject specification".
    pub const fn default_least(self) -> Number {
        match self {
            Self::Horizontal => 1,
            Self::Keda => 0,
        }
    }
}

/// Istio's `PeerAuthentication`: whether pods take requests without mutual TLS.
#[derive(Debug)]
pub struct PeerAuthentication {
    /// Its namespace; empty when none is written.
    pub namespace: String,
    /// Labels a pod must carry; none for all pods of the namespace.
    pub selector: Vec<(String, String)>,
    /// `mtls.mode`: `STRICT`, `PERMISSIVE`, `DISABLE`, `UNSET`.
    pub mode: Field<String>,
    /// Modes of single ports, `portLevelMtls`.
    pub ports: Vec<(Number, Field<String>)>,
}
