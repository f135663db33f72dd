//! One line a finding: `path:line:col: level[rule] message`. Lines and columns count from 1, columns in Unicode
//! scalar values.

use std::io;

use super::terminal::{Paint, one_line};
use super::{Options, source_of};
use crate::finding::Finding;
use crate::lint::Outcome;
use crate::span::ColumnUnit;

pub(super) fn write(outcome: &Outcome, options: &Options, out: &mut dyn io::Write) -> io::Result<()> {
    outcome.findings.iter().try_for_each(|finding| writeln!(out, "{}", line(outcome, finding, options)))
}

fn line(outcome: &Outcome, finding: &Finding, options: &Options) -> String {
    let paint = Paint::new(options.color);
    let source = source_of(outcome, finding);
    let at = source.position(finding.span.start, ColumnUnit::Scalars);
    let path = paint.bold(&one_line(&source.path));
    let level = paint.level(finding.level, &format!("{}[{}]", finding.level.name(), finding.rule));
    let message = paint.quoted(&one_line(&finding.message));
    format!("{path}:{}:{}: {level} {message}", at.line, at.column)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::sample;

    fn text(outcome: &Outcome, options: &Options) -> String {
        let mut out = Vec::new();
        write(outcome, options, &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn a_finding_is_one_line_with_columns_in_characters() {
        let outcome = sample::outcome();
        let text = text(&outcome, &Options::default());
        assert_eq!(text.lines().count(), outcome.findings.len());
        let first = text.lines().next().unwrap();
        assert!(
            first.starts_with("deploy/web.yaml:20:31: error[success-threshold-not-one] `livenessProbe`"),
            "{first}"
        );
    }

    #[test]
    fn a_message_with_line_ends_stays_one_line() {
        let mut outcome = sample::outcome();
        outcome.findings.truncate(1);
        outcome.findings[0].message = "one\r\ntwo\x1b[2J".into();
        let text = text(&outcome, &Options { color: false, ..Options::default() });
        assert!(text.ends_with("] one two␛[2J\n"), "{text}");
    }

    #[test]
    fn colours_are_written_only_on_request() {
        assert!(!text(&sample::outcome(), &Options::default()).contains('\x1b'));
        assert!(text(&sample::outcome(), &Options { color: true, ..Options::default() }).contains("\x1b[1;31merror"));
    }
}
