//! Every example of every rule page, run. `UPDATE=1 cargo test --test rules` rewrites the outputs and fixed texts.

#![allow(clippy::unwrap_used, reason = "a test may stop at what is not there")]

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use probelint::finding::Level;
use probelint::fix::{Safety, edit};
use probelint::lint::{self, Outcome, Profile, Settings};
use probelint::report::{self, Format, Options};
use probelint::rules;
use probelint::source::Source;

/// A fenced block: its info string and the text between the fences.
struct Block {
    info: String,
    text: String,
}

impl Block {
    fn is(&self, role: &str) -> bool {
        self.info.split(' ').nth(1) == Some(role)
    }

    /// The name of the example's file, which decides what a file name decides.
    fn file(&self) -> &str {
        self.info.split(' ').find_map(|word| word.strip_prefix("file=")).unwrap_or("example.yaml")
    }

    /// The settings with the release of Kubernetes that the example is about.
    fn settings(&self, settings: Settings) -> Settings {
        let version = self.info.split(' ').find_map(|word| word.strip_prefix("kubernetes="));
        Settings { kubernetes_version: version.map(|version| version.parse().unwrap()), ..settings }
    }
}

/// A page cut into prose and blocks, in order.
enum Part {
    Prose(String),
    Block(Block),
}

fn cut(page: &str) -> Vec<Part> {
    let mut parts = Vec::new();
    let mut prose = String::new();
    let mut lines = page.lines();
    while let Some(line) = lines.next() {
        if let Some(info) = line.strip_prefix("```") {
            parts.push(Part::Prose(std::mem::take(&mut prose)));
            let mut text = String::new();
            for line in lines.by_ref().take_while(|line| *line != "```") {
                text.push_str(line);
                text.push('\n');
            }
            parts.push(Part::Block(Block { info: info.to_owned(), text }));
        } else {
            prose.push_str(line);
            prose.push('\n');
        }
    }
    parts.push(Part::Prose(prose));
    parts
}

fn join(parts: &[Part]) -> String {
    let mut page = String::new();
    for part in parts {
        match part {
            Part::Prose(text) => page.push_str(text),
            Part::Block(block) => write!(page, "```{}\n{}```\n", block.info, block.text).unwrap(),
        }
    }
    page
}

fn check(file: &str, text: &str, settings: &Settings) -> Outcome {
    let read = lint::read(Source::new(file, text), true);
    lint::lint(read.into_iter().collect(), 0, settings)
}

/// What a user sees of one rule, in the default format without colour.
fn output(outcome: &Outcome) -> String {
    let options = Options { color: false, links: false, unicode: true, width: 100, ..Options::default() };
    let mut out = Vec::new();
    report::write(Format::Full, outcome, &options, &mut out).unwrap();
    let text = String::from_utf8(out).unwrap();
    text.lines().map(|line| line.trim_end().to_owned() + "\n").collect()
}

/// The text with all fixes of an outcome applied.
fn fixed(text: &str, outcome: &Outcome) -> String {
    let fixes = outcome.findings.iter().filter_map(|finding| finding.fix.as_ref());
    let edits: Vec<_> = fixes.flat_map(|fix| fix.edits.clone()).collect();
    edit::apply(text, &edits)
}

fn pages() -> Vec<(PathBuf, &'static rules::Page)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("rules");
    rules::pages().iter().map(|page| (folder.join(format!("{}.md", page.id)), page)).collect()
}

#[test]
fn every_page_can_be_read_and_belongs_to_a_rule() {
    for (id, text) in rules::page_texts() {
        let page = rules::parse_page(text).unwrap_or_else(|error| panic!("{id}: {error}"));
        assert_eq!(page.id, id);
        assert!(page.body.starts_with(&format!("# {id}\n")), "{id}: the page starts with its name");
        for other in &page.supersedes {
            assert!(rules::page(other).is_some(), "{id} supersedes {other}, which does not exist");
        }
    }
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("rules");
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|ending| ending == "md") {
            let id = path.file_stem().unwrap().to_str().unwrap();
            assert!(rules::page(id).is_some(), "{id}.md has no row in the table of rules");
        }
    }
}

#[test]
fn the_examples_do_what_the_pages_say() {
    let update = std::env::var_os("UPDATE").is_some();
    let mut failures = String::new();
    for (path, page) in pages() {
        let text = std::fs::read_to_string(&path).unwrap();
        let mut parts = cut(&text);
        run_examples(page, &mut parts, update, &mut failures);
        if update {
            std::fs::write(&path, join(&parts)).unwrap();
        }
    }
    assert!(failures.is_empty(), "{failures}\n(UPDATE=1 rewrites outputs and fixed texts)");
}

fn run_examples(page: &rules::Page, parts: &mut [Part], update: bool, failures: &mut String) {
    let id = &page.id;
    let mut only = Settings { select: vec![id.clone()], ..Settings::default() };
    let (mut bad, mut good, mut has_fixed, mut in_bad) = (0, 0, false, None::<(String, String)>);
    for part in parts.iter_mut() {
        let Part::Block(block) = part else { continue };
        if block.is("bad") {
            bad += 1;
            only = block.settings(only);
            let outcome = check(block.file(), &block.text, &only);
            if outcome.findings.is_empty() {
                writeln!(failures, "{id}: bad example {bad} draws nothing").unwrap();
            }
            in_bad = Some((block.file().to_owned(), block.text.clone()));
        } else if block.is("output") {
            let (file, text) = in_bad.as_ref().unwrap();
            let shown = output(&check(file, text, &only));
            if update {
                block.text = shown;
            } else if block.text != shown {
                writeln!(failures, "{id}: the output of bad example {bad} is now\n{shown}").unwrap();
            }
        } else if block.is("fixed") {
            has_fixed = true;
            let (file, text) = in_bad.as_ref().unwrap();
            let outcome = check(file, text, &only);
            let expected = fixed(text, &outcome);
            if expected == *text {
                writeln!(failures, "{id}: no fix for bad example {bad}").unwrap();
            }
            let safe = outcome.findings.iter().filter_map(|finding| finding.fix.as_ref()).map(|fix| fix.safety).max();
            if page.fix.is_none() || page.fix == Some(Safety::Safe) && safe != Some(Safety::Safe) {
                writeln!(failures, "{id}: the fix of bad example {bad} is not what the front matter says").unwrap();
            }
            let after = check(file, &expected, &only);
            let left = after.findings.iter().filter(|finding| finding.level > Level::Advice).count();
            if left > 0 {
                writeln!(failures, "{id}: the fixed example {bad} still draws\n{}", output(&after)).unwrap();
            }
            if update {
                block.text = expected;
            } else if block.text != expected {
                writeln!(failures, "{id}: the fixed text of bad example {bad} is now\n{expected}").unwrap();
            }
        } else if block.is("good") {
            good += 1;
            let outcome = check(block.file(), &block.text, &block.settings(Settings::default()));
            if !outcome.findings.is_empty() {
                writeln!(failures, "{id}: good example {good} draws\n{}", output(&outcome)).unwrap();
            }
        }
    }
    if bad < 2 || good < 2 {
        writeln!(failures, "{id}: two bad and two good examples are needed, found {bad} and {good}").unwrap();
    }
    if page.fix.is_some() != has_fixed {
        writeln!(failures, "{id}: front matter says fix {:?}, fixed example: {has_fixed}", page.fix).unwrap();
    }
}

#[test]
fn advice_is_shown_when_asked_for_and_counted_when_not() {
    let text = "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec:\n  containers:\n    - name: c\n      image: i\n      \
                livenessProbe: {tcpSocket: {port: 1}}\n";
    let recommended = check("p.yaml", text, &Settings::default());
    assert!(recommended.findings.is_empty());
    assert!(recommended.summary.hidden_advice > 0);
    let strict = check("p.yaml", text, &Settings { profile: Profile::Strict, ..Settings::default() });
    assert_eq!(strict.findings.len() as u32, recommended.summary.hidden_advice);
}

#[test]
fn a_misspelt_rule_has_a_nearest_name() {
    assert_eq!(rules::nearest("timeout-to-tight"), Some("timeout-too-tight"));
    assert_eq!(rules::nearest("curl"), Some("exec-curl-without-fail"));
    assert_eq!(rules::nearest("zzzzzzzzzzz"), None);
}
