//! SARIF 2.1.0, written for GitHub code scanning and valid for everyone else. Columns count UTF-16 code units, as the
//! standard's default has it; an end column is the one after the last character.

mod format;

use std::collections::HashMap;
use std::io;

use self::format::{
    ArtifactChange, ArtifactLocation, AutomationDetails, Base, Change, ChangeProperties, Configuration, Driver, Entry,
    Fingerprints, Help, Invocation, Location, Log, LogicalLocation, Notification, PhysicalLocation, Region,
    Replacement, ResultProperties, Rule, RuleProperties, Run, Text, Tool,
};
use super::fingerprint::{Identities, line_hashes};
use super::summary::count;
use super::{Options, page, source, source_of};
use crate::finding::{Confidence, Finding, Level};
use crate::fix::{Fix, Safety};
use crate::lint::Outcome;
use crate::rules::{self, Page};
use crate::source::Source;
use crate::span::{ColumnUnit, Span};

const SCHEMA: &str = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";
/// GitHub shows no more results of one run than this, and refuses a file with five times as many.
const MOST_RESULTS: usize = 5_000;
/// GitHub's limit for descriptions, in characters.
const MOST_DESCRIPTION: usize = 1_024;
/// A snippet longer than this many bytes is left out: in a file on one line each would repeat the file.
const MOST_SNIPPET: usize = 2_000;
const LINES_AROUND: u32 = 2;
/// The name for the root of the repository, which the report itself does not know.
const ROOT: &str = "%SRCROOT%";

pub(super) fn write(outcome: &Outcome, options: &Options, out: &mut dyn io::Write) -> io::Result<()> {
    serde_json::to_writer_pretty(&mut *out, &log(outcome, options))?;
    writeln!(out)
}

fn log<'a>(outcome: &'a Outcome, options: &'a Options) -> Log<'a> {
    let findings = most_important(&outcome.findings);
    let left_off = outcome.findings.len() - findings.len();
    let (rules, numbers) = rules_for(&findings);
    let mut results = Results::new(outcome, options, numbers);
    Log {
        schema: SCHEMA,
        version: "2.1.0",
        runs: [Run {
            tool: Tool {
                driver: Driver {
                    name: "probelint",
                    full_name: "probelint, a linter for Kubernetes health probes",
                    short_description: text("Finds health probes that cannot work or will do harm."),
                    information_uri: Some(env!("CARGO_PKG_REPOSITORY")).filter(|address| !address.is_empty()),
                    version: options.tool_version,
                    semantic_version: options.tool_version,
                    rules,
                },
            },
            invocations: [Invocation {
                execution_successful: outcome.unread.is_empty(),
                tool_execution_notifications: notifications(outcome, left_off),
            }],
            automation_details: AutomationDetails { id: "probelint/" },
            original_uri_base_ids: HashMap::from([(ROOT, Base { description: text("The root of the repository.") })]),
            column_kind: "utf16CodeUnits",
            newline_sequences: ["\r\n", "\n", "\r"],
            results: findings.into_iter().map(|finding| results.of(finding)).collect(),
        }],
    }
}

/// As many findings as the format's readers take, in their order. If there are more, the lower levels go first.
fn most_important(findings: &[Finding]) -> Vec<&Finding> {
    let mut room = MOST_RESULTS;
    let mut taken: Vec<_> = [Level::Error, Level::Warning, Level::Advice]
        .into_iter()
        .flat_map(|level| {
            let of_level = findings.iter().enumerate().filter(move |(_, finding)| finding.level == level);
            let of_level: Vec<_> = of_level.take(room).collect();
            room -= of_level.len();
            of_level
        })
        .collect();
    taken.sort_by_key(|&(number, _)| number);
    taken.into_iter().map(|(_, finding)| finding).collect()
}

fn notifications(outcome: &Outcome, left_off: usize) -> Vec<Notification> {
    let mut notifications = Vec::new();
    if left_off > 0 {
        let message =
            format!("{} left off: the report has room for {MOST_RESULTS}.", count(left_off as u32, "finding"));
        notifications.push(Notification { level: "warning", message: text(message) });
    }
    for error in &outcome.unread {
        let message = format!("{} could not be read: {}.", error.path, error.message);
        notifications.push(Notification { level: "error", message: text(message) });
    }
    for kind in &outcome.summary.not_checked {
        notifications.push(Notification {
            level: "note",
            message: text(format!("Not checked: {}.", count(kind.count, kind.what))),
        });
    }
    notifications
}

/// Every rule there is, then those that findings name although they have no page; and the number of each.
fn rules_for<'a>(findings: &[&'a Finding]) -> (Vec<Rule<'a>>, HashMap<&'a str, usize>) {
    let mut list: Vec<_> = rules::pages().iter().map(rule).collect();
    let mut numbers: HashMap<_, _> = list.iter().enumerate().map(|(number, rule)| (rule.id, number)).collect();
    for finding in findings {
        numbers.entry(finding.rule).or_insert_with(|| {
            list.push(rule_without_page(finding));
            list.len() - 1
        });
    }
    (list, numbers)
}

fn rule(page: &Page) -> Rule<'_> {
    let summary = sentence(&page.summary);
    let description = page::first_paragraph(page.body);
    let body = page.body.trim();
    Rule {
        id: &page.id,
        name: pascal_case(&page.id),
        full_description: text(shorten(if description.is_empty() { &summary } else { &description })),
        help: Help {
            text: if body.is_empty() { summary.clone() } else { page::plain(page.body) },
            markdown: if body.is_empty() { summary.clone() } else { body.to_owned() },
        },
        short_description: text(shorten(&summary)),
        default_configuration: Configuration { level: level(page.level) },
        properties: properties(&page.group, page.confidence, page.level),
    }
}

fn rule_without_page<'a>(finding: &Finding) -> Rule<'a> {
    let name = pascal_case(finding.rule);
    let description = format!("{}.", sentence(finding.rule).trim_end_matches('.').replace('-', " "));
    Rule {
        id: finding.rule,
        name,
        short_description: text(&*description),
        full_description: text(&*description),
        help: Help { text: description.clone(), markdown: description },
        default_configuration: Configuration { level: level(finding.level) },
        properties: properties("", finding.confidence, finding.level),
    }
}

fn properties(group: &str, confidence: Confidence, level: Level) -> RuleProperties<'_> {
    let tags = ["kubernetes", "health-probe", group].into_iter().filter(|tag| !tag.is_empty()).collect();
    let severity = match level {
        Level::Error => "error",
        Level::Warning => "warning",
        Level::Advice => "recommendation",
    };
    RuleProperties { tags, precision: confidence.name(), severity }
}

const fn level(level: Level) -> &'static str {
    match level {
        Level::Error => "error",
        Level::Warning => "warning",
        Level::Advice => "note",
    }
}

/// Turns findings into results, and remembers what must be counted or computed once.
struct Results<'a> {
    outcome: &'a Outcome,
    options: &'a Options,
    rule_numbers: HashMap<&'a str, usize>,
    /// By the number of the source.
    line_hashes: HashMap<u32, Vec<String>>,
    identities: Identities,
}

impl<'a> Results<'a> {
    fn new(outcome: &'a Outcome, options: &'a Options, rule_numbers: HashMap<&'a str, usize>) -> Self {
        Self { outcome, options, rule_numbers, line_hashes: HashMap::new(), identities: Identities::default() }
    }

    fn of(&mut self, finding: &'a Finding) -> Entry<'a> {
        let home = source_of(self.outcome, finding);
        let mut location = self.location(home, finding.span);
        if !finding.subject.is_empty() {
            location.logical_locations = Some([LogicalLocation { fully_qualified_name: &finding.subject }]);
        }
        let hashes = self.line_hashes.entry(finding.source.0).or_insert_with(|| line_hashes(&home.text));
        let physical = &location.physical_location;
        let line_hash = hashes.get((physical.region.start_line as usize).saturating_sub(1)).cloned();
        let identity = self.identities.next(finding, &physical.artifact_location.uri);
        let fix = finding.fix.as_ref().filter(|fix| !fix.edits.is_empty());
        Entry {
            rule_id: finding.rule,
            rule_index: self.rule_numbers.get(finding.rule).copied().unwrap_or_default(),
            level: level(finding.level),
            message: text(message(finding)),
            related_locations: self.related(finding),
            partial_fingerprints: Fingerprints { line_hash, identity },
            fixes: fix.map(|fix| change(home, fix, &physical.artifact_location)).into_iter().collect(),
            properties: ResultProperties { confidence: finding.confidence.name(), field_path: &finding.field_path },
            locations: [location],
        }
    }

    fn related(&self, finding: &'a Finding) -> Vec<Location<'a>> {
        let numbered = finding.labels.iter().enumerate();
        numbered
            .map(|(number, label)| Location {
                id: Some(number + 1),
                message: Some(text(sentence(&label.text))),
                ..self.location(source(self.outcome, label.source), label.span)
            })
            .collect()
    }

    fn location(&self, home: &Source, span: Span) -> Location<'a> {
        let path = match &self.options.sarif_uri {
            Some(to_relative) => to_relative(&home.path),
            None => home.path.clone(),
        };
        let uri = uri(&path);
        let uri_base_id = (!uri.starts_with("file:")).then_some(ROOT);
        let span = without_trailing_blanks(home, span);
        let mut region = region(home, span);
        region.snippet = snippet(home, span);
        Location {
            id: None,
            physical_location: PhysicalLocation {
                artifact_location: ArtifactLocation { uri, uri_base_id },
                context_region: context(home, &region),
                region,
            },
            logical_locations: None,
            message: None,
        }
    }
}

fn change(home: &Source, fix: &Fix, at: &ArtifactLocation) -> Change {
    let title = sentence(&fix.title);
    let (safety, description) = match fix.safety {
        Safety::Safe => ("safe", title),
        Safety::Unsafe => ("unsafe", format!("{title} Check before applying.")),
    };
    let replacements = fix.edits.iter().map(|edit| Replacement {
        deleted_region: region(home, edit.span),
        inserted_content: (!edit.text.is_empty()).then(|| text(&*edit.text)),
    });
    Change {
        description: text(description),
        artifact_changes: [ArtifactChange { artifact_location: at.clone(), replacements: replacements.collect() }],
        properties: ChangeProperties { safety },
    }
}

/// The fact first, because readers short of space show one sentence only; then why, what to do, and links to the
/// related places.
fn message(finding: &Finding) -> String {
    let mut parts: Vec<_> = [&finding.message, &finding.why, &finding.help]
        .into_iter()
        .map(|part| sentence(part).replace("](", "] ("))
        .filter(|part| !part.is_empty())
        .collect();
    if parts.is_empty() {
        parts.push(sentence(finding.rule));
    }
    let links: Vec<_> = finding
        .labels
        .iter()
        .enumerate()
        .filter(|(_, label)| !label.text.trim().is_empty())
        .map(|(number, label)| {
            let words = flat(&label.text).replace('\\', "\\\\").replace('[', "\\[").replace(']', "\\]");
            format!("[{words}]({})", number + 1)
        })
        .collect();
    if !links.is_empty() {
        parts.push(format!("See {}.", links.join(", ")));
    }
    parts.join(" ")
}

/// Text as a sentence: on one line, with a capital if it starts with a plain word, and with a full stop.
fn sentence(phrase: &str) -> String {
    let phrase = flat(phrase);
    let word = phrase.split(' ').next().unwrap_or_default().trim_end_matches([',', ':', ';']);
    let is_plain = !word.is_empty() && word.chars().all(|c| c.is_ascii_lowercase() || c == '-');
    let mut sentence = if is_plain { phrase[..1].to_ascii_uppercase() + &phrase[1..] } else { phrase };
    if !sentence.is_empty() && !sentence.ends_with(['.', '!', '?']) {
        sentence.push('.');
    }
    sentence
}

fn flat(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn shorten(description: &str) -> String {
    if description.chars().count() <= MOST_DESCRIPTION {
        return description.to_owned();
    }
    description.chars().take(MOST_DESCRIPTION - 1).chain(['…']).collect()
}

/// "success-threshold-not-one" as "SuccessThresholdNotOne".
fn pascal_case(id: &str) -> String {
    id.split('-').filter_map(|word| word.split_at_checked(1)).map(|(head, rest)| head.to_uppercase() + rest).collect()
}

fn text(text: impl Into<String>) -> Text {
    Text { text: text.into() }
}

/// The span without blanks and line ends at its end: GitHub shows a finding in a pull request only if each of its lines
/// has changed.
fn without_trailing_blanks(home: &Source, span: Span) -> Span {
    let kept = home.slice(span).trim_end().len() as u32;
    let start = Span::new(0, span.start).text(&home.text).len() as u32;
    Span::new(start, start + kept)
}

fn region(home: &Source, span: Span) -> Region {
    let start = home.position(span.start, ColumnUnit::Utf16);
    let end = home.position(span.end.max(span.start), ColumnUnit::Utf16);
    Region {
        start_line: start.line,
        start_column: Some(start.column),
        end_line: end.line,
        end_column: Some(end.column),
        snippet: None,
    }
}

fn snippet(home: &Source, span: Span) -> Option<Text> {
    let quoted = home.slice(span);
    (quoted.len() <= MOST_SNIPPET && !quoted.is_empty()).then(|| text(quoted))
}

/// The lines around a region, if they are more than the region itself and not too much.
fn context(home: &Source, region: &Region) -> Option<Region> {
    let lines = home.lines();
    let start_line = region.start_line.saturating_sub(LINES_AROUND).max(1);
    let end_line = (region.end_line + LINES_AROUND).min(lines.lines()).max(region.end_line);
    let span = lines.line(&home.text, start_line).to(lines.line(&home.text, end_line));
    let snippet = snippet(home, span)?;
    (start_line < region.start_line || end_line > region.end_line).then_some(Region {
        start_line,
        start_column: None,
        end_line,
        end_column: None,
        snippet: Some(snippet),
    })
}

/// The address of a path: a relative reference, or a `file` address for an absolute path.
pub(super) fn uri(path: &str) -> String {
    let path = path.strip_prefix("./").unwrap_or(path);
    let encoded = percent_encode(path);
    let is_drive = path.as_bytes().first().is_some_and(u8::is_ascii_alphabetic) && path.get(1..3) == Some(":/");
    if path.starts_with('/') {
        format!("file://{encoded}")
    } else if is_drive {
        format!("file:///{}", encoded.replacen("%3A", ":", 1))
    } else {
        encoded
    }
}

fn percent_encode(path: &str) -> String {
    let mut encoded = String::with_capacity(path.len());
    for byte in path.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => encoded.push(byte.into()),
            _ => encoded += &format!("%{byte:02X}"),
        }
    }
    encoded
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::lint::NotChecked;
    use crate::report::{ToRepositoryPath, sample};

    fn value(outcome: &Outcome, options: &Options) -> Value {
        let mut out = Vec::new();
        write(outcome, options, &mut out).unwrap();
        serde_json::from_slice(&out).unwrap()
    }

    fn results(outcome: &Outcome) -> Value {
        value(outcome, &Options::default())["runs"][0]["results"].clone()
    }

    #[test]
    fn every_report_is_valid_by_the_schema_of_the_standard() {
        let schema: Value = serde_json::from_str(include_str!("../../tests/schemas/sarif-2.1.0.json")).unwrap();
        let validator = jsonschema::validator_for(&schema).unwrap();
        let mut outcomes = vec![Outcome::default(), sample::outcome()];
        outcomes.extend((0..50).map(sample::random));
        for outcome in &outcomes {
            let report = value(outcome, &Options::default());
            let errors: Vec<_> = validator.iter_errors(&report).map(|error| error.to_string()).collect();
            assert!(errors.is_empty(), "{errors:#?}");
        }
    }

    #[test]
    fn an_empty_report_has_results_and_every_rule() {
        let report = value(&Outcome::default(), &Options::default());
        assert_eq!(report["runs"][0]["results"], json!([]));
        let rules = report["runs"][0]["tool"]["driver"]["rules"].as_array().unwrap();
        assert_eq!(rules.len(), rules::pages().len());
        for (rule, page) in rules.iter().zip(rules::pages()) {
            assert_eq!(rule["id"], page.id);
            assert_eq!(rule["name"], pascal_case(&page.id));
            assert_eq!(rule["defaultConfiguration"]["level"], level(page.level));
            for text in ["shortDescription", "fullDescription", "help"] {
                assert!(!rule[text]["text"].as_str().unwrap().is_empty());
            }
        }
    }

    #[test]
    fn columns_count_utf16_units() {
        let results = results(&sample::outcome());
        let region = &results[2]["locations"][0]["physicalLocation"]["region"];
        // `"ghcr.io/🙂/shop-web:1.4"` is 24 characters, one of them two units.
        assert_eq!(region["startColumn"], 18);
        assert_eq!(region["endColumn"], 18 + 25);
        assert_eq!(region["snippet"]["text"], "\"ghcr.io/🙂/shop-web:1.4\"");
    }

    #[test]
    fn a_message_is_sentences_and_links_to_its_related_places() {
        let results = results(&sample::outcome());
        let message = results[1]["message"]["text"].as_str().unwrap();
        assert!(
            message.starts_with("`livenessProbe` of container `app` asks the database. When the database"),
            "{message}"
        );
        assert!(message.contains("See [the health endpoint includes the database here](1), [restarts"), "{message}");
        let related = results[1]["relatedLocations"].as_array().unwrap();
        assert_eq!(related[0]["id"], 1);
        assert_eq!(
            related[0]["physicalLocation"]["artifactLocation"]["uri"],
            "src/main/resources/gr%C3%B6%C3%9Fe%201.yaml"
        );
        assert!(results[2]["message"]["text"].as_str().unwrap().starts_with("The Service sends"));
    }

    #[test]
    fn levels_and_names_are_those_that_code_scanning_knows() {
        assert_eq!([Level::Error, Level::Warning, Level::Advice].map(level), ["error", "warning", "note"]);
        assert_eq!(properties("", Confidence::Low, Level::Advice).severity, "recommendation");
        assert_eq!(pascal_case("success-threshold-not-one"), "SuccessThresholdNotOne");
    }

    #[test]
    fn a_sentence_gets_a_capital_only_on_a_plain_word() {
        assert_eq!(sentence("the port\nis closed"), "The port is closed.");
        assert_eq!(sentence("`port` is closed"), "`port` is closed.");
        assert_eq!(sentence("livenessProbe is closed!"), "livenessProbe is closed!");
        assert_eq!(sentence(" "), "");
    }

    #[test]
    fn fixes_replace_regions_of_the_file() {
        let results = results(&sample::outcome());
        let fix = &results[1]["fixes"][0];
        assert_eq!(fix["description"]["text"], "Ask `/livez` and give it 5 s. Check before applying.");
        let replacements = fix["artifactChanges"][0]["replacements"].as_array().unwrap();
        assert_eq!(replacements[0]["insertedContent"]["text"], "/livez");
        assert_eq!(
            replacements[1]["deletedRegion"],
            json!({"startLine": 21, "startColumn": 13, "endLine": 21, "endColumn": 13})
        );
    }

    #[test]
    fn paths_are_relative_to_the_root_that_the_caller_knows() {
        let sarif_uri: Option<ToRepositoryPath> = Some(Box::new(|path| format!("charts/{path}")));
        let report = value(&sample::outcome(), &Options { sarif_uri, ..Options::default() });
        let location = &report["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"];
        assert_eq!(location, &json!({"uri": "charts/deploy/web.yaml", "uriBaseId": "%SRCROOT%"}));
    }

    #[test]
    fn addresses_are_encoded() {
        assert_eq!(uri("./a b/ü.yaml"), "a%20b/%C3%BC.yaml");
        assert_eq!(uri("/srv/a.yaml"), "file:///srv/a.yaml");
        assert_eq!(uri("C:/a.yaml"), "file:///C:/a.yaml");
        assert_eq!(uri("<stdin>"), "%3Cstdin%3E");
    }

    #[test]
    fn fingerprints_are_githubs_and_our_own() {
        let outcome = sample::outcome();
        let fingerprints = results(&outcome)[0]["partialFingerprints"].clone();
        assert_eq!(fingerprints["primaryLocationLineHash"], line_hashes(&outcome.sources[0].text)[19]);
        assert!(fingerprints["probelint/v1"].as_str().unwrap().ends_with(":1"));
    }

    #[test]
    fn too_many_results_are_cut_at_the_lowest_level_and_counted() {
        let mut outcome = sample::outcome();
        let finding = outcome.findings.swap_remove(0);
        let advice = (0..4_000).map(|_| Finding { level: Level::Advice, ..finding.clone() });
        let errors = (0..3_000).map(|_| finding.clone());
        outcome.findings = advice.chain(errors).collect();
        outcome.summary.not_checked = vec![NotChecked { what: "Helm template", count: 1, paths: Vec::new() }];
        let report = value(&outcome, &Options::default());
        let run = &report["runs"][0];
        let results = run["results"].as_array().unwrap();
        assert_eq!(results.len(), 5_000);
        assert_eq!(results.iter().filter(|result| result["level"] == "error").count(), 3_000);
        let notifications = &run["invocations"][0]["toolExecutionNotifications"];
        assert_eq!(notifications[0]["message"]["text"], "2000 findings left off: the report has room for 5000.");
        assert_eq!(notifications[1]["message"]["text"], "Not checked: 1 Helm template.");
    }

    #[test]
    fn what_could_not_be_read_makes_the_run_a_failed_one() {
        let mut outcome = sample::outcome();
        outcome.unread.push(crate::source::ReadError {
            path: "a.yaml".into(),
            message: "permission denied".into(),
            help: String::new(),
        });
        let invocation = &value(&outcome, &Options::default())["runs"][0]["invocations"][0];
        assert_eq!(invocation["executionSuccessful"], false);
        assert_eq!(
            invocation["toolExecutionNotifications"][0]["message"]["text"],
            "a.yaml could not be read: permission denied."
        );
    }

    #[test]
    fn a_rule_without_a_page_is_described_by_its_name() {
        let mut outcome = sample::outcome();
        outcome.findings.truncate(1);
        outcome.findings[0].rule = "no-such-rule";
        let report = value(&outcome, &Options::default());
        let result = &report["runs"][0]["results"][0];
        let rule = &report["runs"][0]["tool"]["driver"]["rules"][result["ruleIndex"].as_u64().unwrap() as usize];
        assert_eq!(rule["id"], "no-such-rule");
        assert_eq!(rule["shortDescription"]["text"], "No such rule.");
    }
}
