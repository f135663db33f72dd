//! Timelines for programs. `schemaVersion` 1: additions are allowed, changes are not.

use std::io;

use serde_json::{Value, json};

use super::super::Options;
use super::Sheet;
use crate::span::ColumnUnit;
use crate::timeline::{Chances, Range, Ready, Timeline};
use crate::timing::{Event, Happening, Millis, Numbers, SECOND, Worker};

pub(super) fn write(sheets: &[Sheet<'_>], options: &Options, out: &mut dyn io::Write) -> io::Result<()> {
    let document = json!({
        "schemaVersion": 1,
        "tool": { "name": "probelint", "version": options.tool_version },
        "timelines": sheets.iter().map(sheet).collect::<Vec<_>>(),
    });
    serde_json::to_writer_pretty(&mut *out, &document)?;
    writeln!(out)
}

fn sheet(sheet: &Sheet<'_>) -> Value {
    let timeline = sheet.timeline;
    let at = sheet.source.position(timeline.at.start, ColumnUnit::Scalars);
    let probes: Vec<Value> = timeline.probes.iter().map(|(kind, numbers)| probe(kind.word(), numbers)).collect();
    let figures: Vec<Value> = timeline
        .figures
        .iter()
        .map(|figure| {
            json!({
                "name": figure.name,
                "title": figure.title,
                "earliest": figure.window.earliest,
                "latest": figure.window.latest,
                "note": figure.note,
            })
        })
        .collect();
    json!({
        "path": sheet.source.path,
        "document": timeline.document,
        "subject": timeline.subject,
        "container": timeline.container,
        "line": at.line,
        "column": at.column,
        "worker": match timeline.worker { Worker::Kubelet => "kubelet", Worker::ReplicaMonitor => "ReplicaMonitor" },
        "probes": probes,
        "unknownProbes": timeline.unknown.iter().map(|kind| kind.word()).collect::<Vec<_>>(),
        "figures": figures,
        "scenario": course(timeline),
    })
}

fn probe(kind: &str, numbers: &Numbers) -> Value {
    json!({
        "kind": kind,
        "initialDelaySeconds": numbers.initial_delay,
        "periodSeconds": numbers.period,
        "timeoutSeconds": numbers.timeout,
        "successThreshold": numbers.success_threshold,
        "failureThreshold": numbers.failure_threshold,
    })
}

fn course(timeline: &Timeline) -> Value {
    let course = &timeline.course;
    let shown = course.events.iter().filter(|event| (course.from..=course.until).contains(&event.at));
    json!({
        "what": course.words,
        "from": since(course.from, course.event),
        "until": since(course.until, course.event),
        "whole": course.is_whole,
        "chances": chances(&course.chances),
        "worstCourse": shown.map(|it| event(it, course.event)).collect::<Vec<_>>(),
        "replicas": course.replicas.as_ref().map(replicas),
        "assumptions": course.assumptions,
    })
}

fn chances(chances: &Chances) -> Value {
    let kills = chances.kills.map(|range| json!({ "least": range.least, "greatest": range.greatest }));
    json!({
        "courses": chances.courses,
        "killed": chances.killed,
        "removed": chances.removed,
        "readyBefore": chances.ready_before,
        "readyAtEnd": chances.ready_at_end,
        "kills": kills,
        "firstKill": seconds_of(chances.first_kill),
        "firstRemoval": seconds_of(chances.first_removal),
        "readyForGood": seconds_of(chances.ready_for_good),
        "unready": seconds_of(chances.unready),
    })
}

fn seconds_of(range: Option<Range>) -> Option<Value> {
    range.map(|range| json!({ "earliest": seconds(range.least), "latest": seconds(range.greatest) }))
}

fn replicas(ready: &Ready) -> Value {
    let counts: Vec<Value> =
        ready.counts.0.iter().map(|count| json!({ "at": seconds(count.at), "ready": count.ready })).collect();
    json!({ "replicas": ready.replicas, "counts": counts, "lostRequests": ready.lost, "peakRequestsPerSecond": ready.peak })
}

fn seconds(millis: Millis) -> f64 {
    millis as f64 / SECOND as f64
}

/// Seconds since the event, negative before it.
fn since(at: Millis, event: Millis) -> f64 {
    (at as f64 - event as f64) / SECOND as f64
}

fn event(event: &Event, origin: Millis) -> Value {
    let at = since(event.at, origin);
    match event.what {
        Happening::Started(life) => json!({ "at": at, "event": "started", "restarts": life }),
        Happening::Attempted { kind, from, passed } => {
            json!({ "at": at, "event": "attempt", "probe": kind.word(), "from": since(from, origin), "passed": passed })
        }
        Happening::Passed(kind) => json!({ "at": at, "event": "passed", "probe": kind.word() }),
        Happening::Failed(kind) => json!({ "at": at, "event": "failed", "probe": kind.word() }),
        Happening::Ready => json!({ "at": at, "event": "ready" }),
        Happening::NotReady => json!({ "at": at, "event": "notReady" }),
        Happening::Killed(kind) => json!({ "at": at, "event": "killed", "probe": kind.word() }),
        Happening::Gone => json!({ "at": at, "event": "ended" }),
    }
}
