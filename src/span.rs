//! Places in a source text, and nothing else: byte spans inside the program, lines and columns only where a report
//! or a protocol asks for them.

/// A half-open range of byte offsets into one source text, including a byte order mark if there is one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span {
    /// Offset of the first byte.
    pub start: u32,
    /// Offset one past the last byte; equal to `start` for a place between two characters.
    pub end: u32,
}

impl Span {
    /// The span of the bytes `start..end`.
    pub const fn new(start: u32, end: u32) -> Self {
        Self { start, end }
    }

    /// The empty span before the byte at `at`.
    pub const fn at(at: u32) -> Self {
        Self { start: at, end: at }
    }

    /// The smallest span that holds both.
    pub fn to(self, other: Self) -> Self {
        Self { start: self.start.min(other.start), end: self.end.max(other.end) }
    }

    /// Whether the spans share a byte, or one is empty and lies inside or at an edge of the other.
    pub const fn touches(self, other: Self) -> bool {
        self.start <= other.end && other.start <= self.end
    }

    /// Whether `other` lies wholly inside this span.
    pub const fn contains(self, other: Self) -> bool {
        self.start <= other.start && other.end <= self.end
    }

    /// Length in bytes.
    pub const fn len(self) -> u32 {
        self.end.saturating_sub(self.start)
    }

    /// Whether the span holds no byte.
    pub const fn is_empty(self) -> bool {
        self.end <= self.start
    }

    /// The text of this span, clamped to character boundaries so that a stale span can never panic.
    pub fn text(self, source: &str) -> &str {
        let start = floor_boundary(source, self.start as usize);
        let end = floor_boundary(source, self.end as usize).max(start);
        &source[start..end]
    }
}

/// The nearest character boundary at or before `offset`.
fn floor_boundary(text: &str, offset: usize) -> usize {
    let mut offset = offset.min(text.len());
    while !text.is_char_boundary(offset) {
        offset -= 1;
    }
    offset
}

/// A value and the place it was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spanned<T> {
    /// The value.
    pub value: T,
    /// Where it stands.
    pub span: Span,
}

/// Number of a source in the run that reads it; findings and labels point at sources with it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SourceId(pub u32);

/// What a column counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColumnUnit {
    /// Unicode scalar values: what people count and what terminals and editors show.
    Scalars,
    /// UTF-16 code units: the default of SARIF and LSP.
    Utf16,
}

/// A line and a column, both counted from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position {
    /// 1-based line.
    pub line: u32,
    /// 1-based column in the [`ColumnUnit`] that was asked for.
    pub column: u32,
}

/// The byte order mark that some editors put at the start of a file. It is part of no line.
pub const BYTE_ORDER_MARK: char = '\u{feff}';

/// Where each line of a text starts. Lines end at `\n`, `\r\n` or a lone `\r`, as in YAML and LSP.
#[derive(Clone, Debug)]
pub struct LineIndex {
    starts: Vec<u32>,
}

impl LineIndex {
    /// Reads the line starts of `text` once.
    pub fn new(text: &str) -> Self {
        let first = if text.starts_with(BYTE_ORDER_MARK) { BYTE_ORDER_MARK.len_utf8() } else { 0 };
        let mut starts = vec![first as u32];
        let bytes = text.as_bytes();
        for at in memchr::memchr2_iter(b'\n', b'\r', bytes) {
            let is_half_of_pair = bytes[at] == b'\r' && bytes.get(at + 1) == Some(&b'\n');
            if !is_half_of_pair {
                starts.push(at as u32 + 1);
            }
        }
        Self { starts }
    }

    /// The 1-based line and column of a byte offset; an offset past the end is taken as the end.
    pub fn position(&self, text: &str, offset: u32, unit: ColumnUnit) -> Position {
        let offset = offset.min(text.len() as u32);
        let line = self.starts.partition_point(|&start| start <= offset).max(1);
        let start = self.starts[line - 1].min(offset);
        let before = Span::new(start, offset).text(text);
        let column = match unit {
            ColumnUnit::Scalars => before.chars().count(),
            ColumnUnit::Utf16 => before.chars().map(char::len_utf16).sum(),
        };
        Position { line: line as u32, column: column as u32 + 1 }
    }

    /// The bytes of a 1-based line without its line end; an empty span at the end for a line that does not exist.
    pub fn line(&self, text: &str, line: u32) -> Span {
        let end_of_text = text.len() as u32;
        let Some(&start) = self.starts.get((line as usize).saturating_sub(1)) else {
            return Span::at(end_of_text);
        };
        let next = self.starts.get(line as usize).copied().unwrap_or(end_of_text);
        let body = Span::new(start, next).text(text);
        Span::new(start, start + body.trim_end_matches(['\n', '\r']).len() as u32)
    }

    /// How many lines there are; a text without any line end has one.
    pub fn lines(&self) -> u32 {
        self.starts.len() as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str, offset: u32, unit: ColumnUnit) -> (u32, u32) {
        let position = LineIndex::new(text).position(text, offset, unit);
        (position.line, position.column)
    }

    #[test]
    fn columns_count_characters_or_utf16_units_but_never_bytes() {
        let text = "a: é🙂x";
        assert_eq!(at(text, 9, ColumnUnit::Scalars), (1, 6));
        assert_eq!(at(text, 9, ColumnUnit::Utf16), (1, 7));
    }

    #[test]
    fn every_kind_of_line_end_starts_one_line() {
        let text = "a\r\nb\rc\nd";
        assert_eq!(at(text, 3, ColumnUnit::Scalars), (2, 1));
        assert_eq!(at(text, 5, ColumnUnit::Scalars), (3, 1));
        assert_eq!(at(text, 7, ColumnUnit::Scalars), (4, 1));
        let index = LineIndex::new(text);
        assert_eq!(index.line(text, 1).text(text), "a");
        assert_eq!(index.line(text, 4).text(text), "d");
    }

    #[test]
    fn a_byte_order_mark_takes_no_column() {
        let text = "\u{feff}kind: Pod";
        assert_eq!(at(text, 3, ColumnUnit::Scalars), (1, 1));
        assert_eq!(at(text, 0, ColumnUnit::Utf16), (1, 1));
    }

    #[test]
    fn offsets_inside_a_character_or_past_the_end_are_clamped() {
        let text = "é";
        assert_eq!(at(text, 1, ColumnUnit::Scalars), (1, 1));
        assert_eq!(at(text, 99, ColumnUnit::Scalars), (1, 2));
        assert_eq!(Span::new(1, 99).text(text), "é");
    }
}
