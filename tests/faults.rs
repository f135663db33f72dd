//! Faults that brought real services down, each in a file whose first line says what has to be reported, and look-alikes
//! that have to stay silent. They lie in `fixtures/cases/faults`; a newer set beside the checkout is taken where there is
//! one.

#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a test may stop at what is not there, and print its table"
)]

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use probelint::finding::{Finding, Level};
use probelint::lint::{self, Profile, Settings};
use probelint::source::Source;

fn folder() -> PathBuf {
    let checkout = Path::new(env!("CARGO_MANIFEST_DIR"));
    let newer = checkout.join("../shared/cases/faults");
    if newer.exists() { newer } else { checkout.join("fixtures/cases/faults") }
}

/// Names and texts of the files that begin with a letter.
fn files(letter: char) -> Vec<(String, String)> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder()).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        if name.starts_with(letter) && name.ends_with(".yaml") {
            files.push((name, std::fs::read_to_string(&path).unwrap()));
        }
    }
    files.sort();
    files
}

fn findings(name: &str, text: &str) -> Vec<Finding> {
    let settings = Settings { profile: Profile::Strict, ..Settings::default() };
    let file = lint::read(Source::new(name, text), true);
    lint::lint(file.into_iter().collect(), 0, &settings).findings
}

/// `# EXPECT warning livenessProbe.timeoutSeconds of container ring: why`
struct Expected {
    level: Level,
    /// A part of the field path; the first one where several are named.
    field: String,
    /// Empty for a fault outside of containers.
    container: String,
}

fn expected(text: &str) -> Expected {
    let line = text.lines().next().and_then(|line| line.strip_prefix("# EXPECT ")).unwrap();
    let (level, rest) = line.split_once(' ').unwrap();
    let (what, _) = rest.split_once(": ").unwrap();
    let (fields, container) = what.split_once(" of ").unwrap_or((what, ""));
    let level = match level {
        "error" => Level::Error,
        "warning" => Level::Warning,
        _ => Level::Advice,
    };
    Expected {
        level,
        field: fields.split(" and ").next().unwrap().to_owned(),
        container: container.rsplit(' ').next().unwrap().to_owned(),
    }
}

#[test]
fn every_fault_is_reported_as_its_first_line_asks() {
    let mut wrong = String::new();
    for (name, text) in files('b') {
        let expected = expected(&text);
        let found = findings(&name, &text);
        let fits = |finding: &&Finding| {
            // A missing startup probe is placed where it is missing, and points at the liveness probe that kills.
            let names_field = finding.field_path.contains(&expected.field)
                || finding.labels.iter().any(|label| label.span.text(&text) == expected.field);
            finding.level == expected.level && finding.subject.contains(&expected.container) && names_field
        };
        match found.iter().find(fits) {
            Some(finding) => println!("{name} | {} | {} | {}", finding.rule, finding.level.name(), finding.message),
            None => writeln!(wrong, "{name}: nothing at `{}`", expected.field).unwrap(),
        }
        for other in found.iter().filter(|other| other.level > Level::Advice && !fits(other)) {
            // The same fault of a neighbour field is named in one of the lines that say what is expected.
            let field = other.field_path.rsplit('.').next().unwrap_or_default();
            if !text.lines().take_while(|line| line.starts_with("# EXPECT ")).any(|line| line.contains(field)) {
                writeln!(wrong, "{name}: besides, {} {}", other.rule, other.message).unwrap();
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn look_alikes_of_faults_draw_nothing() {
    let mut wrong = String::new();
    let look_alikes = files('g');
    for (name, text) in &look_alikes {
        for finding in findings(name, text).iter().filter(|finding| finding.level > Level::Advice) {
            writeln!(wrong, "{name}: {} {}", finding.rule, finding.message).unwrap();
        }
    }
    assert!(look_alikes.len() >= 13, "only {} look-alikes found", look_alikes.len());
    assert!(wrong.is_empty(), "{wrong}");
}
