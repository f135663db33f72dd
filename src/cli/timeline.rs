//! `probelint timeline PATH`: read, replay, draw.

use std::io::Write;
use std::path::PathBuf;
use std::sync::Mutex;

use clap::{Args, ValueEnum};

use super::{CLEAN, FAILED, GlobalArgs, terminal};
use crate::error::Error;
use crate::lint;
use crate::report::{self, Sheet, TimelineFormat};
use crate::rules::File;
use crate::source::{Request, compare_paths, read_all};
use crate::timeline::{MOST_REPLICAS, Plan, Scenario, Timeline, draw_all};
use crate::timing::{Millis, SECOND};

pub(super) const EXAMPLES: &str = "\
Examples:
  probelint timeline deploy.yaml                what a hang leads to
  probelint timeline deploy.yaml --outage 6s    nothing is answered for six seconds
  probelint timeline deploy.yaml --start 90s    every start takes that long
  probelint timeline deploy.yaml --outage 30s --replicas 12 --load 12000 --capacity 1500
                                                what that does to twelve replicas under load
  probelint timeline tye.yaml --container web -f svg > web.svg

Moments are unknown in part (the phase of each probe), so every figure is a range; the picture shows the worst course.";

/// Courses that are replayed: where one container is looked at, there may be many.
const COURSES: u32 = 512;

#[derive(Debug, Args)]
pub(super) struct TimelineArgs {
    /// Files and folders to read, `-` for standard input
    #[arg(value_name = "PATH", required = true)]
    paths: Vec<PathBuf>,
    /// Name of standard input in the output
    #[arg(long, value_name = "NAME")]
    stdin_filename: Option<String>,
    /// Only containers (or Tye services) of this name
    #[arg(long, value_name = "NAME")]
    container: Option<String>,
    /// Nothing is answered for so long (24h at the most), then everything at once
    #[arg(long, value_name = "TIME", value_parser = duration, conflicts_with = "hang", allow_hyphen_values = true)]
    outage: Option<Millis>,
    /// Every start takes so long
    #[arg(long, value_name = "TIME", value_parser = duration, allow_hyphen_values = true)]
    start: Option<Millis>,
    /// The process hangs for good (what happens without any of these options)
    #[arg(long)]
    hang: bool,
    /// Every answer takes so long
    #[arg(long, value_name = "TIME", value_parser = duration, allow_hyphen_values = true)]
    slow: Option<Millis>,
    /// It happens to so many replicas (10000 at the most) at the same time
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=i64::from(MOST_REPLICAS)))]
    replicas: Option<u32>,
    /// Requests a second to all replicas, which readiness then waits behind; with --replicas, --outage and --capacity
    #[arg(long, value_name = "N", value_parser = rate, requires_all = ["replicas", "outage", "capacity"])]
    load: Option<f64>,
    /// Requests a second that one replica can answer
    #[arg(long, value_name = "N", value_parser = rate, requires = "load")]
    capacity: Option<f64>,
    /// How to print timelines
    #[arg(short = 'f', long, value_enum, default_value_t, value_name = "FORMAT")]
    output_format: FormatName,
    /// Draw with ASCII only
    #[arg(long)]
    ascii: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum FormatName {
    /// Drawn with characters
    #[default]
    Full,
    /// For programs; see the README for the fields
    Json,
    /// One picture
    Svg,
}

pub(super) fn run(arguments: &TimelineArgs, global: &GlobalArgs) -> Result<u8, Error> {
    let scenario = Scenario {
        start: arguments.start,
        outage: arguments.outage,
        hang: arguments.hang,
        slow: arguments.slow,
        replicas: arguments.replicas,
        load: arguments.load.zip(arguments.capacity),
        courses: Some(COURSES),
    };
    let request = Request { paths: arguments.paths.clone(), stdin_name: arguments.stdin_filename.clone(), threads: 0 };
    let files = Mutex::new(Vec::new());
    let reading = read_all(&request, &mut std::io::stdin(), |source| {
        if let Some(file) = lint::read(source, false) {
            // The lock is poisoned only by a panic in another thread, whose file is lost anyway.
            files.lock().unwrap_or_else(std::sync::PoisonError::into_inner).push(file);
        }
    });
    let mut files = files.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    files.sort_by(|a, b| compare_paths(&a.source.path, &b.source.path));
    for problem in &reading.errors {
        let _ = writeln!(std::io::stderr(), "error: {}: {}", problem.path, problem.message);
    }
    if !global.quiet {
        for note in left_out(&files) {
            let _ = writeln!(std::io::stderr(), "not drawn: {note}");
        }
    }
    let drawn: Vec<(usize, Timeline)> = files
        .iter()
        .enumerate()
        .flat_map(|(index, file)| {
            let workloads = file.model.workloads.iter();
            workloads.flat_map(|workload| draw_all(workload, &scenario)).map(move |timeline| (index, timeline))
        })
        .collect();
    let is_wanted = |timeline: &Timeline| arguments.container.as_ref().is_none_or(|name| *name == timeline.container);
    let sheets: Vec<Sheet<'_>> = drawn
        .iter()
        .filter(|(_, timeline)| is_wanted(timeline))
        .map(|(index, timeline)| Sheet { source: &files[*index].source, timeline })
        .collect();
    if sheets.is_empty() {
        let _ = writeln!(std::io::stderr(), "error: {}", nothing(arguments, &drawn));
        return Ok(FAILED);
    }
    let mut options = terminal::options(global.color);
    options.unicode &= !arguments.ascii;
    let format = match arguments.output_format {
        FormatName::Full => TimelineFormat::Full,
        FormatName::Json => TimelineFormat::Json,
        FormatName::Svg => TimelineFormat::Svg,
    };
    let mut out = std::io::BufWriter::new(std::io::stdout().lock());
    report::write_timelines(format, &sheets, &options, &mut out)?;
    out.flush()?;
    Ok(if reading.errors.is_empty() { CLEAN } else { FAILED })
}

/// What may hold probes and cannot be drawn: text that is no YAML before it is rendered, broken documents, containers
/// whose numbers are all unknown.
fn left_out(files: &[File]) -> Vec<String> {
    let mut notes = Vec::new();
    for file in files {
        let path = &file.source.path;
        notes.extend(file.model.not_checked.iter().map(|what| format!("{path} ({what})")));
        if !file.model.problems.is_empty() {
            notes.push(format!("{path} (a broken document; `probelint check` says more)"));
        }
        for workload in &file.model.workloads {
            let unknown = workload.containers.iter().filter(|container| {
                container.may_have_probes() && !container.probes.is_empty() && Plan::new(workload, container).is_none()
            });
            notes.extend(unknown.map(|container| {
                format!("{path}: {} > {} (no probe whose numbers are known)", workload.subject, container.name)
            }));
        }
    }
    notes.dedup();
    notes
}

/// Why there is nothing to draw.
fn nothing(arguments: &TimelineArgs, drawn: &[(usize, Timeline)]) -> String {
    let Some(name) = arguments.container.as_ref().filter(|_| !drawn.is_empty()) else {
        return "no container with a probe whose numbers are known was found".to_owned();
    };
    let mut names: Vec<&str> = drawn.iter().map(|(_, timeline)| timeline.container.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    let more = names.len().saturating_sub(10);
    names.truncate(10);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("no container `{name}` with a probe; there are {}{more}", names.join(", "))
}

/// A length of time: `6s`, `1m30s`, `500ms`, `2h`; a number alone means seconds.
fn duration(text: &str) -> Result<Millis, String> {
    let help = || "write a time such as 6s, 500ms or 1m30s".to_owned();
    let mut rest = text.trim();
    let mut sum = 0.0;
    while !rest.is_empty() {
        let digits = rest.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(rest.len());
        let number: f64 = rest[..digits].parse().map_err(|_| help())?;
        let units = rest[digits..].find(|c: char| c.is_ascii_digit()).map_or(rest.len(), |end| digits + end);
        let unit = match rest[digits..units].trim() {
            "ms" => 0.001,
            "s" | "" => 1.0,
            "m" => 60.0,
            "h" => 3600.0,
            _ => return Err(help()),
        };
        sum += number * unit;
        rest = &rest[units..];
    }
    if text.trim().is_empty() {
        return Err(help());
    }
    if sum > 86_400.0 {
        return Err("more than a day is not replayed".to_owned());
    }
    Ok((sum * SECOND as f64).round() as Millis)
}

/// A rate above zero.
fn rate(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(rate) if rate.is_finite() && rate > 0.0 && rate <= 1e12 => Ok(rate),
        _ => Err("write a number above 0, and no more than 1e12".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_in_all_their_spellings() {
        for (text, millis) in [
            ("6s", 6_000),
            ("6", 6_000),
            ("500ms", 500),
            ("1m30s", 90_000),
            ("1.5s", 1_500),
            ("2h", 7_200_000),
            ("0s", 0),
        ] {
            assert_eq!(duration(text), Ok(millis), "{text}");
        }
        for text in ["", "s", "6x", "-1s", "1d", "6 parsecs", "99h", "1..2s"] {
            assert!(duration(text).is_err(), "{text}");
        }
    }
}
