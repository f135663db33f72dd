//! What others saw in running clusters, replayed.

#![allow(clippy::unwrap_used, reason = "a test may stop at what is not there")]

use std::cell::Cell;
use std::rc::Rc;

use probelint::timing::fleet::{self, Endpoint, Fleet};
use probelint::timing::kubelet::{Chance, Container, replay};
use probelint::timing::{Ask, Event, Happening, Millis, Numbers, ProbeKind, Reply, SECOND, Stop, Worker, tally};

const fn numbers(period: u64, success_threshold: u64, failure_threshold: u64) -> Numbers {
    Numbers { worker: Worker::Kubelet, initial_delay: 0, period, timeout: 1, success_threshold, failure_threshold }
}

const STOP: Stop = Stop { grace_period: 30, pre_stop: 0 };

fn container(startup: Option<Numbers>, liveness: Option<Numbers>, readiness: Option<Numbers>) -> Container {
    Container { startup, liveness, readiness, startup_stop: STOP, liveness_stop: STOP, restarts: true }
}

/// A process whose answers to each probe are written down, attempt by attempt: `F` fails, `S` succeeds, and the last
/// letter goes on.
fn script<'a>(startup: &'a str, liveness: &'a str, readiness: &'a str) -> impl Fn(&Ask) -> Reply + 'a {
    move |ask| {
        let answers = match ask.kind {
            ProbeKind::Startup => startup,
            ProbeKind::Liveness => liveness,
            ProbeKind::Readiness => readiness,
        };
        let index = (ask.number as usize).min(answers.len() - 1);
        if answers.as_bytes()[index] == b'S' { Reply::Pass(0) } else { Reply::Fail(0) }
    }
}

fn attempts(events: &[Event], kind: ProbeKind) -> usize {
    let is_attempt = |event: &&Event| matches!(event.what, Happening::Attempted { kind: of, .. } if of == kind);
    events.iter().filter(is_attempt).count()
}

fn moments(events: &[Event], what: Happening) -> Vec<Millis> {
    events.iter().filter(|event| event.what == what).map(|event| event.at).collect()
}

/// Startup (1 success, 4 failures), liveness (1, 3), readiness (2, 2), all every second.
fn three_probes() -> Container {
    container(Some(numbers(1, 1, 4)), Some(numbers(1, 1, 3)), Some(numbers(1, 2, 2)))
}

/// Ticks of liveness fall 0.2 s, of readiness 0.4 s behind those of startup.
const CHANCE: Chance = Chance { startup: 0, liveness: 200, readiness: 400, prompt: false };

#[test]
fn three_startup_failures_change_nothing_and_hold_the_others_back() {
    let events = replay(&three_probes(), CHANCE, &script("FFFS", "S", "S"), 2_900);
    assert_eq!(attempts(&events, ProbeKind::Startup), 3);
    assert_eq!(attempts(&events, ProbeKind::Liveness) + attempts(&events, ProbeKind::Readiness), 0);
    assert!(events.iter().skip(1).all(|event| matches!(event.what, Happening::Attempted { .. })), "{events:?}");
}

#[test]
fn a_startup_success_ends_the_probe_and_readies_nothing_by_itself() {
    let events = replay(&three_probes(), CHANCE, &script("FFFS", "S", "F"), 20_000);
    assert_eq!(moments(&events, Happening::Passed(ProbeKind::Startup)), [3_000]);
    assert_eq!(attempts(&events, ProbeKind::Startup), 4);
    assert!(attempts(&events, ProbeKind::Liveness) > 10 && attempts(&events, ProbeKind::Readiness) > 10);
    assert!(moments(&events, Happening::Ready).is_empty());
    // Readiness asks for two successes in a row.
    let events = replay(&three_probes(), CHANCE, &script("FFFS", "S", "S"), 20_000);
    assert_eq!(moments(&events, Happening::Ready), [4_400]);
}

#[test]
fn two_readiness_failures_remove_and_two_successes_restore_without_a_restart() {
    let events = replay(&three_probes(), CHANCE, &script("S", "S", "SSFFSS"), 20_000);
    assert_eq!(moments(&events, Happening::Ready), [1_400, 5_400]);
    assert_eq!(moments(&events, Happening::NotReady), [3_400]);
    assert_eq!(tally(&events, 0, 20_000).kills, 0);
}

#[test]
fn an_opposite_result_breaks_the_run() {
    let events = replay(&three_probes(), CHANCE, &script("S", "S", "SFSSFSFS"), 30_000);
    // The first two successes do not count, one failure lies between them; after that single failures do nothing.
    assert_eq!(moments(&events, Happening::Ready), [3_400]);
    assert!(moments(&events, Happening::NotReady).is_empty());
}

#[test]
fn liveness_asks_for_one_restart_after_three_failures_in_a_row() {
    let calm = replay(&three_probes(), CHANCE, &script("S", "FFSFFS", "S"), 60_000);
    assert!(moments(&calm, Happening::Killed(ProbeKind::Liveness)).is_empty());
    let stubborn = Stubborn(script("S", "FFSFFF", "S"));
    let events = replay(&three_probes(), CHANCE, &stubborn, 30_000);
    // The sixth attempt asks; while the process is being stopped, no further one is made.
    assert_eq!(moments(&events, Happening::Killed(ProbeKind::Liveness)), [5_200]);
    assert_eq!(attempts(&events, ProbeKind::Liveness), 6);
    assert!(moments(&events, Happening::Gone).is_empty());
}

/// Does not stop by itself.
struct Stubborn<F>(F);

impl<F: Fn(&Ask) -> Reply> probelint::timing::Process for Stubborn<F> {
    fn answer(&self, ask: &Ask) -> Reply {
        self.0(ask)
    }
    fn stops_after(&self, _: Millis, _: Millis) -> Option<Millis> {
        None
    }
}

#[test]
fn a_new_container_life_runs_startup_again_and_four_failures_ask_again() {
    let events = replay(&three_probes(), CHANCE, &script("SSF", "FFFS", "S"), 9_900);
    assert_eq!(moments(&events, Happening::Killed(ProbeKind::Liveness)), [2_200]);
    assert_eq!(moments(&events, Happening::Started(1)), [2_200]);
    assert_eq!(moments(&events, Happening::Passed(ProbeKind::Startup)), [0, 3_000]);

    let events = replay(&three_probes(), CHANCE, &script("SF", "FFFS", "S"), 12_900);
    assert_eq!(moments(&events, Happening::Killed(ProbeKind::Liveness)), [2_200]);
    // The second life fails its startup probe at 3, 4, 5 and 6 s.
    assert_eq!(moments(&events, Happening::Killed(ProbeKind::Startup)), [6_000]);
    assert_eq!(attempts(&events, ProbeKind::Liveness), 3, "held back in the second life");
}

/// Period 2: startup threshold 60, readiness and liveness thresholds 2.
fn every_two_seconds() -> Container {
    container(Some(numbers(2, 1, 60)), Some(numbers(2, 1, 2)), Some(numbers(2, 1, 2)))
}

const PROMPT: Chance = Chance { startup: 300, liveness: 1_100, readiness: 1_700, prompt: true };

#[test]
fn a_failing_startup_probe_leaves_the_container_running_and_the_others_silent() {
    let events = replay(&every_two_seconds(), PROMPT, &script("F", "S", "S"), 110 * SECOND);
    assert_eq!(tally(&events, 0, 110 * SECOND).kills, 0);
    assert_eq!(attempts(&events, ProbeKind::Startup), 55);
    assert_eq!(attempts(&events, ProbeKind::Liveness) + attempts(&events, ProbeKind::Readiness), 0);
    assert!(moments(&events, Happening::Ready).is_empty());
    // Its patience ends with the 60th failure: (60 − 1) × 2 s behind the first tick.
    let events = replay(&every_two_seconds(), PROMPT, &script("F", "S", "S"), 120 * SECOND);
    assert_eq!(moments(&events, Happening::Killed(ProbeKind::Startup)), [118_300]);
}

#[test]
fn failing_readiness_restarts_nothing() {
    let events = replay(&every_two_seconds(), PROMPT, &script("S", "S", "F"), 600 * SECOND);
    assert_eq!(tally(&events, 0, 600 * SECOND).kills, 0);
    assert!(moments(&events, Happening::Ready).is_empty());
}

#[test]
fn failing_liveness_restarts_for_ever_while_its_cause_survives() {
    // The cause is a file on an emptyDir: it is there from 20 s on, in every life.
    let file_is_there = Rc::new(Cell::new(false));
    let process = |ask: &Ask| {
        file_is_there.set(file_is_there.get() || ask.at > 20 * SECOND);
        if ask.kind == ProbeKind::Liveness && file_is_there.get() { Reply::Fail(0) } else { Reply::Pass(0) }
    };
    let events = replay(&every_two_seconds(), PROMPT, &process, 1_800 * SECOND);
    let kills = moments(&events, Happening::Killed(ProbeKind::Liveness));
    assert!(kills.len() >= 6, "{kills:?}");
    // The back-off makes the pauses longer, up to five minutes, and ends nothing.
    let starts: Vec<Millis> =
        (0..kills.len() as u32).flat_map(|life| moments(&events, Happening::Started(life))).collect();
    let pauses: Vec<Millis> = kills.iter().zip(&starts[1..]).map(|(kill, start)| start - kill).collect();
    assert_eq!(pauses[..6], [0, 10 * SECOND, 20 * SECOND, 40 * SECOND, 80 * SECOND, 160 * SECOND]);
    let sums = tally(&events, 0, 1_800 * SECOND);
    assert_eq!(sums.kills as usize, kills.len());
}

/// Twelve replicas that could answer half as much again as they are asked.
const TWELVE: Fleet = Fleet {
    replicas: 12,
    readiness: Numbers { timeout: 2, ..numbers(5, 1, 3) },
    endpoint: Endpoint::Aggregate,
    load: 12_000.0,
    capacity: 1_500.0,
};
const LONG: Millis = 600 * SECOND;

#[test]
fn a_stall_that_outlasts_the_window_removes_every_replica() {
    let window = TWELVE.readiness.act_after_hang();
    assert_eq!((window.earliest, window.latest), (12, 17));
    let counts = fleet::replay(&TWELVE, 20 * SECOND, LONG).counts;
    let first = counts.first_removal().unwrap();
    assert!((12 * SECOND..=17 * SECOND + 20).contains(&first), "{first}");
    // One after the other, within one period: the last one is out between 15 and 20 s.
    let least = counts.least();
    assert_eq!(least.ready, 0);
    assert!((15 * SECOND..=17 * SECOND + 20).contains(&least.at), "{least:?}");
    assert!(counts.0.windows(2).take(12).all(|pair| pair[1].ready + 1 == pair[0].ready), "{counts:?}");
}

#[test]
fn a_stall_of_six_seconds_beyond_the_timeout_takes_them_out_by_the_queue_it_leaves() {
    let stall = (TWELVE.readiness.timeout + 6) * SECOND;
    // The stall alone is shorter than the window: with nothing to do nobody leaves.
    assert!(stall < TWELVE.readiness.act_after_hang().earliest * SECOND);
    let idle = fleet::replay(&Fleet { load: 0.0, ..TWELVE }, stall, LONG);
    assert_eq!(idle.counts.least().ready, 12);
    // At two thirds of their capacity the queue makes the probe wait long after the stall is over.
    let busy = fleet::replay(&TWELVE, stall, LONG);
    assert!(busy.counts.first_removal().unwrap() > stall, "{:?}", busy.counts);
    // The first ones gone, the others get their share, more than they can answer, and follow.
    assert!(busy.peak > TWELVE.capacity, "{}", busy.peak);
    let least = busy.counts.least();
    assert!(least.ready <= 3 && (15 * SECOND..20 * SECOND).contains(&least.at), "{:?}", busy.counts);
    assert!(busy.counts.all_back().unwrap() > 20 * SECOND, "{:?}", busy.counts);
    // With enough to spare the queue is gone before the third attempt.
    let spare = fleet::replay(&Fleet { capacity: 6_000.0, ..TWELVE }, stall, LONG);
    assert_eq!(spare.counts.least().ready, 12, "{:?}", spare.counts);
}

#[test]
fn the_fleet_is_back_only_after_the_dependency_and_the_queue() {
    let stall = 20 * SECOND;
    let back = |capacity| fleet::replay(&Fleet { capacity, ..TWELVE }, stall, LONG).counts.all_back();
    // With capacity to spare: one attempt at the most, and the queue of 12 to 17 s that must be worked off before.
    let (ample, spare) = (back(50_000.0).unwrap(), back(3_000.0).unwrap());
    assert!((stall..stall + 6 * SECOND).contains(&ample), "{ample}");
    assert!((ample + SECOND..stall + 20 * SECOND).contains(&spare), "{spare}");
    // The fuller the fleet was, the later it is back; the first ones back get everything and leave again.
    assert!(back(1_500.0).is_none_or(|later| later > spare), "{:?}", back(1_500.0));
}

#[test]
fn what_is_lost_is_what_nobody_could_take() {
    // One replica at half its capacity: out after 12 to 17 s, back when the stall of 60 s and a queue of at most 17 s
    // of half the work are over.
    let one = Fleet { replicas: 1, load: 100.0, capacity: 200.0, ..TWELVE };
    let outcome = fleet::replay(&one, 60 * SECOND, LONG);
    let away = outcome.counts.none_for() as f64 / SECOND as f64;
    assert!((43.0..=60.0).contains(&away), "{away}");
    assert!((outcome.lost - away * 100.0).abs() < 5.0, "{outcome:?}");
    assert!((outcome.peak - 100.0).abs() < 1e-9);
    // Clients that wait for more than 30 s give up, and nobody answers them either: with a probe that never fails, all
    // that came in 60 s but for the last 30 s of capacity.
    let patient = Fleet { endpoint: Endpoint::Split, capacity: 100.0, ..one };
    let outcome = fleet::replay(&patient, 60 * SECOND, 60 * SECOND);
    assert!((outcome.lost - 3_000.0).abs() < 5.0, "{outcome:?}");
}

#[test]
fn with_a_split_endpoint_nothing_leaves() {
    for stall in [8, 20, 60] {
        let split = fleet::replay(&Fleet { endpoint: Endpoint::Split, ..TWELVE }, stall * SECOND, LONG);
        assert_eq!(split.counts.least().ready, 12);
        assert!((split.peak - 1_000.0).abs() < 1e-6);
    }
}

#[test]
fn a_short_queue_delays_no_probe_beyond_its_timeout() {
    // A stall of 1 s leaves 1,000 requests on each replica, less than a second of work that is there for ten.
    let full = Fleet { capacity: 1_100.0, ..TWELVE };
    assert_eq!(fleet::replay(&full, SECOND, LONG).counts.least().ready, 12);
}

#[test]
fn counts_tell_what_was_ready_when() {
    let outcome = fleet::replay(&Fleet { capacity: 50_000.0, ..TWELVE }, 20 * SECOND, LONG);
    let counts = outcome.counts;
    assert_eq!((counts.all(), counts.at(0), counts.at(11 * SECOND), counts.at(19 * SECOND)), (12, 12, 12, 0));
    assert_eq!(counts.at(LONG), 12);
}
