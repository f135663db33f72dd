//! The kubelet's probe workers, tick by tick.
//!
//! Sources: kubernetes `pkg/kubelet/prober/worker.go` (`run`, `doProbe`), `pkg/kubelet/prober/prober_manager.go`
//! (`UpdatePodStatus`, `isContainerStarted`), `pkg/kubelet/kuberuntime/kuberuntime_container.go` (`killContainer`). Delays
//! between restarts: the documentation page "Pod Lifecycle", section on restarts: 10 s, doubled each time, 300 s at most,
//! anew after 600 s without a restart; the first restart does not wait.

use super::course::{Ask, Event, Happening, Millis, Process, millis};
use super::worker::{Streak, Ticker};
use super::{Numbers, ProbeKind, Stop};

/// A container with its probes.
#[derive(Clone, Copy, Debug)]
pub struct Container {
    /// `startupProbe`
    pub startup: Option<Numbers>,
    /// `livenessProbe`
    pub liveness: Option<Numbers>,
    /// `readinessProbe`
    pub readiness: Option<Numbers>,
    /// How a kill by the startup probe goes.
    pub startup_stop: Stop,
    /// How a kill by the liveness probe goes.
    pub liveness_stop: Stop,
    /// Whether a container that has ended is started again.
    pub restarts: bool,
}

/// What of a course the container does not decide.
#[derive(Clone, Copy, Debug, Default)]
pub struct Chance {
    /// Milliseconds from the first start to a tick of the startup probe, less than its period.
    pub startup: Millis,
    /// The same of the liveness probe.
    pub liveness: Millis,
    /// The same of the readiness probe.
    pub readiness: Millis,
    /// Whether readiness is asked out of turn when the pod's status changes, as the kubelet does.
    pub prompt: bool,
}

/// Seconds of the first delay between a restart and the one before.
const FIRST_DELAY: u64 = 10;
/// Seconds of the longest such delay.
pub const LONGEST_DELAY: u64 = 300;
/// Seconds without a restart after which the delays begin anew.
const FORGIVEN_AFTER: u64 = 600;

/// What happens until `until`, in order.
pub fn replay(container: &Container, chance: Chance, process: &dyn Process, until: Millis) -> Vec<Event> {
    let worker = |kind, numbers: Option<Numbers>, phase| numbers.map(|numbers| Worker::new(kind, numbers, phase));
    let workers = [
        worker(ProbeKind::Startup, container.startup, chance.startup),
        worker(ProbeKind::Liveness, container.liveness, chance.liveness),
        worker(ProbeKind::Readiness, container.readiness, chance.readiness),
    ];
    let mut replay = Replay {
        container,
        prompt: chance.prompt,
        process,
        workers: workers.into_iter().flatten().collect(),
        state: State::Running,
        since: 0,
        life: 0,
        delay: 0,
        is_ready: false,
        events: Vec::new(),
    };
    replay.start(0);
    while let Some(step) = replay.next_step().filter(|step| step.at <= until) {
        replay.take(step);
    }
    replay.events
}

/// What the container does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Running,
    /// Ends at that moment.
    Stopping(Millis),
    /// Starts at that moment.
    Waiting(Millis),
    Ended,
}

/// The next thing to happen; of several at one moment the first in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Step {
    at: Millis,
    what: What,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum What {
    Answer(usize),
    Change,
    Tick(usize),
}

/// One probe's loop.
struct Worker {
    kind: ProbeKind,
    numbers: Numbers,
    ticker: Ticker,
    /// Status was asked for meanwhile: attempt out of turn.
    is_urged: bool,
    attempt: Option<Attempt>,
    /// The process that the results are about.
    life: Option<u32>,
    /// The result in force, if any attempt decided it.
    result: Option<bool>,
    streak: Streak,
    on_hold: bool,
    made: u32,
}

#[derive(Clone, Copy)]
struct Attempt {
    from: Millis,
    end: Millis,
    passed: bool,
}

impl Worker {
    fn new(kind: ProbeKind, numbers: Numbers, phase: Millis) -> Self {
        Self {
            kind,
            numbers,
            ticker: Ticker::new(phase, millis(numbers.period)),
            is_urged: false,
            attempt: None,
            life: None,
            result: None,
            streak: Streak::default(),
            on_hold: false,
            made: 0,
        }
    }

    /// Uses up the ticks until `now`; an attempt out of turn sets the ticker anew.
    fn use_ticks(&mut self, now: Millis) {
        if std::mem::take(&mut self.is_urged) {
            self.ticker.reset(now);
        } else {
            self.ticker.use_until(now);
        }
    }
}

struct Replay<'a> {
    container: &'a Container,
    prompt: bool,
    process: &'a dyn Process,
    workers: Vec<Worker>,
    state: State,
    /// When the process that runs, or ran last, started.
    since: Millis,
    life: u32,
    /// Seconds that the next restart waits.
    delay: u64,
    is_ready: bool,
    events: Vec<Event>,
}

impl Replay<'_> {
    fn next_step(&self) -> Option<Step> {
        let change = match self.state {
            State::Stopping(at) | State::Waiting(at) => Some(Step { at, what: What::Change }),
            State::Running | State::Ended => None,
        };
        if self.state == State::Ended {
            return None;
        }
        let of_workers = self.workers.iter().enumerate().map(|(index, worker)| match worker.attempt {
            Some(attempt) => Step { at: attempt.end, what: What::Answer(index) },
            None => Step { at: worker.ticker.next, what: What::Tick(index) },
        });
        of_workers.chain(change).min()
    }

    fn take(&mut self, step: Step) {
        match step.what {
            What::Answer(index) => {
                self.answer(index, step.at);
                // A tick that fell into the attempt was kept.
                if self.workers[index].ticker.next <= step.at || self.workers[index].is_urged {
                    self.tick(index, step.at);
                }
            }
            What::Tick(index) => self.tick(index, step.at),
            What::Change => match self.state {
                State::Stopping(_) => self.end(step.at),
                _ => self.start(step.at),
            },
        }
    }

    fn note(&mut self, at: Millis, what: Happening) {
        self.events.push(Event { at, what });
    }

    fn start(&mut self, at: Millis) {
        self.state = State::Running;
        self.since = at;
        self.note(at, Happening::Started(self.life));
        self.see_readiness(at);
        self.urge(at);
    }

    fn end(&mut self, at: Millis) {
        self.note(at, Happening::Gone);
        if !self.container.restarts {
            self.state = State::Ended;
            self.see_readiness(at);
            return;
        }
        if at - self.since > millis(FORGIVEN_AFTER) {
            self.delay = 0;
        }
        self.state = State::Waiting(at.saturating_add(millis(self.delay)));
        self.delay = (self.delay * 2).clamp(FIRST_DELAY, LONGEST_DELAY);
        self.see_readiness(at);
        self.life += 1;
    }

    /// One tick of a worker, or an attempt out of turn.
    fn tick(&mut self, index: usize, now: Millis) {
        let (is_running, is_started, life) = (self.is_running(), self.is_started(), self.life);
        let age = now.saturating_sub(self.since);
        let worker = &mut self.workers[index];
        worker.use_ticks(now);
        if !is_running {
            return;
        }
        if worker.life != Some(life) {
            // The count of results goes on; only what they said is forgotten.
            worker.life = Some(life);
            worker.result = None;
            worker.on_hold = false;
        }
        let is_held_back = match worker.kind {
            ProbeKind::Startup => is_started,
            _ => !is_started,
        };
        let delay = millis(worker.numbers.initial_delay);
        if age < delay {
            // No tick before counts, so none is looked at.
            worker.ticker.skip_to(self.since.saturating_add(delay));
        }
        if worker.on_hold || is_held_back || age < delay {
            return;
        }
        let ask = Ask { kind: worker.kind, at: now, age, life, number: worker.made };
        worker.made += 1;
        let (took, passed) = self.process.answer(&ask).under(millis(worker.numbers.timeout));
        worker.attempt = Some(Attempt { from: now, end: now + took, passed });
        if took == 0 {
            self.answer(index, now);
        }
    }

    /// The end of an attempt.
    fn answer(&mut self, index: usize, now: Millis) {
        let worker = &mut self.workers[index];
        let Some(Attempt { from, passed, .. }) = worker.attempt.take() else { return };
        let kind = worker.kind;
        let threshold = if passed { worker.numbers.success_threshold } else { worker.numbers.failure_threshold };
        let is_decided = worker.streak.count(passed) >= threshold;
        // Before the first decision readiness counts as failed and liveness as passed.
        let before = worker.result.or(match kind {
            ProbeKind::Readiness => Some(false),
            ProbeKind::Liveness => Some(true),
            ProbeKind::Startup => None,
        });
        let is_news = is_decided && before != Some(passed);
        if is_decided {
            worker.result = Some(passed);
            if kind != ProbeKind::Readiness && !passed {
                worker.on_hold = true;
                worker.streak.clear();
            }
        }
        self.note(now, Happening::Attempted { kind, from, passed });
        if is_news {
            self.note(now, if passed { Happening::Passed(kind) } else { Happening::Failed(kind) });
            if kind != ProbeKind::Readiness && !passed {
                self.kill(kind, now);
            }
        }
        self.see_readiness(now);
        if is_news {
            self.urge(now);
        }
    }

    fn kill(&mut self, kind: ProbeKind, now: Millis) {
        if self.state != State::Running {
            return;
        }
        self.note(now, Happening::Killed(kind));
        let stop = match kind {
            ProbeKind::Startup => self.container.startup_stop,
            _ => self.container.liveness_stop,
        };
        let term = now.saturating_add(millis(stop.term_after()));
        let longest = millis(stop.time_to_stop());
        self.state = State::Stopping(
            term.saturating_add(self.process.stops_after(self.since, term).map_or(longest, |took| took.min(longest))),
        );
    }

    /// Whether a process is there; one that is being stopped still is.
    const fn is_running(&self) -> bool {
        matches!(self.state, State::Running | State::Stopping(_))
    }

    fn result(&self, kind: ProbeKind) -> Option<bool> {
        let worker = self.workers.iter().find(|worker| worker.kind == kind)?;
        worker.result.filter(|_| worker.life == Some(self.life))
    }

    /// Whether the start is over: without a startup probe a running container has started.
    fn is_started(&self) -> bool {
        self.container.startup.is_none() || self.result(ProbeKind::Startup) == Some(true)
    }

    /// Notes a change of readiness.
    fn see_readiness(&mut self, now: Millis) {
        let passed = self.container.readiness.is_none() || self.result(ProbeKind::Readiness) == Some(true);
        let is_ready = self.is_running() && self.is_started() && passed;
        if is_ready != self.is_ready {
            self.is_ready = is_ready;
            self.note(now, if is_ready { Happening::Ready } else { Happening::NotReady });
        }
    }

    /// The pod's status is computed: readiness that has not passed is asked out of turn.
    fn urge(&mut self, now: Millis) {
        if !self.prompt || self.result(ProbeKind::Readiness) == Some(true) {
            return;
        }
        let Some(index) = self.workers.iter().position(|worker| worker.kind == ProbeKind::Readiness) else { return };
        self.workers[index].is_urged = true;
        if self.workers[index].attempt.is_none() {
            self.tick(index, now);
        }
    }
}
