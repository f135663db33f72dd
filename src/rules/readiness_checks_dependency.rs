use super::dependency::{self, Clue, Question};
use super::{Context, Sink, rollout, words};
use crate::finding::{Confidence, Level};
use crate::model::{Container, Orchestrator, Probe, ProbeKind};

pub(super) fn check(cx: &Context<'_>, sink: &mut Sink<'_>) {
    if cx.workload.runs_to_completion() {
        return;
    }
    for (container, probe) in cx.workload.probes().filter(|(_, probe)| probe.kind == ProbeKind::Readiness) {
        for question in dependency::questions(cx, container, probe) {
            if let Some(level) = level(cx, &question) {
                report(cx, sink, container, probe, question, level);
            }
        }
    }
}

/// How much a question matters to readiness; `None` where it is what readiness is for.
fn level(cx: &Context<'_>, question: &Question) -> Option<Level> {
    let count = rollout::count(cx);
    let warning = match question.clue {
        // As a rule the name is not even found.
        Clue::Host => return Some(Level::Error),
        Clue::Named | Clue::Aggregate { has_ready: true } | Clue::Broker { own: false } => count.is_several(),
        // Who asks about a cluster has one, unless the numbers say otherwise.
        Clue::Cluster { own: false } => !count.is_single(),
        Clue::Aggregate { has_ready: false } | Clue::Broker { own: true } => false,
        Clue::Leader { by_lease } => rollout::leader_blocks_rollout(cx, by_lease).map(|_| true)?,
        // A member that is sealed, behind, or without a quorum does not serve, and readiness says so.
        Clue::Cluster { own: true } | Clue::Quorum | Clue::Role | Clue::State => return None,
    };
    let warning = warning && question.confidence > Confidence::Low;
    Some(if warning { Level::Warning } else { Level::Advice })
}

fn report(
    cx: &Context<'_>,
    sink: &mut Sink<'_>,
    container: &Container,
    probe: &Probe,
    question: Question,
    level: Level,
) {
    let who = words::probe(cx.workload, container, probe);
    let other = &question.other;
    let taken_out = match probe.orchestrator {
        Orchestrator::Tye => "taken out of traffic",
        _ => "taken out of the Services",
    };
    let (within, back) = match words::numbers(probe) {
        Some(numbers) => {
            (format!("within {}", numbers.act_after_outage()), format!("within {}", numbers.pass_after_recovery()))
        }
        None => ("soon".to_owned(), "some time".to_owned()),
    };
    let replicas = rollout::all(cx);
    let why = match question.clue {
        Clue::Leader { by_lease } => rollout::leader_blocks_rollout(cx, by_lease).unwrap_or_default(),
        Clue::Host => format!(
            "the kubelet looks the name up on the node, which as a rule knows no Services: then no pod ever becomes \
             ready; and where it does know {other}, its outage takes every replica out of traffic \
             {within}"
        ),
        Clue::Cluster { .. } => format!(
            "the answer is about all members and the same on every replica: when it turns bad, {replicas} {taken_out} \
             {within}, also those that could still serve; they are back {back} after it has turned good"
        ),
        _ => format!(
            "when {other} fails, {replicas} {taken_out} {within}, at the same time and for all requests, also those \
             that have nothing to do with it; they are back {back} after its recovery"
        ),
    };
    let help = question.help.unwrap_or_else(|| match question.clue {
        Clue::Leader { .. } => {
            "let readiness tell whether the process could take over, and find the leader another way, \
                                such as a label of its pod"
                .to_owned()
        }
        Clue::Cluster { .. } => "ask this member alone: whether it has joined and answers".to_owned(),
        Clue::Aggregate { .. } => {
            "ask an endpoint that leaves out what all replicas share, if the application has one".to_owned()
        }
        _ => format!(
            "ask only whether this process can take requests, and answer those that need {other} with an error; keep \
             the question only if no request can do without"
        ),
    });
    let mut report = sink
        .probe(container, probe, &question.field, question.at, format!("{who} {}", question.asks))
        .why(why)
        .help(help)
        .level(level)
        .confidence(question.confidence);
    for (source, span, text) in question.labels {
        report = report.label_in(source, span, text);
    }
}
