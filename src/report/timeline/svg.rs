//! Timelines as SVG. The colours come from a style sheet, so that a page can bring its own.

use std::fmt::Write as _;
use std::io;

use super::lanes::{Lane, State, lanes};
use super::{Sheet, seconds, step};
use crate::report::markup::escape;
use crate::timeline::Timeline;
use crate::timing::{Millis, SECOND};

/// Width of a picture, in its own units.
const WIDTH: f64 = 960.0;
/// Where lanes begin.
const LEFT: f64 = 110.0;
/// Where they end.
const RIGHT: f64 = WIDTH - 16.0;
/// Height of one lane.
const LANE: f64 = 26.0;
/// Height of a line of text.
const LINE: f64 = 18.0;
/// What the shapes mean.
const LEGEND: &str = "\
<circle cx=\"22\" cy=\"12\" r=\"4\" class=\"pass\"/><text x=\"32\" y=\"16\" class=\"soft\">attempt succeeded</text>\
<path d=\"M172 7L177 12L172 17L167 12Z\" class=\"fail\"/><text x=\"182\" y=\"16\" class=\"soft\">attempt failed</text>\
<line x1=\"290\" x2=\"290\" y1=\"3\" y2=\"21\" class=\"kill\"/><text x=\"298\" y=\"16\" class=\"soft\">killed by this probe</text>\
<line x1=\"446\" x2=\"446\" y1=\"3\" y2=\"21\" class=\"event\"/><text x=\"454\" y=\"16\" class=\"soft\">it happens</text>\
<rect x=\"540\" y=\"4\" width=\"22\" height=\"16\" class=\"running\"/><text x=\"568\" y=\"16\" class=\"soft\">running</text>\
<rect x=\"634\" y=\"4\" width=\"22\" height=\"16\" class=\"stopping\"/><text x=\"662\" y=\"16\" class=\"soft\">stopping</text>\
<rect x=\"730\" y=\"4\" width=\"22\" height=\"16\" class=\"ready\"/><text x=\"758\" y=\"16\" class=\"soft\">ready</text>\
<rect x=\"810\" y=\"4\" width=\"22\" height=\"16\" class=\"not-ready\"/><text x=\"838\" y=\"16\" class=\"soft\">not ready</text>";
/// Height of what stands above the lanes.
const HEAD: f64 = 44.0;

/// The style sheet of a picture, light and dark.
pub(in crate::report) const STYLE: &str = "\
.timeline { --ink: #1f2328; --soft: #59636e; --line: #d1d9e0; --run: #6ea8dc; --stop: #e0a23b; --ready: #3f9a57;
  --unready: #d9dee3; --bad: #c4342d; font: 13px system-ui, sans-serif }
@media (prefers-color-scheme: dark) { .timeline { --ink: #e6edf3; --soft: #9198a1; --line: #3d444d; --run: #3f78ab;
  --stop: #b07c22; --ready: #3f9a57; --unready: #3d444d; --bad: #f4706a } }
.timeline text { fill: var(--ink) } .timeline .soft { fill: var(--soft) } .timeline .head { font-weight: 600 }
.timeline .grid { stroke: var(--line) } .timeline .event { stroke: var(--ink); stroke-dasharray: 3 3 }
.timeline .running { fill: var(--run) } .timeline .stopping { fill: var(--stop) } .timeline .not-running { fill: none }
.timeline .undecided { fill: none; stroke: var(--line); stroke-dasharray: 3 3 } .timeline .passed { fill: var(--line) }
.timeline .failed { fill: var(--bad); opacity: .35 } .timeline .ready { fill: var(--ready) } .timeline .not-ready { fill: var(--unready) }
.timeline .pass { fill: var(--ready) } .timeline .fail { fill: var(--bad) } .timeline .asking { stroke: var(--soft) }
.timeline .kill { stroke: var(--bad); stroke-width: 2.5 } .timeline .count { fill: none; stroke: var(--ready); stroke-width: 2 }
";

pub(super) fn write(sheets: &[Sheet<'_>], out: &mut dyn io::Write) -> io::Result<()> {
    let sentences: Vec<Vec<String>> = sheets.iter().map(|sheet| super::outcome(sheet.timeline)).collect();
    let heights: Vec<f64> = sheets
        .iter()
        .zip(&sentences)
        .map(|(sheet, lines)| height(sheet.timeline) + 52.0 + LINE * lines.len() as f64)
        .collect();
    let total: f64 = heights.iter().sum::<f64>() + 30.0;
    writeln!(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {total}\" width=\"{WIDTH}\" height=\"{total}\">"
    )?;
    writeln!(out, "<style>{STYLE}svg {{ background: Canvas; color-scheme: light dark }}</style>")?;
    let mut top = 0.0;
    for ((sheet, lines), height) in sheets.iter().zip(&sentences).zip(heights) {
        let (subject, path) = (cut(&sheet.timeline.subject), cut(&sheet.source.path));
        writeln!(out, "<g transform=\"translate(0 {top})\" class=\"timeline\">")?;
        writeln!(out, "<text x=\"16\" y=\"22\" class=\"head\">{subject}</text>")?;
        writeln!(out, "<text x=\"16\" y=\"40\" class=\"soft\">{path}</text>")?;
        writeln!(out, "<g transform=\"translate(0 44)\">{}</g>", inner(sheet.timeline))?;
        for (index, line) in lines.iter().enumerate() {
            let y = 44.0 + self::height(sheet.timeline) + LINE * index as f64 + 4.0;
            writeln!(out, "<text x=\"16\" y=\"{y}\">{}</text>", escape(line))?;
        }
        writeln!(out, "</g>")?;
        top += height;
    }
    writeln!(out, "<g transform=\"translate(0 {top})\" class=\"timeline\">{LEGEND}</g>\n</svg>")
}

/// Text that fits into the picture, escaped.
fn cut(text: &str) -> String {
    const MOST: usize = 120;
    match text.char_indices().nth(MOST) {
        Some((end, _)) => format!("{}…", escape(&text[..end])),
        None => escape(text),
    }
}

/// One picture of its own, to stand in a page that has the style sheet.
pub(in crate::report) fn picture(timeline: &Timeline) -> String {
    format!(
        "<svg class=\"timeline\" viewBox=\"0 0 {WIDTH} {}\" role=\"img\" aria-label=\"{}\">{}</svg>",
        height(timeline),
        escape(&super::outcome(timeline).join("; ")),
        inner(timeline)
    )
}

fn height(timeline: &Timeline) -> f64 {
    let replicas = if timeline.course.replicas.is_some() { 2.0 * LANE } else { 0.0 };
    HEAD + LANE * (timeline.probes.len() + 2) as f64 + replicas + 12.0
}

/// Maps moments to the picture.
struct Scale {
    from: Millis,
    until: Millis,
}

impl Scale {
    fn x(&self, at: Millis) -> f64 {
        let length = (self.until - self.from).max(1) as f64;
        let offset = at.clamp(self.from, self.until) - self.from;
        ((LEFT + (RIGHT - LEFT) * offset as f64 / length) * 10.0).round() / 10.0
    }
}

fn inner(timeline: &Timeline) -> String {
    let course = &timeline.course;
    let scale = Scale { from: course.from, until: course.until.max(course.from + 1) };
    let all = lanes(timeline);
    let bottom = HEAD + LANE * all.len() as f64;
    let title = format!("{}; the worst of {} courses", course.words, course.chances.courses);
    let mut svg = format!("<text x=\"16\" y=\"16\" class=\"soft\">{}</text>", escape(&title));
    svg += &grid(&scale, course.event, bottom);
    for (index, lane) in all.iter().enumerate() {
        let top = HEAD + LANE * index as f64;
        let _ = write!(svg, "<text x=\"16\" y=\"{}\">{}</text>", top + 17.0, lane.name);
        svg += &draw(lane, &scale, top, course.event);
    }
    if let Some(ready) = &course.replicas {
        let counts: Vec<(Millis, u32)> = ready.counts.0.iter().map(|it| (it.at + course.event, it.ready)).collect();
        svg += &steps(&counts, ready.replicas, &scale, bottom + 8.0);
    }
    svg
}

fn grid(scale: &Scale, event: Millis, bottom: f64) -> String {
    let mut svg = String::new();
    let step = step(scale.until - scale.from, 10);
    // The first round moment at or after the left edge, counted from the event.
    let first = event as i128 - (event.saturating_sub(scale.from) / step * step) as i128;
    let mut at = first;
    while at <= scale.until as i128 {
        let x = scale.x(at as Millis);
        let class = if at == event as i128 { "event" } else { "grid" };
        let label = (at - event as i128) / SECOND as i128;
        let _ = write!(
            svg,
            "<line x1=\"{x}\" x2=\"{x}\" y1=\"{}\" y2=\"{bottom}\" class=\"{class}\"/>\
             <text x=\"{x}\" y=\"{}\" class=\"soft\" text-anchor=\"middle\">{label} s</text>",
            HEAD - 6.0,
            HEAD - 10.0
        );
        at += step as i128;
    }
    svg
}

fn draw(lane: &Lane, scale: &Scale, top: f64, event: Millis) -> String {
    let mut svg = String::new();
    let shown = |at: Millis| (scale.from..=scale.until).contains(&at);
    let since = |at: Millis| {
        let shown = seconds(at.abs_diff(event));
        let sign = if at < event && shown != "0" { "-" } else { "" };
        format!("{sign}{shown}")
    };
    let is_blank = |state| matches!(state, State::Waiting | State::Silent);
    for stretch in lane.stretches.iter().filter(|stretch| !is_blank(stretch.state)) {
        let (from, to) = (scale.x(stretch.from), scale.x(stretch.to));
        let word = stretch.state.word();
        // What a probe says is a thin line, what follows from it a bar.
        let thickness = match stretch.state {
            State::Undecided | State::Passed | State::Failed => 4.0,
            _ => LANE - 10.0,
        };
        if stretch.is_again {
            let _ = write!(
                svg,
                "<line x1=\"{from}\" x2=\"{from}\" y1=\"{}\" y2=\"{}\" class=\"event\"><title>started again</title></line>",
                top + 2.0,
                top + LANE - 2.0
            );
        }
        let _ = write!(
            svg,
            "<rect x=\"{from}\" y=\"{}\" width=\"{:.1}\" height=\"{}\" class=\"{}\"><title>{word} {}–{} s</title></rect>",
            top + (LANE - thickness) / 2.0,
            to - from,
            thickness,
            word.replace(' ', "-"),
            since(stretch.from),
            since(stretch.to)
        );
    }
    let middle = top + LANE / 2.0;
    for attempt in lane.attempts.iter().filter(|attempt| shown(attempt.at)) {
        let (from, to) = (scale.x(attempt.from), scale.x(attempt.at));
        if to - from > 1.0 {
            let _ = write!(svg, "<line x1=\"{from}\" x2=\"{to}\" y1=\"{middle}\" y2=\"{middle}\" class=\"asking\"/>");
        }
        let (class, word) = if attempt.passed { ("pass", "succeeded") } else { ("fail", "failed") };
        let title = format!("<title>{} attempt {word} at {} s</title>", lane.name, since(attempt.at));
        if attempt.passed {
            let _ = write!(svg, "<circle cx=\"{to}\" cy=\"{middle}\" r=\"4\" class=\"{class}\">{title}</circle>");
        } else {
            // Another shape, so that it is told apart without its colour.
            let (left, right, up, down) = (to - 5.0, to + 5.0, middle - 5.0, middle + 5.0);
            let _ = write!(
                svg,
                "<path d=\"M{to} {up}L{right} {middle}L{to} {down}L{left} {middle}Z\" class=\"{class}\">{title}</path>"
            );
        }
    }
    for &kill in lane.kills.iter().filter(|&&kill| shown(kill)) {
        let x = scale.x(kill);
        let _ = write!(
            svg,
            "<line x1=\"{x}\" x2=\"{x}\" y1=\"{}\" y2=\"{}\" class=\"kill\"><title>killed at {} s</title></line>",
            top + 2.0,
            top + LANE - 2.0,
            since(kill)
        );
    }
    svg
}

/// The number of ready replicas as a line of steps.
fn steps(counts: &[(Millis, u32)], all: u32, scale: &Scale, top: f64) -> String {
    let all = all.max(1);
    let before = counts.first().map_or(all, |&(_, ready)| ready);
    let room = LANE * 2.0 - 14.0;
    let y = |ready: u32| ((top + room - room * f64::from(ready) / f64::from(all)) * 10.0).round() / 10.0;
    let mut path = format!("M{LEFT} {}", y(before));
    for &(at, ready) in counts.iter().take_while(|(at, _)| *at <= scale.until) {
        let _ = write!(path, "H{}V{}", scale.x(at), y(ready));
    }
    let _ = write!(path, "H{RIGHT}");
    format!("<text x=\"16\" y=\"{}\">of {all} ready</text><path d=\"{path}\" class=\"count\"/>", top + room / 2.0 + 4.0)
}
