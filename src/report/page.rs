//! Rule pages for people: Markdown laid out for a terminal, or as plain text.

use std::fmt::Write as _;

use pulldown_cmark::{CodeBlockKind, Event, HeadingLevel, Parser, Tag, TagEnd};

use super::Options;
use super::terminal::{Paint, link, one_line, printable, width, wrap};
use crate::finding::{Confidence, Level};
use crate::fix::Safety;
use crate::rules::Page;

/// Columns by which code and the items of lists are set in.
const STEP: usize = 4;
/// Pages are prose: lines longer than this are hard to read, however wide the terminal.
const MOST_COLUMNS: usize = 100;
const LEAST_COLUMNS: usize = 30;
/// No column of a table is made narrower than this to make the table fit.
const LEAST_CELL: usize = 12;

/// The page with a head that says what kind of rule it is.
pub(super) fn render(page: &Page, options: &Options) -> String {
    let paint = Paint::new(options.color);
    let level = paint.level(page.level, &format!("{}[{}]", page.level.name(), page.id));
    let fix = match page.fix {
        None => "no fix",
        Some(Safety::Safe) => "safe fix",
        Some(Safety::Unsafe) => "unsafe fix",
    };
    let confidence = match page.confidence {
        Confidence::High => "high confidence",
        Confidence::Medium => "medium confidence",
        Confidence::Low => "low confidence",
    };
    let dot = if options.unicode { " · " } else { " | " };
    let mut facts: Vec<_> =
        [page.group.as_str(), confidence, fix].into_iter().filter(|fact| !fact.is_empty()).collect();
    if page.level == Level::Advice {
        facts.push("shown with --profile strict");
    }
    let mut text = format!("{level}{}\n", paint.bold(&format!(": {}", one_line(&page.summary))));
    let _ = writeln!(text, "{}", paint.dim(&facts.join(dot)));
    let mut body = Layout::new(options);
    body.without_title = Some(&page.id);
    let body = body.lay_out(page.body);
    if !body.is_empty() {
        text.push('\n');
        text += &body;
    }
    text
}

/// Markdown as plain text.
pub(super) fn plain(markdown: &str) -> String {
    Layout::new(&Options { width: MOST_COLUMNS, ..Options::default() }).lay_out(markdown)
}

/// The text of the first paragraph, on one line; empty if there is none.
pub(super) fn first_paragraph(markdown: &str) -> String {
    let mut inside = false;
    let mut text = String::new();
    for event in parser(markdown) {
        match event {
            Event::Start(Tag::Paragraph) => inside = true,
            Event::End(TagEnd::Paragraph) => break,
            Event::Text(part) if inside => text += &part,
            Event::Code(part) if inside => text += &format!("`{part}`"),
            Event::SoftBreak | Event::HardBreak if inside => text.push(' '),
            _ => {}
        }
    }
    one_line(&text)
}

fn parser(markdown: &str) -> Parser<'_> {
    Parser::new_ext(markdown, pulldown_cmark::Options::ENABLE_TABLES)
}

/// The state of laying out one page.
struct Layout<'a> {
    paint: Paint,
    unicode: bool,
    links: bool,
    /// Columns of a line; 0 means no limit.
    columns: usize,
    /// A heading of the first level with this text is left out.
    without_title: Option<&'a str>,
    out: String,
    /// Text of the block being read, with colours.
    block: String,
    /// The same text without them.
    bare: String,
    /// Graphic renditions that are on, innermost last.
    styles: Vec<&'static str>,
    /// What each line starts with, one entry for each list item or quotation around it.
    indents: Vec<String>,
    /// What the first line of an item starts with instead of its last indent.
    bullet: Option<String>,
    /// The number of the next item, for each list; `None` for a list without numbers.
    lists: Vec<Option<u64>>,
    /// Whether a blank line must stand before the next block.
    apart: bool,
    /// Where links lead that are open.
    targets: Vec<String>,
    code: Option<String>,
    table: Vec<Vec<String>>,
}

impl<'a> Layout<'a> {
    fn new(options: &Options) -> Self {
        Self {
            paint: Paint::new(options.color),
            unicode: options.unicode,
            links: options.links,
            columns: if options.width == 0 { 0 } else { options.width.clamp(LEAST_COLUMNS, MOST_COLUMNS) },
            without_title: None,
            out: String::new(),
            block: String::new(),
            bare: String::new(),
            styles: Vec::new(),
            indents: Vec::new(),
            bullet: None,
            lists: Vec::new(),
            apart: false,
            targets: Vec::new(),
            code: None,
            table: Vec::new(),
        }
    }

    fn lay_out(mut self, markdown: &str) -> String {
        for event in parser(markdown) {
            self.event(event);
        }
        self.flush();
        self.out
    }

    fn event(&mut self, event: Event<'_>) {
        match event {
            Event::Start(tag) => self.start(tag),
            Event::End(tag) => self.end(tag),
            Event::Text(text) if self.code.is_some() => self.code.iter_mut().for_each(|code| *code += &text),
            Event::Text(text) | Event::InlineHtml(text) => self.words(&text),
            Event::Code(code) => {
                // Without colours the quotes keep code apart from words.
                let code = if self.paint.is_on() { code.to_string() } else { format!("`{code}`") };
                self.styles.push("36");
                self.words(&code);
                self.styles.pop();
            }
            Event::SoftBreak => self.words(" "),
            Event::HardBreak => self.block.push('\n'),
            Event::Rule => {
                self.separate();
                let columns = if self.columns == 0 { MOST_COLUMNS } else { self.columns };
                let line = self.paint.dim(&self.stroke().repeat(columns.saturating_sub(self.indent().len())));
                self.line(&line);
                self.apart = true;
            }
            _ => {}
        }
    }

    fn start(&mut self, tag: Tag<'_>) {
        match tag {
            Tag::Heading { .. } => {
                self.flush();
                self.styles.push("1");
            }
            Tag::Paragraph => self.flush(),
            Tag::Emphasis => self.styles.push("3"),
            Tag::Strong => self.styles.push("1"),
            Tag::Link { dest_url, .. } => {
                self.styles.push("4");
                self.targets.push(dest_url.to_string());
            }
            Tag::BlockQuote(_) => {
                self.flush();
                self.separate();
                let bar = if self.unicode { "│ " } else { "| " };
                self.indents.push(self.paint.dim(bar));
            }
            Tag::CodeBlock(kind) => {
                self.flush();
                self.separate();
                if let CodeBlockKind::Fenced(info) = &kind
                    && let Some(role) = info.split_whitespace().nth(1)
                {
                    self.role(role);
                }
                self.code = Some(String::new());
            }
            Tag::List(first) => {
                self.flush();
                // A list in an item belongs to it; another one is a block of its own.
                if self.lists.is_empty() {
                    self.separate();
                }
                self.apart = false;
                self.lists.push(first);
            }
            Tag::Item => {
                let bullet = match self.lists.last_mut() {
                    Some(Some(number)) => {
                        let bullet = format!("{number}. ");
                        *number += 1;
                        bullet
                    }
                    _ if self.unicode => "• ".to_owned(),
                    _ => "* ".to_owned(),
                };
                self.indents.push(" ".repeat(width(&bullet)));
                self.bullet = Some(bullet);
            }
            Tag::Table(_) => {
                self.flush();
                self.separate();
            }
            Tag::TableHead | Tag::TableRow => self.table.push(Vec::new()),
            _ => {}
        }
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Heading(level) => self.heading(level),
            TagEnd::Paragraph => self.flush(),
            TagEnd::Emphasis | TagEnd::Strong => {
                self.styles.pop();
            }
            TagEnd::Link => {
                self.styles.pop();
                let target = self.targets.pop().unwrap_or_default();
                // Where the text is a link itself, `words` has made it one.
                if !self.links && !self.bare.ends_with(&target) {
                    self.words(&format!(" ({target})"));
                }
            }
            TagEnd::BlockQuote(_) => {
                self.flush();
                self.indents.pop();
                self.apart = true;
            }
            TagEnd::CodeBlock => self.code_block(),
            TagEnd::Item => {
                self.flush();
                self.indents.pop();
                self.bullet = None;
                self.apart = false;
            }
            TagEnd::List(_) => {
                self.lists.pop();
                self.apart = self.lists.is_empty();
            }
            TagEnd::TableCell => {
                self.bare.clear();
                let cell = std::mem::take(&mut self.block);
                self.table.last_mut().into_iter().for_each(|row| row.push(cell.trim().to_owned()));
            }
            TagEnd::Table => self.write_table(),
            _ => {}
        }
    }

    /// Adds text to the block. Each word has its colours to itself, so that lines can be broken between any two.
    fn words(&mut self, text: &str) {
        let text = printable(text).replace('\t', " ");
        self.bare += &text;
        for (number, word) in text.split(' ').enumerate() {
            if number > 0 {
                self.block.push(' ');
            }
            let mut word = self.paint.with(&self.styles.join(";"), word);
            if let Some(target) = self.targets.last()
                && self.links
                && !word.is_empty()
            {
                word = link(target, &word);
            }
            self.block += &word;
        }
    }

    fn indent(&self) -> String {
        self.indents.concat()
    }

    const fn stroke(&self) -> &'static str {
        if self.unicode { "─" } else { "-" }
    }

    /// Writes the blank line that is due.
    fn separate(&mut self) {
        if self.apart {
            let blank = self.indent();
            self.out += blank.trim_end();
            self.out.push('\n');
            self.apart = false;
        }
    }

    fn line(&mut self, text: &str) {
        let indent = self.first_indent();
        self.out += format!("{indent}{text}").trim_end();
        self.out.push('\n');
    }

    /// What the next line starts with; an item's bullet is used once.
    fn first_indent(&mut self) -> String {
        match (self.bullet.take(), self.indents.split_last()) {
            (Some(bullet), Some((_, outer))) => outer.concat() + &bullet,
            _ => self.indent(),
        }
    }

    /// Ends the paragraph being read, if there is one.
    fn flush(&mut self) {
        self.bare.clear();
        let block = std::mem::take(&mut self.block);
        if block.trim().is_empty() {
            return;
        }
        self.separate();
        for part in block.split('\n') {
            let (first, rest) = (self.first_indent(), self.indent());
            self.out += &wrap(part, self.columns, &first, &rest);
            self.out.push('\n');
        }
        self.apart = true;
    }

    fn heading(&mut self, level: HeadingLevel) {
        self.styles.pop();
        let bare = self.bare.trim().trim_matches('`').to_owned();
        if level == HeadingLevel::H1 && self.without_title == Some(bare.as_str()) {
            self.block.clear();
            self.bare.clear();
            return;
        }
        let columns = width(&self.block);
        self.flush();
        // Without bold type, strokes make a heading.
        if !self.paint.is_on() && level <= HeadingLevel::H2 {
            let stroke = if level == HeadingLevel::H1 { "=" } else { "-" };
            self.line(&stroke.repeat(columns));
        }
    }

    /// What an example stands for: the second word of its fence.
    fn role(&mut self, role: &str) {
        let codes = match role {
            "bad" => "31",
            "good" | "fixed" => "32",
            _ => "2",
        };
        let label = self.paint.with(codes, &format!("{}:", one_line(role)));
        self.line(&label);
    }

    fn code_block(&mut self) {
        let code = self.code.take().unwrap_or_default();
        for line in code.trim_end_matches('\n').split('\n') {
            let line = printable(line.trim_end_matches('\r')).replace('\t', &" ".repeat(STEP));
            let line = self.paint.dim(&line);
            self.line(&format!("{}{line}", " ".repeat(STEP)));
        }
        self.apart = true;
    }

    /// Writes the table in columns, with cells broken into lines where the table would be too wide.
    fn write_table(&mut self) {
        const GAP: usize = 2;
        let rows = std::mem::take(&mut self.table);
        let count = rows.iter().map(Vec::len).max().unwrap_or(0);
        let mut widths = vec![0; count];
        for row in &rows {
            for (at, cell) in row.iter().enumerate() {
                widths[at] = widths[at].max(width(cell));
            }
        }
        let room = self.columns.saturating_sub(width(&self.indent()) + GAP * count.saturating_sub(1));
        while self.columns > 0 && widths.iter().sum::<usize>() > room {
            match widths.iter_mut().max() {
                Some(widest) if *widest > LEAST_CELL => *widest -= 1,
                _ => break,
            }
        }
        for (number, row) in rows.iter().enumerate() {
            let cells: Vec<Vec<String>> = widths
                .iter()
                .enumerate()
                .map(|(at, &columns)| {
                    let cell = row.get(at).map_or("", String::as_str);
                    wrap(cell, columns, "", "").split('\n').map(str::to_owned).collect()
                })
                .collect();
            for line in 0..cells.iter().map(Vec::len).max().unwrap_or(0) {
                let mut text = String::new();
                for (cell, &columns) in cells.iter().zip(&widths) {
                    let part = cell.get(line).map_or("", String::as_str);
                    let painted = if number == 0 { self.paint.bold(part) } else { part.to_owned() };
                    let _ = write!(text, "{painted}{}", " ".repeat((columns + GAP).saturating_sub(width(part))));
                }
                self.line(text.trim_end());
            }
            if number == 0 {
                let strokes: Vec<_> = widths.iter().map(|&columns| self.stroke().repeat(columns)).collect();
                let strokes = self.paint.dim(&strokes.join(&" ".repeat(GAP)));
                self.line(&strokes);
            }
        }
        self.apart = true;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BODY: &str = "\
# success-threshold-not-one

The API server **rejects** a probe whose `successThreshold` is not 1, and with it the *whole* object, so
that nothing of the file is rolled out. See
[the reference](https://kubernetes.io/docs/reference/).

| probe | allowed |
|-------|---------|
| `livenessProbe` | 1 |
| `readinessProbe` | 1 or more, in a cell that is long enough to need more than one line in the table |

> Refused at admission, so no container restarts, and no probe of the running version changes either.

## Bad

```yaml bad
livenessProbe:
  successThreshold: 3
```
";

    fn page() -> Page {
        Page {
            id: "success-threshold-not-one".into(),
            summary: "A liveness probe asks for more than one success".into(),
            group: "rejected".into(),
            level: Level::Error,
            confidence: Confidence::High,
            applies_to: Vec::new(),
            fix: Some(Safety::Safe),
            supersedes: Vec::new(),
            since: "0.1.0".into(),
            body: BODY,
        }
    }

    fn narrow(columns: usize, markdown: &str) -> String {
        Layout::new(&Options { width: columns, ..Options::default() }).lay_out(markdown)
    }

    #[test]
    fn a_page_starts_with_what_kind_of_rule_it_is_and_not_with_its_title_again() {
        let text = render(&page(), &Options::default());
        assert!(text.starts_with(
            "error[success-threshold-not-one]: A liveness probe asks for more than one success\n\
             rejected · high confidence · safe fix\n\nThe API server"
        ));
        assert!(text.contains("either.\n\nBad\n---\n\nbad:\n    livenessProbe:\n"), "{text}");
    }

    #[test]
    fn no_line_of_prose_or_tables_is_wider_than_the_terminal() {
        for color in [false, true] {
            let text = render(&page(), &Options { width: 60, color, ..Options::default() });
            let wide: Vec<_> = text.lines().skip(1).filter(|line| width(line) > 60).collect();
            assert!(wide.is_empty(), "{wide:#?}");
        }
    }

    #[test]
    fn plain_text_has_no_colours_and_quotes_its_code() {
        let text = plain("Set **`a`** to *one*, see [the page](https://example.org/p).\n");
        assert_eq!(text, "Set `a` to one, see the page (https://example.org/p).\n");
        assert!(text.is_ascii());
    }

    #[test]
    fn addresses_hide_behind_their_text_where_links_work() {
        let text =
            Layout::new(&Options { links: true, ..Options::default() }).lay_out("[the page](https://example.org/p)\n");
        assert!(text.contains("\x1b]8;;https://example.org/p\x1b\\the\x1b]8;;") && !text.contains('('), "{text:?}");
        assert_eq!(width(text.trim_end()), "the page".len());
    }

    #[test]
    fn lists_are_set_in_and_wrapped_under_their_text() {
        let text = narrow(30, "Before:\n\n- one two three four five six seven\n- b\n  1. c\n  2. d\n\nAfter\n");
        assert_eq!(text, "Before:\n\n• one two three four five six\n  seven\n• b\n  1. c\n  2. d\n\nAfter\n");
    }

    #[test]
    fn table_cells_are_wrapped_in_their_columns() {
        let text = narrow(40, "| a | b |\n|---|---|\n| x | one two three four five six seven eight nine |\n");
        assert_eq!(text.lines().next(), Some("a  b"));
        assert_eq!(text.lines().nth(3), Some("   eight nine"));
        let text = narrow(40, "| head |\n|---|\n");
        assert_eq!(text, "head\n────\n");
    }

    #[test]
    fn colours_are_closed_on_every_line() {
        let text = Layout::new(&Options { color: true, width: 30, ..Options::default() })
            .lay_out("**one two three four five six seven eight** `nine ten`\n");
        for line in text.lines() {
            assert_eq!(
                line.matches("\x1b[1m").count() + line.matches("\x1b[36m").count(),
                line.matches("\x1b[0m").count()
            );
        }
    }

    #[test]
    fn the_first_paragraph_is_found_below_a_heading() {
        assert_eq!(first_paragraph("# Title\n\nOne `two`\nthree **four**.\n\nNext.\n"), "One `two` three four.");
        assert_eq!(first_paragraph(""), "");
    }

    #[test]
    fn odd_markdown_does_not_panic() {
        for text in [
            "",
            "- ",
            "> - 1. x",
            "| a\n|-\n| b | c |",
            "```yaml bad",
            "[](x)",
            "# \x1b[2J",
            "***",
            "- a\n\n  b\n\n      c",
        ] {
            let page = narrow(1, text);
            assert!(!page.contains('\x1b'));
        }
    }
}
