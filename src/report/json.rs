//! JSON for programs, `schemaVersion` 1. Within a version members are added, never changed. Lines and columns count
//! from 1, columns in Unicode scalar values; `offset` counts bytes from the start of the file, byte order mark
//! included. `end` is the place after the last character.

use std::io;

use serde::Serialize;

use super::{Options, source, source_of};
use crate::finding::{Finding, Level};
use crate::fix::{Fix, Safety};
use crate::lint::Outcome;
use crate::rules;
use crate::source::Source;
use crate::span::{ColumnUnit, Span};

const SCHEMA_VERSION: u32 = 1;

pub(super) fn write(outcome: &Outcome, options: &Options, out: &mut dyn io::Write) -> io::Result<()> {
    serde_json::to_writer_pretty(&mut *out, &report(outcome, options))?;
    writeln!(out)
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Report<'a> {
    schema_version: u32,
    tool: Tool,
    summary: Counts<'a>,
    findings: Vec<Entry<'a>>,
}

#[derive(Serialize)]
struct Tool {
    name: &'static str,
    version: &'static str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Counts<'a> {
    files: u32,
    documents: u32,
    workloads: u32,
    containers: u32,
    probes: u32,
    not_checked: u32,
    not_checked_kinds: Vec<Kind>,
    unread: Vec<Unread<'a>>,
    suppressed: u32,
    hidden_advice: u32,
    findings: Levels,
}

/// Input that could not be read; the exit code is then 2.
#[derive(Serialize)]
struct Unread<'a> {
    path: &'a str,
    message: &'a str,
}

#[derive(Serialize)]
struct Kind {
    what: &'static str,
    count: u32,
}

#[derive(Serialize)]
struct Levels {
    error: u32,
    warning: u32,
    advice: u32,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Entry<'a> {
    rule: &'a str,
    group: &'a str,
    level: &'a str,
    confidence: &'a str,
    path: &'a str,
    document: u32,
    start: Place,
    end: Place,
    subject: &'a str,
    field_path: &'a str,
    message: &'a str,
    why: &'a str,
    help: &'a str,
    labels: Vec<Note<'a>>,
    fix: Option<Correction<'a>>,
    /// Suppressed findings are left out of a report, so this is always null.
    suppressed: Option<()>,
}

#[derive(Serialize)]
struct Place {
    line: u32,
    column: u32,
    offset: u32,
}

#[derive(Serialize)]
struct Note<'a> {
    path: &'a str,
    start: Place,
    end: Place,
    text: &'a str,
}

#[derive(Serialize)]
struct Correction<'a> {
    title: &'a str,
    safety: &'static str,
    edits: Vec<Note<'a>>,
}

fn report<'a>(outcome: &'a Outcome, options: &Options) -> Report<'a> {
    let summary = &outcome.summary;
    Report {
        schema_version: SCHEMA_VERSION,
        tool: Tool { name: "probelint", version: options.tool_version },
        summary: Counts {
            files: summary.files,
            documents: summary.documents,
            workloads: summary.workloads,
            containers: summary.containers,
            probes: summary.probes,
            not_checked: summary.not_checked.iter().fold(0, |total, kind| total.saturating_add(kind.count)),
            unread: outcome.unread.iter().map(|error| Unread { path: &error.path, message: &error.message }).collect(),
            not_checked_kinds: summary
                .not_checked
                .iter()
                .map(|kind| Kind { what: kind.what, count: kind.count })
                .collect(),
            suppressed: summary.suppressed,
            hidden_advice: summary.hidden_advice,
            findings: Levels {
                error: outcome.count(Level::Error),
                warning: outcome.count(Level::Warning),
                advice: outcome.count(Level::Advice),
            },
        },
        findings: outcome.findings.iter().map(|finding| entry(outcome, finding)).collect(),
    }
}

fn entry<'a>(outcome: &'a Outcome, finding: &'a Finding) -> Entry<'a> {
    let home = source_of(outcome, finding);
    let (start, end) = places(home, finding.span);
    Entry {
        rule: finding.rule,
        group: rules::page(finding.rule).map_or("", |page| &page.group),
        level: finding.level.name(),
        confidence: finding.confidence.name(),
        path: &home.path,
        document: finding.document,
        start,
        end,
        subject: &finding.subject,
        field_path: &finding.field_path,
        message: &finding.message,
        why: &finding.why,
        help: &finding.help,
        labels: finding
            .labels
            .iter()
            .map(|label| note(source(outcome, label.source), label.span, &label.text))
            .collect(),
        fix: finding.fix.as_ref().map(|fix| correction(home, fix)),
        suppressed: None,
    }
}

fn correction<'a>(home: &'a Source, fix: &'a Fix) -> Correction<'a> {
    Correction {
        title: &fix.title,
        safety: match fix.safety {
            Safety::Safe => "safe",
            Safety::Unsafe => "unsafe",
        },
        edits: fix.edits.iter().map(|edit| note(home, edit.span, &edit.text)).collect(),
    }
}

fn note<'a>(home: &'a Source, span: Span, text: &'a str) -> Note<'a> {
    let (start, end) = places(home, span);
    Note { path: &home.path, start, end, text }
}

fn places(home: &Source, span: Span) -> (Place, Place) {
    let place = |offset| {
        let at = home.position(offset, ColumnUnit::Scalars);
        Place { line: at.line, column: at.column, offset }
    };
    (place(span.start), place(span.end.max(span.start)))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::report::sample;

    fn value(outcome: &Outcome) -> Value {
        let mut out = Vec::new();
        write(outcome, &Options::default(), &mut out).unwrap();
        assert!(out.ends_with(b"}\n"));
        serde_json::from_slice(&out).unwrap()
    }

    #[test]
    fn a_report_has_every_member_of_the_contract() {
        let outcome = sample::outcome();
        let report = value(&outcome);
        assert_eq!(report["schemaVersion"], 1);
        assert_eq!(report["tool"]["name"], "probelint");
        assert_eq!(report["summary"]["notChecked"], 5);
        assert_eq!(report["summary"]["notCheckedKinds"][0], json!({"what": "Helm template", "count": 4}));
        assert_eq!(report["summary"]["findings"], json!({"error": 1, "warning": 2, "advice": 1}));
        let first = &report["findings"][0];
        let group = rules::page("success-threshold-not-one").map_or("", |page| &page.group);
        assert_eq!(first["group"], group);
        assert_eq!(first["level"], "error");
        assert_eq!(first["suppressed"], Value::Null);
        assert_eq!(first["fix"]["safety"], "safe");
        assert_eq!(first["fix"]["edits"][0]["path"], "deploy/web.yaml");
        assert_eq!(first["fix"]["edits"][0]["text"], "1");
        assert_eq!(first["fieldPath"], "spec.template.spec.containers[0].livenessProbe.successThreshold");
        assert_eq!(report["findings"][3]["fix"], Value::Null);
    }

    #[test]
    fn offsets_are_bytes_and_columns_are_characters() {
        let outcome = sample::outcome();
        let report = value(&outcome);
        let first = &report["findings"][0];
        let (start, end) = (&first["start"], &first["end"]);
        assert_eq!(start["offset"], outcome.findings[0].span.start);
        assert_eq!(start["column"], 31);
        assert_eq!(end["column"], 32);
        let text = &outcome.sources[0].text;
        let range = start["offset"].as_u64().unwrap() as usize..end["offset"].as_u64().unwrap() as usize;
        assert_eq!(&text[range], "3");
        // `"ghcr.io/🙂/shop-web:1.4"` is 24 characters in 27 bytes.
        let third = &report["findings"][2];
        assert_eq!(third["end"]["column"].as_u64().unwrap() - third["start"]["column"].as_u64().unwrap(), 24);
        assert_eq!(third["end"]["offset"].as_u64().unwrap() - third["start"]["offset"].as_u64().unwrap(), 27);
    }

    #[test]
    fn an_empty_outcome_is_a_whole_report() {
        let report = value(&Outcome::default());
        assert_eq!(report["findings"], json!([]));
        assert_eq!(report["summary"]["notChecked"], 0);
    }
}
