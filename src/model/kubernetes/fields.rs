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

/// Fields on the way from an object to its pod spec, in any of the kinds that Kubernetes brings along.
///
/// Source: kubernetes/api `apps/v1/types.go`, `batch/v1/types.go`, `core/v1/types.go`.
pub const OUTER: [&str; 39] = [
    "metadata",
    "spec",
    "template",
    "jobTemplate",
    "selector",
    "replicas",
    "strategy",
    "updateStrategy",
    "minReadySeconds",
    "revisionHistoryLimit",
    "paused",
    "progressDeadlineSeconds",
    "serviceName",
    "podManagementPolicy",
    "volumeClaimTemplates",
    "persistentVolumeClaimRetentionPolicy",
    "ordinals",
    "parallelism",
    "completions",
    "activeDeadlineSeconds",
    "podFailurePolicy",
    "successPolicy",
    "backoffLimit",
    "backoffLimitPerIndex",
    "maxFailedIndexes",
    "manualSelector",
    "ttlSecondsAfterFinished",
    "completionMode",
    "suspend",
    "podReplacementPolicy",
    "managedBy",
    "schedule",
    "timeZone",
    "startingDeadlineSeconds",
    "concurrencyPolicy",
    "successfulJobsHistoryLimit",
    "failedJobsHistoryLimit",
    "rollbackTo",
    "templateGeneration",
];

/// Fields of a pod spec.
///
/// Source: kubernetes/api `core/v1/types.go`, `PodSpec`.
pub const POD_SPEC: [&str; 43] = [
    "volumes",
    "initContainers",
    "containers",
    "ephemeralContainers",
    "restartPolicy",
    "terminationGracePeriodSeconds",
    "activeDeadlineSeconds",
    "dnsPolicy",
    "nodeSelector",
    "serviceAccountName",
    "serviceAccount",
    "automountServiceAccountToken",
    "nodeName",
    "hostNetwork",
    "hostPID",
    "hostIPC",
    "hostUsers",
    "shareProcessNamespace",
    "securityContext",
    "imagePullSecrets",
    "hostname",
    "hostnameOverride",
    "subdomain",
    "affinity",
    "schedulerName",
    "tolerations",
    "hostAliases",
    "priorityClassName",
    "priority",
    "dnsConfig",
    "readinessGates",
    "runtimeClassName",
    "enableServiceLinks",
    "preemptionPolicy",
    "overhead",
    "topologySpreadConstraints",
    "setHostnameAsFQDN",
    "os",
    "schedulingGates",
    "resourceClaims",
    "resources",
    "workloadRef",
    "schedulingGroup",
];

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
