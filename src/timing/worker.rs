//! Parts of a probe's loop that do not depend on what is probed.

use super::Millis;

/// A ticker that keeps one tick while nobody listens, and drops the others.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ticker {
    /// When it fires next.
    pub next: Millis,
    period: Millis,
}

impl Ticker {
    /// Fires at `phase` and every `period` from then on.
    pub(super) fn new(phase: Millis, period: Millis) -> Self {
        let period = period.max(1);
        Self { next: phase % period, period }
    }

    /// Uses up all ticks until `now`.
    pub(super) fn use_until(&mut self, now: Millis) {
        if self.next <= now {
            self.next += ((now - self.next) / self.period + 1) * self.period;
        }
    }

    /// Uses up all ticks before `moment`.
    pub(super) fn skip_to(&mut self, moment: Millis) {
        self.use_until(moment.saturating_sub(1));
    }

    /// Starts it anew.
    pub(super) fn reset(&mut self, now: Millis) {
        self.next = now + self.period;
    }
}

/// How many results of one sort came in a row.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Streak {
    last: Option<bool>,
    length: u64,
}

impl Streak {
    /// Counts a result; an opposite one begins anew at 1.
    pub(super) fn count(&mut self, passed: bool) -> u64 {
        self.length = if self.last == Some(passed) { self.length + 1 } else { 1 };
        self.last = Some(passed);
        self.length
    }

    /// Forgets everything.
    pub(super) fn clear(&mut self) {
        *self = Self::default();
    }
}
