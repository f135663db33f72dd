//! What a fix changes, line by line.

use crate::fix::{Edit, Fix};
use crate::source::Source;
use crate::span::{ColumnUnit, LineIndex, Span};

/// Neighbouring lines that change. Old lines have their numbers before the fix, new ones after it.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Hunk {
    /// The line above, where lines are only added.
    pub(super) above: Option<(u32, String)>,
    pub(super) old: Vec<(u32, String)>,
    pub(super) new: Vec<(u32, String)>,
}

impl Hunk {
    /// The largest line number in it.
    pub(super) fn last_line(&self) -> u32 {
        self.above.iter().chain(&self.old).chain(&self.new).map(|&(number, _)| number).max().unwrap_or(0)
    }
}

/// The hunks of a fix, in order. Edits that overlap the one before are left out, as when fixes are applied.
pub(super) fn hunks(source: &Source, fix: &Fix) -> Vec<Hunk> {
    let mut groups: Vec<Group<'_>> = Vec::new();
    let mut done = 0;
    for Edit { span, text } in &fix.edits {
        let span = clamp(source, *span);
        if span.start < done {
            continue;
        }
        done = span.end;
        let line_of = |offset| source.position(offset, ColumnUnit::Scalars).line;
        let (first, last) = (line_of(span.start), line_of(span.end));
        match groups.last_mut() {
            Some(group) if first <= group.last => {
                group.last = group.last.max(last);
                group.edits.push((span, text));
            }
            _ => groups.push(Group { first, last, edits: vec![(span, text)] }),
        }
    }

    let mut added = 0;
    groups.iter().filter_map(|group| hunk(source, group, &mut added)).collect()
}

/// Edits on the same lines, `first` to `last`.
struct Group<'a> {
    first: u32,
    last: u32,
    edits: Vec<(Span, &'a str)>,
}

/// One hunk, or none if only line ends change. `added` is the number of lines that hunks above add, less those they
/// remove.
fn hunk(source: &Source, group: &Group<'_>, added: &mut i64) -> Option<Hunk> {
    let &Group { first, last, ref edits } = group;
    let text = source.text.as_str();
    let lines = source.lines();
    let edge = |span: Option<&(Span, &str)>, line: u32| span.map_or(line, |(span, _)| span.start.min(line));
    let from = edge(edits.first(), lines.line(text, first).start);
    let to = edits.iter().map(|(span, _)| span.end).fold(lines.line(text, last).end, u32::max);

    let mut after = String::new();
    let mut at = from;
    for (span, replacement) in edits {
        after += Span::new(at, span.start).text(text);
        after += replacement;
        at = span.end;
    }
    after += Span::new(at, to).text(text);

    let before = split(Span::new(from, to).text(text));
    let after = split(&after);
    let same_above = before.iter().zip(&after).take_while(|(old, new)| old == new).count();
    let rest = before.len().min(after.len()) - same_above;
    let same_below = before.iter().rev().zip(after.iter().rev()).take(rest).take_while(|(old, new)| old == new).count();

    let number = |base: i64, lines: &[String]| -> Vec<(u32, String)> {
        let base = base + i64::from(first) + same_above as i64;
        let changed = &lines[same_above..lines.len() - same_below];
        changed.iter().enumerate().map(|(at, line)| ((base + at as i64) as u32, line.clone())).collect()
    };
    let (old, new) = (number(0, &before), number(*added, &after));
    *added += after.len() as i64 - before.len() as i64;
    if old.is_empty() && new.is_empty() {
        return None;
    }
    let line_above = (first + same_above as u32).saturating_sub(1);
    let above =
        (old.is_empty() && line_above > 0).then(|| (line_above, lines.line(text, line_above).text(text).to_owned()));
    Some(Hunk { above, old, new })
}

fn split(text: &str) -> Vec<String> {
    let lines = LineIndex::new(text);
    (1..=lines.lines()).map(|number| lines.line(text, number).text(text).to_owned()).collect()
}

/// The span with both ends inside the text and between characters.
fn clamp(source: &Source, span: Span) -> Span {
    let floor = |offset| Span::new(0, offset).text(&source.text).len() as u32;
    let start = floor(span.start);
    Span::new(start, floor(span.end).max(start))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fix::Safety;

    fn hunks_of(text: &str, edits: &[(&str, &str)]) -> Vec<Hunk> {
        let edits = edits
            .iter()
            .map(|(old, new)| {
                let start = text.find(old).unwrap() as u32;
                Edit { span: Span::new(start, start + old.len() as u32), text: (*new).to_owned() }
            })
            .collect();
        hunks(&Source::new("a.yaml", text), &Fix { title: "mend".into(), safety: Safety::Safe, edits })
    }

    fn lines(lines: &[(u32, &str)]) -> Vec<(u32, String)> {
        lines.iter().map(|&(number, line)| (number, line.to_owned())).collect()
    }

    #[test]
    fn a_changed_value_is_one_old_and_one_new_line() {
        let hunks = hunks_of("a: 1\nb: 2\nc: 3\n", &[("2", "20")]);
        assert_eq!(hunks, [Hunk { above: None, old: lines(&[(2, "b: 2")]), new: lines(&[(2, "b: 20")]) }]);
    }

    #[test]
    fn an_added_line_stands_below_the_line_it_follows() {
        let hunks = hunks_of("a: 1\r\nb: 2\r\n", &[("1", "1\r\nnew: x")]);
        assert_eq!(hunks, [Hunk { above: Some((1, "a: 1".into())), old: vec![], new: lines(&[(2, "new: x")]) }]);
        let hunks = hunks_of("a: 1\nb: 2\n", &[("", "new: x\n")]);
        assert_eq!(hunks, [Hunk { above: None, old: vec![], new: lines(&[(1, "new: x")]) }]);
    }

    #[test]
    fn a_removed_line_moves_the_numbers_of_those_below() {
        let hunks = hunks_of("a: 1\nb: 2\nc: 3\nd: 4\n", &[("b: 2\n", ""), ("4", "5")]);
        assert_eq!(hunks[0], Hunk { above: None, old: lines(&[(2, "b: 2")]), new: vec![] });
        assert_eq!(hunks[1], Hunk { above: None, old: lines(&[(4, "d: 4")]), new: lines(&[(3, "d: 5")]) });
    }

    #[test]
    fn edits_on_one_line_are_one_hunk_and_line_ends_alone_are_none() {
        let hunks = hunks_of("a: 1, b: 2\n", &[("1", "3"), ("2", "4")]);
        assert_eq!(hunks, [Hunk { above: None, old: lines(&[(1, "a: 1, b: 2")]), new: lines(&[(1, "a: 3, b: 4")]) }]);
        assert_eq!(hunks_of("a: 1\r\nb", &[("\r\n", "\n")]), []);
    }
}
