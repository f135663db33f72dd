//! Something happens to a container: one course for each phase that the probes may have.

use super::Plan;
use crate::timing::fleet::{self, Counts, Endpoint, Fleet};
use crate::timing::kubelet::{self, Chance};
use crate::timing::{
    Ask, Event, Happening, Millis, Numbers, Process, Reply, SECOND, Tally, Worker, first_ready, millis, spread, tally,
    tye,
};

/// Courses that are replayed where nothing else is asked for, each with other phases.
const USUAL_COURSES: u32 = 64;
/// Courses that are replayed at the least, however long they are.
const FEWEST_COURSES: u32 = 16;
/// Attempts of the quickest probe in all courses together, about.
const ALL_ATTEMPTS: u64 = 4_000_000;
/// Attempts of it in one course, before what happens and after it has passed; decisions that take longer are not seen.
const MOST_ATTEMPTS: u64 = 100_000;
/// Replicas that are replayed at the most.
pub const MOST_REPLICAS: u32 = 10_000;

/// What happens.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Scenario {
    /// Milliseconds that every start takes; connections are refused meanwhile.
    pub start: Option<Millis>,
    /// Milliseconds during which nothing is answered; then everything is, at once.
    pub outage: Option<Millis>,
    /// The process hangs for good; one that is started anew does not.
    pub hang: bool,
    /// Milliseconds that each answer takes.
    pub slow: Option<Millis>,
    /// Replicas that it happens to at the same time.
    pub replicas: Option<u32>,
    /// Requests a second to all replicas, and how many one of them can answer.
    pub load: Option<(f64, f64)>,
    /// How many courses to replay at the most; long ones are fewer.
    pub courses: Option<u32>,
}

impl Scenario {
    /// With nothing asked for, the process hangs: that is what probes are for.
    pub fn or_hang(self) -> Self {
        let is_empty = self.start.is_none() && self.outage.is_none() && self.slow.is_none() && !self.hang;
        Self { hang: self.hang || is_empty, ..self }
    }

    /// What happens, in words.
    pub fn words(&self) -> String {
        let seconds = |millis: Millis| format!("{} s", millis as f64 / SECOND as f64);
        let mut parts = Vec::new();
        parts.extend(self.start.map(|start| format!("every start takes {}", seconds(start))));
        parts.extend(self.slow.map(|slow| format!("every answer takes {}", seconds(slow))));
        if self.hang {
            parts.push("the process hangs".to_owned());
        }
        parts.extend(self.outage.map(|outage| format!("nothing is answered for {}", seconds(outage))));
        parts.join(", ")
    }

    /// Whether replicas are replayed under load.
    pub const fn is_loaded(&self) -> bool {
        self.load.is_some() && self.replicas.is_some() && self.outage.is_some()
    }

    /// Whether something begins at a moment of its own, besides starts.
    const fn has_event(&self) -> bool {
        self.hang || self.outage.is_some()
    }
}

/// The least and the greatest of something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Range {
    /// The least.
    pub least: Millis,
    /// The greatest.
    pub greatest: Millis,
}

/// What all courses have in common, in milliseconds since the event where a moment is meant.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Chances {
    /// How many courses were replayed.
    pub courses: u32,
    /// In how many of them the container is killed.
    pub killed: u32,
    /// In how many of them traffic stops.
    pub removed: u32,
    /// In how many of them there is traffic when it happens.
    pub ready_before: u32,
    /// In how many of them traffic is back at the end.
    pub ready_at_end: u32,
    /// How often the container is killed.
    pub kills: Option<Range>,
    /// It is killed for the first time.
    pub first_kill: Option<Range>,
    /// Traffic stops for the first time.
    pub first_removal: Option<Range>,
    /// Traffic is there for good.
    pub ready_for_good: Option<Range>,
    /// How long there is none.
    pub unready: Option<Range>,
}

/// How many replicas are ready over time.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Ready {
    /// How many replicas there are.
    pub replicas: u32,
    /// How many of them are ready; milliseconds since the event.
    pub counts: Counts,
    /// Requests that nobody answered, when a load is given.
    pub lost: Option<f64>,
    /// The greatest load on one replica, requests a second.
    pub peak: Option<f64>,
}

/// What the scenario does to one container.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Course {
    /// What happens, in words.
    pub words: String,
    /// Moment of the event, milliseconds since the first start; 0 without an event.
    pub event: Millis,
    /// The part worth looking at begins.
    pub from: Millis,
    /// It ends.
    pub until: Millis,
    /// The worst of all courses, from the first start on.
    pub events: Vec<Event>,
    /// What the courses have in common.
    pub chances: Chances,
    /// Whether it was replayed to the end of what may follow; slow decisions are not seen otherwise.
    pub is_whole: bool,
    /// What becomes of several replicas.
    pub replicas: Option<Ready>,
    /// What it all rests on.
    pub assumptions: Vec<&'static str>,
}

/// The process that the scenario makes.
struct Subject {
    scenario: Scenario,
    event: Millis,
}

impl Process for Subject {
    fn answer(&self, ask: &Ask) -> Reply {
        let usual = self.scenario.slow.unwrap_or(0);
        if ask.age < self.scenario.start.unwrap_or(0) {
            return Reply::Fail(0);
        }
        let is_old = ask.at - ask.age <= self.event;
        if self.scenario.hang && is_old && ask.at + usual >= self.event {
            return Reply::Silence;
        }
        match self.scenario.outage {
            Some(outage) if (self.event..self.event + outage).contains(&(ask.at + usual)) => {
                Reply::Pass(self.event + outage - ask.at)
            }
            _ => Reply::Pass(usual),
        }
    }

    fn stops_after(&self, started: Millis, term: Millis) -> Option<Millis> {
        let hangs = self.scenario.hang && started <= self.event && term >= self.event;
        (!hangs).then_some(0)
    }
}

/// Replays the scenario in all phases.
pub(super) fn run(plan: &Plan, scenario: &Scenario) -> Course {
    let scenario = scenario.or_hang();
    let Horizon { length, is_whole } = horizon(plan, &scenario);
    let attempts = (steady(plan, &scenario).saturating_add(length) / millis(quickest(plan))).max(1);
    let wanted = scenario.courses.unwrap_or(USUAL_COURSES);
    let courses = u32::try_from(ALL_ATTEMPTS / attempts).unwrap_or(wanted).clamp(FEWEST_COURSES.min(wanted), wanted);
    let mut chances = Chances::default();
    let mut worst: Option<(Tally, Replayed)> = None;
    for index in 0..courses {
        let replayed = replay(plan, scenario, length, index);
        let sums = tally(&replayed.events, replayed.event, replayed.until);
        chances.add(&sums, &replayed);
        let rank = |sums: &Tally| (sums.kills, sums.removals, sums.unready);
        if worst.as_ref().is_none_or(|(other, _)| rank(&sums) > rank(other)) {
            worst = Some((sums, replayed));
        }
    }
    let Replayed { event, until, events } = worst.map(|(_, replayed)| replayed).unwrap_or_default();
    let from = if scenario.start.is_some() || event == 0 { 0 } else { event.saturating_sub(lead(plan)) };
    let last = events.iter().filter(|event| is_news(event.what)).map(|event| event.at).max().unwrap_or(0);
    let least = event + scenario.outage.unwrap_or(0) + lead(plan);
    let until = last.saturating_add(lead(plan)).max(least).min(until);
    Course {
        words: scenario.words(),
        is_whole,
        event,
        from,
        until,
        replicas: replicas(plan, &scenario, length),
        events,
        chances,
        assumptions: assumptions(plan, &scenario),
    }
}

/// One course, in milliseconds since the first start.
#[derive(Default)]
struct Replayed {
    event: Millis,
    until: Millis,
    events: Vec<Event>,
}

/// The `index`-th course, until `length` milliseconds after the event.
fn replay(plan: &Plan, scenario: Scenario, length: Millis, index: u32) -> Replayed {
    // When the status of the pod changes, probes fall into step with it, and Tye's begin with the process: so the event
    // comes sooner or later too.
    let sooner_or_later = (spread(index, 3) * lead(plan).min(longest(plan)) as f64) as Millis;
    let event = if scenario.has_event() { steady(plan, &scenario).saturating_add(sooner_or_later) } else { 0 };
    let until = event.saturating_add(length);
    let subject = Subject { scenario, event };
    let events = match plan.worker {
        Worker::Kubelet => {
            let phase = |numbers: Option<Numbers>, stride| {
                numbers.map_or(0, |numbers| (spread(index, stride) * millis(numbers.period) as f64) as Millis)
            };
            let chance = Chance {
                liveness: phase(plan.container.liveness, 0),
                readiness: phase(plan.container.readiness, 1),
                startup: phase(plan.container.startup, 2),
                prompt: true,
            };
            kubelet::replay(&plan.container, chance, &subject, until)
        }
        Worker::ReplicaMonitor => {
            let service = tye::Service { liveness: plan.container.liveness, readiness: plan.container.readiness };
            tye::replay(&service, &subject, until)
        }
    };
    Replayed { event, until, events }
}

/// The longest time between two attempts of any probe that runs for good, in milliseconds.
fn lead(plan: &Plan) -> Millis {
    let lasting = [plan.container.liveness, plan.container.readiness];
    let longest = lasting.iter().flatten().map(Numbers::spacing_when_hanging).max();
    millis(longest.or(plan.container.startup.map(|startup| startup.period)).unwrap_or(1))
}

/// A moment at which everything has been running for a while.
fn steady(plan: &Plan, scenario: &Scenario) -> Millis {
    let start = scenario.start.unwrap_or(0);
    let ready = millis(first_ready(plan.container.startup, plan.container.liveness, plan.container.readiness).latest);
    let delay = plan.container.liveness.map_or(0, |liveness| millis(liveness.first_attempt().latest));
    let calm =
        ready.max(delay).saturating_add(scenario.slow.unwrap_or(0) * 2).saturating_add(lead(plan).saturating_mul(2));
    calm.min(longest(plan)).saturating_add(start)
}

/// How far a course goes.
struct Horizon {
    /// Milliseconds from the event on.
    length: Millis,
    /// Whether that is enough.
    is_whole: bool,
}

/// As far as it takes to see what follows: two kills at the most, and the longest wait before a restart.
fn horizon(plan: &Plan, scenario: &Scenario) -> Horizon {
    let of = |numbers: Numbers| numbers.act_after_hanging_start().latest.max(numbers.act_after_hang().latest);
    let all = [plan.container.startup, plan.container.liveness, plan.container.readiness];
    let act = all.into_iter().flatten().map(of).max().unwrap_or(0);
    let stops = [plan.container.liveness_stop, plan.container.startup_stop];
    let stop = stops.iter().map(|stop| stop.gone_after_decision().latest).max().unwrap_or(0);
    let ready = first_ready(plan.container.startup, plan.container.liveness, plan.container.readiness).latest;
    let recover = plan.container.readiness.map_or(0, |readiness| readiness.pass_after_recovery().latest);
    let start = scenario.start.unwrap_or(0);
    let once = [act, stop, ready, recover].into_iter().fold(0, u64::saturating_add);
    let wait = if scenario.hang { 0 } else { kubelet::LONGEST_DELAY };
    let needed = millis(once.saturating_mul(2).saturating_add(wait)).saturating_add(start.saturating_mul(2));
    let length = needed.min(longest(plan));
    Horizon { length: length.saturating_add(scenario.outage.unwrap_or(0)), is_whole: length == needed }
}

/// Seconds of the shortest period.
fn quickest(plan: &Plan) -> u64 {
    plan.probes().iter().map(|(_, numbers)| numbers.period).min().unwrap_or(1).max(1)
}

/// Milliseconds in which the quickest probe makes as many attempts as are replayed.
fn longest(plan: &Plan) -> Millis {
    millis(quickest(plan).saturating_mul(MOST_ATTEMPTS))
}

/// Whether a picture must show it.
const fn is_news(what: Happening) -> bool {
    !matches!(what, Happening::Attempted { .. })
}

impl Chances {
    fn add(&mut self, sums: &Tally, replayed: &Replayed) {
        self.courses += 1;
        self.killed += u32::from(sums.kills > 0);
        self.removed += u32::from(sums.removals > 0);
        self.ready_before += u32::from(replayed.is_ready_at(replayed.event));
        let grow = |range: &mut Option<Range>, value: Option<Millis>| {
            let Some(value) = value else { return };
            let before = range.unwrap_or(Range { least: value, greatest: value });
            *range = Some(Range { least: before.least.min(value), greatest: before.greatest.max(value) });
        };
        let since = |moment: Option<Millis>| moment.map(|moment| moment.saturating_sub(replayed.event));
        grow(&mut self.kills, Some(u64::from(sums.kills)));
        grow(&mut self.first_kill, since(sums.first_kill));
        grow(&mut self.first_removal, since(sums.first_removal));
        grow(&mut self.unready, Some(sums.unready));
        self.ready_at_end += u32::from(sums.ready_for_good.is_some());
        grow(&mut self.ready_for_good, since(sums.ready_for_good));
    }
}

impl Replayed {
    /// Whether there is traffic at a moment.
    fn is_ready_at(&self, moment: Millis) -> bool {
        let changes = self.events.iter().take_while(|event| event.at <= moment);
        let last = changes.filter(|event| matches!(event.what, Happening::Ready | Happening::NotReady)).last();
        last.is_some_and(|event| event.what == Happening::Ready)
    }
}

/// The replicas, all hit at the same time, each with phases of its own.
fn replicas(plan: &Plan, scenario: &Scenario, length: Millis) -> Option<Ready> {
    let replicas = scenario.replicas?.min(MOST_REPLICAS);
    let longest = ALL_ATTEMPTS * 5 / u64::from(replicas.max(1));
    let length =
        length.min(millis(quickest(plan).saturating_mul(longest)).saturating_add(scenario.outage.unwrap_or(0)));
    if let (Some((load, capacity)), Some(readiness), Some(outage)) =
        (scenario.load, plan.container.readiness, scenario.outage)
    {
        let fleet = Fleet { replicas, readiness, endpoint: Endpoint::Aggregate, load, capacity };
        let outcome = fleet::replay(&fleet, outage, length);
        let (lost, peak) = (Some(outcome.lost), Some(outcome.peak));
        return Some(Ready { replicas, counts: outcome.counts, lost, peak });
    }
    let mut changes: Vec<(Millis, bool)> = Vec::new();
    let mut ready_before = 0;
    for index in 0..replicas {
        let replayed = replay(plan, *scenario, length, index);
        let mut is_ready = false;
        for event in replayed.events {
            let becomes = match event.what {
                Happening::Ready => true,
                Happening::NotReady => false,
                _ => continue,
            };
            if event.at <= replayed.event {
                is_ready = becomes;
            } else {
                changes.push((event.at - replayed.event, becomes));
            }
        }
        ready_before += u32::from(is_ready);
    }
    changes.sort_unstable_by_key(|&(at, _)| at);
    let mut counts = Counts::default();
    let mut ready = ready_before;
    counts.set(0, ready);
    for (at, becomes) in changes {
        ready = if becomes { ready + 1 } else { ready.saturating_sub(1) };
        counts.set(at, ready);
    }
    Some(Ready { replicas, counts, lost: None, peak: None })
}

fn assumptions(plan: &Plan, scenario: &Scenario) -> Vec<&'static str> {
    let mut all = vec!["all probes of the container ask what fails"];
    all.push(match scenario.slow {
        Some(_) => "attempts take what the scenario says",
        None => "a healthy process answers at once",
    });
    match plan.worker {
        Worker::Kubelet => {
            all.push(
                "the phases of the probes are unknown: figures hold for all of them, courses are samples of them, and the \
                 picture shows the worst (most kills, then removals, then time without traffic)",
            );
            all.push("readiness is also asked out of turn when the container starts or a probe changes its mind");
            all.push("latencies of the kubelet and the runtime, under a second or two, are left out");
            if plan.container.restarts {
                all.push("restarts wait 0, 10, 20, 40 … 300 s (CrashLoopBackOff)");
            }
        }
        Worker::ReplicaMonitor => {
            all.push("it happens at any moment of a period: courses are samples of that, the picture shows the worst");
            all.push("restarts do not wait");
        }
    }
    all.push(match scenario.hang {
        true => "a hung process uses up its grace period, and the next one is healthy",
        false => "a process stops at once when it is told to",
    });
    if scenario.is_loaded() {
        all.push(
            "under load requests are spread evenly and wait in order, clients give up after 30 s, readiness waits in the \
             same queue, and liveness plays no part",
        );
    }
    all
}
