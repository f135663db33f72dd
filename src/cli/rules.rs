//! `probelint rules`: the catalogue as a table or as JSON.

use std::io::Write;

use serde::Serialize;

use super::{CLEAN, GlobalArgs, ListFormat, RulesArgs};
use crate::error::Error;
use crate::fix::Safety;
use crate::rules::{self, Page};

/// A row of `probelint rules -f json`.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Row<'a> {
    id: &'a str,
    group: &'a str,
    level: &'static str,
    confidence: &'static str,
    fix: Option<&'static str>,
    applies_to: Vec<&'static str>,
    supersedes: &'a [String],
    since: &'a str,
    summary: &'a str,
}

pub(super) fn run(arguments: &RulesArgs, _global: &GlobalArgs) -> Result<u8, Error> {
    let mut out = std::io::stdout().lock();
    let pages = rules::pages();
    match arguments.output_format {
        ListFormat::Json => {
            let rows: Vec<Row<'_>> = pages.iter().map(row).collect();
            serde_json::to_writer_pretty(&mut out, &rows).map_err(std::io::Error::from)?;
            writeln!(out)?;
        }
        ListFormat::Full => {
            let width = pages.iter().map(|page| page.id.len()).max().unwrap_or_default();
            for page in pages {
                let fix = page.fix.map_or("", safety);
                writeln!(out, "{:width$}  {:7}  {:6}  {}", page.id, page.level.name(), fix, page.summary)?;
            }
            writeln!(
                out,
                "\n{} rules; the third column is the kind of fix. See `probelint explain RULE`.",
                pages.len()
            )?;
        }
    }
    Ok(CLEAN)
}

fn row(page: &Page) -> Row<'_> {
    Row {
        id: &page.id,
        group: &page.group,
        level: page.level.name(),
        confidence: page.confidence.name(),
        fix: page.fix.map(safety),
        applies_to: page.applies_to.iter().map(|kind| kind.name()).collect(),
        supersedes: &page.supersedes,
        since: &page.since,
        summary: &page.summary,
    }
}

const fn safety(safety: Safety) -> &'static str {
    match safety {
        Safety::Safe => "safe",
        Safety::Unsafe => "unsafe",
    }
}
