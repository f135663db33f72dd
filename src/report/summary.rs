//! The closing lines of a report for people: what was found, in how much, and what that does not cover.

use super::Options;
use super::terminal::Paint;
use crate::finding::Level;
use crate::lint::{Outcome, Summary};

/// The summary, each line with its line end.
pub(super) fn render(outcome: &Outcome, options: &Options) -> String {
    let paint = Paint::new(options.color);
    let summary = &outcome.summary;
    let mut lines = vec![headline(outcome, paint)];
    if !summary.not_checked.is_empty() {
        let kinds: Vec<_> = summary.not_checked.iter().map(|kind| count(kind.count, kind.what)).collect();
        lines.push(format!("{} {}", paint.with("33", "not checked:"), kinds.join(", ")));
    }
    if summary.suppressed > 0 {
        lines.push(format!("{} suppressed", count(summary.suppressed, "finding")));
    }
    if summary.hidden_advice > 0 {
        lines.push(format!("{} hidden; show with --profile strict", count(summary.hidden_advice, "piece of advice")));
    }
    lines.push(String::new());
    lines.join("\n")
}

fn headline(outcome: &Outcome, paint: Paint) -> String {
    let summary = &outcome.summary;
    let levels: Vec<_> = [(Level::Error, "error"), (Level::Warning, "warning"), (Level::Advice, "piece of advice")]
        .into_iter()
        .map(|(level, noun)| (level, outcome.count(level), noun))
        .filter(|&(_, number, _)| number > 0)
        .map(|(level, number, noun)| paint.level(level, &count(number, noun)))
        .collect();
    let files = count(summary.files, "file");
    if !levels.is_empty() {
        return match checked(summary) {
            Some(checked) => format!("found {}: checked {checked} ({files})", list(&levels)),
            None => format!("found {} ({files})", list(&levels)),
        };
    }
    let some_not_checked = summary.not_checked.iter().any(|kind| kind.count > 0);
    match checked(summary) {
        Some(checked) if some_not_checked => {
            format!("{} in what could be checked: {checked} ({files})", paint.with("1;32", "no problems found"))
        }
        Some(checked) => format!("{}: checked {checked} ({files})", paint.with("1;32", "no problems found")),
        None if summary.files == 0 => "no files to check".to_owned(),
        None => format!("no workloads found in {files}"),
    }
}

/// How much was checked; `None` if that was nothing.
fn checked(summary: &Summary) -> Option<String> {
    match (summary.probes, summary.workloads) {
        (0, 0) => None,
        // Probes may stand outside a workload, as in the values of a chart.
        (probes, 0) => Some(count(probes, "probe")),
        (probes, workloads) => Some(format!("{} in {}", count(probes, "probe"), count(workloads, "workload"))),
    }
}

/// "one", "one and two", "one, two and three".
fn list(items: &[String]) -> String {
    match items {
        [init @ .., last] if !init.is_empty() => format!("{} and {last}", init.join(", ")),
        _ => items.concat(),
    }
}

/// A number with its noun, in the plural unless the number is one: "2 pieces of advice".
pub(super) fn count(number: u32, noun: &str) -> String {
    if number == 1 { format!("1 {noun}") } else { format!("{number} {}", plural(noun)) }
}

/// The plural of a noun phrase. What follows a preposition belongs to the noun before it and stays as it is.
fn plural(phrase: &str) -> String {
    let head = [" of ", " with ", " without ", " that ", " in ", " from "]
        .iter()
        .filter_map(|preposition| phrase.find(preposition))
        .min()
        .unwrap_or(phrase.len());
    let (noun, rest) = phrase.split_at(head);
    let before_y = noun.strip_suffix('y').filter(|stem| !stem.ends_with(['a', 'e', 'o', 'u']));
    match before_y {
        Some(stem) => format!("{stem}ies{rest}"),
        None if noun.ends_with(['s', 'x']) || noun.ends_with("ch") || noun.ends_with("sh") => {
            format!("{noun}es{rest}")
        }
        None => format!("{noun}s{rest}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lint::NotChecked;
    use crate::report::sample;

    fn text(summary: Summary) -> String {
        render(&Outcome { summary, ..Outcome::default() }, &Options::default())
    }

    #[test]
    fn a_clean_run_says_so_in_one_line() {
        let summary = Summary { files: 3, workloads: 5, probes: 12, ..Summary::default() };
        assert_eq!(text(summary), "no problems found: checked 12 probes in 5 workloads (3 files)\n");
        let summary = Summary { files: 1, workloads: 1, probes: 1, ..Summary::default() };
        assert_eq!(text(summary), "no problems found: checked 1 probe in 1 workload (1 file)\n");
        let summary = Summary { files: 1, probes: 2, ..Summary::default() };
        assert_eq!(text(summary), "no problems found: checked 2 probes (1 file)\n");
    }

    #[test]
    fn nothing_to_check_is_no_success() {
        assert_eq!(text(Summary { files: 3, ..Summary::default() }), "no workloads found in 3 files\n");
        assert_eq!(text(Summary::default()), "no files to check\n");
        let not_checked = vec![NotChecked { what: "Helm template", count: 2, paths: Vec::new() }];
        assert_eq!(
            text(Summary { files: 1, not_checked, ..Summary::default() }),
            "no workloads found in 1 file\nnot checked: 2 Helm templates\n"
        );
    }

    #[test]
    fn what_was_left_out_is_counted_by_kind() {
        let not_checked = vec![
            NotChecked { what: "Helm template", count: 4, paths: Vec::new() },
            NotChecked { what: "broken document", count: 1, paths: Vec::new() },
        ];
        let summary = Summary {
            files: 7,
            workloads: 2,
            probes: 3,
            not_checked,
            suppressed: 1,
            hidden_advice: 3,
            ..Summary::default()
        };
        assert_eq!(
            text(summary),
            "no problems found in what could be checked: 3 probes in 2 workloads (7 files)\n\
             not checked: 4 Helm templates, 1 broken document\n\
             1 finding suppressed\n\
             3 pieces of advice hidden; show with --profile strict\n"
        );
    }

    #[test]
    fn findings_are_counted_by_level() {
        let outcome = sample::outcome();
        let text = render(&outcome, &Options::default());
        assert!(
            text.starts_with(
                "found 1 error, 2 warnings and 1 piece of advice: checked 4 probes in 2 workloads (2 files)\n"
            ),
            "{text}"
        );
    }

    #[test]
    fn plurals_are_those_of_the_first_noun() {
        assert_eq!(count(2, "piece of advice"), "2 pieces of advice");
        assert_eq!(count(0, "directory"), "0 directories");
        assert_eq!(count(2, "patch without a target"), "2 patches without a target");
        assert_eq!(count(1, "patch"), "1 patch");
    }
}
