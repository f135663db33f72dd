//! Timelines drawn with characters.

use std::fmt::Write as _;
use std::io;

use super::super::Options;
use super::super::terminal::{Paint, one_line, width, wrap};
use super::lanes::{Lane, State, lanes};
use super::{Sheet, seconds, step};
use crate::span::ColumnUnit;
use crate::timeline::{Range, Ready, Timeline};
use crate::timing::{Millis, Numbers, SECOND, Worker};

/// Columns of the names of lanes.
const NAMES: usize = 12;
/// A picture is not drawn in fewer columns than this, nor in more.
const PICTURE: (usize, usize) = (30, 120);

pub(super) fn write(sheets: &[Sheet<'_>], options: &Options, out: &mut dyn io::Write) -> io::Result<()> {
    for sheet in sheets {
        writeln!(out, "{}", render(sheet, options))?;
    }
    let has_replicas = sheets.iter().any(|sheet| sheet.timeline.course.replicas.is_some());
    out.write_all(legend(options, has_replicas).as_bytes())?;
    let mut assumptions: Vec<&str> = Vec::new();
    for assumption in sheets.iter().flat_map(|sheet| &sheet.timeline.course.assumptions) {
        if !assumptions.contains(assumption) {
            assumptions.push(assumption);
        }
    }
    let text = format!("assuming that {}", assumptions.join("; "));
    let text = dashes(&wrap(&text, options.width, "", "  "), options);
    writeln!(out, "{}", Paint::new(options.color).dim(&text))
}

fn legend(options: &Options, has_replicas: bool) -> String {
    let signs = if options.unicode { &UNICODE } else { &ASCII };
    let scale = format!("{}…{}", signs.levels[1], signs.levels[signs.levels.len() - 1]);
    let entries = [
        (signs.succeeded.to_string(), "attempt succeeded"),
        (signs.missed.to_string(), "attempt failed"),
        (signs.asking.to_string(), "attempt under way"),
        (signs.kill.to_string(), "killed by this probe"),
        (signs.undecided.to_string(), "undecided"),
        (signs.passed.to_string(), "passed"),
        (signs.failed.to_string(), "failed, not ready"),
        ("blank".to_owned(), "held back, or over"),
        (signs.running.to_string(), "running, ready"),
        (signs.stopping.to_string(), "stopping"),
        (signs.start.to_string(), "started again"),
        (scale, "share of the replicas"),
    ];
    let entries = entries.iter().take(if has_replicas { entries.len() } else { entries.len() - 1 });
    // A sign stays with its meaning where the line is broken.
    let entries: Vec<String> =
        entries.map(|(sign, meaning)| format!("{sign}\u{a0}{}", meaning.replace(' ', "\u{a0}"))).collect();
    let text = wrap(&entries.join(" "), options.width, "", "").replace('\u{a0}', " ");
    format!("{}\n", Paint::new(options.color).dim(&dashes(&text, options)))
}

/// The characters of a picture.
struct Signs {
    running: char,
    stopping: char,
    undecided: char,
    passed: char,
    failed: char,
    succeeded: char,
    missed: char,
    asking: char,
    event: char,
    kill: char,
    start: char,
    levels: &'static [char],
}

const UNICODE: Signs = Signs {
    running: '█',
    stopping: '▒',
    undecided: '·',
    passed: '─',
    failed: '░',
    succeeded: '✓',
    missed: '✗',
    asking: '━',
    event: '▼',
    kill: '†',
    start: '▶',
    levels: &[' ', '▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'],
};

const ASCII: Signs = Signs {
    running: '#',
    stopping: '~',
    undecided: ':',
    passed: '-',
    failed: '.',
    succeeded: 'o',
    missed: 'x',
    asking: '=',
    event: 'v',
    kill: 'K',
    start: '>',
    levels: &['0', '1', '2', '3', '4', '5', '6', '7', '8', '9'],
};

fn render(sheet: &Sheet<'_>, options: &Options) -> String {
    let timeline = sheet.timeline;
    let paint = Paint::new(options.color);
    let at = sheet.source.position(timeline.at.start, ColumnUnit::Scalars);
    let place = format!("{}:{}:{}", one_line(&sheet.source.path), at.line, at.column);
    let mut text = format!("{place}: {}\n", paint.bold(&one_line(&timeline.subject)));
    for (kind, numbers) in &timeline.probes {
        let _ = writeln!(text, "  {:<10}{}", kind.word(), numbers_in_words(numbers));
    }
    for kind in &timeline.unknown {
        let _ =
            writeln!(text, "  {:<10}left out: its numbers are not known before rendering, or not valid", kind.word());
    }
    text.push('\n');
    let titles = timeline.figures.iter().map(|figure| width(figure.title)).max().unwrap_or(0);
    let windows = timeline.figures.iter().map(|figure| width(&figure.window.to_string())).max().unwrap_or(0);
    for figure in &timeline.figures {
        let window = dashes(&figure.window.to_string(), options);
        let pad = " ".repeat((titles + 2 + windows).saturating_sub(width(figure.title) + width(&window)));
        let _ = write!(text, "  {}{pad}{}", figure.title, paint.bold(&window));
        let fits = options.width == 0 || titles + windows + width(&figure.note) + 7 <= options.width;
        let _ = match (figure.note.is_empty(), fits) {
            (true, _) => writeln!(text),
            (false, true) => writeln!(text, "   {}", paint.dim(&figure.note)),
            (false, false) => writeln!(text, "\n{}", paint.dim(&wrap(&figure.note, options.width, "    ", "    "))),
        };
    }
    text.push('\n');
    let title = format!("{}: the worst of {} courses", timeline.course.words, timeline.course.chances.courses);
    let _ = writeln!(text, "  {}", paint.bold(&title));
    text += &picture(timeline, options);
    for line in outcome(timeline) {
        let _ = writeln!(text, "{}", dashes(&wrap(&line, options.width, "  ", "    "), options));
    }
    text
}

/// Text without characters outside ASCII, where those are not wanted.
fn dashes(text: &str, options: &Options) -> String {
    if options.unicode { text.to_owned() } else { text.replace('–', "-").replace('…', "...") }
}

fn numbers_in_words(numbers: &Numbers) -> String {
    let every = match numbers.worker {
        Worker::Kubelet => "every",
        Worker::ReplicaMonitor => "again after",
    };
    let mut words = format!("{every} {} s, timeout {} s, ", numbers.period, numbers.timeout);
    if numbers.success_threshold != 1 {
        let _ = write!(words, "{} successes in a row, ", numbers.success_threshold);
    }
    let plural = if numbers.failure_threshold == 1 { "" } else { "s" };
    let _ = write!(words, "{} failure{plural}", numbers.failure_threshold);
    if numbers.failure_threshold > 1 {
        words += " in a row";
    }
    if numbers.initial_delay > 0 {
        let _ = write!(words, ", initial delay {} s", numbers.initial_delay);
    }
    words
}

/// Maps moments to columns.
struct Scale {
    from: Millis,
    length: Millis,
    columns: usize,
}

impl Scale {
    fn column(&self, at: Millis) -> usize {
        let offset = u128::from(at.saturating_sub(self.from)) * self.columns as u128 / u128::from(self.length.max(1));
        (offset as usize).min(self.columns - 1)
    }

    /// The moment in the middle of a column.
    fn moment(&self, column: usize) -> Millis {
        let middle = (2 * column as u128 + 1) * u128::from(self.length) / (2 * self.columns as u128);
        self.from + middle as Millis
    }
}

fn picture(timeline: &Timeline, options: &Options) -> String {
    let signs = if options.unicode { &UNICODE } else { &ASCII };
    let paint = Paint::new(options.color);
    let course = &timeline.course;
    let room = if options.width == 0 { 100 } else { options.width };
    let columns = room.saturating_sub(NAMES + 2).clamp(PICTURE.0, PICTURE.1);
    let scale = Scale { from: course.from, length: course.until.saturating_sub(course.from).max(1), columns };
    let mut text = axis(&scale, course.event, signs);
    for lane in lanes(timeline) {
        let cells = cells(&lane, &scale, signs);
        let painted: String = cells.iter().map(|&(sign, codes)| paint.with(codes, &sign.to_string())).collect();
        let _ = writeln!(text, "  {:<NAMES$}{}", lane.name, painted.trim_end());
    }
    if let Some(ready) = &course.replicas {
        text += &replicas(ready, course.event, &scale, signs);
    }
    text
}

/// The axis: seconds since the event, with a mark at it.
fn axis(scale: &Scale, event: Millis, signs: &Signs) -> String {
    let mut labels = vec![' '; scale.columns + 8];
    let mut marks = vec![' '; scale.columns];
    let step = step(scale.length, (scale.columns / 9).max(1) as u64);
    let first = scale.from as i128 - event as i128;
    let mut at = first.div_euclid(step as i128) * step as i128;
    let mut free = 0;
    while at <= first + scale.length as i128 {
        let moment = at + event as i128;
        if moment >= scale.from as i128 && moment < (scale.from + scale.length) as i128 {
            let column = scale.column(moment as Millis);
            let unit = if at == 0 { " s" } else { "" };
            let label = format!("{}{unit}", at / SECOND as i128);
            if column >= free && column + label.len() <= labels.len() {
                for (offset, sign) in label.chars().enumerate() {
                    labels[column + offset] = sign;
                }
                free = column + label.len() + 1;
                marks[column] = if at == 0 { signs.event } else { '|' };
            }
        }
        at += step as i128;
    }
    let line = |cells: &[char]| cells.iter().collect::<String>().trim_end().to_owned();
    let pad = " ".repeat(NAMES);
    format!("  {pad}{}\n  {pad}{}\n", line(&labels), line(&marks))
}

/// The characters of a lane and their colours.
fn cells(lane: &Lane, scale: &Scale, signs: &Signs) -> Vec<(char, &'static str)> {
    let mut cells = vec![(' ', ""); scale.columns];
    for (column, cell) in cells.iter_mut().enumerate() {
        let moment = scale.moment(column);
        if let Some(stretch) = lane.stretches.iter().find(|it| (it.from..it.to).contains(&moment)) {
            *cell = match stretch.state {
                State::Running => (signs.running, "34"),
                State::Stopping => (signs.stopping, "33"),
                State::Waiting | State::Silent => (' ', ""),
                State::Ready => (signs.running, "32"),
                State::Undecided => (signs.undecided, "2"),
                State::Passed => (signs.passed, "2"),
                State::Unready | State::Failed => (signs.failed, "31"),
            };
        }
    }
    let end = scale.from + scale.length;
    let visible = lane.attempts.iter().filter(|attempt| attempt.at >= scale.from && attempt.at < end);
    for attempt in visible.clone() {
        let (from, to) = (scale.column(attempt.from), scale.column(attempt.at));
        cells[from..to].iter_mut().for_each(|cell| *cell = (signs.asking, ""));
    }
    // In a column that several attempts share, a failure is what must be seen, and a kill above all.
    for attempt in visible.clone().filter(|attempt| attempt.passed) {
        cells[scale.column(attempt.at)] = (signs.succeeded, "32");
    }
    for attempt in visible.filter(|attempt| !attempt.passed) {
        cells[scale.column(attempt.at)] = (signs.missed, "31");
    }
    for stretch in lane.stretches.iter().filter(|stretch| stretch.is_again) {
        cells[scale.column(stretch.from)] = (signs.start, "1;34");
    }
    for &kill in lane.kills.iter().filter(|&&kill| (scale.from..end).contains(&kill)) {
        cells[scale.column(kill)] = (signs.kill, "1;31");
    }
    cells
}

/// How many replicas are ready, as a line of bars.
fn replicas(ready: &Ready, event: Millis, scale: &Scale, signs: &Signs) -> String {
    let all = ready.replicas.max(1);
    let top = signs.levels.len() - 1;
    let bars: String = (0..scale.columns)
        .map(|column| {
            let since = scale.moment(column).saturating_sub(event);
            let share = ready.counts.at(since) as usize * top;
            signs.levels[share.div_ceil(all as usize).min(top)]
        })
        .collect();
    format!("  {:<NAMES$}{}\n", format!("of {all} ready"), bars.trim_end())
}

/// Whole seconds around a range.
fn range(range: Range) -> String {
    let (least, greatest) = (range.least / SECOND, range.greatest.div_ceil(SECOND));
    if range.greatest < SECOND && range.greatest > 0 {
        "less than 1 s".to_owned()
    } else if least == greatest {
        format!("{least} s")
    } else {
        format!("{least}–{greatest} s")
    }
}

/// "in all 64 courses", "in 12 of 64 courses".
fn share(some: u32, all: u32) -> String {
    if some == all { format!("in all {all} courses") } else { format!("in {some} of {all} courses") }
}

/// "after 3–4 s", "after less than 1 s".
fn after(moments: Range) -> String {
    format!("after {}", range(moments))
}

/// What the courses have in common, in sentences.
pub(in crate::report) fn outcome(timeline: &Timeline) -> Vec<String> {
    let course = &timeline.course;
    let chances = &course.chances;
    let has_event = course.event > 0;
    let mut lines = Vec::new();
    for kind in &timeline.unknown {
        lines.push(format!("leaving aside the {} probe, whose numbers are not known:", kind.word()));
    }
    if course.replicas.as_ref().is_some_and(|ready| ready.lost.is_some()) {
        lines.push("one container, the load left aside:".to_owned());
    }
    if has_event && chances.ready_before < chances.courses {
        let before = chances.courses - chances.ready_before;
        lines.push(format!("there is no traffic when it happens {}", share(before, chances.courses)));
    }
    lines.push(match (chances.first_kill, chances.kills) {
        (Some(first), Some(kills)) => {
            let times = match kills.greatest {
                0 | 1 => String::new(),
                _ => format!(", {} times in what was replayed", count(kills)),
            };
            format!("killed {}, {}{times}", share(chances.killed, chances.courses), after(first))
        }
        _ => format!("not killed in any of {} courses", chances.courses),
    });
    if has_event {
        lines.push(match chances.first_removal {
            Some(first) => format!("traffic stops {}, {}", share(chances.removed, chances.courses), after(first)),
            None => format!("traffic stops in none of {} courses", chances.courses),
        });
    }
    let all = share(chances.ready_at_end, chances.courses);
    match (chances.ready_for_good, chances.unready) {
        (Some(_), Some(unready)) if has_event && chances.removed > 0 && unready.greatest > 0 => {
            lines.push(format!("ready again {all}; without traffic for {}", range(unready)));
        }
        (Some(ready), _) if !has_event => lines.push(format!("ready {all}, {}", after(ready))),
        (None, _) => lines.push("not ready at the end of any course".to_owned()),
        _ => {}
    }
    if !course.is_whole {
        let shown = seconds(course.until.saturating_sub(course.event));
        lines.push(format!(
            "not replayed to the end: what takes much longer than the {shown} s shown is in the figures only"
        ));
    }
    lines.extend(course.replicas.iter().flat_map(|ready| fleet(ready, has_event)));
    lines
}

fn count(range: Range) -> String {
    if range.least == range.greatest {
        range.least.to_string()
    } else {
        format!("{}–{}", range.least, range.greatest)
    }
}

/// What becomes of several replicas, in sentences.
fn fleet(ready: &Ready, has_event: bool) -> Vec<String> {
    let counts = &ready.counts;
    let all = ready.replicas;
    if !has_event {
        let most = counts.0.iter().map(|count| count.ready).max().unwrap_or(0);
        let first = |least: u32| counts.0.iter().find(|count| count.ready >= least).map_or(0, |count| count.at);
        return vec![match most {
            0 => format!("none of {all} replicas gets ready"),
            _ if most == all => {
                format!(
                    "the first of {all} replicas is ready after {} s, all are after {} s",
                    seconds(first(1)),
                    seconds(first(all))
                )
            }
            _ => format!("no more than {most} of {all} replicas are ready at the same time"),
        }];
    }
    let mut lines = Vec::new();
    if let (Some(lost), Some(peak)) = (ready.lost, ready.peak) {
        lines.push(format!("under load: {lost:.0} requests lost, up to {peak:.0} a second to one replica"));
    }
    let least = counts.least();
    if least.ready == counts.all() {
        lines.push(format!("{} of {all} replicas are ready all the time", least.ready));
        return lines;
    }
    let back = match counts.all_back() {
        Some(at) => format!("all back after {} s", seconds(at)),
        None => "not all back at the end".to_owned(),
    };
    let none = match counts.none_for() {
        0 => String::new(),
        none => format!(", none at all for {} s", seconds(none)),
    };
    let first = counts.first_removal().unwrap_or(least.at);
    let (first, lowest) = (seconds(first), seconds(least.at));
    lines.push(format!(
        "of {all} replicas the first leaves after {first} s, {} are left after {lowest} s{none}; {back}",
        least.ready
    ));
    lines
}
