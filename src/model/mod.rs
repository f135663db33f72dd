//! What the rules look at: workloads, containers and probes with the place of every value, and the few other objects
//! that decide what a probe means. One reader per dialect fills it; nothing here judges.

mod cluster;
mod field;
pub mod kubernetes;
mod kustomize;
mod probe;
pub mod tye;
mod version;
mod workload;

pub use cluster::{Annotation, Autoscaler, Namespace, PeerAuthentication, ScalerKind};
pub use field::{Field, Found};
pub use kubernetes::fields;
pub use kustomize::Kustomization;
pub(crate) use kustomize::normalize as normalize_path;
pub use probe::{
    Action, Arg, Effective, Grpc, Handler, HandlerKind, Header, HttpGet, Key, Number, Orchestrator, Port, Probe,
    ProbeKind, TcpSocket, Timing,
};
pub use version::KubernetesVersion;
pub use workload::{
    Binding, ConfigMapUse, Container, ContainerPort, EnvSource, EnvVar, Hook, HookKind, Lifecycle, Odd, OddKey,
    OddList, OddPlace, Origin, Role, Strategy, TyeKind, TyeService, Workload,
};

use crate::span::Span;
use crate::yaml::{Problem, Reader, Tree};

/// Everything of one source that matters.
#[derive(Debug, Default)]
pub struct Model {
    /// Workloads, Tye services and loose probe blocks in document order.
    pub workloads: Vec<Workload>,
    /// Kubernetes Services.
    pub services: Vec<Service>,
    /// Kubernetes ConfigMaps.
    pub config_maps: Vec<ConfigMap>,
    /// Kubernetes Namespaces.
    pub namespaces: Vec<Namespace>,
    /// What changes numbers of replicas.
    pub autoscalers: Vec<Autoscaler>,
    /// Istio's rules about mutual TLS.
    pub peer_authentications: Vec<PeerAuthentication>,
    /// The file is a kustomization.
    pub kustomization: Option<Kustomization>,
    /// Documents that hold something.
    pub documents: u32,
    /// What is wrong with the text, with the number of its document.
    pub problems: Vec<(u32, Problem)>,
    /// What could not be checked, by kind.
    pub not_checked: Vec<&'static str>,
}

/// A Kubernetes Service, as far as it decides which containers get traffic.
#[derive(Debug)]
pub struct Service {
    /// Its name.
    pub name: String,
    /// Its namespace; empty when none is written.
    pub namespace: String,
    /// Labels a pod must carry; a Service without any selects nothing.
    pub selector: Vec<(String, String)>,
    /// Where traffic goes.
    pub ports: Vec<ServicePort>,
    /// Pods get traffic whatever their readiness says.
    pub publish_not_ready_addresses: bool,
    /// `clusterIP: None`.
    pub headless: bool,
    /// Bytes of the name.
    pub at: Span,
}

/// One port of a Service.
#[derive(Debug)]
pub struct ServicePort {
    /// Where the pod is reached: `targetPort`, else `port`.
    pub target: Port,
    /// Bytes of that value.
    pub at: Span,
    /// `name`; empty when none is written.
    pub name: String,
    /// `protocol`, TCP when none is written.
    pub protocol: String,
}

/// A Kubernetes ConfigMap.
#[derive(Debug)]
pub struct ConfigMap {
    /// Its name.
    pub name: String,
    /// Its namespace; empty when none is written.
    pub namespace: String,
    /// Text entries of `data`.
    pub data: Vec<ConfigMapEntry>,
}

impl ConfigMap {
    /// An entry by its name.
    pub fn entry(&self, name: &str) -> Option<&ConfigMapEntry> {
        self.data.iter().find(|entry| entry.name == name)
    }
}

/// A text in a ConfigMap.
#[derive(Clone, Debug)]
pub struct ConfigMapEntry {
    /// Its key: the name of a variable or of a file.
    pub name: String,
    /// The text after YAML decoding.
    pub text: String,
    /// Its bytes in the source.
    pub at: Span,
    /// Whether line N of the text is line N of these bytes (`|`).
    pub is_literal: bool,
}

/// The words in which a text can say something that a reader here understands. A text without any of them is passed
/// over unread.
const MARKS: [&str; 5] = ["apiVersion", "ontainers", "Probe", "services:", "kustomize"];

/// Whether a text could hold anything of interest: a scan for a few words, far cheaper than reading it.
pub fn could_matter(text: &str) -> bool {
    MARKS.iter().any(|mark| memchr::memmem::find(text.as_bytes(), mark.as_bytes()).is_some())
}

/// Whether a file by its name holds the settings of a Spring application: `application.yml`, `application-prod.properties`,
/// `bootstrap.yaml`.
///
/// Source: Spring Boot reference documentation, "Externalized Configuration", section "External Application Properties".
pub fn is_settings_file(path: &str) -> bool {
    let name = path.rsplit(['/', '\\']).next().unwrap_or(path);
    let stem = [".yml", ".yaml", ".properties"].iter().find_map(|ending| name.strip_suffix(ending));
    stem.is_some_and(|stem| {
        ["application", "bootstrap"]
            .iter()
            .any(|start| stem.strip_prefix(start).is_some_and(|profile| profile.is_empty() || profile.starts_with('-')))
    })
}

/// Reads one parsed source. `path` decides what the name of a file decides: `tye.yaml`, `kustomization.yaml`, templates.
pub fn read(path: &str, tree: &Tree<'_>) -> Model {
    let mut model = Model::default();
    let file_name = path.rsplit(['/', '\\']).next().unwrap_or(path);
    let may_be_template = is_template_path(path);
    for (index, document) in tree.documents().iter().enumerate() {
        let number = index as u32;
        let root = tree.root(document);
        let broken = root.is_none() && document.problems.iter().any(|problem| problem.reader == Reader::Yaml);
        if root.is_none() && !broken && document.problems.is_empty() {
            continue;
        }
        model.documents += 1;
        // `name: {{ .Values.name }}` parses, as a map within a map; a problem tells it from a text that quotes braces.
        if !document.problems.is_empty() && is_template_text(document.span.text(tree.text())) {
            // A template is no YAML before it is rendered; saying "syntax error" of it would be wrong.
            model.not_checked.push(if may_be_template { "Helm template" } else { "template" });
            continue;
        }
        if broken {
            model.not_checked.push("broken document");
        }
        let mut known = false;
        if let Some(root) = root {
            let before = model.workloads.len();
            known = if tye::is_tye(file_name, root) {
                tye::read(root, number, &mut model);
                true
            } else if kustomize::is_kustomization(file_name, root) {
                model.kustomization = Some(kustomize::read(root));
                true
            } else {
                kubernetes::read(root, number, &mut model)
            } || model.workloads.len() > before;
        }
        let kubectl_file = known || memchr::memmem::find(tree.text().as_bytes(), b"apiVersion").is_some();
        let problems = document.problems.iter().filter(|problem| problem.reader == Reader::Yaml || kubectl_file);
        model.problems.extend(problems.cloned().map(|problem| (number, problem)));
        if document.ignored_tail.is_some() && known {
            model.not_checked.push("ignored document tail");
        }
    }
    model
}

/// Whether the path lies in a `templates` folder, where Helm keeps what it renders.
fn is_template_path(path: &str) -> bool {
    path.split(['/', '\\']).rev().skip(1).any(|part| part == "templates")
}

/// Whether a text carries what some tool fills in before it is YAML: actions of Go templates or Jinja, or a value
/// `@NAME@`, which YAML does not let begin with `@`.
fn is_template_text(text: &str) -> bool {
    ["{{", "{%", ": @"].iter().any(|mark| memchr::memmem::find(text.as_bytes(), mark.as_bytes()).is_some())
}
