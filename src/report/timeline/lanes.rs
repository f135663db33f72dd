//! The picture as data: one lane a probe, one for the process, one for traffic.

use crate::timeline::Timeline;
use crate::timing::{Happening, Millis, ProbeKind, Worker};

/// What a stretch of a lane shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    /// The process runs.
    Running,
    /// It has been told to stop.
    Stopping,
    /// There is none; the next one waits for its turn.
    Waiting,
    /// Traffic may come.
    Ready,
    /// It may not.
    Unready,
    /// The probe is held back, or over.
    Silent,
    /// It has not decided anything yet.
    Undecided,
    /// It has passed.
    Passed,
    /// It has failed.
    Failed,
}

impl State {
    pub(super) const fn word(self) -> &'static str {
        match self {
            Self::Running => "running",
            Self::Stopping => "stopping",
            Self::Waiting => "not running",
            Self::Ready => "ready",
            Self::Unready => "not ready",
            Self::Silent => "silent",
            Self::Undecided => "undecided",
            Self::Passed => "passed",
            Self::Failed => "failed",
        }
    }
}

/// A stretch of time, end excluded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Stretch {
    pub(super) from: Millis,
    pub(super) to: Millis,
    pub(super) state: State,
    /// A process that follows another one begins here.
    pub(super) is_again: bool,
}

/// One attempt of a probe.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Attempt {
    pub(super) from: Millis,
    pub(super) at: Millis,
    pub(super) passed: bool,
}

/// One line of the picture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Lane {
    pub(super) name: &'static str,
    pub(super) stretches: Vec<Stretch>,
    pub(super) attempts: Vec<Attempt>,
    /// Moments at which the probe killed the process.
    pub(super) kills: Vec<Millis>,
}

/// All lanes of a timeline, between the course's `from` and `until`.
pub(super) fn lanes(timeline: &Timeline) -> Vec<Lane> {
    let mut lanes: Vec<Lane> = timeline.probes.iter().map(|&(kind, _)| probe(timeline, kind)).collect();
    lanes.push(process(timeline));
    lanes.push(traffic(timeline));
    lanes
}

fn probe(timeline: &Timeline, of: ProbeKind) -> Lane {
    let has_startup = timeline.probes.iter().any(|&(kind, _)| kind == ProbeKind::Startup);
    let is_held_back = has_startup && of != ProbeKind::Startup;
    // The kubelet takes liveness for passed until it has failed.
    let first = match of {
        ProbeKind::Liveness if timeline.worker == Worker::Kubelet => State::Passed,
        _ => State::Undecided,
    };
    let mut lane = lane(timeline, of.word(), State::Silent, |what| match what {
        Happening::Started(_) => Some(if is_held_back { State::Silent } else { first }),
        Happening::Passed(ProbeKind::Startup) => Some(if is_held_back { first } else { State::Silent }),
        Happening::Passed(kind) if kind == of => Some(State::Passed),
        Happening::Failed(kind) if kind == of => Some(State::Failed),
        Happening::Gone => Some(State::Silent),
        _ => None,
    });
    for event in &timeline.course.events {
        match event.what {
            Happening::Attempted { kind, from, passed } if kind == of => {
                lane.attempts.push(Attempt { from, at: event.at, passed });
            }
            Happening::Killed(kind) if kind == of => lane.kills.push(event.at),
            _ => {}
        }
    }
    lane
}

fn process(timeline: &Timeline) -> Lane {
    let name = if timeline.worker == Worker::ReplicaMonitor { "replica" } else { "container" };
    lane(timeline, name, State::Waiting, |what| match what {
        Happening::Started(_) => Some(State::Running),
        Happening::Killed(_) => Some(State::Stopping),
        Happening::Gone => Some(State::Waiting),
        _ => None,
    })
}

fn traffic(timeline: &Timeline) -> Lane {
    lane(timeline, "traffic", State::Unready, |what| match what {
        Happening::Ready => Some(State::Ready),
        Happening::NotReady => Some(State::Unready),
        _ => None,
    })
}

fn lane(timeline: &Timeline, name: &'static str, first: State, change: impl Fn(Happening) -> Option<State>) -> Lane {
    let course = &timeline.course;
    let mut stretches: Vec<Stretch> = Vec::new();
    let (mut since, mut state, mut is_again) = (0, first, false);
    let changes = course.events.iter().filter_map(|event| {
        let next = change(event.what)?;
        let follows = next == State::Running && matches!(event.what, Happening::Started(life) if life > 0);
        Some((event.at, next, follows))
    });
    for (at, next, follows) in changes.chain([(course.until, first, false)]) {
        let (from, to) = (since.max(course.from), at.min(course.until));
        if from < to {
            stretches.push(Stretch { from, to, state, is_again: is_again && from == since });
        }
        (since, state, is_again) = (at, next, follows);
        if at >= course.until {
            break;
        }
    }
    Lane { name, stretches, attempts: Vec::new(), kills: Vec::new() }
}
