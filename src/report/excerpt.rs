//! Chooses the few lines of a source that a finding needs to show, and hands them to the renderer. The renderer's own
//! way to find lines reads the source from its start for every finding; here the line index answers, and the
//! renderer sees no text but the excerpt.

use miette::{MietteError, MietteSpanContents, SourceCode, SourceSpan, SpanContents};

use super::terminal::{char_width, printable};
use crate::source::Source;
use crate::span::{BYTE_ORDER_MARK, ColumnUnit, Position, Span};

/// Lines shown above and below a marked one: in YAML the key above tells more than the line below.
const LINES_BEFORE: u32 = 2;
const LINES_AFTER: u32 = 1;
/// Runs of lines that have at most this many lines between them are shown as one.
const BRIDGED_LINES: u32 = 1;
/// A finding over more lines than this is drawn on its first line only, and so is a label over more than one.
const MOST_MARKED_LINES: u32 = 6;
/// Cut lines keep at least this many columns.
const LEAST_COLUMNS: usize = 40;

/// A place to point at.
#[derive(Debug)]
pub(super) struct Mark {
    pub(super) span: Span,
    /// What is to be seen there; may be empty.
    pub(super) text: String,
    /// Whether it is the finding itself.
    pub(super) primary: bool,
}

/// A run of lines and the marks in it.
#[derive(Debug)]
pub(super) struct Excerpt {
    /// The source's name as it is to be shown.
    name: String,
    first_line: u32,
    /// The lines, fit for a terminal, each with a `\n`.
    text: String,
    pub(super) marks: Vec<Placed>,
}

/// A mark with its range of bytes in the excerpt's text.
#[derive(Debug)]
pub(super) struct Placed {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) mark: Mark,
    /// Where it stands in the source.
    at: Position,
}

/// How to show lines.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fit {
    /// Columns to which long lines are cut; 0 keeps them whole.
    pub(super) columns: usize,
    /// What stands for the parts cut off.
    pub(super) ellipsis: &'static str,
}

impl Excerpt {
    /// The number of the last line.
    pub(super) fn last_line(&self) -> u32 {
        self.first_line + (self.text.matches('\n').count() as u32).saturating_sub(1)
    }

    /// Columns to the left of the middle of a mark, where its text is drawn.
    pub(super) fn column(&self, placed: &Placed) -> usize {
        let before = &self.text[..placed.start];
        let line_start = before.rfind('\n').map_or(0, |at| at + 1);
        let marked = &self.text[placed.start..placed.end];
        columns(&before[line_start..]) + columns(marked) / 2
    }

    /// The finding itself, if it stands here.
    pub(super) fn primary(&self) -> Option<&Placed> {
        self.marks.iter().find(|placed| placed.mark.primary)
    }

    /// Whether the finding is drawn here as a stroke under a part of one line and without text of its own.
    pub(super) fn has_bare_primary(&self) -> bool {
        let lines = |placed: &Placed| self.text[placed.start..placed.end].contains('\n');
        self.primary().is_some_and(|placed| placed.mark.text.is_empty() && !lines(placed))
    }
}

/// Excerpts of one source in the order of its lines, with the marks in the order of their places, and marks that fell
/// on a part of a line that had to be cut off.
pub(super) fn excerpts(source: &Source, name: &str, marks: Vec<Mark>, fit: Fit) -> (Vec<Excerpt>, Vec<Mark>) {
    let mut places: Vec<_> = marks.into_iter().map(|mark| Place::of(source, mark)).collect();
    places.sort_by_key(|place| (place.mark.span.start, !place.mark.primary));
    // A label that starts where the finding does says what the finding is: one mark is clearer than two strokes.
    places.dedup_by(|label, finding| {
        let is_same = finding.mark.primary
            && finding.mark.text.is_empty()
            && finding.first == finding.last
            && label.mark.span.start == finding.mark.span.start;
        if is_same {
            finding.mark.text = std::mem::take(&mut label.mark.text);
        }
        is_same
    });

    let mut runs: Vec<(u32, u32, Vec<Place>)> = Vec::new();
    for place in places {
        let (first, last) = place.with_context(source);
        match runs.last_mut() {
            Some(run) if first <= run.1.saturating_add(BRIDGED_LINES + 1) => {
                run.1 = run.1.max(last);
                run.2.push(place);
            }
            _ => runs.push((first, last, vec![place])),
        }
    }

    let mut unseen = Vec::new();
    let excerpts = runs
        .into_iter()
        .map(|(first, last, places)| cut_out(source, name, first, last, places, fit, &mut unseen))
        .collect();
    (excerpts, unseen)
}

/// A mark and the lines it is drawn on. Its span is clamped to the text.
struct Place {
    mark: Mark,
    first: u32,
    last: u32,
}

impl Place {
    fn of(source: &Source, mut mark: Mark) -> Self {
        let text = source.text.as_str();
        let text_start = if text.starts_with(BYTE_ORDER_MARK) { BYTE_ORDER_MARK.len_utf8() as u32 } else { 0 };
        let start = floor(text, mark.span.start.max(text_start));
        let end = floor(text, mark.span.end).max(start);
        // Line ends and blanks at the end of a span belong to the file's layout, not to the fault.
        let kept = Span::new(start, end).text(text).trim_end().len() as u32;
        mark.span = Span::new(start, start + kept);
        let line_of = |offset| source.position(offset, ColumnUnit::Scalars).line;
        let first = line_of(mark.span.start);
        let mut last = line_of(mark.span.end);
        if last - first >= if mark.primary { MOST_MARKED_LINES } else { 1 } {
            mark.span.end = source.lines().line(text, first).end.max(start);
            last = first;
        }
        Self { mark, first, last }
    }

    /// The lines to show, without blank ones at the edges.
    fn with_context(&self, source: &Source) -> (u32, u32) {
        let lines = source.lines();
        let is_blank = |line| lines.line(&source.text, line).text(&source.text).trim().is_empty();
        let mut first = self.first.saturating_sub(LINES_BEFORE).max(1);
        let mut last = (self.last + LINES_AFTER).min(lines.lines());
        while first < self.first && is_blank(first) {
            first += 1;
        }
        while last > self.last && is_blank(last) {
            last -= 1;
        }
        (first, last)
    }
}

fn cut_out(
    source: &Source,
    name: &str,
    first: u32,
    last: u32,
    places: Vec<Place>,
    fit: Fit,
    unseen: &mut Vec<Mark>,
) -> Excerpt {
    let mut text = String::new();
    let mut drawn: Vec<_> = places.into_iter().map(|place| (place, 0, 0, true)).collect();
    for number in first..=last {
        let line = source.lines().line(&source.text, number);
        let within = |place: &Place| {
            let start = if place.first == number { place.mark.span.start.saturating_sub(line.start) } else { 0 };
            let end = if place.last == number { place.mark.span.end.saturating_sub(line.start) } else { line.len() };
            (start.min(line.len()) as usize, end.min(line.len()) as usize)
        };
        let here = |place: &Place| place.first <= number && number <= place.last;
        let focus = drawn
            .iter()
            .map(|(place, ..)| place)
            .filter(|place| here(place))
            .max_by_key(|place| (place.mark.primary, std::cmp::Reverse(place.mark.span.start)))
            .map_or((0, 0), within);
        let cut = Cut::new(line.text(&source.text), focus, fit);
        for (place, start, end, seen) in drawn.iter_mut().filter(|(place, ..)| here(place)) {
            let (from, to) = within(place);
            if place.first == number {
                *start = text.len() + cut.to_shown(from);
                *seen = place.last != number || cut.shows(from, to);
            }
            if place.last == number {
                *end = text.len() + cut.to_shown(to);
            }
        }
        cut.write(&mut text);
        text.push('\n');
    }

    let mut marks = Vec::new();
    for (place, start, end, seen) in drawn {
        if seen {
            let at = source.position(place.mark.span.start, ColumnUnit::Scalars);
            marks.push(Placed { start, end: end.max(start), mark: place.mark, at });
        } else {
            unseen.push(place.mark);
        }
    }
    Excerpt { name: name.to_owned(), first_line: first, text, marks }
}

/// The part of a line that fits.
struct Cut<'a> {
    line: &'a str,
    from: usize,
    to: usize,
    ellipsis: &'static str,
}

impl<'a> Cut<'a> {
    /// Keeps what lies around `focus`, a range of bytes.
    fn new(line: &'a str, focus: (usize, usize), fit: Fit) -> Self {
        let whole = Self { line, from: 0, to: line.len(), ellipsis: fit.ellipsis };
        let room = fit.columns.max(LEAST_COLUMNS) - 2 * fit.ellipsis.chars().count();
        if fit.columns == 0 || columns(line) <= room {
            return whole;
        }
        let mut from = 0;
        if columns(&line[..focus.1]) > room {
            from = focus.0;
            let mut lead = 0;
            for c in line[..focus.0].chars().rev() {
                lead += char_width(c);
                if lead > room / 3 {
                    break;
                }
                from -= c.len_utf8();
            }
        }
        let mut used = 0;
        let kept = line[from..].chars().take_while(|&c| {
            used += char_width(c);
            used <= room
        });
        let to = from + kept.map(char::len_utf8).sum::<usize>();
        Self { from, to, ..whole }
    }

    fn lead(&self) -> &'static str {
        if self.from > 0 { self.ellipsis } else { "" }
    }

    fn write(&self, out: &mut String) {
        *out += self.lead();
        *out += &printable(&self.line[self.from..self.to]);
        if self.to < self.line.len() {
            *out += self.ellipsis;
        }
    }

    /// Where a byte of the line stands in what is written.
    fn to_shown(&self, offset: usize) -> usize {
        self.lead().len() + printable(&self.line[self.from..offset.clamp(self.from, self.to)]).len()
    }

    fn shows(&self, start: usize, end: usize) -> bool {
        self.from <= start && end.min(start + 1) <= self.to
    }
}

/// A line cut to fit around `focus`, a range of its bytes between characters; for use outside excerpts.
pub(super) fn cut_line(line: &str, focus: (usize, usize), fit: Fit) -> String {
    let mut out = String::new();
    Cut::new(line, focus, fit).write(&mut out);
    out
}

fn columns(text: &str) -> usize {
    text.chars().map(char_width).sum()
}

/// The nearest character boundary at or before `offset`.
fn floor(text: &str, offset: u32) -> u32 {
    Span::new(0, offset).text(text).len() as u32
}

impl SourceCode for Excerpt {
    fn read_span<'a>(
        &'a self,
        span: &SourceSpan,
        lines_before: usize,
        lines_after: usize,
    ) -> Result<Box<dyn SpanContents<'a> + 'a>, MietteError> {
        // Without context lines the renderer asks only for the line and column of a mark, with them for the lines.
        let is_for_place = lines_before == 0 && lines_after == 0;
        let placed = self.marks.iter().find(|placed| is_for_place && placed.start == span.offset());
        let at = placed.map_or(Position { line: self.first_line, column: 1 }, |placed| placed.at);
        Ok(Box::new(MietteSpanContents::new_named(
            self.name.clone(),
            self.text.as_bytes(),
            (0, self.text.len()).into(),
            (at.line as usize).saturating_sub(1),
            (at.column as usize).saturating_sub(1),
            self.text.matches('\n').count(),
        )))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FIT: Fit = Fit { columns: 60, ellipsis: "…" };

    fn mark(start: u32, end: u32) -> Mark {
        Mark { span: Span::new(start, end), text: String::new(), primary: false }
    }

    fn marked(excerpt: &Excerpt) -> Vec<&str> {
        excerpt.marks.iter().map(|placed| &excerpt.text[placed.start..placed.end]).collect()
    }

    #[test]
    fn far_apart_marks_are_shown_apart_and_near_ones_together() {
        let text: String = (1..=600).map(|number| format!("line {number}\n")).collect();
        let source = Source::new("a.yaml", text);
        let start = |line| source.lines().line(&source.text, line).start;
        let marks = [3, 8, 550].map(|line| mark(start(line), start(line) + 4));
        let (excerpts, unseen) = excerpts(&source, "a.yaml", marks.into(), FIT);
        assert!(unseen.is_empty());
        let lines: Vec<_> = excerpts.iter().map(|excerpt| (excerpt.first_line, excerpt.last_line())).collect();
        assert_eq!(lines, [(1, 9), (548, 551)]);
        assert_eq!(marked(&excerpts[0]), ["line", "line"]);
    }

    #[test]
    fn marks_keep_their_text_when_characters_are_replaced() {
        let text = "\u{feff}a\r\nb\x1b[0m: é🙂\rc\r\n";
        let source = Source::new("a.yaml", text);
        let at = text.find('é').unwrap() as u32;
        let (excerpts, _) = excerpts(&source, "a.yaml", vec![mark(0, 4), mark(at, at + 6)], FIT);
        assert_eq!(excerpts[0].text, "a\nb␛[0m: é🙂\nc\n");
        assert_eq!(marked(&excerpts[0]), ["a", "é🙂"]);
        assert_eq!(excerpts[0].marks[1].at, Position { line: 2, column: 8 });
    }

    #[test]
    fn a_long_line_is_cut_around_the_finding_and_other_marks_on_it_are_returned() {
        let text = format!("{}NEEDLE{}", "x".repeat(5000), "y".repeat(5000));
        let source = Source::new("a.json", text);
        let finding = Mark { primary: true, ..mark(5000, 5006) };
        let (excerpts, unseen) = excerpts(&source, "a.json", vec![mark(3, 4), finding], FIT);
        assert_eq!(marked(&excerpts[0]), ["NEEDLE"]);
        assert!(excerpts[0].text.starts_with("…xxx") && excerpts[0].text.ends_with("yyy…\n"));
        assert!(columns(&excerpts[0].text) <= 60);
        assert_eq!(unseen.len(), 1);
        assert_eq!(unseen[0].span.start, 3);
    }

    #[test]
    fn a_mark_over_many_lines_is_drawn_on_its_first() {
        let text = "- one:\n".to_owned() + &"  more\n".repeat(50);
        let source = Source::new("a.yaml", text.clone());
        let (excerpts, _) = excerpts(&source, "a.yaml", vec![mark(2, text.len() as u32)], FIT);
        assert_eq!(marked(&excerpts[0]), ["one:"]);
        assert_eq!(excerpts[0].last_line(), 2);
    }

    #[test]
    fn an_empty_text_has_one_empty_line() {
        let (excerpts, _) = excerpts(&Source::new("a.yaml", ""), "a.yaml", vec![mark(7, 9)], FIT);
        assert_eq!(excerpts[0].text, "\n");
        assert_eq!(marked(&excerpts[0]), [""]);
    }
}
