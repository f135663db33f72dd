//! What one file says of another: Services and pods, variables and ConfigMaps, kustomizations and patches.

#![allow(clippy::unwrap_used, reason = "a test may stop at what is not there")]

use probelint::lint::{self, Settings};
use probelint::source::Source;

/// Default findings over several files, as `path rule`.
fn findings(files: &[(&str, &str)]) -> Vec<String> {
    let read = files.iter().filter_map(|(path, text)| lint::read(Source::new(*path, *text), false)).collect();
    let outcome = lint::lint(read, 0, &Settings::default());
    outcome.findings.iter().map(|finding| format!("{} {}", outcome.source(finding.source).path, finding.rule)).collect()
}

const SERVICE: &str = "apiVersion: v1\nkind: Service\nmetadata: {name: web}\nspec: {selector: {app: web}, ports: [{port: \
                       80, targetPort: 8080}]}\n";
const POD: &str = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec:\n  selector: {matchLabels: {app: \
                   web}}\n  template:\n    metadata: {labels: {app: web}}\n    spec:\n      containers: [{name: app, \
                   image: \"example.org/web:1\", ports: [{containerPort: 8080}]}]\n";

#[test]
fn a_service_in_another_folder_selects_the_pod() {
    let found = findings(&[("k8s/services/web.yaml", SERVICE), ("k8s/deployments/web.yaml", POD)]);
    assert_eq!(found, ["k8s/deployments/web.yaml readiness-missing"]);
}

#[test]
fn a_service_means_the_nearest_pods_with_its_labels() {
    let with_readiness =
        POD.replace("image:", "readinessProbe: {httpGet: {path: /ready, port: 8080}, timeoutSeconds: 3}, image:");
    let found = findings(&[("a/service.yaml", SERVICE), ("a/web.yaml", &with_readiness), ("b/web.yaml", POD)]);
    assert_eq!(found, Vec::<String>::new());
}

#[test]
fn another_namespace_is_another_world() {
    let elsewhere = SERVICE.replace("{name: web}", "{name: web, namespace: other}");
    assert_eq!(findings(&[("service.yaml", &elsewhere), ("web.yaml", POD)]), Vec::<String>::new());
    let same = SERVICE.replace("{name: web}", "{name: web, namespace: default}");
    assert_eq!(findings(&[("service.yaml", &same), ("web.yaml", POD)]), ["web.yaml readiness-missing"]);
}

#[test]
fn the_order_of_files_does_not_matter() {
    let files = [("b.yaml", SERVICE), ("a.yaml", POD), ("c.yaml", POD)];
    let mut reversed = files;
    reversed.reverse();
    assert_eq!(findings(&files), findings(&reversed));
}

#[test]
fn a_variable_is_looked_up_in_a_config_map_of_the_run() {
    let pod = |key: &str| {
        format!(
            "apiVersion: v1\nkind: Pod\nmetadata: {{name: p}}\nspec:\n  containers:\n    - name: app\n      image: i\n      \
             env: [{{name: DB_HOST, valueFrom: {{configMapKeyRef: {{name: settings, key: {key}}}}}}}]\n      \
             livenessProbe: {{exec: {{command: [sh, -c, 'pg_isready -h $DB_HOST']}}, timeoutSeconds: 5}}\n"
        )
    };
    let settings =
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings}\ndata: {db: db.shop.svc, own: localhost}\n";
    assert_eq!(findings(&[("p.yaml", &pod("db")), ("settings.yaml", settings)]), ["p.yaml liveness-checks-dependency"]);
    assert_eq!(findings(&[("p.yaml", &pod("own")), ("settings.yaml", settings)]), Vec::<String>::new());
}

/// A workload whose readiness runs `command`; `spec` is the rest of its spec.
fn ready(kind: &str, spec: &str, command: &str) -> String {
    format!(
        "apiVersion: apps/v1\nkind: {kind}\nmetadata: {{name: web}}\nspec:\n  selector: {{matchLabels: {{app: web}}}}\n  \
         {spec}\n  template:\n    metadata: {{labels: {{app: web}}}}\n    spec:\n      containers:\n        - name: app\n          \
         image: example.org/web:1\n          readinessProbe: {{exec: {{command: [sh, -c, '{command}']}}, timeoutSeconds: \
         15}}\n"
    )
}

#[test]
fn readiness_may_ask_others_as_long_as_there_is_one_replica() {
    let autoscaler = |minimum: &str| {
        format!(
            "apiVersion: autoscaling/v2\nkind: HorizontalPodAutoscaler\nmetadata: {{name: x}}\nspec: {{scaleTargetRef: \
             {{kind: Deployment, name: web}}{minimum}}}\n"
        )
    };
    let asks = |spec: &str| ready("Deployment", spec, "nc -z orders-db 5432");
    let told = ["web.yaml readiness-checks-dependency"];
    assert_eq!(findings(&[("web.yaml", &asks("replicas: 2"))]), told);
    for spec in ["replicas: 1", "revisionHistoryLimit: 3", "replicas: \"{{ .Values.replicas }}\""] {
        assert_eq!(findings(&[("web.yaml", &asks(spec))]), Vec::<String>::new(), "{spec}");
    }
    let asks = asks("revisionHistoryLimit: 3");
    assert_eq!(findings(&[("hpa.yaml", &autoscaler(", minReplicas: 2")), ("web.yaml", &asks)]), told);
    assert_eq!(findings(&[("hpa.yaml", &autoscaler("")), ("web.yaml", &asks)]), Vec::<String>::new());
}

#[test]
fn the_own_line_in_the_state_of_a_cluster_is_no_dependency() {
    // Pods that start in order have a rule of their own for this.
    let asks = |command: &str| ready("StatefulSet", "podManagementPolicy: Parallel\n  replicas: 3", command);
    let told = ["web.yaml readiness-checks-dependency"];
    for command in ["nodetool status | grep UN", "curl -f http://localhost:9200/_cat/nodes", "rpk cluster health"] {
        assert_eq!(findings(&[("web.yaml", &asks(command))]), told, "{command}");
    }
    for command in [
        "nodetool status | grep UN | grep $POD_IP",
        "nodetool status | grep UN.*$(hostname -i)",
        "curl -f http://localhost:9200/_cat/nodes | grep $HOSTNAME",
        "etcdctl endpoint health",
        "redis-cli cluster info | grep cluster_state:ok",
        "rabbitmq-diagnostics check_local_alarms",
        "vault status",
    ] {
        assert_eq!(findings(&[("web.yaml", &asks(command))]), Vec::<String>::new(), "{command}");
    }
}

#[test]
fn a_broker_that_is_asked_for_the_own_worker_is_worth_a_look_only() {
    let asks = |command: &str| ready("Deployment", "replicas: 3", command);
    let told = ["web.yaml readiness-checks-dependency"];
    assert_eq!(findings(&[("web.yaml", &asks("celery -A shop inspect ping"))]), told);
    for command in ["celery -A shop inspect ping -d celery@$HOSTNAME", "airflow jobs check --local --limit 0"] {
        assert_eq!(findings(&[("web.yaml", &asks(command))]), Vec::<String>::new(), "{command}");
    }
}

#[test]
fn only_the_leader_is_ready_stops_rollouts_that_keep_the_old_one() {
    let told = ["web.yaml readiness-checks-dependency"];
    let asks = |kind: &str, spec: &str| ready(kind, spec, "curl -f http://localhost:8081/leader");
    for (kind, spec) in [
        ("Deployment", "replicas: 1"),
        ("Deployment", "replicas: 3"),
        ("Deployment", "strategy: {rollingUpdate: {maxUnavailable: 25%, maxSurge: 1}}"),
        ("Deployment", "replicas: 3\n  strategy: {rollingUpdate: {maxUnavailable: 2}}"),
        ("StatefulSet", "replicas: 3"),
    ] {
        assert_eq!(findings(&[("web.yaml", &asks(kind, spec))]), told, "{kind} {spec}");
    }
    for (kind, spec) in [
        ("Deployment", "strategy: {type: Recreate}"),
        ("Deployment", "strategy: {rollingUpdate: {maxUnavailable: 1}}"),
        ("Deployment", "strategy: {rollingUpdate: {maxUnavailable: 0, maxSurge: 0}}"),
        ("Deployment", "strategy: {type: \"{{ .Values.strategy }}\"}"),
        ("StatefulSet", "serviceName: web"),
        ("StatefulSet", "replicas: 3\n  updateStrategy: {type: OnDelete}"),
        ("DaemonSet", "minReadySeconds: 3"),
    ] {
        assert_eq!(findings(&[("web.yaml", &asks(kind, spec))]), Vec::<String>::new(), "{kind} {spec}");
    }
}

#[test]
fn a_file_that_a_kustomization_names_as_a_patch_misses_nothing() {
    let kustomization =
        "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\npatches: [{path: web.yaml}]\n";
    let files = [("o/kustomization.yaml", kustomization), ("o/web.yaml", POD), ("o/service.yaml", SERVICE)];
    assert_eq!(findings(&files), Vec::<String>::new());
    assert_eq!(findings(&files[1..]), ["o/web.yaml readiness-missing"]);
}

#[test]
fn what_a_patch_leaves_out_is_not_taken_for_the_default() {
    let patch = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec:\n  template:\n    spec:\n      \
                 containers:\n        - name: app\n          livenessProbe: {exec: {command: [nodetool, info]}}\n          \
                 readinessProbe: {exec: {command: [nodetool, info]}, timeoutSeconds: 1}\n";
    assert_eq!(findings(&[("patch.yaml", patch)]), ["patch.yaml timeout-too-tight"]);
}

#[test]
fn services_of_a_build_pipeline_are_no_tye_services() {
    let pipeline = "services:\n  - name: database\n    image: postgres\n    liveness_probe: {}\n";
    let file = lint::read(Source::new("pipeline.yaml", pipeline), true).unwrap();
    assert!(file.model.workloads.is_empty());
}

/// A fix in JSON must leave JSON behind.
#[test]
fn fixes_keep_the_quotes_of_json() {
    let text = r#"{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"}, "spec": {"containers": [{"name": "app",
  "image": "cassandra:5", "livenesProbe": {"exec": {"command": ["curl", "http://localhost/x"]}, "timeoutSeconds": 3},
  "readinessProbe": {"exec": {"command": ["nodetool", "info"]}, "timeout_seconds": 9, "successThreshold": "2"},
  "startupProbe": {"exec": {"command": ["curl", "http://localhost/x"]}, "periodSeconds": 30}}]}}"#;
    let read = lint::read(Source::new("p.json", text), true);
    let outcome = lint::lint(read.into_iter().collect(), 0, &Settings::default());
    let fixes: Vec<_> = outcome.findings.iter().filter_map(|finding| finding.fix.as_ref()).collect();
    assert!(fixes.len() >= 4, "{:?}", outcome.findings);
    for fix in fixes {
        let fixed = probelint::fix::edit::apply(text, &fix.edits);
        let value: Result<serde_json::Value, _> = serde_json::from_str(&fixed);
        assert!(value.is_ok(), "{}: {fixed}", fix.title);
    }
}
