use super::{Context, Sink, words};
use crate::finding::Level;
use crate::model::{Container, Field, Handler, HandlerKind, Key, KubernetesVersion, Probe, ProbeKind, Role};
use crate::span::Span;

/// A field, the release in which it came (switched off), and the one since which it is there by default.
///
/// Sources: kubernetes `pkg/features/kube_features.go`; kubernetes/enhancements, `kep.yaml` of each feature. Releases
/// after 1.36 are plans.
struct Feature {
    /// What it is called in a message.
    name: &'static str,
    since: u16,
    on_since: u16,
    /// Without it the probe or hook has no handler, and is refused for that.
    is_handler: bool,
}

const STARTUP: Feature = Feature { name: "startup probes", since: 16, on_since: 18, is_handler: false };
const GRPC: Feature = Feature { name: "gRPC probes", since: 23, on_since: 24, is_handler: true };
const GRACE_PERIOD: Feature =
    Feature { name: "a grace period of the probe's own", since: 21, on_since: 25, is_handler: false };
const SIDECAR: Feature =
    Feature { name: "sidecars (`restartPolicy` of init containers)", since: 28, on_since: 29, is_handler: false };
const SLEEP: Feature = Feature { name: "the `sleep` handler", since: 29, on_since: 30, is_handler: true };
const RESTART_POLICY: Feature =
    Feature { name: "a `restartPolicy` of a container", since: 34, on_since: 35, is_handler: false };
const HTTP_PROTOCOL: Feature = Feature { name: "`protocol` of `httpGet`", since: 37, on_since: 38, is_handler: false };
const GRPC_MODE: Feature = Feature { name: "`mode` of `grpc`", since: 37, on_since: 38, is_handler: false };

pub(super) fn check(cx: &Context<'_>, sink: &mut Sink<'_>) {
    let Some(version) = cx.kubernetes_version else { return };
    for container in &cx.workload.containers {
        check_container(cx, sink, container, version);
        for probe in container.probes.iter().filter(|_| container.may_have_probes()) {
            check_probe(cx, sink, container, probe, version);
        }
    }
}

fn check_container(cx: &Context<'_>, sink: &mut Sink<'_>, container: &Container, version: KubernetesVersion) {
    let feature = match container.role {
        Role::Sidecar => &SIDECAR,
        _ => &RESTART_POLICY,
    };
    if let Field::Value { key, .. } = &container.restart_policy
        && let Some(state) = state(feature, version)
    {
        let path = format!("{}.restartPolicy", container.path);
        let (level, why) = state.says(cx);
        sink.path(&path, *key, message(feature, version))
            .level(level)
            .why(match container.role {
                Role::Sidecar => format!("{why}; without it the container is a plain init container"),
                _ => why,
            })
            .help(help(feature));
    }
    for hook in &container.lifecycle.hooks {
        let sleeps = hook.handlers.iter().filter(|handler| handler.kind() == HandlerKind::Sleep);
        for handler in sleeps {
            let Some(state) = state(&SLEEP, version) else { continue };
            let (level, why) = state.says(cx);
            let path = format!("{}.lifecycle.{}.sleep", container.path, hook.kind.field());
            sink.path(&path, handler.key, message(&SLEEP, version))
                .level(level)
                .why(why)
                .help(format!("use `exec` with `sleep` where the image has one, or {}", help(&SLEEP)));
        }
    }
}

fn check_probe(
    cx: &Context<'_>,
    sink: &mut Sink<'_>,
    container: &Container,
    probe: &Probe,
    version: KubernetesVersion,
) {
    let mut report = |feature: &Feature, field: &str, at: Span| {
        let Some(state) = state(feature, version) else { return };
        let (level, why) = state.says(cx);
        let who = words::probe(cx.workload, container, probe);
        let message = format!("{who} needs {}, which Kubernetes {version} does not have", feature.name);
        sink.probe(container, probe, field, at, message).level(level).why(why).help(help(feature));
    };
    if probe.kind == ProbeKind::Startup {
        report(&STARTUP, "", probe.key);
    }
    if let (Field::Value { key, .. }, true) = (&probe.grace_period, probe.kind != ProbeKind::Readiness) {
        report(&GRACE_PERIOD, "terminationGracePeriodSeconds", *key);
    }
    for handler in &probe.handlers {
        match handler.kind() {
            HandlerKind::Grpc if state(&GRPC, version).is_some() => report(&GRPC, "grpc", handler.key),
            HandlerKind::Grpc => {
                if let Some(key) = key(handler, "mode") {
                    report(&GRPC_MODE, "grpc.mode", key.at);
                }
            }
            HandlerKind::HttpGet => {
                if let Some(key) = key(handler, "protocol") {
                    report(&HTTP_PROTOCOL, "httpGet.protocol", key.at);
                }
            }
            _ => {}
        }
    }
}

fn key<'h>(handler: &'h Handler, name: &str) -> Option<&'h Key> {
    handler.keys.iter().find(|key| key.name == name)
}

/// What a release does with a field that it does not have by default.
#[derive(Clone, Copy)]
enum State {
    /// It does not know the name.
    Unknown,
    /// It drops the value unless a feature gate is on, and the object lives on without it.
    Dropped,
    /// It drops the value unless a feature gate is on, and refuses what is left.
    Missing,
}

fn state(feature: &Feature, version: KubernetesVersion) -> Option<State> {
    match version.minor {
        minor if minor < feature.since => Some(State::Unknown),
        minor if minor < feature.on_since && feature.is_handler => Some(State::Missing),
        minor if minor < feature.on_since => Some(State::Dropped),
        _ => None,
    }
}

impl State {
    fn says(self, cx: &Context<'_>) -> (Level, String) {
        match self {
            Self::Unknown => {
                let refused = words::refused(cx);
                (Level::Error, format!("under strict validation {refused}; else the field is dropped without a word"))
            }
            Self::Dropped => {
                (Level::Warning, "the field is dropped without a word, unless its feature gate is on".to_owned())
            }
            Self::Missing => (
                Level::Error,
                "unless its feature gate is on, the handler is dropped, and a handler is needed".to_owned(),
            ),
        }
    }
}

fn message(feature: &Feature, version: KubernetesVersion) -> String {
    format!("Kubernetes {version} does not have {}", feature.name)
}

fn help(feature: &Feature) -> String {
    match feature.on_since {
        38 => "delete it, or switch on its feature gate (alpha in 1.37)".to_owned(),
        minor => format!("ask for Kubernetes 1.{minor} or later"),
    }
}
