use super::environment::{Lookup, lookup};
use super::exec::{self, Command};
use super::{Context, Sink, words};
use crate::finding::Level;
use crate::knowledge;
use crate::model::{Action, Container, Handler, Probe, ProbeKind};
use crate::shell::{Call, FirstStart, Output, Peer, Reply};
use crate::span::Span;

/// A command that succeeds before the server serves.
struct Early {
    /// The client as it is called: "`redis-cli ping`".
    client: String,
    /// The word that names it.
    at: Span,
    because: Because,
}

enum Because {
    /// The exit status is 0 on these refusals; what to do instead.
    Refusals(String, String),
    /// The image's own server for the first start answers as well; the option that leads past it.
    FirstStart(String, Option<Span>),
}

pub(super) fn check(cx: &Context<'_>, sink: &mut Sink<'_>) {
    for (container, probe) in cx.workload.probes() {
        let Some(handler) = probe.handler().filter(|_| container.may_have_probes()) else { continue };
        match probe.kind {
            ProbeKind::Liveness => demand(cx, sink, container, probe, handler),
            _ => early(cx, container, handler)
                .filter(|early| matters(cx, container, probe, early))
                .into_iter()
                .for_each(|early| report(cx, sink, container, probe, &early)),
        }
    }
}

/// Whether nothing else of the container holds back what this probe lets through.
fn matters(cx: &Context<'_>, container: &Container, probe: &Probe, early: &Early) -> bool {
    let too_early =
        |probe: &Probe| probe.handler().is_some_and(|handler| self::early(cx, container, handler).is_some());
    match (probe.kind, &early.because) {
        // A startup probe is over long before the next refusal, but the first start comes only once.
        (ProbeKind::Readiness, Because::FirstStart(..)) => container.probe(ProbeKind::Startup).is_none(),
        (ProbeKind::Startup, _) => container.probe(ProbeKind::Readiness).is_none_or(too_early),
        _ => true,
    }
}

fn report(cx: &Context<'_>, sink: &mut Sink<'_>, container: &Container, probe: &Probe, early: &Early) {
    let who = words::probe(cx.workload, container, probe);
    let (message, before, help, label) = match &early.because {
        Because::Refusals(refusals, instead) => (
            format!("{who} runs {}, which also exits with 0 on {refusals}", early.client),
            "with the server's first answer, whatever it says",
            instead.clone(),
            None,
        ),
        Because::FirstStart(option, image) => (
            format!(
                "{who} asks with {} through the socket, where a server answers that only sets up the data",
                early.client
            ),
            "while the image still runs its setup on an empty data directory, before the real server starts",
            format!("add `{option}`: the server of the setup does not listen on the network"),
            *image,
        ),
    };
    let fate = match probe.kind {
        ProbeKind::Startup => "the start counts as done".to_owned(),
        _ => {
            let soon = words::numbers(probe).map(|numbers| format!(" within {}", numbers.pass_after_recovery()));
            format!("the pod gets traffic{}", soon.unwrap_or_default())
        }
    };
    let mut report = sink
        .probe(container, probe, "exec.command", early.at, message)
        .why(format!("attempts succeed {before}, so {fate}"))
        .help(help);
    if let Some(image) = label {
        report = report.label(image, "this image sets up an empty data directory first");
    }
    let _ = report;
}

/// The first client of a command that decides by its exit status alone, and too early.
fn early(cx: &Context<'_>, container: &Container, handler: &Handler) -> Option<Early> {
    let command = exec::read(handler)?;
    command.exec.calls(knowledge::clients()).iter().find_map(|call| {
        let is_read = matches!(call.run.output, Output::Pipe(_) | Output::Word(_));
        let is_certain = call.run.decides == crate::shell::Decides::Yes && !call.run.negated && !call.given.unsure;
        if is_read || !is_certain {
            return None;
        }
        let at = command.span(call.run.program_word()?.place);
        let program = call.run.program()?;
        if let Some(first) = call.client.first_start.as_ref().filter(|first| is_first_start(cx, container, call, first))
        {
            let because = Because::FirstStart(first.instead.clone(), container.image.at());
            return Some(Early { client: format!("`{program}`"), at, because });
        }
        let reply = call.reply().filter(|reply| is_own(call, reply))?;
        let client = format!("`{program} {}`", reply.words.join(" "));
        Some(Early { client, at, because: Because::Refusals(reply.succeeds_on.clone(), reply.instead.clone()) })
    })
}

/// Whether a call comes through the socket to a server whose image sets its data up before.
fn is_first_start(cx: &Context<'_>, container: &Container, call: &Call<'_>, first: &FirstStart) -> bool {
    let is_image = container.image.value().is_some_and(|reference| {
        first.images.iter().any(|name| name == knowledge::image_name(reference))
            && !first.unless.iter().any(|part| reference.contains(part.as_str()))
    });
    if !is_image || first.network.iter().any(|option| call.given.has(option)) {
        return false;
    }
    call.targets().iter().all(|target| match &target.peer {
        Peer::Socket => true,
        Peer::Default(names) => names.iter().all(|name| matches!(lookup(cx, container, name), Lookup::NotDeclared)),
        Peer::Loopback => first.localhost && names_localhost(call),
        _ => false,
    })
}

/// Whether the host is spelt `localhost`.
fn names_localhost(call: &Call<'_>) -> bool {
    let mut hosts = call.client.host.iter().flat_map(|spelling| call.given.named(spelling));
    hosts.any(|value| value.known() == Some("localhost"))
}

/// Whether a call asks a server of this pod that may refuse so.
fn is_own(call: &Call<'_>, reply: &Reply) -> bool {
    call.targets().iter().all(|target| {
        let is_here = matches!(target.peer, Peer::Default(_) | Peer::Loopback | Peer::Socket | Peer::OwnPod);
        is_here && target.port.as_ref().is_none_or(|port| !reply.ports.contains(port))
    })
}

/// A liveness probe that fails on an answer which goes away by itself.
fn demand(cx: &Context<'_>, sink: &mut Sink<'_>, container: &Container, probe: &Probe, handler: &Handler) {
    let Some(command) = exec::read(handler) else { return };
    for call in command.exec.calls(knowledge::clients()) {
        let Some(reply) = call.reply().filter(|reply| is_own(&call, reply)) else { continue };
        let (Some(expect), Some(transient)) = (&reply.expect, &reply.transient) else { continue };
        let knows_better = command.exec.runs().iter().any(|run| run.words.iter().any(|word| word.holds(transient)));
        if knows_better || !command.decides(call.id) || waits_for(container, expect) {
            continue;
        }
        let Some(at) = comparison(&command, &call, expect) else { continue };
        let who = words::probe(cx.workload, container, probe);
        let message = format!("{who} demands `{expect}`, but while its data loads the server answers `{transient}`");
        let fate = words::numbers(probe).map_or_else(String::new, |numbers| {
            // Behind a startup probe the delay has passed long ago.
            let window = match container.probe(ProbeKind::Startup) {
                Some(_) => numbers.act_after_refusal(),
                None => numbers.act_after_start(),
            };
            format!(" after {window}")
        });
        let program = call.run.program().unwrap_or_default();
        sink.probe(container, probe, "exec.command", at, message)
            .level(Level::Warning)
            .why(format!("the container is restarted{fate} of loading, and begins again: a large data set never loads"))
            .help(format!(
                "run `{program} {}` without the comparison, which succeeds on any answer, and leave `{expect}` to the \
                 readiness probe",
                reply.words.join(" ")
            ));
    }
}

/// The word that a reader of the output compares it with.
fn comparison(command: &Command<'_>, call: &Call<'_>, expect: &str) -> Option<Span> {
    let runs = command.exec.readers(call.id).into_iter().filter_map(|id| command.exec.runs().get(id));
    let word = runs.flat_map(|run| &run.words).find(|word| word.holds(expect))?;
    Some(command.span(word.place))
}

/// Whether a startup probe holds liveness back until the answer is there, or may do so.
fn waits_for(container: &Container, expect: &str) -> bool {
    let Some(probe) = container.probe(ProbeKind::Startup) else { return false };
    let Some(handler) = probe.handler() else { return true };
    match &handler.action {
        // An open port says nothing of the data.
        Action::TcpSocket(_) => false,
        Action::Exec(_) => exec::read(handler).is_none_or(|command| {
            let calls = command.exec.calls(knowledge::clients());
            let mut replies = calls.iter().filter_map(|call| Some((call.id, call.reply()?)));
            replies.all(|(id, reply)| reply.expect.as_deref() != Some(expect) || command.exec.looks_for(id, expect))
        }),
        _ => true,
    }
}
