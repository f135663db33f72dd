//! What both replays take and give.

use super::ProbeKind;

/// Milliseconds, since the container first started where a moment is meant.
pub type Millis = u64;

/// Milliseconds of a second.
pub const SECOND: Millis = 1000;

/// Milliseconds of so many seconds; the greatest number there is, where they do not fit.
pub const fn millis(seconds: u64) -> Millis {
    seconds.saturating_mul(SECOND)
}

/// One attempt of a probe, as the process sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ask {
    /// Which probe asks.
    pub kind: ProbeKind,
    /// When the attempt begins.
    pub at: Millis,
    /// How long the process has been running by then.
    pub age: Millis,
    /// How many processes ran before this one.
    pub life: u32,
    /// How many attempts this probe made before, in all lives.
    pub number: u32,
}

/// What comes of an attempt when nobody ends it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reply {
    /// A success so many milliseconds later.
    Pass(Millis),
    /// A failure so many milliseconds later.
    Fail(Millis),
    /// Nothing, for ever.
    Silence,
}

impl Reply {
    /// The end of an attempt and whether it passed, under a timeout in milliseconds.
    pub(super) const fn under(self, timeout: Millis) -> (Millis, bool) {
        match self {
            Self::Pass(after) if after <= timeout => (after, true),
            Self::Fail(after) if after <= timeout => (after, false),
            _ => (timeout, false),
        }
    }
}

/// The process in a container.
pub trait Process {
    /// How it answers an attempt.
    fn answer(&self, ask: &Ask) -> Reply;

    /// Milliseconds that a process which started at a moment takes to stop after TERM at another; `None` when it does
    /// not stop by itself.
    fn stops_after(&self, _started: Millis, _term: Millis) -> Option<Millis> {
        Some(0)
    }
}

impl<F: Fn(&Ask) -> Reply> Process for F {
    fn answer(&self, ask: &Ask) -> Reply {
        self(ask)
    }
}

/// Something that happens at a moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Event {
    /// When.
    pub at: Millis,
    /// What.
    pub what: Happening,
}

/// What can happen to a container and its probes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Happening {
    /// A process starts; so many ran before it.
    Started(u32),
    /// An attempt has ended; it began at `from`.
    Attempted {
        /// Whose.
        kind: ProbeKind,
        /// When it began.
        from: Millis,
        /// Whether it succeeded.
        passed: bool,
    },
    /// Enough successes in a row: the probe has passed.
    Passed(ProbeKind),
    /// Enough failures in a row: the probe has failed.
    Failed(ProbeKind),
    /// Traffic may come.
    Ready,
    /// Traffic stops.
    NotReady,
    /// The process is to be stopped and, unless the restart policy forbids it, started again.
    Killed(ProbeKind),
    /// The process has ended.
    Gone,
}

/// Sums of one course.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Kills.
    pub kills: u32,
    /// How often traffic stopped.
    pub removals: u32,
    /// Moment of the first kill.
    pub first_kill: Option<Millis>,
    /// Moment at which traffic stopped first.
    pub first_removal: Option<Millis>,
    /// Moment from which on traffic never stopped again; `None` when there is none at the end.
    pub ready_for_good: Option<Millis>,
    /// Milliseconds without traffic.
    pub unready: Millis,
}

/// The sums of what happens from `from` to `until`.
pub fn tally(events: &[Event], from: Millis, until: Millis) -> Tally {
    let mut sums = Tally::default();
    let mut ready_since = None;
    let mut unready_since = Some(from);
    for event in events.iter().filter(|event| event.at <= until) {
        let at = event.at.max(from);
        match event.what {
            Happening::Ready => {
                sums.unready += unready_since.take().map_or(0, |since: Millis| at - since);
                ready_since = Some(at);
            }
            Happening::NotReady => {
                ready_since = None;
                unready_since = Some(at);
                if event.at >= from {
                    sums.removals += 1;
                    sums.first_removal.get_or_insert(at);
                }
            }
            Happening::Killed(_) if event.at >= from => {
                sums.kills += 1;
                sums.first_kill.get_or_insert(at);
            }
            _ => {}
        }
    }
    sums.unready += unready_since.map_or(0, |since| until.saturating_sub(since));
    sums.ready_for_good = ready_since;
    sums
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_attempt_ends_with_its_timeout() {
        assert_eq!(Reply::Pass(1_000).under(1_000), (1_000, true));
        assert_eq!(Reply::Pass(1_001).under(1_000), (1_000, false));
        assert_eq!(Reply::Fail(400).under(1_000), (400, false));
        assert_eq!(Reply::Fail(1_400).under(1_000), (1_000, false));
        assert_eq!(Reply::Silence.under(1_000), (1_000, false));
    }

    #[test]
    fn a_tally_counts_from_the_event_on() {
        let event = |at, what| Event { at, what };
        let events = [
            event(0, Happening::Started(0)),
            event(100, Happening::Ready),
            event(200, Happening::NotReady),
            event(250, Happening::Killed(ProbeKind::Liveness)),
            event(300, Happening::Ready),
            event(1_000, Happening::NotReady),
            event(1_400, Happening::Killed(ProbeKind::Startup)),
            event(1_500, Happening::Ready),
            event(1_700, Happening::NotReady),
            event(1_800, Happening::Killed(ProbeKind::Liveness)),
            event(1_900, Happening::Ready),
            event(5_000, Happening::NotReady),
        ];
        let sums = tally(&events, 500, 2_000);
        let expected = Tally {
            kills: 2,
            removals: 2,
            first_kill: Some(1_400),
            first_removal: Some(1_000),
            ready_for_good: Some(1_900),
            unready: 700,
        };
        assert_eq!(sums, expected);
        assert_eq!(
            tally(&events, 1_000, 1_200),
            Tally { removals: 1, first_removal: Some(1_000), unready: 200, ..Tally::default() }
        );
        assert_eq!(tally(&[], 10, 30), Tally { unready: 20, ..Tally::default() });
    }
}
