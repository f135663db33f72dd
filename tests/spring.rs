//! Settings of Spring Boot applications: where they are read, which one counts, and what they say against a probe.

#![allow(clippy::unwrap_used, reason = "a test may stop at what is not there")]

use probelint::finding::Level;
use probelint::lint::{self, Settings};
use probelint::source::Source;

/// Default findings over several files, as `path:line rule label-path:line`.
fn findings(files: &[(&str, &str)]) -> Vec<String> {
    let read = files.iter().filter_map(|(path, text)| lint::read(Source::new(*path, *text), false)).collect();
    let outcome = lint::lint(read, 0, &Settings::default());
    let place = |source, offset: u32| {
        let source = outcome.source(source);
        let line = 1 + source.text[..offset as usize].bytes().filter(|byte| *byte == b'\n').count();
        format!("{}:{line}", source.path)
    };
    outcome
        .findings
        .iter()
        .map(|finding| {
            let labels = finding.labels.iter().map(|label| format!(" {}", place(label.source, label.span.start)));
            format!("{} {}{}", place(finding.source, finding.span.start), finding.rule, labels.collect::<String>())
        })
        .collect()
}

/// A Deployment with three replicas whose container has `rest`, one line each, and a readiness probe in line 16.
fn workload(name: &str, path: &str, port: &str, rest: &[&str]) -> String {
    let rest: String = rest.iter().map(|line| format!("          {line}\n")).collect();
    format!(
        "apiVersion: apps/v1\nkind: Deployment\nmetadata: {{name: {name}}}\nspec:\n  replicas: 3\n  selector: \
         {{matchLabels: {{app: {name}}}}}\n  template:\n    metadata: {{labels: {{app: {name}}}}}\n    spec:\n      \
         volumes:\n        - {{name: settings, configMap: {{name: settings}}}}\n      containers:\n        - name: app\n          \
         image: example.org/{name}:1\n          readinessProbe:\n            httpGet: {{path: {path}, port: {port}}}\n            \
         timeoutSeconds: 3\n{rest}"
    )
}

const HEALTH: &str = "/actuator/health/readiness";
const PORT: &str = "management:\n  server:\n    port: 9001\n";
const NONE: &[String] = &[];

/// Findings for one workload that asks `path` at 8080 and has `rest`.
fn alone(path: &str, rest: &[&str]) -> Vec<String> {
    findings(&[("web.yaml", &workload("web", path, "8080", rest))])
}

#[test]
fn files_beside_the_workload_are_read() {
    let web = workload("web", HEALTH, "8080", &[]);
    for path in ["application.yml", "application.yaml", "src/main/resources/application.yml", "config/application.yml"]
    {
        let told = [format!("web.yaml:16 spring-probe-endpoint {path}:3")];
        assert_eq!(findings(&[("web.yaml", &web), (path, PORT)]), told, "{path}");
    }
    let properties = "# of the server\nmanagement.server.port = 9001\n";
    let told = ["web.yaml:16 spring-probe-endpoint application.properties:2"];
    assert_eq!(findings(&[("web.yaml", &web), ("application.properties", properties)]), told);
    let told = ["svc/k8s/web.yaml:16 spring-probe-endpoint svc/application.yml:3"];
    assert_eq!(findings(&[("svc/k8s/web.yaml", &web), ("svc/application.yml", PORT)]), told);
}

#[test]
fn files_that_may_belong_to_another_workload_are_not() {
    let web = workload("web", HEALTH, "8080", &[]);
    let shop = workload("shop", HEALTH, "8080", &[]);
    assert_eq!(findings(&[("web.yaml", &web), ("shop.yaml", &shop), ("application.yml", PORT)]), NONE);
    assert_eq!(findings(&[("web/web.yaml", &web), ("shop/application.yml", PORT)]), NONE);
    assert_eq!(findings(&[("web.yaml", &web), ("src/test/resources/application.yml", PORT)]), NONE);
    // The same workload twice, as a base and an overlay have it, is one.
    let files = [("base/web.yaml", web.as_str()), ("prod/web.yaml", web.as_str()), ("application.yml", PORT)];
    assert_eq!(findings(&files).len(), 2);
}

#[test]
fn what_a_container_is_given_is_read() {
    for rest in [
        "env: [{name: MANAGEMENT_SERVER_PORT, value: '9001'}]",
        "env: [{name: management.server.port, value: '9001'}]",
        "env: [{name: JAVA_TOOL_OPTIONS, value: '-Xmx1g -Dmanagement.server.port=9001'}]",
        "env: [{name: SPRING_APPLICATION_JSON, value: '{\"management\": {\"server\": {\"port\": 9001}}}'}]",
        "env: [{name: SPRING_APPLICATION_JSON, value: '{\"management.server.port\": 9001}'}]",
        "args: [--management.server.port=9001]",
        "command: [java, -Dmanagement.server.port=9001, -jar, app.jar]",
    ] {
        assert_eq!(alone(HEALTH, &[rest]), ["web.yaml:16 spring-probe-endpoint web.yaml:18"], "{rest}");
    }
}

#[test]
fn config_maps_are_read() {
    let mounted = workload("web", HEALTH, "8080", &["volumeMounts: [{name: settings, mountPath: /config}]"]);
    let map = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings}\ndata:\n  application.yml: |\n    \
               management:\n      server: {port: 9001}\n";
    let told = ["web.yaml:16 spring-probe-endpoint map.yaml:7"];
    assert_eq!(findings(&[("web.yaml", &mounted), ("map.yaml", map)]), told);
    assert_eq!(findings(&[("web.yaml", &workload("web", HEALTH, "8080", &[])), ("map.yaml", map)]), NONE);

    let from = workload("web", HEALTH, "8080", &["envFrom: [{configMapRef: {name: settings}}]"]);
    let map = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings}\ndata:\n  MANAGEMENT_SERVER_PORT: '9001'\n";
    let told = ["web.yaml:16 spring-probe-endpoint map.yaml:5"];
    assert_eq!(findings(&[("web.yaml", &from), ("map.yaml", map)]), told);
}

#[test]
fn the_stronger_setting_counts() {
    let env = "env: [{name: MANAGEMENT_SERVER_PORT, value: '8080'}]";
    assert_eq!(findings(&[("web.yaml", &workload("web", HEALTH, "8080", &[env])), ("application.yml", PORT)]), NONE);
    assert_eq!(alone(HEALTH, &[env, "args: [--management.server.port=9001]"]).len(), 1);
    let env = "env: [{name: SPRING_PROFILES_ACTIVE, value: prod}]";
    let own = "management.server.port=8080\n";
    let files = |web: &str| {
        findings(&[("web.yaml", web), ("application.yml", PORT), ("application-prod.properties", own)]).len()
    };
    assert_eq!(files(&workload("web", HEALTH, "8080", &[env])), 0);
    assert_eq!(files(&workload("web", HEALTH, "8080", &["args: [--spring.profiles.active=prod]"])), 0);
    assert_eq!(files(&workload("web", HEALTH, "8080", &["args: [--spring.profiles.active=test]"])), 1);
    // The image or a file may make the profile active.
    assert_eq!(files(&workload("web", HEALTH, "8080", &[])), 0);
    let prod = "management.server.port=9001\n";
    let web = workload("web", HEALTH, "8080", &["args: [--spring.profiles.active=prod]"]);
    let told = ["web.yaml:16 spring-probe-endpoint application-prod.properties:1"];
    assert_eq!(findings(&[("web.yaml", &web), ("application-prod.properties", prod)]), told);
}

#[test]
fn what_cannot_be_known_is_silent() {
    let web = workload("web", HEALTH, "8080", &[]);
    for text in [
        "management.server.port: ${MANAGEMENT_PORT:9001}\n",
        "management.server.port: 0\n",
        "spring.config.activate.on-profile: prod\nmanagement.server.port: 9001\n",
        "management.server.port: 8080\n",
        "server.port: 8080\n",
        "management: [\n",
    ] {
        let told: Vec<_> = findings(&[("web.yaml", &web), ("application.yml", text)]);
        assert!(!told.iter().any(|line| line.contains("spring")), "{text}: {told:?}");
    }
    let secret = "env: [{name: MANAGEMENT_SERVER_PORT, valueFrom: {secretKeyRef: {name: s, key: k}}}]";
    assert_eq!(findings(&[("web.yaml", &workload("web", HEALTH, "8080", &[secret])), ("application.yml", PORT)]), NONE);
    let named = workload("web", HEALTH, "http", &["ports: [{name: http, containerPort: 8080}]"]);
    assert_eq!(findings(&[("web.yaml", &named), ("application.yml", PORT)]).len(), 1);
    let named = named.replace("containerPort: 8080", "containerPort: 9001");
    assert_eq!(findings(&[("web.yaml", &named), ("application.yml", PORT)]), NONE);
    // Not the actuator.
    assert_eq!(findings(&[("web.yaml", &workload("web", "/ready", "8080", &[])), ("application.yml", PORT)]), NONE);
}

#[test]
fn paths_are_compared_as_spring_joins_them() {
    let told = |path: &str, settings: &[(&str, &str)]| {
        let env: Vec<_> =
            settings.iter().map(|(name, value)| format!("  - {{name: {name}, value: '{value}'}}")).collect();
        let mut rest = vec!["env:"];
        rest.extend(env.iter().map(String::as_str));
        alone(path, &rest).iter().any(|line| line.contains("spring-probe-endpoint"))
    };
    const BASE: &str = "MANAGEMENT_ENDPOINTS_WEB_BASE_PATH";
    const CONTEXT: &str = "SERVER_SERVLET_CONTEXT_PATH";
    const OWN: &str = "MANAGEMENT_SERVER_PORT";
    assert!(told(HEALTH, &[(BASE, "/")]));
    assert!(told(HEALTH, &[(BASE, "/manage")]));
    assert!(told(HEALTH, &[("MANAGEMENT_ENDPOINTS_WEB_PATH_MAPPING_HEALTH", "healthz")]));
    assert!(told(HEALTH, &[(CONTEXT, "/shop")]));
    assert!(told("/shop/actuator/health", &[(CONTEXT, "/shop"), (OWN, "8080"), ("SERVER_PORT", "8090")]));
    assert!(told(HEALTH, &[(OWN, "-1")]));
    assert!(told(HEALTH, &[("MANAGEMENT_ENDPOINT_HEALTH_ENABLED", "false")]));
    assert!(told(HEALTH, &[("MANAGEMENT_ENDPOINT_HEALTH_PROBES_ENABLED", "false")]));
    assert!(told(HEALTH, &[("MANAGEMENT_ENDPOINTS_WEB_EXPOSURE_EXCLUDE", "*")]));

    assert!(!told("/health/readiness", &[(BASE, "/")]));
    assert!(!told("/manage/health", &[(BASE, "/manage")]));
    assert!(!told("/manage/health", &[(BASE, "manage/")]));
    assert!(!told("/health", &[(BASE, "/manage")]), "a page of the application's own");
    assert!(!told("/shop/actuator/health", &[(CONTEXT, "/shop")]));
    assert!(!told("/shop/actuator/health", &[(CONTEXT, "/shop/")]));
    assert!(!told(HEALTH, &[(CONTEXT, "/shop"), (OWN, "8080"), ("SERVER_PORT", "8090")]));
    assert!(!told("/actuator/health", &[("MANAGEMENT_ENDPOINT_HEALTH_PROBES_ENABLED", "false")]));
    assert!(!told(HEALTH, &[("MANAGEMENT_ENDPOINTS_WEB_EXPOSURE_INCLUDE", "info, health")]));
    assert!(!told("/readyz", &[(OWN, "9001"), ("MANAGEMENT_ENDPOINT_HEALTH_PROBES_ADD_ADDITIONAL_PATHS", "true")]));
    assert!(!told(
        "/healthz",
        &[(OWN, "9001"), ("MANAGEMENT_ENDPOINT_HEALTH_GROUP_LIVE_ADDITIONAL_PATH", "server:/healthz")]
    ));
}

#[test]
fn a_config_server_makes_it_a_warning() {
    let web = workload("web", HEALTH, "8080", &[]);
    let text = format!("spring.config.import: 'optional:configserver:'\n{PORT}");
    assert_eq!(level(&web, &text), Level::Warning);
    assert_eq!(level(&web, PORT), Level::Error);
}

#[test]
fn a_config_map_that_is_not_there_makes_it_a_warning() {
    let missing = workload("web", HEALTH, "8080", &["volumeMounts: [{name: settings, mountPath: /config}]"]);
    assert_eq!(level(&missing, PORT), Level::Warning);
    let missing = workload("web", HEALTH, "8080", &["envFrom: [{configMapRef: {name: other}}]"]);
    assert_eq!(level(&missing, PORT), Level::Warning);
}

/// The level of the only finding for a workload beside an `application.yml`.
fn level(web: &str, text: &str) -> Level {
    let read = [("web.yaml", web), ("application.yml", text)]
        .iter()
        .filter_map(|(path, text)| lint::read(Source::new(*path, *text), false))
        .collect();
    let outcome = lint::lint(read, 0, &Settings::default());
    assert_eq!(outcome.findings.len(), 1);
    outcome.findings[0].level
}

/// Findings for a probe at the liveness group, with what `application.yml` puts into it.
fn group(kind: &str, text: &str) -> Vec<String> {
    let web = workload("web", &format!("/actuator/health/{kind}"), "8080", &[]);
    findings(&[("web.yaml", &web.replace("readinessProbe", &format!("{kind}Probe"))), ("application.yml", text)])
}

#[test]
fn indicators_in_a_group_are_dependencies() {
    let include = |list: &str| {
        format!("management:\n  endpoint:\n    health:\n      group:\n        liveness:\n          include: {list}\n")
    };
    let told = ["web.yaml:16 liveness-checks-dependency application.yml:6"];
    assert_eq!(group("liveness", &include("livenessState,db")), told);
    assert_eq!(group("liveness", &include("\"*\"")), told);
    assert_eq!(group("liveness", &include("[livenessState, redis]")), told);
    assert_eq!(
        group("liveness", &include("\n            - livenessState\n            - rabbit")),
        ["web.yaml:16 liveness-checks-dependency application.yml:8"]
    );
    let readiness = include("readinessState,db").replace("liveness:", "readiness:");
    assert_eq!(group("readiness", &readiness), ["web.yaml:16 readiness-checks-dependency application.yml:6"]);
    for text in [
        include("livenessState,diskSpace,ping"),
        include("livenessState"),
        format!("{}management.health.db.enabled: false\n", include("livenessState,db")),
        format!("{}          exclude: db\n", include("livenessState,db")),
        include("${GROUP:livenessState,db}"),
        include("livenessState,db").replace("liveness:", "other:"),
    ] {
        assert_eq!(group("liveness", &text), NONE, "{text}");
    }
}

#[test]
fn settings_files_raise_nothing_of_their_own() {
    for (path, text) in [
        ("application.yml", "spec: {containers: [{name: a, livenessProbe: {}}]}\nfoo: bar\n"),
        ("application.properties", "livenessProbe = {\n\\\n= x\n\u{0}: y\n"),
        ("bootstrap.yml", "a: &a [*a]\n"),
        ("application-prod.yaml", "---\n---\n- 1\n"),
    ] {
        assert_eq!(findings(&[("web.yaml", &workload("web", HEALTH, "8080", &[])), (path, text)]), NONE, "{path}");
    }
}
