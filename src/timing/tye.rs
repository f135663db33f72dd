//! Tye's ReplicaMonitor, attempt by attempt.
//!
//! Sources: dotnet/tye `Hosting/ReplicaMonitor.cs` (states, counters that are tested before they are counted up, timers
//! that are set again after each attempt), `Core/ProcessUtil.cs` (5 s between the interrupt and the kill),
//! `Hosting/ProcessRunner.cs` (a new replica starts at once, with no limit).

use super::course::{Ask, Event, Happening, Millis, Process, millis};
use super::{Numbers, ProbeKind, Stop};

/// A service with its probes.
#[derive(Clone, Copy, Debug)]
pub struct Service {
    /// `liveness`
    pub liveness: Option<Numbers>,
    /// `readiness`
    pub readiness: Option<Numbers>,
}

/// State of a replica; Tye's names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Started,
    Healthy,
    Ready,
    /// Is being stopped until that moment.
    Stopping(Millis),
}

/// What happens until `until`, in order. Nothing is left to chance but the moment of the event against the start.
pub fn replay(service: &Service, process: &dyn Process, until: Millis) -> Vec<Event> {
    let mut replay = Replay {
        service,
        process,
        probers: Vec::new(),
        state: State::Started,
        since: 0,
        life: 0,
        made: [0; 2],
        events: Vec::new(),
    };
    replay.start(0);
    while let Some((at, what)) = replay.next().filter(|(at, _)| *at <= until) {
        match what {
            What::Gone => {
                replay.note(at, Happening::Gone);
                replay.life += 1;
                replay.start(at);
            }
            What::Answer(index) => replay.answer(index, at),
            What::Ask(index) => replay.ask(index, at),
        }
    }
    replay.events
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum What {
    Answer(usize),
    Gone,
    Ask(usize),
}

struct Prober {
    kind: ProbeKind,
    numbers: Numbers,
    next: Millis,
    /// Beginning, end and outcome of the attempt under way.
    attempt: Option<(Millis, Millis, bool)>,
    successes: u64,
    failures: u64,
}

struct Replay<'a> {
    service: &'a Service,
    process: &'a dyn Process,
    probers: Vec<Prober>,
    state: State,
    since: Millis,
    life: u32,
    /// Attempts so far, of liveness and readiness.
    made: [u32; 2],
    events: Vec<Event>,
}

impl Replay<'_> {
    fn note(&mut self, at: Millis, what: Happening) {
        self.events.push(Event { at, what });
    }

    /// A process and a monitor of its own.
    fn start(&mut self, at: Millis) {
        self.since = at;
        self.note(at, Happening::Started(self.life));
        let both = [(ProbeKind::Liveness, self.service.liveness), (ProbeKind::Readiness, self.service.readiness)];
        self.probers = both
            .into_iter()
            .filter_map(|(kind, numbers)| {
                let numbers = numbers?;
                let next = at + millis(numbers.initial_delay);
                Some(Prober { kind, numbers, next, attempt: None, successes: 0, failures: 0 })
            })
            .collect();
        self.state = State::Started;
        match (self.service.liveness, self.service.readiness) {
            (None, None) => self.become_ready(at),
            (None, Some(_)) => self.state = State::Healthy,
            _ => {}
        }
    }

    fn become_ready(&mut self, at: Millis) {
        self.state = State::Ready;
        self.note(at, Happening::Ready);
    }

    fn next(&self) -> Option<(Millis, What)> {
        if let State::Stopping(at) = self.state {
            return Some((at, What::Gone));
        }
        let of_prober = |(index, prober): (usize, &Prober)| match prober.attempt {
            Some((_, end, _)) => (end, What::Answer(index)),
            None => (prober.next, What::Ask(index)),
        };
        self.probers.iter().enumerate().map(of_prober).min()
    }

    fn ask(&mut self, index: usize, now: Millis) {
        let prober = &mut self.probers[index];
        let made = &mut self.made[usize::from(prober.kind == ProbeKind::Readiness)];
        let ask = Ask { kind: prober.kind, at: now, age: now - self.since, life: self.life, number: *made };
        *made += 1;
        let (took, passed) = self.process.answer(&ask).under(millis(prober.numbers.timeout));
        prober.attempt = Some((now, now + took, passed));
    }

    fn answer(&mut self, index: usize, now: Millis) {
        let prober = &mut self.probers[index];
        let Some((from, _, passed)) = prober.attempt.take() else { return };
        // The timer is set again when the attempt is over. It does not fire more than once a millisecond.
        prober.next = now + millis(prober.numbers.period).max(1);
        let kind = prober.kind;
        if passed {
            prober.failures = 0;
        } else {
            prober.successes = 0;
        }
        self.note(now, Happening::Attempted { kind, from, passed });
        match (kind, passed) {
            (ProbeKind::Readiness, _) => self.judge_readiness(index, passed, now),
            (_, true) if self.state == State::Started => {
                self.note(now, Happening::Passed(kind));
                if self.service.readiness.is_none() {
                    self.become_ready(now);
                } else {
                    self.state = State::Healthy;
                }
            }
            (_, true) => {}
            (_, false) => self.judge_liveness(index, now),
        }
    }

    fn judge_liveness(&mut self, index: usize, now: Millis) {
        let prober = &mut self.probers[index];
        if prober.failures < prober.numbers.failure_threshold {
            prober.failures += 1;
            return;
        }
        self.note(now, Happening::Failed(ProbeKind::Liveness));
        self.note(now, Happening::Killed(ProbeKind::Liveness));
        if self.state == State::Ready {
            self.note(now, Happening::NotReady);
        }
        let longest = millis(Stop::TYE.grace_period);
        self.state =
            State::Stopping(now + self.process.stops_after(self.since, now).map_or(longest, |took| took.min(longest)));
    }

    fn judge_readiness(&mut self, index: usize, passed: bool, now: Millis) {
        let prober = &mut self.probers[index];
        match (self.state, passed) {
            (State::Healthy, true) if prober.successes < prober.numbers.success_threshold => prober.successes += 1,
            (State::Healthy, true) => {
                self.note(now, Happening::Passed(ProbeKind::Readiness));
                self.become_ready(now);
            }
            (State::Ready, false) if prober.failures < prober.numbers.failure_threshold => prober.failures += 1,
            (State::Ready, false) => {
                self.state = State::Healthy;
                self.note(now, Happening::Failed(ProbeKind::Readiness));
                self.note(now, Happening::NotReady);
            }
            _ => {}
        }
    }
}
