//! Many replicas behind one Service, and a dependency that stalls: who leaves, what that does to the others, and when
//! all are back.
//!
//! Assumptions, which the figures rest on:
//! - requests are spread evenly over the ready replicas; a replica that leaves gets none from that moment on (the
//!   endpoints propagate at once), and with none ready every request is lost;
//! - each request asks the dependency, so nothing is answered during the stall; a replica then works its queue off in
//!   order, at its capacity;
//! - a client gives up after [`PATIENCE`], so no queue is longer than that;
//! - an aggregate endpoint waits for the dependency and behind the queue; a split one waits for neither;
//! - the phases of the probes are spread evenly; restarts play no part.

use super::course::{Millis, SECOND, millis};
use super::worker::{Streak, Ticker};
use super::{Numbers, Worker, spread};

/// Seconds after which a client gives up.
pub const PATIENCE: f64 = 30.0;
/// Milliseconds of the shortest step.
const SHORTEST_STEP: Millis = 10;
/// Steps of a replay at the most; longer ones make longer steps.
const MOST_STEPS: u64 = 60_000;

/// The replicas and what is asked of them.
#[derive(Clone, Copy, Debug)]
pub struct Fleet {
    /// How many.
    pub replicas: u32,
    /// Their readiness probe.
    pub readiness: Numbers,
    /// What it asks.
    pub endpoint: Endpoint,
    /// Requests a second, all together.
    pub load: f64,
    /// Requests a second that one replica can answer.
    pub capacity: f64,
}

/// What a readiness probe asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Endpoint {
    /// The process and what it depends on, in the queue of all requests.
    Aggregate,
    /// The process alone, beside the queue.
    Split,
}

/// How many replicas are ready from a moment on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Count {
    /// Milliseconds since the beginning of the stall.
    pub at: Millis,
    /// Ready replicas.
    pub ready: u32,
}

/// The number of ready replicas over time: every change, the first entry being the beginning of the stall.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counts(pub Vec<Count>);

impl Counts {
    /// Ready replicas at the beginning.
    pub fn all(&self) -> u32 {
        self.0.first().map_or(0, |count| count.ready)
    }

    /// The least number of ready replicas, and the moment at which it is reached first.
    pub fn least(&self) -> Count {
        self.0.iter().copied().min_by_key(|count| count.ready).unwrap_or(Count { at: 0, ready: 0 })
    }

    /// Ready replicas at a moment.
    pub fn at(&self, moment: Millis) -> u32 {
        self.0.iter().rfind(|count| count.at <= moment).map_or(self.all(), |count| count.ready)
    }

    /// The moment at which the first replica leaves.
    pub fn first_removal(&self) -> Option<Millis> {
        self.0.windows(2).find(|pair| pair[1].ready < pair[0].ready).map(|pair| pair[1].at)
    }

    /// The moment from which on as many are ready for good as at the beginning.
    pub fn all_back(&self) -> Option<Millis> {
        self.0.last().filter(|count| count.ready >= self.all()).map(|count| count.at)
    }

    /// Milliseconds during which none is ready; the time after the last change does not count.
    pub fn none_for(&self) -> Millis {
        self.0.windows(2).filter(|pair| pair[0].ready == 0).map(|pair| pair[1].at - pair[0].at).sum()
    }

    /// Notes the number from a moment on, if it is another one.
    pub fn set(&mut self, at: Millis, ready: u32) {
        match self.0.last_mut() {
            Some(last) if last.ready == ready => {}
            Some(last) if last.at == at => last.ready = ready,
            _ => self.0.push(Count { at, ready }),
        }
    }
}

/// What became of the fleet.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Outcome {
    /// The replicas over time.
    pub counts: Counts,
    /// Requests that nobody answered.
    pub lost: f64,
    /// The greatest load on one ready replica, requests a second.
    pub peak: f64,
}

struct Replica {
    ticker: Ticker,
    streak: Streak,
    is_ready: bool,
    /// End of the attempt under way, and whether it passes.
    attempt: Option<(Millis, bool)>,
    /// Requests that wait.
    queue: f64,
}

/// Replays a stall of so many milliseconds, and what follows until `until`.
pub fn replay(fleet: &Fleet, stall: Millis, until: Millis) -> Outcome {
    let period = millis(fleet.readiness.period);
    let mut replicas: Vec<Replica> = (0..fleet.replicas)
        .map(|index| Replica {
            ticker: Ticker::new((spread(index, 0) * period as f64) as Millis, period),
            streak: Streak::default(),
            is_ready: true,
            attempt: None,
            queue: 0.0,
        })
        .collect();
    let mut outcome = Outcome::default();
    let step = (until / MOST_STEPS).max(SHORTEST_STEP);
    let seconds = step as f64 / SECOND as f64;
    let mut now = 0;
    while now <= until {
        let ready = replicas.iter().filter(|replica| replica.is_ready).count() as u32;
        outcome.counts.set(now, ready);
        let share = if ready > 0 { fleet.load / f64::from(ready) } else { 0.0 };
        outcome.peak = outcome.peak.max(share);
        if ready == 0 {
            outcome.lost += fleet.load * seconds;
        }
        let left = stall.saturating_sub(now);
        for replica in &mut replicas {
            replica.probe(fleet, left, now);
            let arrived = if replica.is_ready { share * seconds } else { 0.0 };
            let answered = if left == 0 { fleet.capacity * seconds } else { 0.0 };
            let longest = PATIENCE * fleet.capacity;
            let queue = (replica.queue + arrived - answered).max(0.0);
            outcome.lost += (queue - longest).max(0.0);
            replica.queue = queue.min(longest);
        }
        now += step;
    }
    outcome
}

impl Replica {
    /// Ends an attempt that is due, and begins one at a tick.
    fn probe(&mut self, fleet: &Fleet, stall_left: Millis, now: Millis) {
        if let Some((_, passed)) = self.attempt.filter(|(end, _)| *end <= now) {
            self.attempt = None;
            let readiness = &fleet.readiness;
            let threshold = if passed { readiness.successes_that_pass() } else { readiness.failures_that_act() };
            // Tye's timer is set again when an attempt is over.
            if readiness.worker == Worker::ReplicaMonitor {
                self.ticker.reset(now);
            }
            if self.streak.count(passed) >= threshold {
                self.is_ready = passed;
            }
        }
        if self.attempt.is_none() && self.ticker.next <= now {
            self.ticker.use_until(now);
            let wait = match fleet.endpoint {
                Endpoint::Aggregate => stall_left + (self.queue / fleet.capacity * SECOND as f64) as Millis,
                Endpoint::Split => 0,
            };
            let timeout = millis(fleet.readiness.timeout);
            self.attempt = Some((now + wait.min(timeout), wait <= timeout));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Worker;
    use super::*;

    const READINESS: Numbers = Numbers {
        worker: Worker::Kubelet,
        initial_delay: 0,
        period: 5,
        timeout: 2,
        success_threshold: 1,
        failure_threshold: 3,
    };
    const FLEET: Fleet =
        Fleet { replicas: 3, readiness: READINESS, endpoint: Endpoint::Aggregate, load: 30.0, capacity: 100.0 };

    #[test]
    fn counts_keep_one_number_a_moment() {
        let mut counts = Counts::default();
        for (at, ready) in [(0, 5), (0, 4), (10, 4), (20, 2), (20, 4), (30, 3)] {
            counts.set(at, ready);
        }
        let kept: Vec<(Millis, u32)> = counts.0.iter().map(|count| (count.at, count.ready)).collect();
        assert_eq!(kept, [(0, 4), (20, 4), (30, 3)]);
    }

    #[test]
    fn long_replays_of_a_fleet_take_longer_steps() {
        let quick = replay(&FLEET, 60 * SECOND, 600 * SECOND).counts;
        let slow = replay(&FLEET, 60 * SECOND, 12_000 * SECOND).counts;
        assert!(slow.0.iter().all(|count| count.at % 200 == 0) && quick.0.iter().any(|count| count.at % 200 != 0));
        assert!(quick.least().at.abs_diff(slow.least().at) <= 400, "{quick:?} {slow:?}");
    }

    #[test]
    fn the_loop_of_the_worker_decides_when_replicas_leave_and_return() {
        for worker in [Worker::Kubelet, Worker::ReplicaMonitor] {
            let fleet = Fleet { readiness: Numbers { worker, success_threshold: 2, ..READINESS }, load: 0.0, ..FLEET };
            let counts = replay(&fleet, 90 * SECOND, 600 * SECOND).counts;
            // A step of the replay more, for each attempt of the series.
            let slack = 10 * SHORTEST_STEP;
            let (leave, back) = (fleet.readiness.act_after_hang(), fleet.readiness.pass_after_recovery());
            let first = counts.first_removal().unwrap();
            assert!(
                (millis(leave.earliest)..=millis(leave.latest) + slack).contains(&first),
                "{worker:?} {first} {leave}"
            );
            let last = counts.all_back().unwrap() - 90 * SECOND;
            // Attempts under way when the stall ends succeed as well, so a success comes up to a timeout sooner.
            let earliest = millis(back.earliest.saturating_sub(fleet.readiness.timeout));
            assert!((earliest..=millis(back.latest) + slack).contains(&last), "{worker:?} {last} {back}");
        }
    }
}
