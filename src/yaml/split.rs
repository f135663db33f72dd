//! Cuts a stream into documents where `kubectl` cuts it: at lines that begin with `---`.
//!
//! Source: kubernetes/apimachinery `pkg/util/yaml/decoder.go`, `YAMLReader.Read`. Cutting before parsing keeps an error
//! in one document away from the others.

use super::tree::{Problem, Reader};
use crate::span::{BYTE_ORDER_MARK, Span};

/// One document's share of the text.
#[derive(Debug)]
pub(super) struct Chunk {
    /// The bytes to parse: from a `---` line, or the start of the text, up to the next one.
    pub(super) span: Span,
    /// What is wrong with the separators themselves.
    pub(super) problems: Vec<Problem>,
}

/// The documents of a stream in order. A chunk may hold nothing but comments.
pub(super) fn documents(text: &str) -> Vec<Chunk> {
    if let Some(values) = json_values(text) {
        return values;
    }
    let mut chunks = Vec::new();
    let mut start = 0;
    let mut pending = Vec::new();
    for at in separators(text) {
        let before = &text[start..at];
        let directive = directive(before, start);
        if let Some(span) = directive {
            // A directive belongs to the document after it, so the parser gets both; kubectl cuts between them.
            pending.push(Problem {
                span,
                message: "a directive before `---` is refused by kubectl, which cuts the file at `---` and leaves the \
                          directive alone in a document of its own"
                    .to_owned(),
                help: "delete the directive line".to_owned(),
                reader: Reader::Kubectl,
            });
        } else {
            if !(chunks.is_empty() && before.trim_start_matches(BYTE_ORDER_MARK).trim().is_empty()) {
                chunks.push(Chunk { span: span(start, at), problems: std::mem::take(&mut pending) });
            }
            start = at;
        }
        if let Some(rest) = text_behind_separator(text, at) {
            pending.push(Problem {
                span: rest,
                message: "text behind `---` on the same line: kubectl refuses the whole file".to_owned(),
                help: "put the document on the lines after `---`".to_owned(),
                reader: Reader::Kubectl,
            });
        }
    }
    chunks.push(Chunk { span: span(start, text.len()), problems: pending });
    chunks
}

/// JSON objects one after another, which kubectl reads as a stream; `None` for a single one and for anything else.
///
/// Source: kubernetes/apimachinery `pkg/util/yaml/decoder.go`, `YAMLOrJSONDecoder`.
fn json_values(text: &str) -> Option<Vec<Chunk>> {
    let body = text.trim_start_matches(BYTE_ORDER_MARK);
    if !body.trim_start().starts_with('{') {
        return None;
    }
    let base = text.len() - body.len();
    let mut values = serde_json::Deserializer::from_str(body).into_iter::<serde::de::IgnoredAny>();
    let mut chunks = Vec::new();
    let mut start = 0;
    while let Some(value) = values.next() {
        value.ok()?;
        let end = values.byte_offset();
        chunks.push(Chunk { span: span(base + start, base + end), problems: Vec::new() });
        start = end;
    }
    (chunks.len() > 1).then_some(chunks)
}

fn span(start: usize, end: usize) -> Span {
    Span::new(start as u32, end as u32)
}

/// Offsets of the lines that begin with `---`.
fn separators(text: &str) -> Vec<usize> {
    let bytes = text.as_bytes();
    let first = if text.starts_with(BYTE_ORDER_MARK) { BYTE_ORDER_MARK.len_utf8() } else { 0 };
    let finder = memchr::memmem::find_iter(bytes, b"---");
    let mut found = Vec::new();
    for at in finder {
        let at_line_start = at == first || matches!(bytes[at.saturating_sub(1)], b'\n' | b'\r') && at > 0;
        if at_line_start && found.last().is_none_or(|&last| at >= last + 3) {
            found.push(at);
        }
    }
    found
}

/// What stands behind the dashes of a separator line, unless it is blank or a comment.
fn text_behind_separator(text: &str, at: usize) -> Option<Span> {
    let line = text[at..].split(['\n', '\r']).next().unwrap_or_default();
    let rest = &line[3..];
    let trimmed = rest.trim();
    if trimmed.is_empty() || rest.starts_with([' ', '\t']) && trimmed.starts_with('#') {
        return None;
    }
    let start = at + 3 + (rest.len() - rest.trim_start().len());
    Some(span(start, start + trimmed.len()))
}

/// The first `%` line, when a text consists of directives, comments and blank lines only.
fn directive(text: &str, base: usize) -> Option<Span> {
    let mut found = None;
    let mut at = base;
    for line in text.split_inclusive(['\n', '\r']) {
        let content = line.trim_end().trim_start_matches(BYTE_ORDER_MARK);
        if content.starts_with('%') {
            let start = at + line.len() - line.trim_start_matches(BYTE_ORDER_MARK).len();
            found.get_or_insert(span(start, start + content.len()));
        } else if !content.is_empty() && !content.trim_start().starts_with('#') {
            return None;
        }
        at += line.len();
    }
    found
}
