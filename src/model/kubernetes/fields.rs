//! Names of the legal fields, for readers that tell known keys from others and for rules about names.

use crate::model::HandlerKind;

/// Fields of a probe.
///
/// Source: kubernetes/api `core/v1/types.go`, `Probe` and `ProbeHandler`.
pub const PROBE: [&str; 10] = [
    "exec",
    "httpGet",
    "tcpSocket",
    "grpc",
    "initialDelaySeconds",
    "timeoutSeconds",
    "periodSeconds",
    "successThreshold",
    "failureThreshold",
    "terminationGracePeriodSeconds",
];

/// Fields of every object, and the one that decides what it is.
pub const OBJECT: [&str; 5] = ["apiVersion", "kind", "metadata", "spec", "status"];

/// Fields of an item of a container's `ports`.
pub const PORT: [&str; 5] = ["name", "containerPort", "protocol", "hostPort", "hostIP"];

/// Fields of `lifecycle`; `stopSignal` since 1.33.
pub const LIFECYCLE: [&str; 3] = ["postStart", "preStop", "stopSignal"];

/// Fields of an item of `httpHeaders`.
pub const HEADER: [&str; 2] = ["name", "value"];

/// Fields of a handler; `protocol` and `mode` exist from 1.37.
///
/// Source: kubernetes/api `core/v1/types.go`, `ExecAction`, `HTTPGetAction`, `TCPSocketAction`, `GRPCAction`,
/// `SleepAction`.
pub const fn of_handler(kind: HandlerKind) -> &'static [&'static str] {
    match kind {
        HandlerKind::Exec => &["command"],
        HandlerKind::HttpGet => &["path", "port", "host", "scheme", "httpHeaders", "protocol"],
        HandlerKind::TcpSocket => &["port", "host"],
        HandlerKind::Grpc => &["port", "service", "mode"],
        HandlerKind::Sleep => &["seconds"],
    }
}

/// Fields of a container; `targetContainerName` only of an ephemeral one.
///
/// Source: kubernetes/api `core/v1/types.go`, `Container` and `EphemeralContainerCommon`.
pub const CONTAINER: [&str; 28] = [
    "name",
    "image",
    "command",
    "args",
    "workingDir",
    "ports",
    "envFrom",
    "env",
    "resources",
    "resizePolicy",
    "restartPolicy",
    "restartPolicyRules",
    "volumeMounts",
    "volumeDevices",
    "livenessProbe",
    "readinessProbe",
    "startupProbe",
    "lifecycle",
    "terminationMessagePath",
    "terminationMessagePolicy",
    "imagePullPolicy",
    "securityContext",
    "stdin",
    "stdinOnce",
    "tty",
    "targetContainerName",
    // Strategic merge directives of patches.
    "$patch",
    "$setElementOrder/ports",
];
