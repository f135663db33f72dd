use super::exec::{self, Command};
use super::{Context, Sink, words};
use crate::knowledge::{self, MinimalImage};
use crate::model::Container;
use crate::shell::Place;

/// Folders in which an image has its tools; anywhere else a volume may bring them along.
const TOOL_FOLDERS: [&str; 6] = ["/bin", "/sbin", "/usr/bin", "/usr/sbin", "/usr/local/bin", ""];

pub(super) fn check(cx: &Context<'_>, sink: &mut Sink<'_>) {
    for (container, probe) in cx.workload.probes() {
        let Some(command) = probe.handler().filter(|_| container.may_have_probes()).and_then(exec::read) else {
            continue;
        };
        let Some((image, at)) = container.image.spanned() else { continue };
        let Some(minimal) = knowledge::minimal_image(image) else { continue };
        let Some((program, place)) = missing(container, &command, minimal) else { continue };
        let who = words::probe(cx.workload, container, probe);
        let kind = if minimal.has_no_shell() { "neither a shell nor such tools" } else { "no such program" };
        sink.probe(
            container,
            probe,
            "exec.command",
            command.span(place),
            format!("{who} runs `{program}`, which its image does not have"),
        )
        .label(at, format!("this image has {kind}"))
        .why(format!("no attempt can start, and each counts as failed: {}", words::fate_of_failing(probe)))
        .help(
            "use `httpGet`, `tcpSocket` or `grpc`, which need no program in the image, or one that the application \
             brings along",
        );
    }
}

/// The first program that is started and not there.
fn missing(container: &Container, command: &Command<'_>, minimal: &MinimalImage) -> Option<(String, Place)> {
    // Who replaces the command of such an image by a shell has another image in mind.
    let first = container.command.first().map_or("", |arg| arg.text.as_str());
    if minimal.lacks(first.rsplit('/').next().unwrap_or_default()) {
        return None;
    }
    let first = command.args.first()?;
    let started = first.text.trim();
    if let Some(name) = lacking(minimal, started) {
        return Some((name, Place { arg: 0, span: crate::span::Span::new(0, first.text.len() as u32) }));
    }
    if minimal.has_no_shell() || !command.exec.understood() {
        return None;
    }
    command.exec.programs().filter(|(id, _)| command.decides(*id)).find_map(|(_, run)| {
        let word = run.program_word()?;
        Some((lacking(minimal, &word.text()?)?, word.place))
    })
}

/// The name of a program, when the image lacks it.
fn lacking(minimal: &MinimalImage, path: &str) -> Option<String> {
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
    (TOOL_FOLDERS.contains(&folder) && minimal.lacks(name)).then(|| name.to_owned())
}
