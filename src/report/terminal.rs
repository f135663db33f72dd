//! What a terminal can show: colours, lines of a given width, and no control character that came from a linted file.

use std::borrow::Cow;

use unicode_width::UnicodeWidthChar;

use crate::finding::Level;

/// Columns that a tab takes at most.
pub(super) const TAB: usize = 4;

/// Puts colours around text, or leaves it as it is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Paint {
    on: bool,
}

impl Paint {
    pub(super) const fn new(on: bool) -> Self {
        Self { on }
    }

    pub(super) const fn is_on(self) -> bool {
        self.on
    }

    /// `text` with the graphic rendition `codes`, as in "1;31"; no codes leave it plain.
    pub(super) fn with(self, codes: &str, text: &str) -> String {
        if self.on && !codes.is_empty() && !text.is_empty() {
            format!("\x1b[{codes}m{text}\x1b[0m")
        } else {
            text.to_owned()
        }
    }

    pub(super) fn bold(self, text: &str) -> String {
        self.with("1", text)
    }

    pub(super) fn dim(self, text: &str) -> String {
        self.with("2", text)
    }

    /// In the colour of a level, bold.
    pub(super) fn level(self, level: Level, text: &str) -> String {
        self.with(
            match level {
                Level::Error => "1;31",
                Level::Warning => "1;33",
                Level::Advice => "1;36",
            },
            text,
        )
    }

    /// Text with its `quoted` parts set apart from the rest.
    pub(super) fn quoted(self, text: &str) -> String {
        if !self.on || !text.matches('`').count().is_multiple_of(2) {
            return text.to_owned();
        }
        let mut parts = text.split('`');
        let mut painted = parts.next().unwrap_or_default().to_owned();
        while let (Some(inside), Some(outside)) = (parts.next(), parts.next()) {
            let words: Vec<_> = format!("`{inside}`").split(' ').map(|word| self.with("36", word)).collect();
            painted += &words.join(" ");
            painted += outside;
        }
        painted
    }
}

/// Text without anything that would steer the terminal: control characters become visible ones, and marks that turn
/// the direction of text become replacement characters. Tabs stay.
pub(super) fn printable(text: &str) -> Cow<'_, str> {
    if !text.contains(steers) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.chars().map(|c| if steers(c) { visible(c) } else { c }).collect())
}

fn steers(c: char) -> bool {
    (c.is_control() && c != '\t')
        || matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}')
}

fn visible(c: char) -> char {
    match c {
        '\0'..='\x1f' => char::from_u32(0x2400 + c as u32).unwrap_or('?'),
        '\x7f' => '\u{2421}',
        _ => char::REPLACEMENT_CHARACTER,
    }
}

/// Printable text on one line: line ends and the blanks around them become one space.
pub(super) fn one_line(text: &str) -> String {
    let lines: Vec<_> = text.split(['\n', '\r']).map(str::trim).filter(|line| !line.is_empty()).collect();
    printable(&lines.join(" ")).replace('\t', " ")
}

/// Columns that a character takes.
pub(super) fn char_width(c: char) -> usize {
    if c == '\t' { TAB } else { c.width().unwrap_or(0) }
}

/// Columns that text takes, not counting escape sequences.
pub(super) fn width(text: &str) -> usize {
    let mut columns = 0;
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        if c != '\x1b' {
            columns += char_width(c);
            continue;
        }
        // Colours end with `m`; links end with an escape and a backslash.
        if chars.next() == Some('[') {
            chars.by_ref().find(|&c| c == 'm');
        } else {
            chars.by_ref().find(|&c| c == '\x1b');
            chars.next();
        }
    }
    columns
}

/// Breaks text at its spaces so that no line is wider than `columns`, if words allow; 0 columns mean no limit. The
/// first line starts with `first`, the others with `rest`. There is no line end after the last line.
pub(super) fn wrap(text: &str, columns: usize, first: &str, rest: &str) -> String {
    let mut wrapped = String::from(first);
    let mut used = width(first);
    let mut at_start = true;
    for word in text.split(' ').filter(|word| !word.is_empty()) {
        let wide = width(word);
        if !at_start && columns > 0 && used + 1 + wide > columns {
            wrapped.push('\n');
            wrapped += rest;
            used = width(rest);
            at_start = true;
        }
        if !at_start {
            wrapped.push(' ');
            used += 1;
        }
        wrapped += word;
        used += wide;
        at_start = false;
    }
    wrapped
}

/// A hyperlink for terminals that know them; others show the text alone.
pub(super) fn link(target: &str, text: &str) -> String {
    format!("\x1b]8;;{target}\x1b\\{text}\x1b]8;;\x1b\\")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_of_a_file_do_not_reach_the_terminal() {
        assert_eq!(printable("a\x1b[31mb\u{9b}c\td"), "a␛[31mb\u{fffd}c\td");
        assert_eq!(printable("name: \u{202e}txt"), "name: \u{fffd}txt");
        assert_eq!(one_line(" first \r\n\n second\tpart "), "first second part");
    }

    #[test]
    fn escape_sequences_take_no_columns() {
        assert_eq!(width("\x1b[1;31mé🙂\x1b[0m"), 3);
        assert_eq!(width(&link("https://example.org/a", "text")), 4);
        assert_eq!(width("\x1b"), 0);
    }

    #[test]
    fn text_is_broken_at_spaces_and_long_words_stay_whole() {
        assert_eq!(wrap("one two three", 9, "> ", "  "), "> one two\n  three");
        assert_eq!(wrap("unbreakable", 4, "", ""), "unbreakable");
        assert_eq!(wrap("a b c", 0, "", ""), "a b c");
    }

    #[test]
    fn quoted_parts_keep_their_colour_when_they_are_wrapped() {
        assert_eq!(Paint::new(true).quoted("set `a b`"), "set \x1b[36m`a\x1b[0m \x1b[36mb`\x1b[0m");
        assert_eq!(Paint::new(true).quoted("one ` alone"), "one ` alone");
        assert_eq!(Paint::new(false).quoted("`a`"), "`a`");
    }
}
