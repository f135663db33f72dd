//! What carries containers, and the containers themselves.

use super::probe::Arg;
use super::{Annotation, Field, Found, Handler, HandlerKind, Key, Number, Orchestrator, Port, Probe, ProbeKind};
use crate::span::{Span, Spanned};

/// How much of the object the document shows. Absence is judged on complete ones only.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// The whole object.
    Complete,
    /// A patch that is merged into an object written elsewhere.
    Patch,
    /// A probe block outside any workload: Helm values, settings of an operator.
    Fragment,
}

/// An object with a pod template, a Tye service, or a loose probe block.
#[derive(Debug)]
pub struct Workload {
    /// Number of its document in the source, from 0.
    pub document: u32,
    /// API group without version; empty for the core group and outside Kubernetes.
    pub group: String,
    /// `Deployment`, `service` for Tye; empty for a loose block.
    pub kind: String,
    /// `metadata.name`
    pub name: Option<Spanned<String>>,
    /// `metadata.namespace`; empty when none is written.
    pub namespace: String,
    /// Stable name: `Deployment/shop/web`; a loose block has its path.
    pub subject: String,
    /// How much of the object this is.
    pub origin: Origin,
    /// Who runs its probes.
    pub orchestrator: Orchestrator,
    /// Labels of the pods.
    pub labels: Vec<(String, String)>,
    /// Path of the pod spec as the API server writes it: `spec.template.spec`.
    pub pod_path: String,
    /// Annotations of the pods.
    pub annotations: Vec<Annotation>,
    /// `replicas`
    pub replicas: Field<Number>,
    /// `strategy` of a Deployment, `updateStrategy` of a StatefulSet.
    pub strategy: Strategy,
    /// `progressDeadlineSeconds`
    pub progress_deadline: Field<Number>,
    /// `minReadySeconds`
    pub min_ready: Field<Number>,
    /// `serviceName` of a StatefulSet.
    pub service_name: Field<String>,
    /// `podManagementPolicy` of a StatefulSet.
    pub pod_management_policy: Field<String>,
    /// `hostNetwork` of the pod.
    pub host_network: Field<bool>,
    /// `restartPolicy` of the pod.
    pub restart_policy: Field<String>,
    /// `backoffLimit` of a Job.
    pub backoff_limit: Field<Number>,
    /// `terminationGracePeriodSeconds` of the pod.
    pub grace_period: Field<Number>,
    /// Containers, init containers and ephemeral containers in document order.
    pub containers: Vec<Container>,
    /// Keys that strict decoding refuses, outside of probes or written twice, in document order.
    pub odd_keys: Vec<OddKey>,
    /// Bytes of the key `containers` when its list is empty or null, of a null item in it, or of `ephemeralContainers`.
    pub odd_lists: Vec<OddList>,
    /// The document shows an object as the cluster keeps it: it has `status` or a `uid`.
    pub is_live: bool,
    /// What only Tye services have.
    pub tye: Option<TyeService>,
}

/// A key that does not belong where it stands.
#[derive(Clone, Debug)]
pub struct OddKey {
    /// The key, as JSON would have it.
    pub name: String,
    /// Its path as the API server writes it: `spec.containers[0].ports[0].port`.
    pub path: String,
    /// Bytes of the key.
    pub at: Span,
    /// Bytes of the value.
    pub value: Span,
    /// Bytes of the map it stands in.
    pub map: Span,
    /// What is the matter with it.
    pub odd: Odd,
    /// Where it stands.
    pub place: OddPlace,
}

/// What is the matter with a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Odd {
    /// There is no such field at that place.
    Unknown,
    /// The same key stands in the same map before.
    Repeated {
        /// Bytes of the first key.
        first: Span,
        /// Bytes of its value.
        first_value: Span,
    },
    /// A merge key behind it brings in the same key, which is then in force.
    OverriddenByMerge {
        /// Bytes of the merge key.
        merge: Span,
    },
}

/// Where an odd key stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OddPlace {
    /// At the root of the object.
    Object,
    /// Between the object and its pod spec.
    Outer,
    /// In the pod spec.
    PodSpec,
    /// In a container.
    Container,
    /// In an item of `ports`.
    Port,
    /// In `lifecycle`.
    Lifecycle,
    /// In `postStart` or `preStop`.
    Hook,
    /// In a handler of a hook.
    Action(HandlerKind),
    /// Somewhere else.
    Elsewhere,
}

/// A list of containers that is refused as such.
#[derive(Clone, Debug)]
pub enum OddList {
    /// `containers` holds nothing; its path and the bytes of its key.
    Empty(String, Span),
    /// An item is null; its path and its bytes.
    NullItem(String, Span),
    /// There are `ephemeralContainers`; their path and the bytes of the key.
    Ephemeral(String, Span),
    /// Something else stands where a list, or a map in it, belongs; its path, what it is, and its bytes.
    Wrong(String, Found, Span),
}

impl Workload {
    /// A workload of which nothing more is known; readers fill in what the document says.
    pub fn new(document: u32, orchestrator: Orchestrator, origin: Origin, subject: String) -> Self {
        Self {
            document,
            group: String::new(),
            kind: String::new(),
            name: None,
            namespace: String::new(),
            subject,
            origin,
            orchestrator,
            labels: Vec::new(),
            pod_path: String::new(),
            annotations: Vec::new(),
            replicas: Field::Absent,
            strategy: Strategy::default(),
            progress_deadline: Field::Absent,
            min_ready: Field::Absent,
            service_name: Field::Absent,
            pod_management_policy: Field::Absent,
            host_network: Field::Absent,
            restart_policy: Field::Absent,
            backoff_limit: Field::Absent,
            grace_period: Field::Absent,
            containers: Vec::new(),
            odd_keys: Vec::new(),
            odd_lists: Vec::new(),
            is_live: false,
            tye: None,
        }
    }

    /// Whether it is of a kind that Kubernetes itself brings along, so that its fields are known one and all.
    pub fn is_builtin(&self) -> bool {
        let kinds: &[&str] = match self.group.as_str() {
            "" => &["Pod", "PodTemplate", "ReplicationController"],
            "apps" | "extensions" => &["Deployment", "StatefulSet", "DaemonSet", "ReplicaSet"],
            "batch" => &["Job", "CronJob"],
            _ => &[],
        };
        kinds.contains(&self.kind.as_str())
    }

    /// The container in which a path lies, if any.
    pub fn container_at(&self, path: &str) -> Option<&Container> {
        self.containers.iter().find(|container| {
            path.strip_prefix(container.path.as_str()).is_some_and(|rest| rest.starts_with('.') || rest.is_empty())
        })
    }

    /// Makes it a patch, and its probes parts of probes.
    pub fn make_patch(&mut self) {
        self.origin = Origin::Patch;
        for probe in self.containers.iter_mut().flat_map(|container| &mut container.probes) {
            probe.partial = true;
        }
    }

    /// The value of an annotation of the pods.
    pub fn annotation(&self, name: &str) -> Option<&Annotation> {
        self.annotations.iter().find(|annotation| annotation.name == name)
    }

    /// The value of a label of the pods.
    pub fn label(&self, name: &str) -> Option<&str> {
        self.labels.iter().find(|(label, _)| label == name).map(|(_, value)| value.as_str())
    }

    /// All probes with their containers.
    pub fn probes(&self) -> impl Iterator<Item = (&Container, &Probe)> {
        self.containers.iter().flat_map(|container| container.probes.iter().map(move |probe| (container, probe)))
    }

    /// Whether its pods run to an end by design, so that "ready" has no meaning for traffic.
    pub fn runs_to_completion(&self) -> bool {
        matches!(
            self.kind.as_str(),
            "Job" | "CronJob" | "ScaledJob" | "BroadcastJob" | "AdvancedCronJob" | "JobSet" | "RayJob" | "Workflow"
        )
    }
}

/// How a Deployment or StatefulSet replaces its pods.
#[derive(Debug, Default)]
pub struct Strategy {
    /// `type`
    pub kind: Field<String>,
    /// `rollingUpdate.maxUnavailable`: pods, or a share such as `25%`.
    pub max_unavailable: Field<Port>,
    /// `rollingUpdate.maxSurge`
    pub max_surge: Field<Port>,
}

/// What a container is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// One of `containers`, or a Tye service.
    Main,
    /// One of `initContainers` with `restartPolicy: Always`: starts first and runs along.
    Sidecar,
    /// One of the other `initContainers`; may have no probes.
    Init,
    /// One of `ephemeralContainers`; may have no probes.
    Ephemeral,
}

/// A container, a Tye service, or the map around a loose probe block.
#[derive(Debug)]
pub struct Container {
    /// What it is for.
    pub role: Role,
    /// Its path as the API server writes it: `spec.template.spec.containers[0]`.
    pub path: String,
    /// Its name; for a nameless one, `containers[0]`.
    pub name: String,
    /// Where a missing thing is placed: the name's bytes, else the start of the container.
    pub name_at: Span,
    /// Bytes of the whole map.
    pub at: Span,
    /// `image`
    pub image: Field<String>,
    /// `command`
    pub command: Vec<Arg>,
    /// `args`
    pub args: Vec<Arg>,
    /// `ports`
    pub ports: Vec<ContainerPort>,
    /// Whether `ports` is all there is: false when it is templated or holds something unreadable.
    pub ports_known: bool,
    /// What stands instead of the list of ports or of a map in it: the path inside the container, and the bytes.
    pub ports_wrong: Vec<(String, Found, Span)>,
    /// `restartPolicy`
    pub restart_policy: Field<String>,
    /// Probes that are there, in document order of kinds: liveness, readiness, startup.
    pub probes: Vec<Probe>,
    /// Kinds of probes that are written as a placeholder for the whole block.
    pub templated_probes: Vec<ProbeKind>,
    /// `lifecycle`
    pub lifecycle: Lifecycle,
    /// `env`
    pub env: Vec<EnvVar>,
    /// `envFrom` brings in more variables.
    pub env_from: bool,
    /// ConfigMaps that it takes variables or files from.
    pub config_maps: Vec<ConfigMapUse>,
    /// Names of the volumes that it mounts.
    pub mounts: Vec<String>,
    /// CPU limit in thousandths of a core.
    pub cpu_limit: Option<u64>,
    /// Keys as written.
    pub keys: Vec<Key>,
    /// Whether an edit inside it changes this container and nothing else.
    pub editable: bool,
}

impl Container {
    /// A container of which nothing more is known: no ports, and variables from who knows where.
    pub fn new(role: Role, path: String, name: String, name_at: Span, at: Span) -> Self {
        Self {
            role,
            path,
            name,
            name_at,
            at,
            image: Field::Absent,
            command: Vec::new(),
            args: Vec::new(),
            ports: Vec::new(),
            ports_known: false,
            ports_wrong: Vec::new(),
            restart_policy: Field::Absent,
            probes: Vec::new(),
            templated_probes: Vec::new(),
            lifecycle: Lifecycle::default(),
            env: Vec::new(),
            env_from: true,
            config_maps: Vec::new(),
            mounts: Vec::new(),
            cpu_limit: None,
            keys: Vec::new(),
            editable: true,
        }
    }

    /// The probe of a kind.
    pub fn probe(&self, kind: ProbeKind) -> Option<&Probe> {
        self.probes.iter().find(|probe| probe.kind == kind)
    }

    /// Whether the API server looks into its probes: of plain init and ephemeral containers it refuses them unread.
    ///
    /// Source: kubernetes `pkg/apis/core/validation/validation.go`, `validateInitContainers` and
    /// `validateEphemeralContainers`.
    pub const fn may_have_probes(&self) -> bool {
        matches!(self.role, Role::Main | Role::Sidecar)
    }
}

/// One of a container's `ports`.
#[derive(Clone, Debug)]
pub struct ContainerPort {
    /// `name`
    pub name: Field<String>,
    /// `containerPort`
    pub number: Field<Number>,
    /// `protocol`
    pub protocol: Field<String>,
    /// `hostPort`
    pub host_port: Field<Number>,
    /// `hostIP`
    pub host_ip: Field<String>,
    /// Keys as written.
    pub keys: Vec<Key>,
    /// Bytes of the item.
    pub at: Span,
}

/// `lifecycle` of a container.
#[derive(Debug, Default)]
pub struct Lifecycle {
    /// Bytes of the key, unless its value is null.
    pub key: Option<Span>,
    /// What stands there instead of a map, and its bytes.
    pub wrong: Option<(Found, Span)>,
    /// Hooks that are there (null ones are not): `postStart`, then `preStop`.
    pub hooks: Vec<Hook>,
}

/// The two hooks by their field names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HookKind {
    /// `postStart`
    PostStart,
    /// `preStop`
    PreStop,
}

impl HookKind {
    /// Both, in validation order.
    pub const ALL: [Self; 2] = [Self::PostStart, Self::PreStop];

    /// The field of `lifecycle`.
    pub const fn field(self) -> &'static str {
        match self {
            Self::PostStart => "postStart",
            Self::PreStop => "preStop",
        }
    }
}

/// One hook.
#[derive(Debug)]
pub struct Hook {
    /// Which one.
    pub kind: HookKind,
    /// Bytes of its key.
    pub key: Span,
    /// What stands there instead of a map, and its bytes.
    pub wrong: Option<(Found, Span)>,
    /// Handlers that are there, in validation order.
    pub handlers: Vec<Handler>,
    /// Keys as written.
    pub keys: Vec<Key>,
}

/// An environment variable.
#[derive(Clone, Debug)]
pub struct EnvVar {
    /// `name`
    pub name: String,
    /// Where the value comes from.
    pub source: EnvSource,
    /// Bytes of the value or of `valueFrom`.
    pub at: Span,
}

/// A ConfigMap that a container takes all entries of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfigMapUse {
    /// Its name.
    pub name: String,
    /// What stands in front of the names of its variables, for `envFrom`; `None` for a volume, where entries are files.
    pub prefix: Option<String>,
}

/// Where the value of a variable comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EnvSource {
    /// `value`
    Literal(String),
    /// `valueFrom.fieldRef.fieldPath`
    Pod(String),
    /// `valueFrom.configMapKeyRef`: name and key.
    ConfigMap(String, String),
    /// A Secret, a resource, a placeholder.
    Unknown,
}

/// What only a service of a `tye.yaml` has.
#[derive(Debug)]
pub struct TyeService {
    /// What it is.
    pub kind: TyeKind,
    /// `bindings`
    pub bindings: Vec<Binding>,
    /// Whether an ingress rule of the file names it.
    pub behind_ingress: bool,
}

/// Kinds of Tye services, first match of the keys in this order.
///
/// Source: dotnet/tye `ApplicationFactory.cs`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TyeKind {
    /// `azureFunction`
    AzureFunction,
    /// `project`
    Project,
    /// `image`
    Image,
    /// `dockerFile`
    DockerFile,
    /// `executable`
    Executable,
    /// `include`
    Include,
    /// `repository`
    Repository,
    /// `external: true`
    External,
    /// None of them.
    Unknown,
}

/// A binding of a Tye service.
#[derive(Debug)]
pub struct Binding {
    /// `name`
    pub name: Field<String>,
    /// `port`
    pub port: Field<Number>,
    /// `containerPort`
    pub container_port: Field<Number>,
    /// `protocol`
    pub protocol: Field<String>,
    /// `host`
    pub host: Field<String>,
    /// `connectionString`
    pub connection_string: Field<String>,
    /// Bytes of the item.
    pub at: Span,
}
