//! The few ways in which a YAML text is changed. Each keeps indentation, quoting, line ends and comments of everything
//! else, and answers `None` where that cannot be done.

use super::Edit;
use crate::span::Span;

/// Another text in place of a span.
pub fn replace(span: Span, text: impl Into<String>) -> Edit {
    Edit { span, text: text.into() }
}

/// Takes an entry out of a map: its whole lines in a block map, with the comma that parts it from its neighbour in a
/// flow map. `None` for the first entry behind a `- `, and for one that shares its line with others.
pub fn remove_entry(source: &str, map: Span, key: Span, value: Span) -> Option<Edit> {
    let entry = key.to(value);
    if is_flow(source, map) {
        let after = &source[entry.end as usize..map.end as usize];
        let blank = after.len() - after.trim_start().len();
        if after.trim_start().starts_with(',') {
            let behind_comma = &after[blank + 1..];
            let skip = blank + 1 + (behind_comma.len() - behind_comma.trim_start_matches(' ').len());
            return Some(replace(Span::new(entry.start, entry.end + skip as u32), ""));
        }
        let before = &source[map.start as usize..entry.start as usize];
        let kept = before.trim_end();
        let comma = kept.strip_suffix(',').map(|rest| rest.len());
        let start = comma.map_or(entry.start, |length| map.start + length as u32);
        return Some(replace(Span::new(start, entry.end), ""));
    }
    let line_start = line_start(source, entry.start);
    if !source[line_start as usize..entry.start as usize].trim().is_empty() {
        return None;
    }
    // A block collection below its key, or a scalar: the last line of the entry ends behind an optional comment.
    let end = line_end(source, entry.end.max(key.end));
    Some(replace(Span::new(line_start, next_line(source, end)), ""))
}

/// Adds an entry behind another one of the same map, its name quoted if the other's is. In a block map it gets a line of
/// its own at the other's column. `None` when the other's column cannot be seen.
pub fn insert_entry(source: &str, map: Span, key: Span, value: Span, name: &str, text: &str) -> Option<Edit> {
    let end = value.end.max(key.end);
    let entry = format!("{}: {text}", quoted_like(source, key, name));
    if is_flow(source, map) {
        return Some(replace(Span::at(end), format!(", {entry}")));
    }
    let indentation = column_as_blanks(source, key.start)?;
    let at = line_end(source, end);
    let line_break = line_break(source);
    Some(replace(Span::at(at), format!("{line_break}{indentation}{entry}")))
}

/// A text with the quotes that stand around another one, as JSON needs them.
pub fn quoted_like(source: &str, other: Span, text: &str) -> String {
    match other.text(source).chars().next() {
        Some(quote @ ('"' | '\'')) => format!("{quote}{text}{quote}"),
        _ => text.to_owned(),
    }
}

/// Adds an item behind another one of the same list, quoted if the other is. In a block list it gets a line of its own
/// at the other's dash. `None` when that dash does not start its line.
pub fn insert_item(source: &str, list: Span, item: Span, text: &str) -> Option<Edit> {
    let text = quoted_like(source, item, text);
    if is_flow(source, list) {
        return Some(replace(Span::at(item.end), format!(", {text}")));
    }
    let start = line_start(source, item.start);
    let before = &source[start as usize..item.start as usize];
    let indentation = before.len() - before.trim_start_matches(' ').len();
    if before[indentation..].trim_end() != "-" {
        return None;
    }
    let at = line_end(source, item.end);
    Some(replace(Span::at(at), format!("{}{}- {text}", line_break(source), &before[..indentation])))
}

/// Puts lines before the line of a block entry, at its column. `lines` have no indentation of their own for their first
/// level. `None` when the entry does not start its line.
pub fn insert_lines_before(source: &str, key: Span, lines: &[String]) -> Option<Edit> {
    let start = line_start(source, key.start);
    let indentation = &source[start as usize..key.start as usize];
    if !indentation.trim().is_empty() {
        return None;
    }
    let line_break = line_break(source);
    let text = lines.iter().map(|line| format!("{indentation}{line}{line_break}")).collect::<String>();
    Some(replace(Span::at(start), text))
}

/// Whether a map or list is written with brackets.
pub fn is_flow(source: &str, collection: Span) -> bool {
    collection.text(source).starts_with(['{', '['])
}

/// The line break that the text uses.
pub fn line_break(source: &str) -> &'static str {
    match memchr::memchr2(b'\n', b'\r', source.as_bytes()) {
        Some(at) if source.as_bytes()[at] == b'\r' => {
            if source.as_bytes().get(at + 1) == Some(&b'\n') {
                "\r\n"
            } else {
                "\r"
            }
        }
        _ => "\n",
    }
}

/// Offset where the line of `at` starts.
pub fn line_start(source: &str, at: u32) -> u32 {
    let bytes = &source.as_bytes()[..(at as usize).min(source.len())];
    memchr::memrchr2(b'\n', b'\r', bytes).map_or(0, |found| found as u32 + 1)
}

/// Offset where the line of `at` ends, before its line break.
pub fn line_end(source: &str, at: u32) -> u32 {
    let at = (at as usize).min(source.len());
    memchr::memchr2(b'\n', b'\r', &source.as_bytes()[at..]).map_or(source.len(), |found| at + found) as u32
}

fn next_line(source: &str, end: u32) -> u32 {
    let rest = &source[end as usize..];
    let length = if rest.starts_with("\r\n") {
        2
    } else if rest.starts_with(['\n', '\r']) {
        1
    } else {
        0
    };
    end + length
}

/// As many blanks as stand (or would stand, for `- ` and the like) before a place in its line.
fn column_as_blanks(source: &str, at: u32) -> Option<String> {
    let start = line_start(source, at);
    let before = &source[start as usize..at as usize];
    let is_introduced = before.chars().all(|character| matches!(character, ' ' | '-' | '\u{feff}'));
    is_introduced.then(|| " ".repeat(before.trim_start_matches('\u{feff}').len()))
}

/// Applies edits of one source. Edits that overlap an earlier one are left out, whole.
pub fn apply(source: &str, edits: &[Edit]) -> String {
    let mut sorted: Vec<&Edit> = edits.iter().collect();
    sorted.sort_by_key(|edit| (edit.span.start, edit.span.end));
    let mut out = String::with_capacity(source.len());
    let mut at = 0;
    for edit in sorted {
        if edit.span.start < at {
            continue;
        }
        out.push_str(Span::new(at, edit.span.start).text(source));
        out.push_str(&edit.text);
        at = edit.span.end;
    }
    out.push_str(Span::new(at, source.len() as u32).text(source));
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn span(source: &str, part: &str) -> Span {
        let start = source.find(part).expect("the part") as u32;
        Span::new(start, start + part.len() as u32)
    }

    #[test]
    fn a_block_entry_goes_with_its_line_and_comment() {
        let source = "a:\r\n  b: 1 # why\r\n  c: 2\r\n";
        let edit = remove_entry(source, span(source, "b: 1 # why\r\n  c: 2"), span(source, "b"), span(source, "1"));
        assert_eq!(apply(source, &[edit.expect("an edit")]), "a:\r\n  c: 2\r\n");
    }

    #[test]
    fn a_flow_entry_goes_with_its_comma() {
        let source = "a: {b: 1, c: 2}\n";
        let map = span(source, "{b: 1, c: 2}");
        let first = remove_entry(source, map, span(source, "b"), span(source, "1"));
        assert_eq!(apply(source, &[first.expect("an edit")]), "a: {c: 2}\n");
        let last = remove_entry(source, map, span(source, "c"), span(source, "2"));
        assert_eq!(apply(source, &[last.expect("an edit")]), "a: {b: 1}\n");
    }

    #[test]
    fn the_entry_behind_a_dash_is_left_alone() {
        let source = "- b: 1\n  c: 2\n";
        assert_eq!(remove_entry(source, span(source, "b: 1\n  c: 2"), span(source, "b"), span(source, "1")), None);
    }

    #[test]
    fn an_entry_is_added_at_its_siblings_column() {
        let source = "- b: 1 # x\n";
        let edit = insert_entry(source, span(source, "b: 1"), span(source, "b"), span(source, "1"), "c", "2");
        assert_eq!(apply(source, &[edit.expect("an edit")]), "- b: 1 # x\n  c: 2\n");
        let source = "{b: 1}";
        let edit = insert_entry(source, span(source, "{b: 1}"), span(source, "b"), span(source, "1"), "c", "2");
        assert_eq!(apply(source, &[edit.expect("an edit")]), "{b: 1, c: 2}");
    }

    #[test]
    fn an_item_is_added_at_its_siblings_dash() {
        let source = "c:\r\n  - a # x\r\n  - b\r\n";
        let edit = insert_item(source, span(source, "- a # x\r\n  - b"), span(source, "a"), "-f");
        assert_eq!(apply(source, &[edit.expect("an edit")]), "c:\r\n  - a # x\r\n  - -f\r\n  - b\r\n");
        let source = "{\"c\": [\"a\", \"b\"]}";
        let edit = insert_item(source, span(source, "[\"a\", \"b\"]"), span(source, "\"a\""), "-f");
        assert_eq!(apply(source, &[edit.expect("an edit")]), "{\"c\": [\"a\", \"-f\", \"b\"]}");
        let source = "c: [a, b]";
        let edit = insert_item(source, span(source, "[a, b]"), span(source, "a"), "-f");
        assert_eq!(apply(source, &[edit.expect("an edit")]), "c: [a, -f, b]");
    }

    #[test]
    fn overlapping_edits_are_not_both_applied() {
        let edits = [replace(Span::new(0, 2), "x"), replace(Span::new(1, 3), "y")];
        assert_eq!(apply("abc", &edits), "xc");
    }
}
