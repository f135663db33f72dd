//! Every fix that is offered for any fixture keeps its word: the finding is gone, nothing but the edits has changed, and
//! the text can still be read.

#![allow(clippy::unwrap_used, reason = "a test may stop at what is not there")]

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use probelint::fix::edit;
use probelint::lint::{self, Outcome, Profile, Settings};
use probelint::source::{Request, Source, read_all};

fn strict() -> Settings {
    Settings { profile: Profile::Strict, ..Settings::default() }
}

/// Texts below `fixtures` with their names; what cannot be read is another test's concern.
fn texts() -> Vec<(String, String)> {
    let folder: PathBuf = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures");
    let texts = Mutex::new(Vec::new());
    let request = Request { paths: vec![folder], ..Request::default() };
    read_all(&request, &mut std::io::empty(), |source| texts.lock().unwrap().push((source.path, source.text)));
    let mut texts = texts.into_inner().unwrap();
    texts.sort();
    texts
}

fn check(path: &str, text: &str) -> Outcome {
    lint::lint(lint::read(Source::new(path, text), true).into_iter().collect(), 0, &strict())
}

#[test]
fn a_fix_mends_its_finding_and_touches_nothing_else() {
    let mut wrong = String::new();
    let mut tried = 0;
    for (path, text) in texts() {
        let before = check(&path, &text);
        for finding in before.findings.iter() {
            let Some(fix) = &finding.fix else { continue };
            tried += 1;
            let fixed = edit::apply(&text, &fix.edits);
            let after = check(&path, &fixed);
            let place = || format!("{path}: {} {} ({})", finding.rule, finding.field_path, fix.title);
            let same = |other: &&probelint::finding::Finding| {
                other.rule == finding.rule
                    && other.subject == finding.subject
                    && other.field_path == finding.field_path
                    && other.level == finding.level
                    && other.document == finding.document
            };
            if after.findings.iter().filter(same).count() >= before.findings.iter().filter(same).count() {
                writeln!(wrong, "{}: the finding is still there\n{fixed}", place()).unwrap();
            }
            let broken = |outcome: &Outcome| outcome.findings.iter().filter(|f| f.rule == "syntax-error").count();
            if broken(&after) > broken(&before) {
                writeln!(wrong, "{}: the text cannot be read any more\n{fixed}", place()).unwrap();
            }
            if fix.edits.iter().any(|edit| !text.is_char_boundary(edit.span.start as usize)) {
                writeln!(wrong, "{}: an edit begins inside a character", place()).unwrap();
            }
        }
    }
    assert!(tried > 50, "only {tried} fixes");
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn every_finding_and_label_lies_inside_its_text() {
    for (path, text) in texts() {
        let outcome = check(&path, &text);
        for finding in &outcome.findings {
            let spans = finding.labels.iter().map(|label| label.span).chain([finding.span]);
            for span in spans {
                let (start, end) = (span.start as usize, span.end as usize);
                assert!(start <= end && text.get(start..end).is_some(), "{path}: {} {span:?}", finding.rule);
            }
        }
    }
}
