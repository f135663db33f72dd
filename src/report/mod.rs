//! Reports: one file per format. They show findings, and decide nothing about them. A report goes to the writer that
//! the caller hands in, and touches neither the terminal nor the environment.

mod concise;
mod excerpt;
mod fingerprint;
mod full;
mod html;
mod json;
mod markup;
mod page;
mod sarif;
mod suggestion;
mod summary;
mod terminal;
mod timeline;

use std::io;
use std::sync::LazyLock;

pub use timeline::{Sheet, TimelineFormat, write_timelines};

use crate::finding::Finding;
use crate::lint::Outcome;
use crate::rules::Page;
use crate::source::Source;
use crate::span::SourceId;

/// How findings are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Format {
    /// For people: the place, the reason, the remedy.
    #[default]
    Full,
    /// One line a finding.
    Concise,
    /// For programs; see `schemaVersion`.
    Json,
    /// SARIF 2.1.0, for code scanning services.
    Sarif,
    /// One page that holds everything, for a browser.
    Html,
}

impl Format {
    /// Every format, in the order in which help texts list them.
    pub const ALL: [Self; 5] = [Self::Full, Self::Concise, Self::Json, Self::Sarif, Self::Html];

    /// The word used in options.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Full => "full",
            Self::Concise => "concise",
            Self::Json => "json",
            Self::Sarif => "sarif",
            Self::Html => "html",
        }
    }

    /// The format of a name, if there is one.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|format| format.name() == name)
    }

    /// Whether people read it. Only then does a summary belong after the findings.
    pub const fn is_for_people(self) -> bool {
        matches!(self, Self::Full | Self::Concise)
    }
}

/// A function from the path of a source, as reports print it, to the path from the root of the repository.
pub type ToRepositoryPath = Box<dyn Fn(&str) -> String>;

/// How a report looks. Only `tool_version` and `sarif_uri` matter to the formats for programs.
pub struct Options {
    /// Whether to write colours.
    pub color: bool,
    /// Whether to write hyperlinks (OSC 8): paths link to their files when `directory` is set, web links of rule pages
    /// to their targets.
    pub links: bool,
    /// Whether to draw with characters outside ASCII. Text that is quoted from a source stays as it is.
    pub unicode: bool,
    /// Width of the terminal in columns. Text is wrapped to it and long source lines are cut; 0 means neither.
    pub width: usize,
    /// The absolute directory that relative paths start from, with `/` between the parts. Used for links only.
    pub directory: Option<String>,
    /// Version of this program.
    pub tool_version: &'static str,
    /// Turns a source's path into one that is relative to the root of the repository, with `/` between the parts and
    /// not percent-encoded. Without it the paths of the sources are taken to be that already.
    pub sarif_uri: Option<ToRepositoryPath>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            color: false,
            links: false,
            unicode: true,
            width: 100,
            directory: None,
            tool_version: env!("CARGO_PKG_VERSION"),
            sarif_uri: None,
        }
    }
}

/// Writes the findings of `outcome`.
pub fn write(format: Format, outcome: &Outcome, options: &Options, out: &mut dyn io::Write) -> io::Result<()> {
    match format {
        Format::Full => full::write(outcome, options, out),
        Format::Concise => concise::write(outcome, options, out),
        Format::Json => json::write(outcome, options, out),
        Format::Sarif => sarif::write(outcome, options, out),
        Format::Html => html::write(outcome, options, out),
    }
}

/// Writes what was checked, what was found and what was left out: one line, or a few.
pub fn write_summary(outcome: &Outcome, options: &Options, out: &mut dyn io::Write) -> io::Result<()> {
    out.write_all(summary::render(outcome, options).as_bytes())
}

/// Writes the page of a rule for people to read in a terminal.
pub fn write_page(page: &Page, options: &Options, out: &mut dyn io::Write) -> io::Result<()> {
    out.write_all(page::render(page, options).as_bytes())
}

/// The source of `id`. An empty one stands in for a source that the outcome does not have, because a report must not
/// be the thing that breaks.
fn source(outcome: &Outcome, id: SourceId) -> &Source {
    static UNKNOWN: LazyLock<Source> = LazyLock::new(|| Source::new("<unknown>", ""));
    outcome.sources.get(id.0 as usize).unwrap_or(&UNKNOWN)
}

/// The source of the finding itself.
fn source_of<'a>(outcome: &'a Outcome, finding: &Finding) -> &'a Source {
    source(outcome, finding.source)
}

#[cfg(test)]
mod sample;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_format_is_found_by_its_name() {
        for format in Format::ALL {
            assert_eq!(Format::from_name(format.name()), Some(format));
        }
        assert_eq!(Format::from_name("xml"), None);
    }

    #[test]
    fn no_format_panics_on_stale_spans_or_unknown_sources() {
        for seed in 0..100 {
            let outcome = sample::random(seed);
            for format in Format::ALL {
                for unicode in [false, true] {
                    let options =
                        Options { unicode, color: unicode, width: (seed % 90) as usize, ..Options::default() };
                    let mut out = Vec::new();
                    write(format, &outcome, &options, &mut out).unwrap();
                    write_summary(&outcome, &options, &mut out).unwrap();
                    assert!(String::from_utf8(out).is_ok());
                }
            }
        }
    }
}
