//! Client programs: how their command lines are spelt, what they cost, whom they ask.

use std::sync::LazyLock;

use super::table::{Row, RowError, rows};
use crate::shell::{About, Ask, Client, FirstStart, Form, Kind, Limit, Options, Reply, Runtime, Scope, Spelling};
use crate::yaml;

static CLIENTS: LazyLock<Vec<Client>> = LazyLock::new(|| read(include_str!("../../rules/knowledge/clients.yaml")).0);

/// All rows of the table.
pub fn clients() -> &'static [Client] {
    &CLIENTS
}

const KEYS: [&str; 14] = [
    "names",
    "kind",
    "runtime",
    "minimum-timeout",
    "default",
    "options",
    "host",
    "port",
    "timeout",
    "attempts",
    "asks",
    "replies",
    "first-start",
    "source",
];
const REPLY_KEYS: [&str; 8] = ["words", "expect", "succeeds-on", "transient", "unless", "ports", "instead", "source"];
const FIRST_START_KEYS: [&str; 6] = ["images", "unless", "localhost", "network", "instead", "source"];
const SPELLING_KEYS: [&str; 7] = ["options", "positional", "environment", "form", "unit", "scope", "default"];

fn read(text: &str) -> (Vec<Client>, Vec<RowError>) {
    let tree = yaml::parse(text);
    rows(&tree, &KEYS, client)
}

fn client(row: &Row<'_>) -> Result<Client, RowError> {
    let names = row.texts("names");
    if names.is_empty() {
        return Err(row.error("`names` is missing"));
    }
    Ok(Client {
        names,
        kind: row.named("kind", Kind::from_name)?.unwrap_or_default(),
        runtime: row.named("runtime", Runtime::from_name)?.unwrap_or_default(),
        minimum_timeout: row.number("minimum-timeout")?,
        default_elsewhere: row.word("default", &[("local", false), ("elsewhere", true)])?.unwrap_or_default(),
        options: options(row)?,
        host: spellings(row, "host")?,
        port: spellings(row, "port")?,
        timeout: row.rows("timeout", &SPELLING_KEYS)?.iter().map(limit).collect::<Result<_, _>>()?,
        attempts: spellings(row, "attempts")?,
        asks: row
            .rows("asks", &["words", "text", "unless", "own", "read-for", "about", "source"])?
            .iter()
            .map(ask)
            .collect::<Result<_, _>>()?,
        replies: row.rows("replies", &REPLY_KEYS)?.iter().map(reply).collect::<Result<_, _>>()?,
        first_start: row.row("first-start", &FIRST_START_KEYS)?.as_ref().map(first_start).transpose()?,
        source: row.text("source")?.to_owned(),
    })
}

fn options(row: &Row<'_>) -> Result<Options, RowError> {
    let Some(row) = row.row("options", &["style", "end-at-word", "values", "attached"])? else {
        return Ok(Options::default());
    };
    Ok(Options {
        single_dash: row.word("style", &[("gnu", false), ("single-dash", true)])?.unwrap_or_default(),
        end_at_word: row.flag("end-at-word"),
        values: row.texts("values"),
        attached: row.texts("attached"),
    })
}

fn spellings(row: &Row<'_>, key: &str) -> Result<Vec<Spelling>, RowError> {
    row.rows(key, &SPELLING_KEYS)?.iter().map(spelling).collect()
}

fn spelling(row: &Row<'_>) -> Result<Spelling, RowError> {
    let all_positionals = row.optional("positional") == Some("all");
    Ok(Spelling {
        options: row.texts("options"),
        positional: if all_positionals { None } else { row.number("positional")? },
        all_positionals,
        environment: row.texts("environment"),
        form: row.named("form", Form::from_name)?.unwrap_or_default(),
    })
}

fn limit(row: &Row<'_>) -> Result<Limit, RowError> {
    Ok(Limit {
        at: spelling(row)?,
        unit: row.word("unit", &[("seconds", 1.0), ("milliseconds", 0.001)])?.unwrap_or(1.0),
        scope: row.named("scope", Scope::from_name)?.unwrap_or_default(),
        default: row.number("default")?,
    })
}

fn ask(row: &Row<'_>) -> Result<Ask, RowError> {
    Ok(Ask {
        words: row.texts("words"),
        texts: row.texts("text"),
        unless: row.texts("unless"),
        own: row.texts("own"),
        read_for: row.optional("read-for").map(str::to_owned),
        about: row.named("about", About::from_name)?.ok_or_else(|| row.error("`about` is missing"))?,
        source: row.text("source")?.to_owned(),
    })
}

fn reply(row: &Row<'_>) -> Result<Reply, RowError> {
    Ok(Reply {
        words: row.texts("words"),
        expect: row.optional("expect").map(str::to_owned),
        succeeds_on: row.text("succeeds-on")?.to_owned(),
        transient: row.optional("transient").map(str::to_owned),
        unless: row.texts("unless"),
        ports: row.texts("ports"),
        instead: row.text("instead")?.to_owned(),
        source: row.text("source")?.to_owned(),
    })
}

fn first_start(row: &Row<'_>) -> Result<FirstStart, RowError> {
    Ok(FirstStart {
        images: row.texts("images"),
        unless: row.texts("unless"),
        localhost: row.word("localhost", &[("network", false), ("socket", true)])?.unwrap_or_default(),
        network: row.texts("network"),
        instead: row.text("instead")?.to_owned(),
        source: row.text("source")?.to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_of_the_table_can_be_read() {
        let (rows, errors) = read(include_str!("../../rules/knowledge/clients.yaml"));
        assert_eq!(errors, []);
        assert!(rows.len() >= 40);
    }

    #[test]
    fn a_wrong_row_is_reported_with_its_place() {
        let text = "- names: [x]\n  kind: toy\n  source: s\n- names: [y]\n  host: [{option: -h}]\n  source: s\n";
        let (rows, errors) = read(text);
        assert!(rows.is_empty());
        assert_eq!(errors[0].message, "`toy` is no kind");
        assert_eq!((errors[1].message.as_str(), errors[1].span.text(text)), ("unknown key `option`", "option"));
    }
}
