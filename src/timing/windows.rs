//! Closed forms: how soon and how late a probe acts. Ranges come from what nobody can know beforehand, the phase of the
//! probe's ticks against the event.
//!
//! Sources: kubernetes `pkg/kubelet/prober/worker.go`, `run` and `doProbe` (a fixed ticker; a late attempt is followed
//! by the next at once; whole-second truncation of the initial delay and latencies of the runtime are left out);
//! dotnet/tye `Hosting/ReplicaMonitor.cs` (a one-shot timer that is set again after each attempt; the threshold is
//! compared before it is counted up, so the N+1st result acts).

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
    /// Seconds between the starts of two attempts that both time out.
    pub fn spacing_when_hanging(&self) -> u64 {
        match self.worker {
            Worker::Kubelet => self.period.max(self.timeout),
            Worker::ReplicaMonitor => self.period + self.timeout,
        }
    }

    /// From the moment the process hangs to the decision that the probe has failed (kill, or removal from Services).
    /// The process is taken to answer at once before.
    pub fn act_after_hang(&self) -> Window {
        let failures = self.failures();
        let earliest = failures.saturating_sub(1) * self.spacing_when_hanging() + self.timeout;
        Window { earliest, latest: earliest + self.period }
    }

    /// From the moment connections are refused to that decision.
    pub fn act_after_refusal(&self) -> Window {
        let earliest = self.failures().saturating_sub(1) * self.period;
        Window { earliest, latest: earliest + self.period }
    }

    /// From container start to the decision, for a process that refuses connections all along. Nothing that starts more
    /// slowly than the earlier end survives for certain.
    pub fn act_after_start(&self) -> Window {
        let refusal = self.act_after_refusal();
        let delay = self.initial_delay;
        // Tye's first attempt is made when the delay is over, the kubelet's at the next tick.
        let latest = match self.worker {
            Worker::Kubelet => refusal.latest,
            Worker::ReplicaMonitor => refusal.earliest,
        };
        Window { earliest: delay + refusal.earliest, latest: delay + latest }
    }

    /// From the moment something that the probe asks fails, by refusing or by hanging, to that decision.
    pub fn act_after_outage(&self) -> Window {
        Window { earliest: self.act_after_refusal().earliest, latest: self.act_after_hang().latest }
    }

    /// From the moment every attempt succeeds at once to the decision that the probe has passed. Attempts may have been
    /// hanging until then.
    pub fn pass_after_recovery(&self) -> Window {
        let further = match self.worker {
            Worker::Kubelet => self.success_threshold.saturating_sub(1),
            Worker::ReplicaMonitor => self.success_threshold,
        };
        let earliest = further * self.period;
        Window { earliest, latest: earliest + self.spacing_when_hanging() }
    }

    /// How many consecutive failures act.
    fn failures(&self) -> u64 {
        match self.worker {
            Worker::Kubelet => self.failure_threshold,
            Worker::ReplicaMonitor => self.failure_threshold + 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DEFAULTS: Numbers = Numbers {
        worker: Worker::Kubelet,
        initial_delay: 0,
        period: 10,
        timeout: 1,
        success_threshold: 1,
        failure_threshold: 3,
    };

    /// Replays the kubelet's ticker for one phase: attempts start at `phase + n × period` or when the last one ended,
    /// and fail once they start after the event.
    fn replay(numbers: Numbers, phase: f64, attempt: f64) -> f64 {
        let period = numbers.period as f64;
        let mut start = phase;
        for _ in 1..numbers.failure_threshold {
            let next_tick = start + period;
            start = next_tick.max(start + attempt);
        }
        start + attempt
    }

    #[test]
    fn closed_forms_hold_whatever_the_phase() {
        for (period, timeout, failure_threshold) in [(10, 1, 3), (1, 1, 3), (5, 30, 2), (3, 3, 1), (7, 2, 10)] {
            let numbers = Numbers { period, timeout, failure_threshold, ..DEFAULTS };
            for step in 0..=20 {
                let phase = f64::from(step) / 20.0 * period as f64;
                let hang = numbers.act_after_hang();
                let acted = replay(numbers, phase, timeout as f64);
                assert!(hang.earliest as f64 <= acted && acted <= hang.latest as f64, "{numbers:?} {phase} {acted}");
                let refusal = numbers.act_after_refusal();
                let acted = replay(numbers, phase, 0.0);
                assert!(refusal.earliest as f64 <= acted && acted <= refusal.latest as f64, "{numbers:?} {acted}");
            }
        }
    }

    #[test]
    fn the_defaults_kill_a_hung_process_after_21_to_31_seconds() {
        assert_eq!(DEFAULTS.act_after_hang(), Window { earliest: 21, latest: 31 });
        assert_eq!(DEFAULTS.act_after_start(), Window { earliest: 20, latest: 30 });
        assert_eq!(DEFAULTS.act_after_hang().to_string(), "21–31 s");
    }

    #[test]
    fn a_probe_passes_after_the_next_attempts_that_succeed() {
        assert_eq!(DEFAULTS.pass_after_recovery(), Window { earliest: 0, latest: 10 });
        let patient = Numbers { period: 5, timeout: 8, success_threshold: 3, ..DEFAULTS };
        assert_eq!(patient.pass_after_recovery(), Window { earliest: 10, latest: 18 });
        let tye = Numbers { worker: Worker::ReplicaMonitor, period: 1, ..DEFAULTS };
        assert_eq!(tye.pass_after_recovery(), Window { earliest: 1, latest: 3 });
        assert_eq!(DEFAULTS.act_after_outage(), Window { earliest: 20, latest: 31 });
    }

    #[test]
    fn tye_needs_one_failure_more_than_it_says_and_waits_after_each_attempt() {
        let tye = Numbers { worker: Worker::ReplicaMonitor, period: 1, timeout: 1, ..DEFAULTS };
        assert_eq!(tye.act_after_refusal(), Window { earliest: 3, latest: 4 });
        assert_eq!(tye.act_after_start(), Window { earliest: 3, latest: 3 });
        assert_eq!(tye.act_after_hang(), Window { earliest: 7, latest: 8 });
    }
}
