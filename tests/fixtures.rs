//! Real-shaped files with their expected report beside them: place, rule, and the very text that is underlined.
//! `UPDATE=1 cargo test --test fixtures` rewrites the expectations.

#![allow(clippy::unwrap_used, reason = "a test may stop at what is not there")]

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use probelint::lint::{self, Outcome, Profile, Settings};
use probelint::source::{Request, read_all};
use probelint::span::ColumnUnit;

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures").join(name)
}

fn check(folder: &Path) -> Outcome {
    let files = Mutex::new(Vec::new());
    let request = Request { paths: vec![folder.to_owned()], ..Request::default() };
    read_all(&request, &mut std::io::empty(), |source| {
        files.lock().unwrap().extend(lint::read(source, false));
    });
    let settings = Settings { profile: Profile::Strict, ..Settings::default() };
    lint::lint(files.into_inner().unwrap(), 0, &settings)
}

/// One line a finding and one a label, with the text at the place.
fn report(outcome: &Outcome, folder: &Path) -> String {
    let root = folder.to_string_lossy().replace('\\', "/") + "/";
    let place = |source, span: probelint::span::Span| {
        let source = outcome.source(source);
        let position = source.position(span.start, ColumnUnit::Scalars);
        let path = source.path.strip_prefix(&root).unwrap_or(&source.path);
        let text: String = source.slice(span).chars().take(60).collect();
        format!("{path}:{}:{} {text:?}", position.line, position.column)
    };
    let mut out = String::new();
    for finding in &outcome.findings {
        let at = place(finding.source, finding.span);
        writeln!(out, "{at} {}[{}] {}", finding.level.name(), finding.rule, finding.message).unwrap();
        writeln!(out, "    {} | {}", finding.subject, finding.field_path).unwrap();
        for label in &finding.labels {
            writeln!(out, "    {} {}", place(label.source, label.span), label.text).unwrap();
        }
    }
    writeln!(out, "{:?}", outcome.summary).unwrap();
    out.replace(&root, "")
}

fn matches(name: &str) {
    let folder = folder(name);
    let actual = report(&check(&folder), &folder);
    let expectation = folder.join("expected.txt");
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(&expectation, &actual).unwrap();
    }
    let expected = std::fs::read_to_string(&expectation).unwrap_or_default();
    assert!(actual == expected, "{name}: the report is now (UPDATE=1 rewrites it)\n{actual}");
}

#[test]
fn manifests_draw_what_is_expected() {
    matches("manifests");
}

#[test]
fn tye_files_draw_what_is_expected() {
    matches("tye");
}

#[test]
fn odd_bytes_draw_what_is_expected() {
    matches("bytes");
}
