//! Closed forms against replays, over random probes and phases.

use super::kubelet::{self, Chance, Container};
use super::*;

const DEFAULTS: Numbers = Numbers {
    worker: Worker::Kubelet,
    initial_delay: 0,
    period: 10,
    timeout: 1,
    success_threshold: 1,
    failure_threshold: 3,
};
const TYE: Numbers = Numbers { worker: Worker::ReplicaMonitor, period: 1, ..DEFAULTS };
const STOP: Stop = Stop { grace_period: 30, pre_stop: 0 };
const BARE: Container = Container {
    startup: None,
    liveness: None,
    readiness: None,
    startup_stop: STOP,
    liveness_stop: STOP,
    restarts: true,
};

struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 20) % limit
    }

    fn numbers(&mut self, worker: Worker, may_ask_twice: bool) -> Numbers {
        Numbers {
            worker,
            initial_delay: if self.below(2) == 0 { 0 } else { self.below(40) },
            period: 1 + self.below(20),
            timeout: 1 + self.below(25),
            success_threshold: if may_ask_twice { 1 + self.below(4) } else { 1 },
            failure_threshold: 1 + self.below(6),
        }
    }
}

const PROBES: u64 = 300;
const COURSES: u64 = 60;

/// The moments of one happening over many courses, in milliseconds.
#[derive(Debug)]
struct Seen {
    earliest: Millis,
    latest: Millis,
}

/// Holds what was seen against a closed form: nothing outside of it, and both of its ends come near.
fn hold(what: &str, numbers: Numbers, window: Window, seen: &Seen, slack: (Millis, Millis)) {
    let (from, to) = (window.earliest * SECOND, window.latest * SECOND);
    let context = format!("{what} of {numbers:?}: {window} but {seen:?}");
    assert!(from <= seen.earliest && seen.latest <= to, "{context}");
    assert!(seen.earliest <= from + slack.0, "the earlier end is too early: {context}");
    assert!(seen.latest + slack.1 >= to, "the later end is too late: {context}");
}

/// Runs one course for every phase and collects the moments that `moment` finds.
fn courses(mut moment: impl FnMut(f64) -> Millis) -> Seen {
    let mut seen = Seen { earliest: Millis::MAX, latest: 0 };
    for index in 0..=COURSES {
        let at = moment(index as f64 / COURSES as f64);
        seen = Seen { earliest: seen.earliest.min(at), latest: seen.latest.max(at) };
    }
    seen
}

fn first(events: &[Event], from: Millis, what: impl Fn(Happening) -> bool) -> Option<Millis> {
    events.iter().find(|event| event.at >= from && what(event.what)).map(|event| event.at)
}

fn is_failed(what: Happening) -> bool {
    matches!(what, Happening::Failed(_))
}

/// One probe of a kind under its worker, from a phase between 0 and 1.
fn run(
    numbers: Numbers,
    kind: ProbeKind,
    phase: f64,
    prompt: bool,
    process: &dyn Process,
    until: Millis,
) -> Vec<Event> {
    let offset = (phase * (numbers.period * SECOND) as f64) as Millis;
    match numbers.worker {
        Worker::Kubelet => {
            let mut container = BARE;
            let chance = Chance { startup: offset, liveness: offset, readiness: offset, prompt };
            match kind {
                ProbeKind::Startup => container.startup = Some(numbers),
                ProbeKind::Liveness => container.liveness = Some(numbers),
                ProbeKind::Readiness => container.readiness = Some(numbers),
            }
            kubelet::replay(&container, chance, process, until)
        }
        Worker::ReplicaMonitor => {
            let mut service = tye::Service { liveness: None, readiness: None };
            match kind {
                ProbeKind::Readiness => service.readiness = Some(numbers),
                _ => service.liveness = Some(numbers),
            }
            tye::replay(&service, process, until)
        }
    }
}

fn each_worker(mut test: impl FnMut(Numbers, &mut Random)) {
    for worker in [Worker::Kubelet, Worker::ReplicaMonitor] {
        let mut random = Random(0x9e37_79b9_7f4a_7c15);
        for _ in 0..PROBES {
            let numbers = random.numbers(worker, true);
            test(numbers, &mut random);
        }
    }
}

/// A moment in the steady state, with attempts all around it.
fn steady(numbers: Numbers) -> Millis {
    (numbers.initial_delay + (numbers.period + numbers.timeout) * (numbers.success_threshold + 4)) * SECOND
}

/// The greatest distance between two phases that are tried.
fn grain(numbers: Numbers) -> Millis {
    numbers.period * SECOND / COURSES + 1
}

#[test]
fn a_hang_acts_within_its_window() {
    each_worker(|numbers, _| {
        let numbers = Numbers { success_threshold: 1, ..numbers };
        for kind in [ProbeKind::Liveness, ProbeKind::Readiness] {
            let seen = courses(|phase| {
                // Tye has no phase of its own: the event moves instead.
                let event = steady(numbers) + (phase * (numbers.period * SECOND) as f64) as Millis;
                let process = |ask: &Ask| if ask.at < event { Reply::Pass(0) } else { Reply::Silence };
                let until = event + (numbers.failure_threshold + 2) * (numbers.period + numbers.timeout) * SECOND;
                let events = run(numbers, kind, 0.0, true, &process, until);
                first(&events, event, is_failed).expect("a hang is noticed") - event
            });
            hold("act_after_hang", numbers, numbers.act_after_hang(), &seen, (grain(numbers), grain(numbers)));
        }
    });
}

#[test]
fn refused_connections_act_within_their_window() {
    each_worker(|numbers, _| {
        let numbers = Numbers { success_threshold: 1, ..numbers };
        let seen = courses(|phase| {
            let event = steady(numbers) + (phase * (numbers.period * SECOND) as f64) as Millis;
            let process = |ask: &Ask| if ask.at < event { Reply::Pass(0) } else { Reply::Fail(0) };
            let until = event + (numbers.failure_threshold + 2) * numbers.period * SECOND;
            let events = run(numbers, ProbeKind::Readiness, 0.0, true, &process, until);
            first(&events, event, is_failed).expect("a refusal is noticed") - event
        });
        hold("act_after_refusal", numbers, numbers.act_after_refusal(), &seen, (grain(numbers), grain(numbers)));
        let outage = numbers.act_after_outage();
        assert_eq!(outage.earliest, numbers.act_after_refusal().earliest);
        assert_eq!(outage.latest, numbers.act_after_hang().latest);
    });
}

#[test]
fn a_process_that_usually_takes_its_time_is_acted_on_that_much_sooner_at_most() {
    each_worker(|numbers, random| {
        let usual = random.below(numbers.timeout * SECOND);
        for step in 0..=COURSES {
            let event = steady(numbers) * 2 + step * numbers.period * SECOND / COURSES;
            let process = |ask: &Ask| match ask.at + usual < event {
                true => Reply::Pass(usual),
                false => Reply::Silence,
            };
            let until = event + (numbers.failure_threshold + 2) * (numbers.period + numbers.timeout) * SECOND;
            let events = run(numbers, ProbeKind::Liveness, 0.0, true, &process, until);
            let acted = first(&events, event, is_failed).expect("a hang is noticed") - event;
            let window = numbers.act_after_hang();
            assert!(acted + usual >= window.earliest * SECOND, "{numbers:?} {usual} {acted}");
            // Tye's timer is set again when the answer has come.
            let slow = if numbers.worker == Worker::Kubelet { 0 } else { usual };
            assert!(acted <= window.latest * SECOND + slow, "{numbers:?} {usual} {acted}");
        }
    });
}

#[test]
fn a_start_that_never_ends_is_ended_within_its_window() {
    each_worker(|numbers, _| {
        for kind in [ProbeKind::Liveness, ProbeKind::Startup] {
            let until =
                (numbers.initial_delay + (numbers.failure_threshold + 3) * (numbers.period + numbers.timeout)) * SECOND;
            let refusing = |_: &Ask| Reply::Fail(0);
            let hanging = |_: &Ask| Reply::Silence;
            let both: [(&str, &dyn Process, Window); 2] = [
                ("act_after_start", &refusing, numbers.act_after_start()),
                ("act_after_hanging_start", &hanging, numbers.act_after_hanging_start()),
            ];
            for (what, process, window) in both {
                let seen = courses(|phase| {
                    let events = run(numbers, kind, phase * 0.999, true, process, until);
                    first(&events, 0, is_failed).expect("it is noticed")
                });
                hold(what, numbers, window, &seen, (grain(numbers), grain(numbers) * 2));
            }
            let endless = numbers.act_after_endless_start();
            assert_eq!(endless.earliest, numbers.act_after_start().earliest);
            assert_eq!(endless.latest, numbers.act_after_hanging_start().latest);
        }
    });
}

#[test]
fn a_start_within_the_budget_survives_and_a_later_one_may_not() {
    each_worker(|numbers, _| {
        let budget = numbers.start_budget() * SECOND;
        for kind in [ProbeKind::Startup, ProbeKind::Liveness] {
            let killed = |answers_from: Millis| {
                (0..=COURSES).any(|step| {
                    let process = |ask: &Ask| if ask.at < answers_from { Reply::Fail(0) } else { Reply::Pass(0) };
                    let events =
                        run(numbers, kind, step as f64 / COURSES as f64 * 0.999, true, &process, budget * 2 + 60_000);
                    first(&events, 0, is_failed).is_some()
                })
            };
            assert!(!killed(budget), "{numbers:?}");
            assert!(killed(budget + grain(numbers)), "{numbers:?}");
        }
    });
}

#[test]
fn the_first_attempt_comes_within_its_window() {
    each_worker(|numbers, _| {
        let process = |_: &Ask| Reply::Pass(0);
        let seen = courses(|phase| {
            let until = (numbers.initial_delay + numbers.period + 1) * SECOND;
            let events = run(numbers, ProbeKind::Liveness, phase * 0.999, true, &process, until);
            first(&events, 0, |what| matches!(what, Happening::Attempted { .. })).expect("there is an attempt")
        });
        hold("first_attempt", numbers, numbers.first_attempt(), &seen, (grain(numbers), grain(numbers) * 2));
    });
}

#[test]
fn a_quick_start_is_ready_within_its_window() {
    each_worker(|numbers, _| {
        let process = |_: &Ask| Reply::Pass(0);
        for prompt in [false, true] {
            let seen = courses(|phase| {
                let until = (numbers.initial_delay + (numbers.success_threshold + 2) * numbers.period) * SECOND;
                let events = run(numbers, ProbeKind::Readiness, phase * 0.999, prompt, &process, until);
                first(&events, 0, |what| what == Happening::Ready).expect("it becomes ready")
            });
            let window = numbers.pass_after_start();
            assert!(window.earliest * SECOND <= seen.earliest, "{numbers:?} {seen:?}");
            assert!(seen.latest <= window.latest * SECOND, "{numbers:?} {seen:?}");
            if !prompt {
                assert!(seen.latest + grain(numbers) * 2 >= window.latest * SECOND, "{numbers:?} {seen:?}");
            }
            if prompt && numbers.success_threshold == 1 && numbers.initial_delay == 0 {
                assert_eq!(seen.earliest, window.earliest * SECOND);
            }
        }
    });
}

#[test]
fn a_recovered_process_is_ready_within_its_window() {
    each_worker(|numbers, random| {
        let hangs = random.below(2) == 0;
        let outage = (numbers.failure_threshold + 3) * (numbers.period + numbers.timeout) * SECOND;
        let seen = courses(|phase| {
            let event = steady(numbers) + 17;
            let over = event + outage + (phase * numbers.spacing_when_hanging() as f64 * SECOND as f64) as Millis;
            let process = |ask: &Ask| match ask.at < event || ask.at >= over {
                true => Reply::Pass(0),
                false if hangs => Reply::Silence,
                false => Reply::Fail(0),
            };
            let until = over + (numbers.success_threshold + 3) * (numbers.period + numbers.timeout) * SECOND;
            let events = run(numbers, ProbeKind::Readiness, 0.0, false, &process, until);
            first(&events, over, |what| what == Happening::Ready).expect("it comes back") - over
        });
        let window = numbers.pass_after_recovery();
        let context = format!("{numbers:?} {window} {seen:?}");
        assert!(window.earliest * SECOND <= seen.earliest && seen.latest <= window.latest * SECOND, "{context}");
        let grain = numbers.spacing_when_hanging() * SECOND / COURSES + 1;
        // Where attempts outlast the period, ticks and recovery cannot fall as badly as each of them might alone.
        if hangs && (numbers.timeout <= numbers.period || numbers.success_threshold == 1) {
            assert!(seen.latest + grain >= window.latest * SECOND, "{context}");
        }
        if numbers.worker == Worker::ReplicaMonitor || numbers.success_threshold == 1 {
            assert!(seen.earliest <= window.earliest * SECOND + grain, "{context}");
        }
    });
}

#[test]
fn a_threshold_that_allows_a_start_is_the_least_that_does() {
    each_worker(|numbers, random| {
        let needed = random.below(900);
        let budget = |failure_threshold| Numbers { failure_threshold, ..numbers }.start_budget();
        let least = numbers.failures_to_allow(needed);
        assert!(budget(least) >= needed, "{numbers:?} {needed}");
        assert!(least == 1 || budget(least - 1) < needed, "{numbers:?} {needed}");
    });
}

#[test]
fn a_threshold_that_outlasts_a_hang_is_the_least_that_does() {
    each_worker(|numbers, random| {
        let pause = random.below(400);
        let survives = |failure_threshold| {
            let numbers = Numbers { failure_threshold, success_threshold: 1, ..numbers };
            let event = steady(numbers);
            let process = |ask: &Ask| match ask.at >= event && ask.at < event + pause * SECOND {
                true => Reply::Pass(event + pause * SECOND - ask.at),
                false => Reply::Pass(0),
            };
            let until = event + (pause + 100) * SECOND;
            (0..=COURSES).all(|step| {
                let phase = step as f64 / COURSES as f64 * 0.999;
                first(&run(numbers, ProbeKind::Liveness, phase, false, &process, until), 0, is_failed).is_none()
            })
        };
        let least = numbers.failures_to_outlast_hang(pause);
        assert!(survives(least), "{numbers:?} {pause}");
        let window = Numbers { failure_threshold: least, ..numbers }.act_after_hang();
        assert!(window.earliest > pause, "{numbers:?} {pause}");
        let one_less = Numbers { failure_threshold: least - 1, ..numbers }.act_after_hang();
        assert!(least == 1 || one_less.earliest <= pause, "{numbers:?} {pause}");
    });
    assert_eq!(DEFAULTS.attempts_per_day(), 8_640);
    assert_eq!((DEFAULTS.successes_that_pass(), TYE.successes_that_pass()), (1, 2));
}

#[test]
fn a_container_is_gone_within_its_window() {
    let mut random = Random(77);
    let probe = Numbers { failure_threshold: 1, period: 1, ..DEFAULTS };
    let hanging = |_: &Ask| Reply::Silence;
    struct Stopping(Option<Millis>);
    impl Process for Stopping {
        fn answer(&self, _: &Ask) -> Reply {
            Reply::Silence
        }
        fn stops_after(&self, _: Millis, _: Millis) -> Option<Millis> {
            self.0
        }
    }
    for _ in 0..PROBES {
        let stop = Stop { grace_period: random.below(60), pre_stop: random.below(3) * random.below(50) };
        let container = Container { liveness: Some(probe), liveness_stop: stop, ..BARE };
        let gone = |process: &dyn Process| {
            let events = kubelet::replay(&container, Chance::default(), process, 300 * SECOND);
            let killed = first(&events, 0, |what| matches!(what, Happening::Killed(_))).expect("it is killed");
            first(&events, 0, |what| what == Happening::Gone).expect("it ends") - killed
        };
        let window = stop.gone_after_decision();
        assert_eq!(gone(&Stopping(None)), window.latest * SECOND, "{stop:?}");
        assert_eq!(gone(&Stopping(Some(0))), window.earliest * SECOND, "{stop:?}");
        assert_eq!(gone(&hanging), window.earliest * SECOND, "{stop:?}");
        // The formula in words: the grace period, or the hook and 2 s where that is longer; no grace, no hook.
        let hook = stop.pre_stop.min(stop.grace_period);
        let longest = match (stop.grace_period, stop.pre_stop) {
            (0, _) => 0,
            (grace, 0) => grace,
            (grace, _) => grace.max(hook + 2),
        };
        assert_eq!(window.latest, longest, "{stop:?}");
    }
}

#[test]
fn the_defaults_kill_a_hung_process_after_21_to_31_seconds() {
    assert_eq!(DEFAULTS.act_after_hang(), Window { earliest: 21, latest: 31 });
    assert_eq!(DEFAULTS.act_after_start(), Window { earliest: 20, latest: 30 });
    assert_eq!(DEFAULTS.act_after_hanging_start(), Window { earliest: 21, latest: 31 });
    assert_eq!(DEFAULTS.act_after_hang().to_string(), "21–31 s");
    assert_eq!(DEFAULTS.pass_after_recovery(), Window { earliest: 0, latest: 10 });
    assert_eq!(DEFAULTS.act_after_outage(), Window { earliest: 20, latest: 31 });
    // From the hang to the end of a process that does not stop by itself: 31 s and the grace period of 30 s.
    assert_eq!(DEFAULTS.act_after_hang().latest + STOP.gone_after_decision().latest, 61);
}

#[test]
fn long_timeouts_make_the_period_meaningless() {
    let patient = Numbers { period: 5, timeout: 8, success_threshold: 3, ..DEFAULTS };
    assert_eq!(patient.spacing_when_hanging(), 8);
    assert_eq!(patient.act_after_hang(), Window { earliest: 24, latest: 29 });
    assert_eq!(patient.pass_after_recovery(), Window { earliest: 0, latest: 18 });
}

#[test]
fn tye_needs_one_failure_more_than_it_says_and_waits_after_each_attempt() {
    assert_eq!(TYE.act_after_refusal(), Window { earliest: 3, latest: 4 });
    assert_eq!(TYE.act_after_start(), Window { earliest: 3, latest: 3 });
    assert_eq!(TYE.act_after_hang(), Window { earliest: 7, latest: 8 });
    assert_eq!(TYE.pass_after_recovery(), Window { earliest: 1, latest: 3 });
    // The recipe's own log: delay 1, period 1, threshold 1, and 2 s between healthy and ready.
    assert_eq!(Numbers { initial_delay: 1, ..TYE }.pass_after_start(), Window { earliest: 2, latest: 2 });
}

#[test]
fn the_first_traffic_comes_within_its_window() {
    let mut random = Random(4242);
    let answering = |_: &Ask| Reply::Pass(0);
    for round in 0..PROBES {
        let mut some = |worker, twice| {
            let numbers =
                Numbers { initial_delay: random.below(3) * random.below(20), ..random.numbers(worker, twice) };
            (random.below(4) > 0).then_some(numbers)
        };
        if round % 2 == 0 {
            let container = Container {
                startup: some(Worker::Kubelet, false),
                liveness: some(Worker::Kubelet, false),
                readiness: some(Worker::Kubelet, true),
                ..BARE
            };
            let window = first_ready(container.startup, container.liveness, container.readiness);
            for index in 0..COURSES as u32 {
                let phase = |numbers: Option<Numbers>, stride| {
                    numbers.map_or(0, |numbers| (spread(index, stride) * (numbers.period * SECOND) as f64) as Millis)
                };
                let chance = Chance {
                    startup: phase(container.startup, 0),
                    liveness: phase(container.liveness, 1),
                    readiness: phase(container.readiness, 2),
                    prompt: index % 2 == 0,
                };
                let events = kubelet::replay(&container, chance, &answering, (window.latest + 1) * SECOND);
                let ready = first(&events, 0, |what| what == Happening::Ready).expect("it becomes ready");
                assert!(
                    window.earliest * SECOND <= ready && ready <= window.latest * SECOND,
                    "{container:?} {window} {ready}"
                );
            }
        } else {
            let service = tye::Service {
                liveness: some(Worker::ReplicaMonitor, false),
                readiness: some(Worker::ReplicaMonitor, true),
            };
            let window = first_ready(None, service.liveness, service.readiness);
            let events = tye::replay(&service, &answering, (window.latest + 1) * SECOND);
            let ready = first(&events, 0, |what| what == Happening::Ready).expect("it becomes ready");
            assert!(
                window.earliest * SECOND <= ready && ready <= window.latest * SECOND,
                "{service:?} {window} {ready}"
            );
            assert!(window.latest - window.earliest <= service.readiness.map_or(0, |readiness| readiness.period));
        }
    }
    assert_eq!(first_ready(None, None, None), Window { earliest: 0, latest: 0 });
    assert_eq!(first_ready(None, Some(DEFAULTS), None), Window { earliest: 0, latest: 0 });
    assert_eq!(first_ready(Some(DEFAULTS), None, None), Window { earliest: 0, latest: 10 });
    assert_eq!(first_ready(Some(DEFAULTS), None, Some(DEFAULTS)), Window { earliest: 0, latest: 20 });
    let late = Some(Numbers { initial_delay: 4, ..TYE });
    assert_eq!(first_ready(None, late, None), Window { earliest: 4, latest: 4 });
    assert_eq!(first_ready(None, late, Some(TYE)), Window { earliest: 5, latest: 6 });
    assert_eq!(first_ready(None, late, Some(Numbers { period: 3, ..TYE })), Window { earliest: 9, latest: 9 });
}

#[test]
fn a_long_run_without_a_restart_is_forgiven() {
    // Fails from 700 s of each life on: each restart comes as if it were the first.
    let probe = Numbers { failure_threshold: 1, period: 1, ..DEFAULTS };
    let process = |ask: &Ask| if ask.age >= 700 * SECOND { Reply::Fail(0) } else { Reply::Pass(0) };
    let container = Container { liveness: Some(probe), ..BARE };
    let moments = |process: &dyn Process, what: fn(Happening) -> bool| -> Vec<Millis> {
        let events = kubelet::replay(&container, Chance::default(), process, 3_000 * SECOND);
        events.iter().filter(|event| what(event.what)).map(|event| event.at / SECOND).collect()
    };
    assert_eq!(moments(&process, |what| matches!(what, Happening::Started(_))), [0, 700, 1_400, 2_100, 2_800]);
    // From 600 s on it would still count.
    let process = |ask: &Ask| if ask.age >= 600 * SECOND { Reply::Fail(0) } else { Reply::Pass(0) };
    assert_eq!(moments(&process, |what| matches!(what, Happening::Started(_))), [0, 600, 1_210, 1_830, 2_470]);
}

#[test]
fn without_restarts_the_first_end_is_the_last() {
    let container = Container { liveness: Some(DEFAULTS), restarts: false, ..BARE };
    let events = kubelet::replay(&container, Chance::default(), &|_: &Ask| Reply::Fail(0), 900 * SECOND);
    let last: Vec<Happening> = events.iter().rev().take(3).rev().map(|event| event.what).collect();
    assert_eq!(last, [Happening::Killed(ProbeKind::Liveness), Happening::Gone, Happening::NotReady]);
}

#[test]
fn tye_kills_while_starting_and_starts_anew_without_a_limit() {
    // Refuses connections for 5 s of each life but the third.
    let process = |ask: &Ask| if ask.life < 2 && ask.age < 5 * SECOND { Reply::Fail(0) } else { Reply::Pass(0) };
    let service = tye::Service { liveness: Some(TYE), readiness: Some(TYE) };
    let events = tye::replay(&service, &process, 8_500);
    let marks: Vec<(Millis, Happening)> = events
        .iter()
        .filter(|event| !matches!(event.what, Happening::Attempted { .. }))
        .map(|event| (event.at, event.what))
        .collect();
    let (liveness, readiness) = (ProbeKind::Liveness, ProbeKind::Readiness);
    let killed = |at, life| {
        [
            (at, Happening::Failed(liveness)),
            (at, Happening::Killed(liveness)),
            (at, Happening::Gone),
            (at, Happening::Started(life)),
        ]
    };
    let mut expected = vec![(0, Happening::Started(0))];
    expected.extend(killed(3_000, 1));
    expected.extend(killed(6_000, 2));
    // Healthy at once; the first success of readiness comes after that of liveness, the second acts.
    expected.push((6_000, Happening::Passed(liveness)));
    expected.push((7_000, Happening::Passed(readiness)));
    expected.push((7_000, Happening::Ready));
    assert_eq!(marks, expected);
    let silent = tye::replay(&tye::Service { liveness: None, readiness: None }, &process, SECOND);
    assert_eq!(silent.last().map(|event| event.what), Some(Happening::Ready));
}

/// Never stops by itself.
struct Stubborn<F>(F);

impl<F: Fn(&Ask) -> Reply> Process for Stubborn<F> {
    fn answer(&self, ask: &Ask) -> Reply {
        self.0(ask)
    }
    fn stops_after(&self, _: Millis, _: Millis) -> Option<Millis> {
        None
    }
}

#[test]
fn each_probe_kills_under_its_own_grace_period() {
    let quick = Numbers { failure_threshold: 1, period: 1, ..DEFAULTS };
    let (startup_stop, liveness_stop) = (Stop { grace_period: 7, ..STOP }, Stop { grace_period: 11, ..STOP });
    let container = Container { startup: Some(quick), liveness: Some(quick), startup_stop, liveness_stop, ..BARE };
    let gone = |failing: ProbeKind| {
        let process = Stubborn(move |ask: &Ask| if ask.kind == failing { Reply::Fail(0) } else { Reply::Pass(0) });
        let events = kubelet::replay(&container, Chance::default(), &process, 60 * SECOND);
        let killed = first(&events, 0, |what| what == Happening::Killed(failing)).expect("it is killed");
        first(&events, 0, |what| what == Happening::Gone).expect("it ends") - killed
    };
    assert_eq!((gone(ProbeKind::Startup), gone(ProbeKind::Liveness)), (7_000, 11_000));
    let service = tye::Service { liveness: Some(TYE), readiness: None };
    let events = tye::replay(&service, &Stubborn(|_: &Ask| Reply::Fail(0)), 30 * SECOND);
    assert_eq!(first(&events, 0, |what| what == Happening::Gone), Some(3_000 + 5_000));
}

#[test]
fn readiness_is_asked_out_of_turn_and_its_ticks_count_from_there() {
    let attempts = |prompt: bool| -> Vec<Millis> {
        let container = Container {
            startup: Some(Numbers { period: 4, ..DEFAULTS }),
            readiness: Some(Numbers { period: 10, ..DEFAULTS }),
            ..BARE
        };
        let chance = Chance { startup: 3_000, readiness: 9_000, prompt, ..Chance::default() };
        let process = |_: &Ask| Reply::Pass(0);
        let events = kubelet::replay(&container, chance, &process, 30 * SECOND);
        let of_readiness =
            |event: &&Event| matches!(event.what, Happening::Attempted { kind: ProbeKind::Readiness, .. });
        events.iter().filter(of_readiness).map(|event| event.at).collect()
    };
    // At once when the startup probe has passed at 3 s, instead of the tick at 9 s.
    assert_eq!(attempts(true), [3_000, 13_000, 23_000]);
    assert_eq!(attempts(false), [9_000, 19_000, 29_000]);
    // One that has passed is not asked out of turn, whatever else happens.
    let container = Container { readiness: Some(DEFAULTS), liveness: Some(Numbers { period: 3, ..DEFAULTS }), ..BARE };
    let process = |ask: &Ask| match ask.kind {
        ProbeKind::Liveness if ask.life == 0 => Reply::Fail(0),
        _ => Reply::Pass(0),
    };
    let chance = Chance { prompt: true, ..Chance::default() };
    let events = kubelet::replay(&container, chance, &Stubborn(process), 20 * SECOND);
    let of_readiness = |event: &&Event| matches!(event.what, Happening::Attempted { kind: ProbeKind::Readiness, .. });
    let at: Vec<Millis> = events.iter().filter(of_readiness).map(|event| event.at).collect();
    assert_eq!(at, [0, 10_000, 20_000]);
}

#[test]
fn attempts_are_numbered_through_all_lives() {
    let numbers = std::cell::RefCell::new(Vec::new());
    let process = |ask: &Ask| {
        numbers.borrow_mut().push((ask.kind, ask.life, ask.number));
        if ask.kind == ProbeKind::Liveness { Reply::Fail(0) } else { Reply::Pass(0) }
    };
    let service = tye::Service { liveness: Some(Numbers { failure_threshold: 1, ..TYE }), readiness: Some(TYE) };
    tye::replay(&service, &process, 1_500);
    let (liveness, readiness) = (ProbeKind::Liveness, ProbeKind::Readiness);
    let expected = [(liveness, 0, 0), (readiness, 0, 0), (liveness, 0, 1), (liveness, 1, 2), (readiness, 1, 1)];
    assert_eq!(numbers.borrow()[..5], expected, "{:?}", numbers.borrow());
}
