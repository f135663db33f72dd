//! One page that holds everything: no network, light and dark, for the keyboard and for paper.

mod code;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::io;

use super::markup::{escape, quoted};
use super::suggestion::hunks;
use super::summary::count;
use super::timeline::{self, picture};
use super::{Options, source, source_of};
use crate::finding::{Confidence, Finding, Level};
use crate::fix::{Fix, Safety};
use crate::lint::Outcome;
use crate::source::Source;
use crate::span::{ColumnUnit, SourceId};
use crate::timeline::{Scenario, Timeline, draw_all};

const STYLE: &str = include_str!("style.css");
const SCRIPT: &str = include_str!("script.js");
const LEVELS: [Level; 3] = [Level::Error, Level::Warning, Level::Advice];

pub(super) fn write(outcome: &Outcome, options: &Options, out: &mut dyn io::Write) -> io::Result<()> {
    let counts: Vec<String> = LEVELS
        .iter()
        .map(|&level| (level, outcome.count(level)))
        .filter(|(_, number)| *number > 0)
        .map(|(level, number)| count(number, noun(level)))
        .collect();
    let title = if counts.is_empty() { "no problems found".to_owned() } else { counts.join(", ") };
    writeln!(out, "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">")?;
    writeln!(out, "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">")?;
    writeln!(out, "<title>probelint: {title}</title>\n<style>\n{STYLE}{}</style>\n</head>\n<body>", timeline::STYLE)?;
    writeln!(out, "<a class=\"skip\" href=\"#findings\">Skip to the findings</a>")?;
    out.write_all(header(outcome, &title).as_bytes())?;
    let files = by_file(outcome);
    if !files.is_empty() {
        out.write_all(filters(outcome).as_bytes())?;
        out.write_all(contents(outcome, &files).as_bytes())?;
    }
    writeln!(out, "<main id=\"findings\">\n<p id=\"none\" hidden>No finding fits the filters.</p>")?;
    let mut number = 0;
    for (index, (id, findings)) in files.iter().enumerate() {
        let home = source(outcome, *id);
        writeln!(out, "<section class=\"file\" id=\"file-{index}\">\n<h2>{}</h2>", escape(&home.path))?;
        for finding in findings {
            number += 1;
            out.write_all(article(outcome, finding, number).as_bytes())?;
        }
        out.write_all(timelines(outcome, *id, findings).as_bytes())?;
        writeln!(out, "</section>")?;
    }
    writeln!(out, "</main>\n<footer class=\"soft\"><p>probelint {}</p></footer>", options.tool_version)?;
    writeln!(out, "<script>\n{SCRIPT}</script>\n</body>\n</html>")
}

const fn noun(level: Level) -> &'static str {
    match level {
        Level::Error => "error",
        Level::Warning => "warning",
        Level::Advice => "piece of advice",
    }
}

/// Findings by the source they stand in; they come sorted by it.
fn by_file(outcome: &Outcome) -> Vec<(SourceId, Vec<&Finding>)> {
    let mut files: Vec<(SourceId, Vec<&Finding>)> = Vec::new();
    for finding in &outcome.findings {
        match files.last_mut() {
            Some((id, findings)) if *id == finding.source => findings.push(finding),
            _ => files.push((finding.source, vec![finding])),
        }
    }
    files
}

fn header(outcome: &Outcome, title: &str) -> String {
    let summary = &outcome.summary;
    let mut html = format!("<header>\n<h1>probelint: {title}</h1>\n<ul class=\"sums\">\n");
    for level in LEVELS {
        let number = outcome.count(level);
        let name =
            if level == Level::Advice || number == 1 { level.name().to_owned() } else { format!("{}s", level.name()) };
        let _ = writeln!(html, "<li class=\"{}\"><b>{number}</b>{name}</li>", level.name());
    }
    for (number, noun) in [
        (summary.files, "file"),
        (summary.workloads, "workload"),
        (summary.containers, "container"),
        (summary.probes, "probe"),
    ] {
        let name = if number == 1 { noun.to_owned() } else { format!("{noun}s") };
        let _ = writeln!(html, "<li><b>{number}</b>{name}</li>");
    }
    html += "</ul>\n";
    let mut left_out: Vec<String> =
        summary.not_checked.iter().map(|kind| format!("not checked: {}", count(kind.count, kind.what))).collect();
    if summary.suppressed > 0 {
        left_out.push(format!("{} suppressed", count(summary.suppressed, "finding")));
    }
    if summary.hidden_advice > 0 {
        left_out.push(format!("{} left out by the profile", count(summary.hidden_advice, "piece of advice")));
    }
    left_out.extend(outcome.unread.iter().map(|error| format!("not read: {}: {}", error.path, error.message)));
    for line in left_out {
        let _ = writeln!(html, "<p class=\"soft\">{}</p>", escape(&line));
    }
    html + "</header>\n"
}

/// The form that narrows the findings down; hidden until the script is there to answer it.
fn filters(outcome: &Outcome) -> String {
    let mut html = "<form id=\"filters\" role=\"search\" aria-label=\"Filter the findings\" hidden>\n<fieldset><legend>Level</legend>\n".to_owned();
    for level in LEVELS.into_iter().filter(|&level| outcome.count(level) > 0) {
        let name = level.name();
        let _ = writeln!(
            html,
            "<label><input type=\"checkbox\" name=\"level\" value=\"{name}\" checked> {name} ({})</label>",
            outcome.count(level)
        );
    }
    html += "</fieldset>\n<label>Rule <select name=\"rule\"><option value=\"\">all</option>";
    let mut rules: BTreeMap<&str, u32> = BTreeMap::new();
    for finding in &outcome.findings {
        *rules.entry(finding.rule).or_default() += 1;
    }
    for (rule, number) in rules {
        let _ = write!(html, "<option value=\"{rule}\">{rule} ({number})</option>");
    }
    html += "</select></label>\n<label>Text <input type=\"search\" name=\"text\" aria-keyshortcuts=\"/\"></label>\n\
             <button type=\"reset\">Reset</button>\n<output name=\"count\" aria-live=\"polite\"></output>\n</form>\n";
    html
}

fn contents(outcome: &Outcome, files: &[(SourceId, Vec<&Finding>)]) -> String {
    let mut html = "<nav aria-label=\"Files\">\n<ol>\n".to_owned();
    for (index, (id, findings)) in files.iter().enumerate() {
        let path = escape(&source(outcome, *id).path);
        let _ = writeln!(
            html,
            "<li><a href=\"#file-{index}\">{path}</a> <span class=\"soft\">{}</span></li>",
            findings.len()
        );
    }
    html + "</ol>\n</nav>\n"
}

fn article(outcome: &Outcome, finding: &Finding, number: usize) -> String {
    let home = source_of(outcome, finding);
    let at = home.position(finding.span.start, ColumnUnit::Scalars);
    let (level, rule) = (finding.level.name(), finding.rule);
    let mut html = format!(
        "<article class=\"finding {level}\" id=\"finding-{number}\" data-level=\"{level}\" data-rule=\"{rule}\">\n\
         <h3><span class=\"level\">{level}</span> <span class=\"rule\">{rule}</span>: {}</h3>\n",
        quoted(&finding.message)
    );
    let subject = if finding.subject.is_empty() { String::new() } else { format!(" · {}", escape(&finding.subject)) };
    let sure = match finding.confidence {
        Confidence::High => String::new(),
        other => format!(" · confidence {}", other.name()),
    };
    let _ = writeln!(
        html,
        "<p class=\"place soft\"><a href=\"#finding-{number}\">{}:{}:{}</a>{subject}{sure}</p>",
        escape(&home.path),
        at.line,
        at.column
    );
    html += &code::excerpts(outcome, finding);
    html += "<dl>\n";
    for (name, text) in [("why", &finding.why), ("help", &finding.help)] {
        if !text.is_empty() {
            let _ = writeln!(html, "<dt>{name}</dt><dd>{}</dd>", quoted(text));
        }
    }
    html += "</dl>\n";
    if let Some(fix) = &finding.fix {
        html += &suggestion(home, fix);
    }
    html + "</article>\n"
}

fn suggestion(home: &Source, fix: &Fix) -> String {
    let safety = match fix.safety {
        Safety::Safe => "safe fix",
        Safety::Unsafe => "possible fix, to be looked at",
    };
    let mut html =
        format!("<p class=\"soft\">{safety}: {}</p>\n<pre class=\"fix\" tabindex=\"0\">", quoted(&fix.title));
    let mut row = |class: &str, sign: char, number: u32, line: &str| {
        let _ = write!(
            html,
            "<span class=\"row {class}\"><span class=\"no\">{number}</span>{sign} {}</span>",
            escape(line.trim_end())
        );
    };
    for hunk in hunks(home, fix) {
        if let Some((number, line)) = &hunk.above {
            row("", ' ', *number, line);
        }
        for (number, line) in &hunk.old {
            row("remove", '-', *number, line);
        }
        for (number, line) in &hunk.new {
            row("add", '+', *number, line);
        }
    }
    html + "</pre>\n"
}

/// The timelines of the workloads in a source that have findings.
fn timelines(outcome: &Outcome, id: SourceId, findings: &[&Finding]) -> String {
    let Some(model) = outcome.models.get(id.0 as usize) else { return String::new() };
    let subjects: BTreeSet<&str> = findings.iter().map(|finding| finding.subject.as_str()).collect();
    let scenario = Scenario::default();
    let mut html = String::new();
    for workload in &model.workloads {
        let is_meant = |subject: &&str| {
            let rest = subject.strip_prefix(workload.subject.as_str());
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(" > "))
        };
        if subjects.iter().any(is_meant) {
            for timeline in draw_all(workload, &scenario) {
                html += &sheet(&timeline);
            }
        }
    }
    html
}

fn sheet(drawn: &Timeline) -> String {
    let mut html = format!(
        "<details>\n<summary>What the probes of {} do</summary>\n<div class=\"wide\" tabindex=\"0\">{}</div>\n<ul>\n",
        escape(&drawn.subject),
        picture(drawn)
    );
    for line in timeline::outcome(drawn) {
        let _ = writeln!(html, "<li>{}</li>", escape(&line));
    }
    html += "</ul>\n<table>\n";
    for figure in &drawn.figures {
        let _ = writeln!(
            html,
            "<tr><th scope=\"row\">{}</th><td class=\"number\">{}</td><td class=\"soft\">{}</td></tr>",
            escape(figure.title),
            figure.window,
            quoted(&figure.note)
        );
    }
    let _ = writeln!(
        html,
        "</table>\n<p class=\"soft\">Assuming that {}.</p>\n</details>",
        escape(&drawn.course.assumptions.join("; "))
    );
    html
}
