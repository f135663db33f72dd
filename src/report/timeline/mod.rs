//! Timelines: a table of derived figures and a picture over time, for people, for programs and as SVG.

mod json;
mod lanes;
mod svg;
mod text;

use std::io;

use super::Options;
use crate::source::Source;
use crate::timeline::Timeline;
use crate::timing::{Millis, SECOND};

pub(super) use svg::{STYLE, picture};
pub(super) use text::outcome;

/// How timelines are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TimelineFormat {
    /// Drawn with characters, for people.
    #[default]
    Full,
    /// For programs; see `schemaVersion`.
    Json,
    /// One picture.
    Svg,
}

/// A timeline and the source that its container stands in.
#[derive(Clone, Copy, Debug)]
pub struct Sheet<'a> {
    /// The source.
    pub source: &'a Source,
    /// What is to be drawn.
    pub timeline: &'a Timeline,
}

/// Writes timelines.
pub fn write_timelines(
    format: TimelineFormat,
    sheets: &[Sheet<'_>],
    options: &Options,
    out: &mut dyn io::Write,
) -> io::Result<()> {
    match format {
        TimelineFormat::Full => text::write(sheets, options, out),
        TimelineFormat::Json => json::write(sheets, options, out),
        TimelineFormat::Svg => svg::write(sheets, out),
    }
}

/// Seconds with as many decimals as say something: `3`, `12.5`.
fn seconds(millis: Millis) -> String {
    let tenths = (millis + SECOND / 20) / (SECOND / 10);
    if tenths.is_multiple_of(10) { (tenths / 10).to_string() } else { format!("{}.{}", tenths / 10, tenths % 10) }
}

/// Distance of the marks on the time axis, in milliseconds: a round one, so that there are at most `most` of them.
fn step(length: Millis, most: u64) -> Millis {
    const ROUND: [u64; 18] =
        [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14400, 28800, 43200, 86400];
    let fits = |seconds: &&u64| length / (**seconds * SECOND) <= most;
    let days = length / SECOND / 86_400 / most.max(1) + 1;
    ROUND.iter().find(fits).map_or(days * 86_400 * SECOND, |seconds| seconds * SECOND)
}
