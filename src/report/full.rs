//! The report for people: what is wrong, where, why it hurts and what to write instead. The snippets are drawn by
//! miette; everything around them is written here.

use std::fmt::{self, Write as _};
use std::io;

use miette::{
    Diagnostic, GraphicalReportHandler, GraphicalTheme, LabeledSpan, SourceCode, ThemeCharacters, ThemeStyles,
};

use super::excerpt::{Excerpt, Fit, Mark, cut_line, excerpts};
use super::sarif::uri;
use super::suggestion::{Hunk, hunks};
use super::terminal::{Paint, TAB, link, one_line, width, wrap};
use super::{Options, source, source_of};
use crate::finding::{Confidence, Finding, Level};
use crate::fix::{Fix, Safety};
use crate::lint::Outcome;
use crate::source::Source;
use crate::span::{ColumnUnit, SourceId};

/// A fix that changes more lines than this is shown in part.
const MOST_SUGGESTED_LINES: usize = 24;
/// Columns of the frame around source text, besides the line number.
const FRAME: usize = 4;
/// Columns of the stroke that leads from a mark to its text.
const LABEL_LEAD: usize = 5;
/// Text is not wrapped to fewer columns than this, however narrow the terminal.
const LEAST_TEXT: usize = 30;
/// The graphic rendition code of blue, the colour of labels.
const LABEL_COLOR: &str = "34";

pub(super) fn write(outcome: &Outcome, options: &Options, out: &mut dyn io::Write) -> io::Result<()> {
    for finding in &outcome.findings {
        writeln!(out, "{}", Layout::new(options).finding(outcome, finding))?;
    }
    Ok(())
}

/// How one finding is laid out.
struct Layout<'a> {
    options: &'a Options,
    paint: Paint,
    characters: ThemeCharacters,
}

impl<'a> Layout<'a> {
    fn new(options: &'a Options) -> Self {
        let characters = if options.unicode {
            ThemeCharacters { underline: '━', underbar: '┯', ..ThemeCharacters::unicode() }
        } else {
            ThemeCharacters { underline: '^', underbar: '^', ..ThemeCharacters::ascii() }
        };
        Self { options, paint: Paint::new(options.color), characters }
    }

    /// The finding with a line end after its last line.
    fn finding(&self, outcome: &Outcome, finding: &Finding) -> String {
        let home = source_of(outcome, finding);
        let (excerpts, unseen) = self.excerpts(outcome, finding);
        let hunks = finding.fix.as_ref().map(|fix| hunks(home, fix)).unwrap_or_default();
        let last_line =
            excerpts.iter().map(Excerpt::last_line).chain(hunks.iter().map(Hunk::last_line)).max().unwrap_or(1);
        let digits = last_line.to_string().len();

        let mut text = self.title(finding);
        for (number, excerpt) in excerpts.iter().enumerate() {
            text += &self.snippet(excerpt, finding.level, digits, number > 0);
        }
        text += &self.bottom(finding, digits);
        for note in unseen {
            text += &self.remark(digits, "note", &note);
        }
        text += &self.remark(digits, "why", &finding.why);
        // Where the correction says it all, the advice would say it twice.
        if finding.fix.as_ref().is_none_or(|fix| fix.title != finding.help) {
            text += &self.remark(digits, "help", &finding.help);
        }
        if let Some(fix) = &finding.fix {
            text += &self.suggestion(fix, &hunks, digits);
        }
        text += &self.more(finding, digits);
        text
    }

    fn title(&self, finding: &Finding) -> String {
        let level = self.paint.level(finding.level, &format!("{}[{}]", finding.level.name(), finding.rule));
        format!("{level}{}\n", self.paint.bold(&format!(": {}", one_line(&finding.message))))
    }

    /// What to show: the run of lines with the finding first, then others of the same source, then other sources. And
    /// notes for places that could not be drawn.
    fn excerpts(&self, outcome: &Outcome, finding: &Finding) -> (Vec<Excerpt>, Vec<String>) {
        let mut groups: Vec<(SourceId, Vec<Mark>)> =
            vec![(finding.source, vec![Mark { span: finding.span, text: String::new(), primary: true }])];
        for label in &finding.labels {
            let mark = Mark { span: label.span, text: label.text.clone(), primary: false };
            match groups.iter_mut().find(|(id, _)| *id == label.source) {
                Some((_, marks)) => marks.push(mark),
                None => groups.push((label.source, vec![mark])),
            }
        }

        let (mut shown, mut notes) = (Vec::new(), Vec::new());
        for (id, marks) in groups {
            let home = source(outcome, id);
            let digits = home.lines().lines().to_string().len();
            let (found, unseen) = excerpts(home, &self.name(home), marks, self.fit(digits));
            shown.extend(found);
            notes.extend(unseen.iter().map(|mark| {
                let at = home.position(mark.span.start, ColumnUnit::Scalars);
                format!("{}:{}:{}: {}", one_line(&home.path), at.line, at.column, mark.text)
            }));
        }
        shown.sort_by_key(|excerpt| excerpt.primary().is_none());
        (shown, notes)
    }

    fn fit(&self, digits: usize) -> Fit {
        let columns = self.options.width.saturating_sub(digits + FRAME);
        // A width of 0 asks for whole lines; a width too small for the frame does not.
        let columns = if self.options.width == 0 { 0 } else { columns.max(1) };
        Fit { columns, ellipsis: if self.options.unicode { "…" } else { "..." } }
    }

    fn name(&self, source: &Source) -> String {
        let path = one_line(&source.path);
        match &self.options.directory {
            Some(directory) if self.options.links && !path.starts_with('<') => link(&file_url(directory, &path), &path),
            _ => path,
        }
    }

    /// The lines of an excerpt with their marks, framed at the top and the left.
    fn snippet(&self, excerpt: &Excerpt, level: Level, digits: usize, joined: bool) -> String {
        let snippet = Snippet { excerpt, columns: self.label_columns(digits) };
        let mut drawn = String::new();
        if self.renderer(excerpt, level).render_report(&mut drawn, &snippet).is_err() {
            return String::new();
        }
        // The first line has miette's title, which is empty here, and the last closes the frame.
        let lines: Vec<_> = drawn.lines().skip(1).collect();
        let lines = lines.split_last().map_or(&[][..], |(_, lines)| lines);
        let own_digits = excerpt.last_line().to_string().len();
        let indent = " ".repeat(digits.saturating_sub(own_digits));
        let mut text = String::new();
        for (number, line) in lines.iter().enumerate() {
            let mut line = self.with_strokes(line, excerpt.has_bare_primary());
            if number == 0 && joined {
                line = line.replacen(self.characters.ltop, &self.characters.lcross.to_string(), 1);
            }
            text += &indent;
            text += line.trim_end();
            text.push('\n');
        }
        text
    }

    /// A line from the renderer with thin strokes under the labels, so that the thick ones are the finding's even
    /// without colours. The renderer has one stroke for all; which mark one belongs to shows in its colour. It also
    /// draws a bar below each mark that stands left of a label's text; `without_bars` takes away the finding's, which
    /// leads nowhere if the finding has no text.
    fn with_strokes(&self, line: &str, without_bars: bool) -> String {
        let ThemeCharacters { underline, underbar, vbar, .. } = self.characters;
        let (thin, thin_bar) = if self.options.unicode { ("─", "┬") } else { ("-", "-") };
        let mut parts = line.split("\x1b[");
        let mut out = parts.next().unwrap_or_default().to_owned();
        for part in parts {
            let (codes, text) = part.split_once('m').unwrap_or(("", part));
            if self.options.color {
                out += &format!("\x1b[{codes}m");
            }
            let is_label = codes.split(';').any(|code| code == LABEL_COLOR);
            if is_label && text.chars().all(|c| c == underline || c == underbar || c == ' ') {
                out += &text.replace(underline, thin).replace(underbar, thin_bar);
            } else if without_bars && !is_label && text.chars().eq([vbar]) {
                out.push(' ');
            } else {
                out += text;
            }
        }
        out
    }

    fn renderer(&self, excerpt: &Excerpt, level: Level) -> GraphicalReportHandler {
        let ansi = ThemeStyles::ansi();
        let plain = ThemeStyles::none().link;
        let primary = match level {
            Level::Error => ansi.error,
            Level::Warning => ansi.warning,
            Level::Advice => ansi.advice,
        };
        let styles = excerpt.marks.iter().map(|placed| if placed.mark.primary { primary } else { plain.blue() }.bold());
        let styles = ThemeStyles { highlights: styles.collect(), link: plain.bold(), linum: plain.dimmed(), ..ansi };
        GraphicalReportHandler::new_themed(GraphicalTheme { characters: self.characters.clone(), styles })
            .without_syntax_highlighting()
            .with_links(false)
            .tab_width(TAB)
            .with_wrap_lines(false)
    }

    /// Columns for the text of a label, which stands somewhere to the right.
    fn label_columns(&self, digits: usize) -> usize {
        if self.options.width == 0 { 0 } else { self.options.width.saturating_sub(digits + FRAME).max(LEAST_TEXT) }
    }

    /// Closes the frame, with the name of what is at fault if it has one.
    fn bottom(&self, finding: &Finding, digits: usize) -> String {
        let ThemeCharacters { lbot, hbar, .. } = self.characters;
        let subject = one_line(&finding.subject);
        let edge = " ".repeat(digits + 2);
        if subject.is_empty() {
            format!("{edge}{lbot}{}\n", hbar.to_string().repeat(4))
        } else {
            format!("{edge}{lbot}{hbar} {}\n", self.paint.dim(&subject))
        }
    }

    /// `= head: text`, wrapped, with paragraphs one below the other; nothing for an empty text.
    fn remark(&self, digits: usize, head: &str, text: &str) -> String {
        if text.trim().is_empty() {
            return String::new();
        }
        let first = format!("{}= {} ", " ".repeat(digits + 2), self.paint.bold(&format!("{head}:")));
        let rest = " ".repeat(width(&first));
        let columns = match self.options.width {
            0 => 0,
            columns => columns.max(rest.len() + LEAST_TEXT),
        };
        let paragraphs = text.split(['\n', '\r']).map(one_line).filter(|paragraph| !paragraph.is_empty());
        let mut out = String::new();
        for (number, paragraph) in paragraphs.enumerate() {
            let lead = if number == 0 { &first } else { &rest };
            out += &wrap(&self.paint.quoted(&paragraph), columns, lead, &rest);
            out.push('\n');
        }
        out
    }

    fn suggestion(&self, fix: &Fix, hunks: &[Hunk], digits: usize) -> String {
        let safety = match fix.safety {
            Safety::Safe => "(safe fix)",
            Safety::Unsafe => "(unsafe fix: check before applying)",
        };
        let mut lines = Vec::new();
        for hunk in hunks {
            let focus = |side: &[(u32, String)], other: &[(u32, String)], at: usize| {
                let line = side[at].1.as_str();
                other.get(at).map_or((0, 0), |(_, other)| difference(line, other))
            };
            lines.extend(hunk.above.iter().map(|(number, line)| (*number, self.characters.vbar, line, (0, 0))));
            for (sign, side, other) in [('-', &hunk.old, &hunk.new), ('+', &hunk.new, &hunk.old)] {
                let side_lines = side.iter().enumerate();
                lines.extend(side_lines.map(|(at, (number, line))| (*number, sign, line, focus(side, other, at))));
            }
        }
        let mut out = self.remark(digits, "fix", &format!("{} {safety}", fix.title));
        for (number, sign, line, focus) in lines.iter().take(MOST_SUGGESTED_LINES) {
            // The renderer puts a tab stop every few columns; here a tab has the same width everywhere.
            let line = cut_line(line, *focus, self.fit(digits)).replace('\t', &" ".repeat(TAB));
            let changed = format!("{sign} {line}");
            let changed = changed.trim_end();
            let changed = match sign {
                '-' => self.paint.with("31", changed),
                '+' => self.paint.with("32", changed),
                _ => changed.to_owned(),
            };
            let _ = writeln!(out, " {} {changed}", self.paint.dim(&format!("{number:digits$}")));
        }
        if lines.len() > MOST_SUGGESTED_LINES {
            let _ = writeln!(out, "{}({} more lines)", " ".repeat(digits + 4), lines.len() - MOST_SUGGESTED_LINES);
        }
        out
    }

    fn more(&self, finding: &Finding, digits: usize) -> String {
        let confidence = match finding.confidence {
            Confidence::High => String::new(),
            confidence => format!(" ({} confidence)", confidence.name()),
        };
        let text = format!("more: probelint explain {}{confidence}", finding.rule);
        format!("{}= {}\n", " ".repeat(digits + 2), self.paint.dim(&text))
    }
}

/// The bytes of `line` that are not at its start or its end in `other` too.
fn difference(line: &str, other: &str) -> (usize, usize) {
    let pairs = line.chars().zip(other.chars());
    let start = pairs.take_while(|(a, b)| a == b).map(|(c, _)| c.len_utf8()).sum();
    let rest = line[start..].chars().rev().zip(other[start..].chars().rev());
    let end = line.len() - rest.take_while(|(a, b)| a == b).map(|(c, _)| c.len_utf8()).sum::<usize>();
    (start, end)
}

/// The address of a file whose path may be relative to `directory`.
fn file_url(directory: &str, path: &str) -> String {
    let whole = if path.starts_with('/') || path.get(1..3) == Some(":/") {
        path.to_owned()
    } else {
        format!("{}/{}", directory.trim_end_matches('/'), path.strip_prefix("./").unwrap_or(path))
    };
    uri(&whole)
}

/// What miette draws: an excerpt and its marks, without any text of its own around them.
#[derive(Debug)]
struct Snippet<'a> {
    excerpt: &'a Excerpt,
    /// Columns to which the texts of marks are wrapped; 0 keeps them on one line.
    columns: usize,
}

impl fmt::Display for Snippet<'_> {
    fn fmt(&self, _: &mut fmt::Formatter<'_>) -> fmt::Result {
        Ok(())
    }
}

impl std::error::Error for Snippet<'_> {}

impl Diagnostic for Snippet<'_> {
    fn source_code(&self) -> Option<&dyn SourceCode> {
        Some(self.excerpt)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        Some(Box::new(self.excerpt.marks.iter().map(|placed| {
            let text = one_line(&placed.mark.text);
            let room = self.columns.saturating_sub(self.excerpt.column(placed) + LABEL_LEAD).max(LEAST_TEXT);
            let room = if self.columns == 0 { 0 } else { room };
            let text = (!text.is_empty()).then(|| wrap(&text, room, "", ""));
            let span = (placed.start, placed.end - placed.start);
            if placed.mark.primary {
                LabeledSpan::new_primary_with_span(text, span)
            } else {
                LabeledSpan::new_with_span(text, span)
            }
        })))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::sample;
    use crate::span::Span;

    fn text(outcome: &Outcome, options: &Options) -> String {
        let mut out = Vec::new();
        write(outcome, options, &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    fn only(number: usize, options: &Options) -> String {
        let mut outcome = sample::outcome();
        outcome.findings = vec![outcome.findings.swap_remove(number)];
        text(&outcome, options)
    }

    #[test]
    fn a_finding_starts_with_its_level_rule_and_message_and_then_its_place() {
        let text = only(0, &Options::default());
        let mut lines = text.lines();
        assert_eq!(
            lines.next(),
            Some("error[success-threshold-not-one]: `livenessProbe` of container `app` has a `successThreshold` of 3")
        );
        assert_eq!(lines.next(), Some("    ╭─[deploy/web.yaml:20:31]"));
        assert!(text.contains(" 20 │             successThreshold: 3\n"));
        assert!(text.contains("    ╰─ Deployment/shop/web > app > livenessProbe\n"));
        assert!(text.ends_with("    = more: probelint explain success-threshold-not-one\n\n"));
    }

    #[test]
    fn a_fix_is_shown_as_old_and_new_lines() {
        let text = only(0, &Options::default());
        assert!(text.contains("    = fix: set `successThreshold` to 1 (safe fix)\n"), "{text}");
        assert!(
            text.contains(" 20 -             successThreshold: 3\n 20 +             successThreshold: 1\n"),
            "{text}"
        );
        let text = only(1, &Options::default());
        assert!(text.contains("(unsafe fix: check before applying)\n"), "{text}");
        assert!(
            text.contains(" 20 │             successThreshold: 3\n 21 +             failureThreshold: 5\n"),
            "{text}"
        );
    }

    #[test]
    fn a_change_far_along_a_long_line_is_shown() {
        let text = format!("{{{}\"successThreshold\": 3, {}}}", "\"a\": 1, ".repeat(500), "\"b\": 2, ".repeat(500));
        let at = text.find("3,").unwrap() as u32;
        let mut outcome = sample::outcome();
        outcome.findings.truncate(1);
        let finding = &mut outcome.findings[0];
        finding.span = Span::new(at, at + 1);
        finding.labels[0].span = Span::new(1, 4);
        finding.fix.as_mut().unwrap().edits[0].span = finding.span;
        outcome.sources[0] = Source::new("pod.json", text);
        let text = super::tests::text(&outcome, &Options::default());
        assert!(text.contains("\"successThreshold\": 1, \"b\""), "{text}");
        assert!(text.contains("= note: pod.json:1:2: only readiness"), "{text}");
        assert!(text.lines().all(|line| width(line) <= 100), "{text}");
    }

    #[test]
    fn a_label_where_the_finding_starts_becomes_its_text() {
        let mut outcome = sample::outcome();
        outcome.findings.truncate(1);
        let finding = &mut outcome.findings[0];
        finding.labels[0].span = finding.span;
        let text = super::tests::text(&outcome, &Options::default());
        assert!(
            text.contains("    ·                               ┯\n    ·                               ╰── only"),
            "{text}"
        );
    }

    #[test]
    fn no_bar_leads_from_a_finding_without_text_to_nowhere() {
        let mut outcome = sample::outcome();
        outcome.findings.truncate(1);
        let finding = &mut outcome.findings[0];
        finding.labels[0].span = finding.span;
        finding.span = Span::new(finding.span.start - 18, finding.span.start - 2);
        let text = super::tests::text(&outcome, &Options::default());
        assert!(text.contains("━━━━━━━━━━━━━━━━  ┬\n    ·                               ╰── only"), "{text}");
    }

    #[test]
    fn labels_in_another_source_are_shown_with_its_name() {
        let text = only(1, &Options::default());
        assert!(text.contains("    ├─[src/main/resources/größe 1.yaml:3:10]\n"), "{text}");
        assert!(text.contains("── the health endpoint includes the database here\n"), "{text}");
        let first = text.find("[deploy/web.yaml:17:21]").unwrap();
        assert!(first < text.find("[src/main/resources").unwrap());
    }

    #[test]
    fn lines_between_far_apart_labels_are_left_out() {
        let text = only(2, &Options::default());
        assert!(text.contains("[deploy/web.yaml:12:18]") && text.contains("[deploy/web.yaml:37:7]"), "{text}");
        assert!(!text.contains("Forty lines"), "{text}");
    }

    #[test]
    fn numbers_stand_in_one_column_whatever_their_length() {
        let text = only(1, &Options::default());
        let bars: Vec<_> = text
            .lines()
            .filter(|line| line.trim_start().starts_with(|c: char| c.is_ascii_digit()))
            .filter_map(|line| line.chars().position(|c| matches!(c, '│' | '+' | '-')))
            .collect();
        assert!(bars.len() > 8 && bars.iter().all(|&at| at == 4), "{text}");
    }

    #[test]
    fn reasons_are_wrapped_under_their_head() {
        let text = only(0, &Options { width: 60, ..Options::default() });
        let start = text.find("= why: ").unwrap();
        let why: Vec<_> = text[start..].lines().take(2).collect();
        assert!(why[1].starts_with("           ") && !why[1].trim().starts_with('='), "{text}");
        assert!(text.lines().skip(1).all(|line| width(line) <= 64), "{text}");
    }

    #[test]
    fn ascii_and_plain_mean_what_they_say() {
        let mut outcome = sample::outcome();
        outcome.findings.truncate(1);
        let text = text(&outcome, &Options { unicode: false, ..Options::default() });
        assert!(text.is_ascii(), "{text}");
        assert!(!text.contains('\x1b'));
        assert!(only(0, &Options { color: true, ..Options::default() }).contains("\x1b[1;31merror["));
    }

    #[test]
    fn paths_become_links_only_on_request() {
        let directory = Some("/home/user/shop".to_owned());
        let options = Options { links: true, directory, ..Options::default() };
        assert!(only(0, &options).contains("\x1b]8;;file:///home/user/shop/deploy/web.yaml\x1b\\deploy/web.yaml\x1b"));
        assert!(!only(0, &Options { links: false, ..options }).contains("file://"));
    }

    #[test]
    fn what_a_file_holds_cannot_steer_the_terminal() {
        for seed in 0..200 {
            let text = text(&sample::random(seed), &Options::default());
            assert!(text.chars().all(|c| !c.is_control() || matches!(c, '\n')), "{text:?}");
        }
    }
}
