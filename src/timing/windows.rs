//! Closed forms: how soon and how late a probe acts. Ranges come from what nobody can know beforehand, the phase of the
//! probe's ticks against the event.
//!
//! Assumed throughout: a healthy process answers at once; no failures were counted before; the kubelet itself has not
//! just started; whole-second truncation of the initial delay (under 1 s) and latencies of the kubelet and the runtime
//! are left out.
//!
//! Sources: kubernetes `pkg/kubelet/prober/worker.go`, `run` and `doProbe` (a fixed ticker of arbitrary phase; a late
//! attempt is followed by the next at once), `pkg/kubelet/prober/prober_manager.go`, `UpdatePodStatus` (readiness is
//! also asked out of turn while it has not passed), `pkg/kubelet/kuberuntime/kuberuntime_container.go`,
//! `killContainer`; dotnet/tye `Hosting/ReplicaMonitor.cs` (a one-shot timer that is set again after each attempt; the
//! threshold is compared before it is counted up, so the N+1st result acts), `Core/ProcessUtil.cs`.

use std::fmt;

/// Whose loop runs the probe.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Worker {
    /// The kubelet's probe worker.
    Kubelet,
    /// Tye's ReplicaMonitor.
    ReplicaMonitor,
}

/// A probe as the worker sees it; seconds and counts after defaulting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Numbers {
    /// Whose loop runs it.
    pub worker: Worker,
    /// Seconds from container start to the first attempt.
    pub initial_delay: u64,
    /// Seconds between attempts.
    pub period: u64,
    /// Seconds an attempt may take.
    pub timeout: u64,
    /// Consecutive successes that count.
    pub success_threshold: u64,
    /// Consecutive failures that count.
    pub failure_threshold: u64,
}

/// How soon and how late something happens, in seconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    /// It cannot happen sooner.
    pub earliest: u64,
    /// It happens by then.
    pub latest: u64,
}

impl Window {
    const fn new(earliest: u64, latest: u64) -> Self {
        Self { earliest, latest }
    }

    /// Both ends later by so many seconds.
    const fn after(self, seconds: u64) -> Self {
        Self::new(self.earliest + seconds, self.latest + seconds)
    }

    /// One thing and then the other.
    pub const fn then(self, next: Self) -> Self {
        Self::new(self.earliest.saturating_add(next.earliest), self.latest.saturating_add(next.latest))
    }
}

impl fmt::Display for Window {
    /// `3 s`, or `3–4 s`.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.earliest == self.latest {
            write!(formatter, "{} s", self.earliest)
        } else {
            write!(formatter, "{}–{} s", self.earliest, self.latest)
        }
    }
}

impl Numbers {
    /// Seconds between the starts of two attempts that both time out: the period in force while failing.
    pub fn spacing_when_hanging(&self) -> u64 {
        match self.worker {
            Worker::Kubelet => self.period.max(self.timeout),
            Worker::ReplicaMonitor => self.period + self.timeout,
        }
    }

    /// From container start to the first attempt, for a probe that nothing holds back.
    pub fn first_attempt(&self) -> Window {
        // Tye's first attempt is made when the delay is over, the kubelet's at the next tick.
        let wait = match self.worker {
            Worker::Kubelet => self.period,
            Worker::ReplicaMonitor => 0,
        };
        Window::new(0, wait).after(self.initial_delay)
    }

    /// From the moment the process hangs to the decision that the probe has failed (kill, or removal from Services).
    pub fn act_after_hang(&self) -> Window {
        let earliest = self.further_failures() * self.spacing_when_hanging() + self.timeout;
        Window::new(earliest, earliest + self.period)
    }

    /// From the moment connections are refused to that decision.
    pub fn act_after_refusal(&self) -> Window {
        let earliest = self.further_failures() * self.period;
        Window::new(earliest, earliest + self.period)
    }

    /// From the moment something that the probe asks fails, by refusing or by hanging, to that decision.
    pub fn act_after_outage(&self) -> Window {
        Window::new(self.act_after_refusal().earliest, self.act_after_hang().latest)
    }

    /// From container start to the decision, for a process that refuses connections all along.
    pub fn act_after_start(&self) -> Window {
        let first = self.first_attempt();
        let further = self.further_failures() * self.period;
        Window::new(first.earliest + further, first.latest + further)
    }

    /// From container start to the decision, for a process that accepts connections and never answers.
    pub fn act_after_hanging_start(&self) -> Window {
        let first = self.first_attempt();
        let further = self.further_failures() * self.spacing_when_hanging() + self.timeout;
        Window::new(first.earliest + further, first.latest + further)
    }

    /// From container start to the decision, for a process that never answers, by refusing or by hanging.
    pub fn act_after_endless_start(&self) -> Window {
        Window::new(self.act_after_start().earliest, self.act_after_hanging_start().latest)
    }

    /// Seconds within which a start survives for certain: the last attempt is never made sooner.
    pub fn start_budget(&self) -> u64 {
        self.act_after_start().earliest
    }

    /// The least failure threshold whose [`start_budget`](Self::start_budget) is at least so many seconds.
    pub fn failures_to_allow(&self, seconds: u64) -> u64 {
        let further = seconds.saturating_sub(self.initial_delay).div_ceil(self.period.max(1));
        match self.worker {
            Worker::Kubelet => further + 1,
            Worker::ReplicaMonitor => further.max(1),
        }
    }

    /// The least failure threshold under which a hang of so many seconds passes without consequence.
    pub fn failures_to_outlast_hang(&self, seconds: u64) -> u64 {
        let further = (seconds + 1).saturating_sub(self.timeout).div_ceil(self.spacing_when_hanging().max(1));
        match self.worker {
            Worker::Kubelet => further + 1,
            Worker::ReplicaMonitor => further.max(1),
        }
    }

    /// Attempts in 24 hours while all is well.
    pub fn attempts_per_day(&self) -> u64 {
        24 * 3600 / self.period.max(1)
    }

    /// From container start to the decision that the probe has passed, for a process that answers from its start on and
    /// a probe that nothing holds back.
    pub fn pass_after_start(&self) -> Window {
        let further = self.further_successes() * self.period;
        let first = self.first_attempt();
        match self.worker {
            // Attempts out of turn may be all it takes.
            Worker::Kubelet => Window::new(first.earliest, first.latest + further),
            Worker::ReplicaMonitor => Window::new(first.earliest + further, first.latest + further),
        }
    }

    /// From the moment every attempt succeeds at once to the decision that the probe has passed. Attempts may have been
    /// hanging until then.
    pub fn pass_after_recovery(&self) -> Window {
        let further = self.further_successes() * self.period;
        let earliest = match self.worker {
            // Attempts out of turn may be all it takes.
            Worker::Kubelet => 0,
            Worker::ReplicaMonitor => further,
        };
        Window::new(earliest, further + self.spacing_when_hanging())
    }

    /// How many consecutive failures act.
    pub const fn failures_that_act(&self) -> u64 {
        match self.worker {
            Worker::Kubelet => self.failure_threshold,
            Worker::ReplicaMonitor => self.failure_threshold + 1,
        }
    }

    /// How many consecutive successes pass.
    pub const fn successes_that_pass(&self) -> u64 {
        self.further_successes() + 1
    }

    /// Failures behind the first that it takes to act.
    const fn further_failures(&self) -> u64 {
        self.failures_that_act().saturating_sub(1)
    }

    /// Successes behind the first that it takes to pass.
    const fn further_successes(&self) -> u64 {
        match self.worker {
            Worker::Kubelet => self.success_threshold.saturating_sub(1),
            Worker::ReplicaMonitor => self.success_threshold,
        }
    }
}

/// How a container is stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stop {
    /// Seconds of grace in force: the failing probe's own, else the pod's.
    pub grace_period: u64,
    /// Seconds that the `preStop` hook takes of them.
    pub pre_stop: u64,
}

impl Stop {
    /// Seconds that the process has after TERM at the least, when the hook has used up its grace.
    pub const LEAST: u64 = 2;
    /// Tye interrupts the process and waits so many seconds before it kills it.
    pub const TYE: Self = Self { grace_period: 5, pre_stop: 0 };

    /// Seconds from the decision to TERM: the hook runs first, and no longer than the grace period.
    pub fn term_after(&self) -> u64 {
        self.pre_stop.min(self.grace_period)
    }

    /// Seconds from TERM to KILL.
    pub fn time_to_stop(&self) -> u64 {
        if self.grace_period == 0 {
            return 0;
        }
        match self.grace_period - self.term_after() {
            // Without a hook the grace period is what it says.
            left if self.pre_stop == 0 => left,
            left => left.max(Self::LEAST),
        }
    }

    /// From the decision to the end of the process, which may stop at once or never by itself.
    pub fn gone_after_decision(&self) -> Window {
        let term = self.term_after();
        Window::new(term, term.saturating_add(self.time_to_stop()))
    }
}

/// From container start to traffic, for a process that answers from its start on. Without any of the probes that is at
/// once.
pub fn first_ready(startup: Option<Numbers>, liveness: Option<Numbers>, readiness: Option<Numbers>) -> Window {
    let Some(readiness) = readiness else {
        return match (startup, liveness) {
            (Some(startup), _) => startup.first_attempt(),
            // The first success of liveness is what Tye waits for.
            (None, Some(liveness)) if liveness.worker == Worker::ReplicaMonitor => liveness.first_attempt(),
            _ => Window::new(0, 0),
        };
    };
    match (startup, liveness) {
        (Some(startup), _) => {
            let started = startup.first_attempt();
            let from =
                Window::new(started.earliest.max(readiness.initial_delay), started.latest.max(readiness.initial_delay));
            Window::new(from.earliest, from.latest + readiness.success_threshold * readiness.period)
        }
        // Tye counts successes of readiness only from the first one of liveness on.
        (None, Some(liveness)) if liveness.worker == Worker::ReplicaMonitor => {
            let further = readiness.further_successes() * readiness.period;
            let behind = liveness.initial_delay.saturating_sub(readiness.initial_delay);
            let whole = behind.div_ceil(readiness.period.max(1)) * readiness.period;
            // At the same moment either may come first.
            let tie = if behind.is_multiple_of(readiness.period.max(1))
                && liveness.initial_delay >= readiness.initial_delay
            {
                readiness.period
            } else {
                0
            };
            let first = readiness.initial_delay + whole;
            Window::new(first + further, first + further + tie)
        }
        _ => readiness.pass_after_start(),
    }
}
