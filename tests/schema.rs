//! What the API server says of objects that its recorded answers do not show, by the same logic: each row is a container
//! or a pod spec, and the rules and field paths of the errors that it draws.

#![allow(clippy::unwrap_used, reason = "a test may stop at what is not there")]

use std::fmt::Write as _;

use probelint::finding::Level;
use probelint::lint::{self, Settings};
use probelint::model::KubernetesVersion;
use probelint::source::Source;

/// Fields below a container with a name and an image.
const IN_CONTAINER: &[(&str, &[&str])] = &[
    ("ports: [{containerPort: 80}]", &[]),
    ("ports: {containerPort: 80}", &["container-port-invalid ports"]),
    ("ports: [80]", &["container-port-invalid ports[0]"]),
    ("ports: [null]", &["container-port-invalid ports[0].containerPort"]),
    ("ports: null", &[]),
    ("ports: [{containerPort: 80, hostPort: 0}]", &[]),
    ("ports: [{containerPort: 80, hostPort: -1}]", &["container-port-invalid ports[0].hostPort"]),
    ("ports: [{containerPort: 80, protocol: \"\"}]", &[]),
    ("ports: [{containerPort: 80, name: \"\"}, {containerPort: 81, name: \"\"}]", &[]),
    ("ports: [{containerPort: 80, name: 80}]", &["container-port-invalid ports[0].name"]),
    ("ports: [{containerPort: 80, hostPort: 80}, {containerPort: 81, hostPort: 80, protocol: UDP}]", &[]),
    ("ports: [{containerPort: 80, hostPort: 80}, {containerPort: 81, hostPort: 80, hostIP: 10.0.0.1}]", &[]),
    ("ports: [{containerport: 80}]", &["manifest-unknown-field ports[0].containerport"]),
    ("ports: [{containerPort: 53, name: dns}, {containerPort: 53, protocol: UDP}]", &[]),
    ("lifecycle: {}", &[]),
    ("lifecycle: null", &[]),
    ("lifecycle: []", &["lifecycle-hook-invalid lifecycle"]),
    ("lifecycle: {preStop: null}", &[]),
    ("lifecycle: {preStop: sleep}", &["lifecycle-hook-invalid lifecycle.preStop"]),
    ("lifecycle: {preStop: {sleep: {}}}", &[]),
    ("lifecycle: {preStop: {sleep: {seconds: 30}}}", &[]),
    ("lifecycle: {preStop: {sleep: null, exec: {command: [a]}}}", &[]),
    ("lifecycle: {postStart: {exec: {command: []}}}", &["lifecycle-hook-invalid lifecycle.postStart.exec.command"]),
    ("lifecycle: {postStart: {exec: {command: a}}}", &["lifecycle-hook-invalid lifecycle.postStart.exec.command"]),
    (
        "lifecycle: {postStart: {httpGet: {port: 80, scheme: http}}}",
        &["lifecycle-hook-invalid lifecycle.postStart.httpGet.scheme"],
    ),
    (
        "lifecycle: {postStart: {httpGet: {port: 80, httpHeaders: [{name: a_b, value: c}]}}}",
        &["lifecycle-hook-invalid lifecycle.postStart.httpGet.httpHeaders"],
    ),
    ("lifecycle: {postStart: {httpGet: {port: '80'}}}", &["lifecycle-hook-invalid lifecycle.postStart.httpGet.port"]),
    ("lifecycle: {stopSignal: SIGUSR1}", &[]),
    (
        "lifecycle: {preStop: {exec: {command: [a]}, exec: {command: [b]}}}",
        &["probe-duplicate-key lifecycle.preStop.exec"],
    ),
    ("Lifecycle: {}", &["manifest-unknown-field Lifecycle"]),
    ("LivenessProbe: {tcpSocket: {port: 1}}", &["probe-unknown-field LivenessProbe"]),
    ("periodSeconds: 1", &["probe-misplaced periodSeconds"]),
    ("env: [{name: A, livenessProbe: {}}]", &["probe-misplaced env[0].livenessProbe"]),
    ("securityContext: {readinessProbe: {}}", &["probe-misplaced securityContext.readinessProbe"]),
    ("restartPolicy: 1", &["workload-field-invalid restartPolicy"]),
    (
        "livenessProbe: {httpGet: {port: 80, httpHeaders: [null]}}",
        &["http-probe-invalid livenessProbe.httpGet.httpHeaders"],
    ),
    ("livenessProbe: {httpGet: {port: 80, httpHeaders: [{name: A}]}}", &[]),
    ("livenessProbe: {httpGet: {port: 80, scheme: null}}", &[]),
    ("livenessProbe: {httpGet: {port: 80, scheme: HTTPs}}", &["http-probe-invalid livenessProbe.httpGet.scheme"]),
    ("livenessProbe: {httpGet: {port: a--b}}", &["probe-port-name-invalid livenessProbe.httpGet.port"]),
    ("livenessProbe: {tcpSocket: {port: ''}}", &["probe-port-name-invalid livenessProbe.tcpSocket.port"]),
    // Only the first handler, in the order of validation, is looked into.
    (
        "livenessProbe: {tcpSocket: {port: A_B}, exec: {command: [a]}}",
        &["probe-handler-conflict livenessProbe.tcpSocket"],
    ),
    ("readinessProbe: {tcpSocket: {port: 1}, terminationGracePeriodSeconds: null}", &[]),
    ("readinessProbe: {tcpSocket: {port: 1}, livenessProbe: {}}", &["probe-misplaced readinessProbe.livenessProbe"]),
    (
        "readinessProbe: {httpGet: {port: 1, failureThreshold: 1}, failureThreshold: 2}",
        &["probe-misplaced readinessProbe.httpGet.failureThreshold"],
    ),
];

/// Fields of a pod spec beside its container.
const IN_POD: &[(&str, &[&str])] = &[
    ("terminationGracePeriodSeconds: -1", &[]),
    ("terminationGracePeriodSeconds: 1e1", &[]),
    ("terminationGracePeriodSeconds: true", &["workload-field-invalid spec.terminationGracePeriodSeconds"]),
    ("restartPolicy: always", &["workload-field-invalid spec.restartPolicy"]),
    ("restartPolicy: null", &[]),
    ("hostNetwork: \"true\"", &["workload-field-invalid spec.hostNetwork"]),
    ("restartpolicy: Always", &["manifest-unknown-field spec.restartpolicy"]),
    ("newerThanThisTest: 1", &[]),
    ("readinessProbe: {}", &["probe-misplaced spec.readinessProbe"]),
    ("periodSeconds: 3", &["probe-misplaced spec.periodSeconds"]),
    ("initContainers: {}", &["workload-field-invalid spec.initContainers"]),
    ("initContainers: [null]", &["workload-field-invalid spec.initContainers[0].name"]),
    ("initContainers: [{name: i, image: i, livenessProbe: null}]", &[]),
    ("initContainers: [{name: i, image: i, lifecycle: {}}]", &["probe-not-allowed spec.initContainers[0].lifecycle"]),
    (
        "initContainers: [{name: i, image: i, restartPolicy: Always, startupProbe: {tcpSocket: {port: 1}, failureThreshold: 30}}]",
        &[],
    ),
    (
        "initContainers: [{name: i, image: i, startupProbe: &p {tcpSocket: {port: 1}}}]",
        &["probe-not-allowed spec.initContainers[0].startupProbe"],
    ),
    ("ephemeralContainers: []", &[]),
    ("ephemeralContainers: [{name: e, image: e}]", &["workload-field-invalid spec.ephemeralContainers"]),
    (
        "ephemeralContainers: [{name: e, image: e, startupProbe: {}}]",
        &["probe-not-allowed spec.ephemeralContainers[0].startupProbe"],
    ),
];

fn errors(text: &str, version: Option<KubernetesVersion>) -> Vec<String> {
    let settings = Settings { kubernetes_version: version, ..Settings::default() };
    let file = lint::read(Source::new("case.yaml", text), true);
    let outcome = lint::lint(file.into_iter().collect(), 0, &settings);
    let errors = outcome.findings.iter().filter(|finding| finding.level == Level::Error);
    errors.map(|finding| format!("{} {}", finding.rule, finding.field_path)).collect()
}

#[test]
fn containers_and_pods_draw_what_the_api_server_would_say() {
    let mut wrong = String::new();
    let prefix = "spec.containers[0].";
    for (fields, expected) in IN_CONTAINER {
        let text = format!(
            "apiVersion: v1\nkind: Pod\nmetadata: {{name: p}}\nspec:\n  containers:\n  - name: c\n    image: i\n    {fields}\n"
        );
        let found: Vec<String> = errors(&text, None).iter().map(|found| found.replace(prefix, "")).collect();
        if found != *expected {
            writeln!(wrong, "{fields}: {found:?}, not {expected:?}").unwrap();
        }
    }
    for (fields, expected) in IN_POD {
        let text = format!(
            "apiVersion: v1\nkind: Pod\nmetadata: {{name: p}}\nspec:\n  {fields}\n  containers:\n  - {{name: c, image: i}}\n"
        );
        let found = errors(&text, None);
        if found != *expected {
            writeln!(wrong, "{fields}: {found:?}, not {expected:?}").unwrap();
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn objects_that_the_cluster_keeps_may_have_what_it_added() {
    let text = "apiVersion: v1\nkind: Pod\nmetadata: {name: p, uid: 1-2}\nspec:\n  containers: [{name: c, image: i}]\n  \
                ephemeralContainers: [{name: debugger, image: busybox}]\nstatus: {phase: Running}\n";
    assert_eq!(errors(text, None), Vec::<String>::new());
}

#[test]
fn the_version_decides_what_is_new() {
    let grpc = "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec:\n  containers:\n  - {name: c, image: i, livenessProbe: \
                {grpc: {port: 1, mode: TLS}}}\n";
    let at = |minor| errors(grpc, Some(KubernetesVersion::new(minor)));
    assert_eq!(errors(grpc, None), Vec::<String>::new());
    assert_eq!(at(22), ["probe-version-unsupported spec.containers[0].livenessProbe.grpc"]);
    assert_eq!(at(36), ["probe-version-unsupported spec.containers[0].livenessProbe.grpc.mode"]);
    // In 1.37 the feature is off, so the field is dropped, which is a warning.
    assert_eq!(at(37), Vec::<String>::new());
}
