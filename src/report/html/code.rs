//! Source text with its marks.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use super::super::markup::escape;
use super::super::source;
use crate::finding::Finding;
use crate::lint::Outcome;
use crate::source::Source;
use crate::span::{ColumnUnit, SourceId, Span};

/// Lines shown above and below a mark.
const AROUND: u32 = 2;
/// A mark over more lines than this is shown in part.
const MOST_LINES: u32 = 8;
/// Characters of a line that are shown; a minified file has one line only.
const MOST_CHARS: usize = 400;

/// A place to be marked.
struct Mark<'a> {
    span: Span,
    /// What is to be seen there; empty for the finding itself.
    text: &'a str,
}

/// The lines that a finding and its labels are about, one block a source.
pub(super) fn excerpts(outcome: &Outcome, finding: &Finding) -> String {
    let mut sources: Vec<(SourceId, Vec<Mark<'_>>)> =
        vec![(finding.source, vec![Mark { span: finding.span, text: "" }])];
    for label in &finding.labels {
        let mark = Mark { span: label.span, text: &label.text };
        match sources.iter_mut().find(|(id, _)| *id == label.source) {
            Some((_, marks)) => marks.push(mark),
            None => sources.push((label.source, vec![mark])),
        }
    }
    let mut html = String::new();
    for (id, marks) in sources {
        let home = source(outcome, id);
        if id != finding.source {
            let _ = writeln!(html, "<p class=\"place soft\">{}</p>", escape(&home.path));
        }
        html += &block(home, &marks);
    }
    html
}

fn block(home: &Source, marks: &[Mark<'_>]) -> String {
    let last = home.lines().lines();
    let mut shown: BTreeSet<u32> = BTreeSet::new();
    for mark in marks {
        let (from, to) = rows(home, mark.span);
        let to = to.min(from + MOST_LINES);
        shown.extend(from.saturating_sub(AROUND).max(1)..=(to + AROUND).min(last));
    }
    let mut html = "<pre tabindex=\"0\">".to_owned();
    let mut before = None;
    for number in shown {
        if before.is_some_and(|before| before + 1 < number) {
            html += "<span class=\"row gap\">⋮</span>";
        }
        before = Some(number);
        html += &row(home, number, marks);
    }
    html + "</pre>\n"
}

/// The first and the last line of a span.
fn rows(home: &Source, span: Span) -> (u32, u32) {
    let line = |offset| home.position(offset, ColumnUnit::Scalars).line;
    let from = line(span.start);
    // The end of a block is the start of a line that it has no part in.
    let end = if span.end > span.start { span.end - 1 } else { span.end };
    (from, line(end).max(from))
}

fn row(home: &Source, number: u32, marks: &[Mark<'_>]) -> String {
    let text = home.text.as_str();
    let whole = home.lines().line(text, number);
    let line = whole.text(text);
    let visible = line.trim_end_matches(['\n', '\r']);
    let cut = visible.char_indices().nth(MOST_CHARS).map_or(visible.len(), |(at, _)| at);
    let mut html = format!("<span class=\"row\"><span class=\"no\">{number}</span>");
    // What each byte is, so that marks may overlap whatever the syntax is.
    let mut classes: Vec<&str> = syntax(&visible[..cut]);
    for mark in marks.iter().rev() {
        let class = if mark.text.is_empty() { "hit" } else { "label" };
        let from = (mark.span.start.max(whole.start) - whole.start) as usize;
        let to = (mark.span.end.min(whole.end).max(whole.start) - whole.start) as usize;
        if mark.span.start < whole.end && mark.span.end > whole.start {
            let to = to.min(cut);
            classes[from.min(to)..to].fill(class);
        }
    }
    let mut at = 0;
    while at < cut {
        let class = classes[at];
        let mut end = at + 1;
        while end < cut && (classes[end] == class || !visible.is_char_boundary(end)) {
            end += 1;
        }
        let part = escape(visible.get(at..end).unwrap_or_default());
        html += &match class {
            "" => part,
            "hit" => format!("<mark>{part}</mark>"),
            "label" => format!("<mark class=\"label\">{part}</mark>"),
            class => format!("<span class=\"{class}\">{part}</span>"),
        };
        at = end;
    }
    if cut < visible.len() {
        html += "…";
    }
    for mark in marks.iter().filter(|mark| !mark.text.is_empty() && rows(home, mark.span).0 == number) {
        let _ = write!(html, "<span class=\"note\">← {}</span>", escape(mark.text));
    }
    html + "</span>"
}

/// Keys and comments, byte by byte; good enough for the eye.
fn syntax(line: &str) -> Vec<&'static str> {
    let mut classes = vec![""; line.len()];
    let indent = line.len() - line.trim_start_matches([' ', '-']).len();
    let comment = match line.find(" #") {
        _ if line.trim_start().starts_with('#') => Some(0),
        other => other,
    };
    let code = comment.unwrap_or(line.len());
    classes[code..].fill("comment");
    let key = line[..code].find(": ").or_else(|| line[..code].trim_end().strip_suffix(':').map(str::len));
    if let Some(end) = key.filter(|&end| end > indent && !line[indent..end].contains(['{', '"', ' '])) {
        classes[indent..end].fill("key");
    }
    classes
}
