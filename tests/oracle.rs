//! The answers of the API server's own validation code (kubernetes v1.34.1) against ours, case by case. The cases lie in
//! `fixtures/cases/k8s`; a newer set beside the checkout is taken where there is one.

#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a test may stop at what is not there, and print its table"
)]

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use probelint::finding::{Finding, Level};
use probelint::lint::{self, Settings};
use probelint::model::KubernetesVersion;
use probelint::rules::RULES;
use probelint::source::{Reading, Request, Source, read_all};

/// Rules that say something the API server does not: it accepts the object, and the probe never does its job.
const BEYOND_VALIDATION: &[&str] = &[
    "probe-port-undefined",
    "probe-host-loopback",
    "probe-port-protocol",
    "spring-probe-endpoint",
    "exec-shell-syntax",
    "exec-variable-not-expanded",
    "exec-always-succeeds",
    "exec-timeout-inside",
    "probe-port-loopback",
    "probe-host-external",
    "liveness-checks-dependency",
    "readiness-checks-dependency",
];

/// Cases that none of the present rules is about, one a line with the reason behind a tab.
const NOT_COVERED: &str = include_str!("not_covered.tsv");

/// A row of `INDEX.tsv`.
struct Case {
    name: String,
    rejected: bool,
    /// `Type:path` or `decode:...` or `strict:...` or `yaml:...`, joined by ` ; `.
    causes: String,
    category: String,
}

fn folder() -> PathBuf {
    let checkout = Path::new(env!("CARGO_MANIFEST_DIR"));
    let newer = checkout.join("../shared/cases/k8s");
    if newer.join("INDEX.tsv").exists() { newer } else { checkout.join("fixtures/cases/k8s") }
}

fn cases(folder: &Path) -> Vec<Case> {
    let table = std::fs::read_to_string(folder.join("INDEX.tsv")).unwrap();
    table
        .lines()
        .skip(1)
        .map(|line| {
            let columns: Vec<&str> = line.split('\t').collect();
            Case {
                name: columns[0].to_owned(),
                rejected: columns[2] == "reject",
                causes: columns[3].to_owned(),
                category: columns[5].to_owned(),
            }
        })
        .collect()
}

/// What we say of one file: whether it can be read, and the errors in it.
fn answer(path: &Path) -> (Reading, Vec<Finding>) {
    let request = Request { paths: vec![path.to_owned()], ..Request::default() };
    let sources = std::sync::Mutex::new(Vec::<Source>::new());
    let reading = read_all(&request, &mut std::io::empty(), |source| sources.lock().unwrap().push(source));
    let files = sources.into_inner().unwrap().into_iter().filter_map(|source| lint::read(source, true)).collect();
    let settings = Settings { kubernetes_version: Some(KubernetesVersion::new(34)), ..Settings::default() };
    let outcome = lint::lint(files, 0, &settings);
    let errors = outcome.findings.into_iter().filter(|finding| finding.level == Level::Error);
    (reading, errors.filter(|finding| !BEYOND_VALIDATION.contains(&finding.rule)).collect())
}

/// Whether a cause that the API server names is the fault that we report.
fn agrees(cause: &str, finding: &Finding) -> bool {
    let without_indices = |path: &str| {
        let mut out = String::new();
        let mut inside = false;
        for character in path.chars() {
            match character {
                '[' => inside = true,
                ']' => inside = false,
                other if !inside => out.push(other),
                _ => {}
            }
        }
        out
    };
    // Causes in a later document of a stream begin with its number.
    let cause = match cause.strip_prefix('#').and_then(|rest| rest.split_once(':')) {
        Some((_, cause)) => cause,
        None => cause,
    };
    match cause.split_once(':') {
        // `.inf` has no JSON; it is the value's fault more than the text's.
        Some(("yaml", text)) if text.contains("unsupported value") => finding.rule == "probe-value-type",
        Some(("yaml", _)) => finding.rule == "syntax-error",
        // "json: cannot unmarshal string into Go struct field Probe.spec.containers.livenessProbe.periodSeconds ...".
        Some(("decode", text)) => text.contains(&format!(".{} ", without_indices(&finding.field_path))),
        // "yaml: unmarshal errors: line 14: key "periodSeconds" already set in map"; a merge key sets what it brings in.
        Some(("strict", text)) if finding.rule == "probe-duplicate-key" => {
            let key = finding.field_path.rsplit('.').next().unwrap_or_default();
            text.contains("already set in map") && (text.contains(&format!("key \"{key}\"")) || key == "<<")
        }
        Some(("strict", text)) => text.contains(&format!("\"{}\"", finding.field_path)),
        Some((_, path)) => path == finding.field_path,
        None => false,
    }
}

#[test]
fn every_covered_case_gets_the_api_servers_verdict() {
    let folder = folder();
    let mut wrong = String::new();
    let mut by_rule: BTreeMap<&str, u32> = BTreeMap::new();
    let (mut accepted, mut rejected, mut not_covered) = (0, 0, 0);
    for case in cases(&folder) {
        let path = folder.join(format!("{}.yaml", case.name));
        let (reading, errors) = answer(&path);
        let known_gap = NOT_COVERED.lines().any(|line| line.split('\t').next() == Some(&case.name));
        let shown = || errors.iter().map(|error| format!("{} {}", error.rule, error.field_path)).collect::<Vec<_>>();
        match (case.rejected, errors.is_empty() && reading.errors.is_empty()) {
            (false, true) => accepted += 1,
            (false, false) => writeln!(wrong, "{}: accepted, but we say {:?}", case.name, shown()).unwrap(),
            (true, true) if known_gap => not_covered += 1,
            (true, true) => {
                writeln!(wrong, "{} ({}): rejected for {}, we say nothing", case.name, case.category, case.causes)
                    .unwrap();
            }
            (true, false) if known_gap => {
                writeln!(wrong, "{}: is covered now; take it off the list of gaps", case.name).unwrap();
            }
            (true, false) => {
                rejected += 1;
                let causes: Vec<&str> = case.causes.split(" ; ").collect();
                let strays: Vec<_> =
                    errors.iter().filter(|error| !causes.iter().any(|cause| agrees(cause, error))).collect();
                for error in &errors {
                    *by_rule.entry(error.rule).or_default() += 1;
                }
                if !strays.is_empty() {
                    writeln!(wrong, "{}: rejected for {}, we say {:?}", case.name, case.causes, shown()).unwrap();
                }
            }
        }
    }
    println!("accepted {accepted}, rejected {rejected}, not covered {not_covered}, findings by rule: {by_rule:?}");
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn the_rules_beyond_validation_exist() {
    for id in BEYOND_VALIDATION {
        assert!(RULES.iter().any(|rule| rule.id == *id));
    }
}
