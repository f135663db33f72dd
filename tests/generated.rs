//! What documents show of the program is what the program shows: the table of rules and the outputs in the README.
//! `UPDATE=1 cargo test --test generated` rewrites them.

#![allow(clippy::unwrap_used, reason = "a test may stop at what is not there")]

use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;

use probelint::fix::Safety;
use probelint::rules;

fn readme() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("README.md")
}

fn table() -> String {
    let mut table = String::from("| rule | level | fix | finds |\n| --- | --- | --- | --- |\n");
    for page in rules::pages() {
        let fix = match page.fix {
            Some(Safety::Safe) => "safe",
            Some(Safety::Unsafe) => "unsafe",
            None => "",
        };
        let (id, level) = (&page.id, page.level.name());
        writeln!(table, "| [`{id}`](rules/{id}.md) | {level} | {fix} | {} |", page.summary).unwrap();
    }
    table
}

/// Runs a command line of the README in the checkout; standard output, then standard error.
fn run(line: &str) -> String {
    let mut words = line.split(' ');
    assert_eq!(words.next(), Some("probelint"));
    let output = Command::new(env!("CARGO_BIN_EXE_probelint"))
        .args(words)
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .env_remove("CLICOLOR_FORCE")
        .env_remove("LC_ALL")
        .env("COLUMNS", "100")
        .env("NO_COLOR", "1")
        .output()
        .unwrap();
    let mut shown = String::from_utf8(output.stdout).unwrap();
    shown.push_str(&String::from_utf8(output.stderr).unwrap());
    shown.lines().map(|line| line.trim_end().to_owned() + "\n").collect()
}

/// Replaces what stands between two marks.
fn replace_between(text: &str, start: &str, end: &str, with: &str) -> String {
    let from = text.find(start).unwrap() + start.len();
    let to = from + text[from..].find(end).unwrap();
    format!("{}{with}{}", &text[..from], &text[to..])
}

#[test]
fn the_readme_shows_real_output_and_all_rules() {
    let text = std::fs::read_to_string(readme()).unwrap();
    let mut current = replace_between(&text, "<!-- rules -->\n", "<!-- /rules -->", &table());
    let lines: Vec<String> = text
        .lines()
        .filter_map(|line| line.strip_prefix("<!-- run: ")?.strip_suffix(" -->").map(str::to_owned))
        .collect();
    assert!(lines.len() >= 3);
    for line in lines {
        let start = format!("<!-- run: {line} -->\n```console\n");
        current = replace_between(&current, &start, "```\n", &format!("$ {line}\n{}", run(&line)));
    }
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(readme(), &current).unwrap();
    }
    assert!(current == std::fs::read_to_string(readme()).unwrap(), "the README is stale; UPDATE=1 rewrites it");
}

#[test]
fn the_tables_of_knowledge_name_a_source_for_every_row() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("rules/knowledge");
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let text = std::fs::read_to_string(&path).unwrap();
        let rows = text.lines().filter(|line| line.starts_with("- ")).count();
        let sources = text.lines().filter(|line| line.starts_with("  source: ")).count();
        assert_eq!(rows, sources, "{}", path.display());
    }
}
