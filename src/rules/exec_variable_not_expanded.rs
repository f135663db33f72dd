use super::exec::{self, Command};
use super::{Context, Sink, rewrap, words};
use crate::finding::Level;
use crate::fix::{Edit, Fix, edit};
use crate::model::{Container, EnvSource, EnvVar, Origin, Probe};
use crate::shell::{MisreadKind, Place, Reference};

/// Options whose value the program does not need for its answer.
///
/// Source: PostgreSQL documentation, "pg_isready": neither user nor database need be right.
const NOT_NEEDED: [(&str, [&str; 4]); 1] = [("pg_isready", ["-U", "--username", "-d", "--dbname"])];

pub(super) fn check(cx: &Context<'_>, sink: &mut Sink<'_>) {
    for (container, probe) in cx.workload.probes() {
        let Some(command) = probe.handler().filter(|_| container.may_have_probes()).and_then(exec::read) else {
            continue;
        };
        let is_script = command.exec.runs().first().is_some_and(|run| run.script.is_some());
        if is_script {
            if let Some(reference) = references(cx, container, &command).find(|it| is_variable(container, it)) {
                in_script(cx, sink, container, probe, &command, reference);
            }
            continue;
        }
        // Other syntax is a fault of its own, which a shell mends together with the variables.
        let is_other = |kind: &MisreadKind| !matches!(kind, MisreadKind::Variable(_));
        if !command.exec.misread().iter().any(|misread| is_other(&misread.kind)) {
            without_shell(cx, sink, container, probe, &command);
        }
    }
}

/// The `$(NAME)` for which the kubelet has no value. Those of patches and loose blocks may get one elsewhere.
///
/// Source: kubernetes `pkg/kubelet/container/helpers.go`, `ExpandContainerCommandOnlyStatic`: it sees the entries of `env`
/// with their `value`, so one with `valueFrom` is the empty text, and `envFrom` is not seen.
fn references<'c>(
    cx: &Context<'_>,
    container: &'c Container,
    command: &'c Command<'_>,
) -> impl Iterator<Item = &'c Reference> {
    let is_complete = cx.workload.origin == Origin::Complete;
    let unknown = move |reference: &&Reference| {
        is_complete && declared(container, &reference.name).is_none_or(|variable| !is_static(variable))
    };
    command.exec.references().iter().filter(unknown)
}

fn declared<'c>(container: &'c Container, name: &str) -> Option<&'c EnvVar> {
    container.env.iter().rev().find(|variable| variable.name == name)
}

const fn is_static(variable: &EnvVar) -> bool {
    matches!(variable.source, EnvSource::Literal(_))
}

/// Whether a name in a script is that of a variable: `$(hostname)` runs a command, as it should.
fn is_variable(container: &Container, reference: &Reference) -> bool {
    let by_custom = reference.name.len() > 1
        && reference.name.bytes().all(|b| b.is_ascii_uppercase() || b == b'_' || b.is_ascii_digit());
    by_custom || declared(container, &reference.name).is_some()
}

/// `$(NAME)` in a script, which is a command to the shell, unless the kubelet has put nothing in its place.
fn in_script(
    cx: &Context<'_>,
    sink: &mut Sink<'_>,
    container: &Container,
    probe: &Probe,
    command: &Command<'_>,
    reference: &Reference,
) {
    let name = &reference.name;
    let who = words::probe(cx.workload, container, probe);
    let variable = declared(container, name);
    let (message, why) = match variable {
        Some(_) => (
            format!("{who} gets the empty text for `$({name})`, whose value comes from elsewhere"),
            "the kubelet replaces `$(NAME)` in probes before the shell starts, and knows nothing but `value`: what \
             `valueFrom` brings is empty to it"
                .to_owned(),
        ),
        None => (
            format!("{who} runs a command named `{name}`, for `$({name})` is no `env` value of the container"),
            "what the kubelet does not replace is a command substitution to the shell: there is no such command, and the \
             empty text stands in its place"
                .to_owned(),
        ),
    };
    let script = command.args.get(reference.place.arg as usize);
    let fix = script.filter(|script| script.is_exact() && !is_single_quoted(&script.text, reference.place));
    let fix = fix.map(|script| {
        let rest = script.text.get(reference.place.span.end as usize..).unwrap_or_default();
        let is_apart = !rest.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_');
        let text = if is_apart { format!("${name}") } else { format!("${{{name}}}") };
        Fix::safe(format!("write `{text}`"), vec![edit::replace(command.span(reference.place), text)])
    });
    let mut report = sink
        .probe(container, probe, "exec.command", command.span(reference.place), message)
        .why(why)
        .help(format!("write `${name}`, which the shell looks up in the container's environment"));
    if let Some(variable) = variable {
        report = report.label(variable.at, "the kubelet does not look here for a probe");
    }
    report.fix(fix);
}

/// Whether a place in a script stands between single quotes, where a shell replaces nothing.
fn is_single_quoted(script: &str, place: Place) -> bool {
    script.get(..place.span.start as usize).is_none_or(|before| before.matches('\'').count() % 2 == 1)
}

/// `$NAME`, or a `$(NAME)` that the kubelet does not know, in a command that no shell reads.
fn without_shell(cx: &Context<'_>, sink: &mut Sink<'_>, container: &Container, probe: &Probe, command: &Command<'_>) {
    let variables: Vec<(&str, Place)> = command
        .exec
        .misread()
        .iter()
        .filter_map(|misread| match &misread.kind {
            MisreadKind::Variable(name) => Some((name.as_str(), misread.place)),
            _ => None,
        })
        .filter(|(name, place)| !may_be_placeholder(container, command, name, *place))
        .collect();
    let unknown: Vec<&Reference> = references(cx, container, command).collect();
    let places = variables.iter().copied().chain(unknown.iter().map(|it| (it.name.as_str(), it.place)));
    let Some((name, place)) = places.min_by_key(|(_, place)| *place) else { return };
    let at = command.span(place);
    let written = command
        .args
        .get(place.arg as usize)
        .and_then(|arg| arg.text.get(place.span.start as usize..place.span.end as usize))
        .unwrap_or(name);
    let program = command.exec.runs().first().and_then(|run| run.program()).unwrap_or_default();
    let variable = declared(container, name);
    let is_lost = written.starts_with("$(") && variable.is_some();
    let who = words::probe(cx.workload, container, probe);
    let message = if is_lost {
        format!("{who} passes the empty text to `{program}` for `{written}`, whose value comes from elsewhere")
    } else {
        format!("{who} passes `{written}` to `{program}` as it is, for no shell reads the command")
    };
    let why = "the kubelet replaces `$(NAME)` alone, and only where `env` has a `value` for it; the rest is for a shell, and \
               there is none";
    let all_static = unknown.is_empty()
        && variables.iter().all(|(name, place)| {
            let is_known = declared(container, name).is_some_and(is_static);
            is_known && command.args.get(place.arg as usize).is_some_and(crate::model::Arg::is_exact)
        });
    let (help, fix) = if all_static {
        let edits: Vec<Edit> =
            variables.iter().map(|(name, place)| edit::replace(command.span(*place), format!("$({name})"))).collect();
        (
            format!("write `$({name})`, which the kubelet replaces by the value in `env`"),
            Some(Fix::safe(format!("write `$({name})`"), edits)),
        )
    } else {
        let names: Vec<&str> = unknown.iter().map(|reference| reference.name.as_str()).collect();
        let edit = rewrap::in_shell(cx.text, command, &names);
        (
            "let a shell read it: `[sh, -c, \"...\"]`".to_owned(),
            edit.map(|edit| Fix::safe("run it in `sh -c`", vec![edit])),
        )
    };
    let level = if is_needed(command, &program, place) { Level::Error } else { Level::Warning };
    let report = sink.probe(container, probe, "exec.command", at, message).level(level).why(why).help(help).fix(fix);
    if let Some(variable) = variable {
        report.label(variable.at, "this is the variable");
    }
}

/// Whether a `${NAME}` may be replaced before the manifest is applied, as Flux and envsubst do: the container has no such
/// variable.
fn may_be_placeholder(container: &Container, command: &Command<'_>, name: &str, place: Place) -> bool {
    let arg = command.args.get(place.arg as usize).and_then(|arg| arg.text.get(place.span.start as usize..));
    arg.is_none_or(|text| text.starts_with("${")) && declared(container, name).is_none()
}

/// Whether the answer of the program depends on the word.
fn is_needed(command: &Command<'_>, program: &str, place: Place) -> bool {
    let options = NOT_NEEDED.iter().filter(|(name, _)| *name == program).flat_map(|(_, options)| options);
    let arg =
        |index: Option<u32>| index.and_then(|index| command.args.get(index as usize)).map(|arg| arg.text.as_str());
    let (own, before) = (arg(Some(place.arg)), arg(place.arg.checked_sub(1)));
    !options.into_iter().any(|option| {
        before == Some(option) || own.is_some_and(|own| own.starts_with(option) && own.len() > option.len())
    })
}
