//! `probelint timeline`, as a user would run it.

#![allow(clippy::unwrap_used, reason = "a test may stop at what is not there")]

use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use serde_json::Value;

const ALL_THREE: &str = "\
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: shop}
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      terminationGracePeriodSeconds: 20
      containers:
        - name: app
          image: example.org/web:1
          lifecycle: {preStop: {exec: {command: [sleep, \"5\"]}}}
          startupProbe:
            httpGet: {path: /started, port: 8080}
            periodSeconds: 5
            failureThreshold: 12
          livenessProbe:
            httpGet: {path: /livez, port: 8080}
            timeoutSeconds: 2
          readinessProbe:
            httpGet: {path: /readyz, port: 8080}
            periodSeconds: 5
            timeoutSeconds: 2
        - name: helper
          image: example.org/helper:1
          livenessProbe:
            tcpSocket: {port: 9000}
            initialDelaySeconds: 15
";
const TYE: &str = "\
name: shop
services:
  - name: web
    project: web.csproj
    liveness:
      http: {path: /alive}
    readiness:
      http: {path: /ready}
";

fn run(folder: &Path, arguments: &[&str], input: &str) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_probelint"))
        .arg("timeline")
        .args(arguments)
        .current_dir(folder)
        .env("COLUMNS", "100")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // A program that has already refused its arguments does not listen.
    let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
    child.wait_with_output().unwrap()
}

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in [("web.yaml", ALL_THREE), ("tye.yaml", TYE), ("none.yaml", "apiVersion: v1\nkind: Service\n")] {
        std::fs::write(folder.path().join(name), text).unwrap();
    }
    folder
}

fn text(arguments: &[&str]) -> String {
    let output = run(folder().path(), arguments, "");
    assert!(output.status.success(), "{arguments:?}: {output:?}");
    String::from_utf8(output.stdout).unwrap()
}

fn json(arguments: &[&str]) -> Vec<Value> {
    let arguments = [arguments, &["-f", "json"]].concat();
    let document: Value = serde_json::from_str(&text(&arguments)).unwrap();
    assert_eq!(document["schemaVersion"], 1);
    document["timelines"].as_array().unwrap().clone()
}

fn figures(timeline: &Value) -> Vec<(String, u64, u64)> {
    let figure = |it: &Value| {
        let seconds = |name: &str| it[name].as_u64().unwrap();
        (it["name"].as_str().unwrap().to_owned(), seconds("earliest"), seconds("latest"))
    };
    timeline["figures"].as_array().unwrap().iter().map(figure).collect()
}

fn named(expected: &[(&str, u64, u64)]) -> Vec<(String, u64, u64)> {
    expected.iter().map(|&(name, earliest, latest)| (name.to_owned(), earliest, latest)).collect()
}

#[test]
fn the_figures_are_those_of_a_calculation_by_hand() {
    let timelines = json(&["web.yaml"]);
    assert_eq!(timelines.len(), 2);
    // Startup: period 5, timeout 1, 12 failures. Liveness: 10, 2, 3. Readiness: 5, 2, 3. Grace 20 s, 5 of them the hook.
    let expected = [
        ("startup-budget", 11 * 5, 11 * 5),
        ("kill-of-endless-start", 11 * 5, 11 * 5 + 5 + 1),
        ("ready-after-start", 0, 5 + 5),
        ("removal-after-hang", 2 * 5 + 2, 2 * 5 + 2 + 5),
        ("removal-after-refusal", 2 * 5, 3 * 5),
        ("ready-after-recovery", 0, 5),
        ("kill-after-hang", 2 * 10 + 2, 2 * 10 + 2 + 10),
        ("kill-after-refusal", 2 * 10, 3 * 10),
        ("stop", 5, 20),
        ("hang-to-end", 22 + 5, 32 + 20),
    ];
    assert_eq!(figures(&timelines[0]), named(&expected));
    // Liveness alone: delay 15, period 10, timeout 1, 3 failures; the pod's grace period and no hook.
    let expected = [
        ("startup-budget", 35, 35),
        ("kill-of-endless-start", 35, 46),
        ("kill-after-hang", 21, 31),
        ("kill-after-refusal", 20, 30),
        ("stop", 0, 20),
        ("hang-to-end", 21, 51),
    ];
    assert_eq!(figures(&timelines[1]), named(&expected));
    // Tye's defaults: 1, 1, 1, 3; the fourth failure acts, and the timer is set again after each attempt. Deployed, the
    // third failure acts, and attempts are a second apart.
    let expected = [
        ("startup-budget", 3, 3),
        ("kill-of-endless-start", 3, 7),
        ("ready-after-start", 1, 2),
        ("removal-after-hang", 7, 8),
        ("removal-after-refusal", 3, 4),
        ("ready-after-recovery", 1, 3),
        ("kill-after-hang", 7, 8),
        ("kill-after-refusal", 3, 4),
        ("stop", 0, 5),
        ("hang-to-end", 7, 13),
        ("removal-after-hang-deployed", 3, 4),
        ("kill-after-hang-deployed", 3, 4),
        ("startup-budget-deployed", 2, 2),
    ];
    assert_eq!(figures(&json(&["tye.yaml"])[0]), named(&expected));
}

#[test]
fn courses_stay_within_the_figures() {
    let hang = &json(&["web.yaml", "--container", "app"])[0]["scenario"]["chances"];
    assert_eq!((hang["killed"].as_u64(), hang["removed"].as_u64()), (Some(512), Some(512)));
    let within = |range: &Value, earliest: f64, latest: f64| {
        let (from, to) = (range["earliest"].as_f64().unwrap(), range["latest"].as_f64().unwrap());
        assert!(earliest <= from && from < earliest + 1.0 && latest - 1.0 < to && to <= latest, "{range}");
    };
    within(&hang["firstKill"], 22.0, 32.0);
    within(&hang["firstRemoval"], 12.0, 17.0);

    let blip = &json(&["web.yaml", "--container", "app", "--outage", "6s"])[0]["scenario"]["chances"];
    assert_eq!((blip["killed"].as_u64(), blip["removed"].as_u64()), (Some(0), Some(0)));
    let outage = &json(&["web.yaml", "--container", "app", "--outage", "14s"])[0]["scenario"]["chances"];
    let removed = outage["removed"].as_u64().unwrap();
    assert!(removed > 0 && removed < 512, "{outage}");

    let late = &json(&["web.yaml", "--container", "app", "--start", "90s"])[0]["scenario"]["chances"];
    assert_eq!((late["killed"].as_u64(), late["readyAtEnd"].as_u64()), (Some(512), Some(0)));
    within(&late["firstKill"], 55.0, 60.0);
    let prompt = &json(&["web.yaml", "--container", "app", "--start", "50s"])[0]["scenario"]["chances"];
    assert_eq!((prompt["killed"].as_u64(), prompt["readyAtEnd"].as_u64()), (Some(0), Some(512)));
}

#[test]
fn replicas_leave_together_and_under_load_come_back_later() {
    let ready = |arguments: &[&str]| {
        let arguments = [&["web.yaml", "--container", "app", "--replicas", "12"], arguments].concat();
        let replicas = json(&arguments)[0]["scenario"]["replicas"].clone();
        let counts = replicas["counts"].as_array().unwrap().clone();
        let counts: Vec<(f64, u64)> =
            counts.iter().map(|it| (it["at"].as_f64().unwrap(), it["ready"].as_u64().unwrap())).collect();
        (counts, replicas)
    };
    let (counts, _) = ready(&["--outage", "20s"]);
    assert_eq!(counts[0], (0.0, 12));
    assert!(counts.iter().any(|&(at, ready)| ready == 0 && at <= 17.0), "{counts:?}");
    assert_eq!(counts.last().unwrap().1, 12);
    let (busy, replicas) = ready(&["--outage", "20s", "--load", "12000", "--capacity", "3000"]);
    assert!(busy.last().unwrap().0 > counts.last().unwrap().0, "{busy:?}");
    assert!(replicas["lostRequests"].as_f64().unwrap() > 0.0, "{replicas}");
}

#[test]
fn pictures_are_as_wide_as_the_terminal_and_ascii_when_asked() {
    let drawn = text(&["web.yaml", "--container", "app"]);
    assert!(drawn.contains("container   ████") && drawn.contains('▒'), "{drawn}");
    let widest = drawn.lines().filter(|line| line.contains('█')).map(|line| line.chars().count()).max().unwrap();
    assert!((90..=100).contains(&widest), "{widest}");
    let plain = text(&["web.yaml", "tye.yaml", "--ascii", "--replicas", "3"]);
    assert!(plain.is_ascii(), "{plain}");
    assert!(plain.contains("of 3 ready") && plain.contains("####"), "{plain}");
}

#[test]
fn svg_is_one_well_formed_picture() {
    let svg = text(&["web.yaml", "tye.yaml", "-f", "svg", "--replicas", "4"]);
    assert!(svg.starts_with("<svg ") && svg.ends_with("</svg>\n"), "{svg}");
    assert_eq!(svg.matches("class=\"timeline\"").count(), 4);
    for tag in ["svg", "g", "text", "title", "style"] {
        let opened = svg.matches(&format!("<{tag}>")).count() + svg.matches(&format!("<{tag} ")).count();
        assert_eq!(opened, svg.matches(&format!("</{tag}>")).count(), "{tag}");
    }
}

#[test]
fn what_cannot_be_drawn_is_said() {
    let folder = folder();
    for (arguments, expected) in [
        (&["web.yaml", "--container", "wep"][..], "no container `wep` with a probe; there are app, helper"),
        (&["none.yaml"], "no container with a probe whose numbers are known"),
        (&["missing.yaml"], "missing.yaml"),
        (&["web.yaml", "--outage", "soon"], "write a time such as 6s"),
        (&["web.yaml", "--outage", "6s", "--hang"], "cannot be used with"),
        (&["web.yaml", "--load", "5"], "--replicas"),
        (&["web.yaml", "--replicas", "0"], "0 is not in 1..=10000"),
    ] {
        let output = run(folder.path(), arguments, "");
        let message = String::from_utf8(output.stderr).unwrap();
        assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0), "{arguments:?}");
        assert!(message.contains(expected), "{arguments:?}: {message}");
    }
}

#[test]
fn numbers_that_nobody_knows_are_left_out() {
    let templated =
        ALL_THREE.replace("timeoutSeconds: 2\n          readinessProbe", "timeoutSeconds: x\n          readinessProbe");
    let output = run(folder().path(), &["-", "--container", "app"], &templated);
    let drawn = String::from_utf8(output.stdout).unwrap();
    assert!(drawn.contains("liveness  left out"), "{drawn}");
    assert!(drawn.contains("not killed in any of 512 courses"), "{drawn}");
}

#[test]
fn absurd_numbers_are_drawn_all_the_same() {
    let most = i32::MAX;
    let absurd = format!(
        "\
apiVersion: v1
kind: Pod
metadata: {{name: p}}
spec:
  terminationGracePeriodSeconds: {grace}
  containers:
    - name: a
      image: x:1
      lifecycle: {{preStop: {{exec: {{command: [sleep, \"99999999999999999999999\"]}}}}}}
      startupProbe: {{tcpSocket: {{port: 1}}, periodSeconds: {most}, failureThreshold: {most}, timeoutSeconds: {most}}}
      livenessProbe: {{tcpSocket: {{port: 1}}, periodSeconds: 1, failureThreshold: {most}, initialDelaySeconds: {most}}}
      readinessProbe: {{tcpSocket: {{port: 1}}, periodSeconds: 60, failureThreshold: {most}, successThreshold: {most}}}
",
        grace = i64::MAX
    );
    for arguments in [&["-"][..], &["-", "--outage", "1h", "--replicas", "3"], &["-", "--slow", "24h", "-f", "svg"]] {
        let output = run(folder().path(), arguments, &absurd);
        assert!(output.status.success() && !output.stdout.is_empty(), "{arguments:?}: {output:?}");
    }
}
