use super::exec::{self, Command};
use super::{Context, Sink, ports, words};
use crate::fix::{Fix, edit};
use crate::knowledge;
use crate::model::{Container, Handler, Number, Probe, Timing};
use crate::shell::{Call, Decides, Output, Peer, Target};

/// A program, what may be said to it without a handler being unable to say the same, and what may change the answer.
struct Program {
    name: &'static str,
    /// Options that change nothing, or that the handler has itself.
    harmless: &'static [&'static str],
    /// Options with which the handler asks nearly the same: advice without an edit.
    nearly: &'static [&'static str],
}

/// Sources: curl(1); GNU wget(1); OpenBSD nc(1); grpc-health-probe, README.
const PROGRAMS: [Program; 6] = [
    Program {
        name: "curl",
        harmless: &[
            "-f",
            "--fail",
            "--fail-with-body",
            "-s",
            "--silent",
            "-S",
            "--show-error",
            "-k",
            "--insecure",
            "-o",
            "--output",
            "-m",
            "--max-time",
            "--connect-timeout",
            "-v",
            "--verbose",
            "-4",
            "-g",
            "--globoff",
            "--no-progress-meter",
            "-X",
            "--request",
            "-N",
        ],
        nearly: &["-L", "--location", "-H", "--header", "-I", "--head", "-A", "--user-agent"],
    },
    Program {
        name: "wget",
        harmless: &[
            "-q",
            "--quiet",
            "-nv",
            "--no-verbose",
            "-O",
            "--output-document",
            "-T",
            "--timeout",
            "-t",
            "--tries",
            "--no-check-certificate",
            "-4",
            "-n",
            "-v",
        ],
        nearly: &["--spider", "-S", "--server-response", "--header", "-U", "--user-agent"],
    },
    Program { name: "nc", harmless: &["-z", "-v", "-w", "-n", "-4"], nearly: &[] },
    Program { name: "ncat", harmless: &["-z", "-v", "-w", "-n", "-4"], nearly: &[] },
    Program {
        name: "grpc_health_probe",
        harmless: &["-addr", "-service", "-connect-timeout", "-rpc-timeout", "-v"],
        nearly: &[],
    },
    Program {
        name: "grpc-health-probe",
        harmless: &["-addr", "-service", "-connect-timeout", "-rpc-timeout", "-v"],
        nearly: &[],
    },
];

/// A handler that asks the same.
struct Native {
    key: &'static str,
    /// Entries in order.
    entries: Vec<(&'static str, String)>,
    /// Whether it asks exactly the same, the address aside.
    exact: bool,
}

pub(super) fn check(cx: &Context<'_>, sink: &mut Sink<'_>) {
    for (container, probe) in cx.workload.probes() {
        let Some(handler) = probe.handler().filter(|_| container.may_have_probes()) else { continue };
        let Some(command) = exec::read(handler) else { continue };
        if let Some((call, port, native)) = native(cx, container, &command) {
            report(cx, sink, container, probe, handler, &command, &call, port, &native);
        }
    }
}

/// The only question of a command, when a handler can put it.
fn native<'c>(cx: &Context<'_>, container: &Container, command: &'c Command<'_>) -> Option<(Call<'c>, Number, Native)> {
    let ends = command.exec.ends();
    if !command.exec.understood() || !(ends.well && ends.badly) && command.exec.runs().len() > 1 {
        return None;
    }
    let mut calls = command.exec.calls(knowledge::clients());
    let others = command.exec.programs().filter(|(id, _)| calls.first().is_none_or(|call| call.id != *id));
    let only_exits =
        others.into_iter().all(|(_, run)| run.program().is_some_and(|name| name == "exit" || name == "false"));
    if calls.len() != 1 || !only_exits {
        return None;
    }
    let call = calls.pop()?;
    let run = call.run;
    let reads = run.redirects.iter().any(|redirect| redirect.kind == crate::shell::RedirectKind::Read);
    let is_plain = run.decides == Decides::Yes && !run.negated && !run.elsewhere && !reads && !call.given.unsure;
    if !is_plain || matches!(run.output, Output::Pipe(_) | Output::Word(_)) || !run.assignments.is_empty() {
        return None;
    }
    let name = run.program()?;
    let program = PROGRAMS.iter().find(|program| program.name == name)?;
    let given = |names: &[&str]| call.given.options.iter().any(|option| names.contains(&option.name.as_str()));
    let is_known = |name: &str| program.harmless.contains(&name) || program.nearly.contains(&name);
    if !call.given.options.iter().all(|option| is_known(&option.name)) || asks_otherwise(&call) {
        return None;
    }
    let targets = call.targets();
    let [target] = targets.as_slice() else { return None };
    let is_own = matches!(target.peer, Peer::Loopback | Peer::OwnPod)
        || matches!(target.peer, Peer::Default(_)) && target.port.is_some() && name.starts_with("grpc");
    let port: Number = port(target)?;
    if !is_own || listens_on_loopback(cx, container, port) {
        return None;
    }
    let exact = !given(program.nearly);
    let native = match name.as_ref() {
        "curl" | "wget" => {
            let is_tls = target.scheme.as_deref() == Some("https");
            let unchecked = given(&["-k", "--insecure", "--no-check-certificate"]);
            // Without `-f` curl takes every answer for a good one, which has a rule of its own.
            if name == "curl" && !given(&["-f", "--fail", "--fail-with-body"]) {
                return None;
            }
            let path = target.path.clone().filter(|path| !path.is_empty()).unwrap_or_else(|| "/".to_owned());
            let mut entries = vec![("path", path), ("port", port.to_string())];
            if is_tls {
                entries.push(("scheme", "HTTPS".to_owned()));
            }
            Native { key: "httpGet", entries, exact: exact && (!is_tls || unchecked) }
        }
        "nc" | "ncat" if given(&["-z"]) => {
            Native { key: "tcpSocket", entries: vec![("port", port.to_string())], exact }
        }
        "grpc_health_probe" | "grpc-health-probe" => {
            // Source: Kubernetes documentation, "Configure Liveness, Readiness and Startup Probes": on since 1.24.
            if cx.kubernetes_version.is_some_and(|version| version.minor < 24) {
                return None;
            }
            let mut entries = vec![("port", port.to_string())];
            let service = call.given.options.iter().find(|option| option.name == "-service");
            if let Some(option) = service {
                entries.push(("service", option.value.as_ref()?.known()?.to_owned()));
            }
            Native { key: "grpc", entries, exact }
        }
        _ => return None,
    };
    let is_simple = |text: &String| {
        !text.is_empty()
            && !text
                .contains(|c: char| c.is_whitespace() || c.is_control() || "\"'#{},[]&*!|>%@`\\\u{fffc}".contains(c))
    };
    native.entries.iter().all(|(_, value)| is_simple(value)).then_some((call, port, native))
}

/// Whether the client sends something that a handler cannot, or keeps the answer.
fn asks_otherwise(call: &Call<'_>) -> bool {
    call.given.options.iter().any(|option| {
        let value = option.value.as_ref().map(|value| value.text().to_owned()).unwrap_or_default();
        match option.name.as_str() {
            "-X" | "--request" => value != "GET",
            "-o" | "--output" | "-O" | "--output-document" => value != "/dev/null" && value != "-",
            "-H" | "--header" => !value.contains(':'),
            _ => false,
        }
    })
}

fn port(target: &Target) -> Option<Number> {
    match (&target.port, target.scheme.as_deref()) {
        (Some(port), _) => port.parse().ok().filter(|port| (1..=65535).contains(port)),
        (None, Some("https")) => Some(443),
        (None, Some("http") | None) => target.path.is_some().then_some(80),
        _ => None,
    }
}

/// Whether the container is told to listen on loopback: then only a command can ask it.
fn listens_on_loopback(cx: &Context<'_>, container: &Container, port: Number) -> bool {
    ports::settings(cx, container).iter().any(|setting| {
        let is_loopback = ["127.0.0.1", "localhost", "[::1]"].iter().any(|host| setting.value.contains(host));
        let key = setting.key.to_ascii_lowercase();
        let is_address = ["listen", "bind", "host", "addr"].iter().any(|word| key.contains(word));
        is_loopback && (is_address || ports::mentions(setting.value, port))
    })
}

#[expect(clippy::too_many_arguments, reason = "one call, and all of them are what was found")]
fn report(
    cx: &Context<'_>,
    sink: &mut Sink<'_>,
    container: &Container,
    probe: &Probe,
    handler: &Handler,
    command: &Command<'_>,
    call: &Call<'_>,
    port: Number,
    native: &Native,
) {
    let who = words::probe(cx.workload, container, probe);
    let program = call.run.program().unwrap_or_default();
    let place = call.run.program_word().map_or(call.run.place, |word| word.place);
    let entries: Vec<String> = native.entries.iter().map(|(key, value)| format!("{key}: {value}")).collect();
    let flow = format!("{}: {{{}}}", native.key, entries.join(", "));
    let every = match probe.effective(Timing::Period) {
        Some(period) => format!("every {} a process is started", words::seconds(period)),
        None => "each attempt starts a process".to_owned(),
    };
    let fix = native.exact.then(|| instead(cx.text, handler, native)).flatten();
    sink.probe(
        container,
        probe,
        "exec.command",
        command.span(place),
        format!("{who} runs `{program}` against port {port} of its own pod, which `{}` does without a process", native.key),
    )
    .why(format!(
        "{every} in the container, under its CPU and memory limits, and the image must have `{program}`; the kubelet asks \
         from outside, as a client does"
    ))
    .help(format!("write `{flow}`, if the process listens on the pod's address and not on loopback alone"))
    .fix(fix.map(|edit| Fix::risky(format!("ask with `{}`", native.key), vec![edit])));
}

/// The handler in the place of `exec`, one entry a line where `exec` has lines of its own.
fn instead(text: &str, handler: &Handler, native: &Native) -> Option<crate::fix::Edit> {
    let old = handler.key.to(handler.at);
    // A comment inside would be lost, and JSON needs quotes.
    if old.text(text).contains('#') || handler.key.text(text) != "exec" {
        return None;
    }
    let before = &text[edit::line_start(text, old.start) as usize..old.start as usize];
    if edit::is_flow(text, handler.at) {
        let entries: Vec<String> = native.entries.iter().map(|(key, value)| format!("{key}: {value}")).collect();
        return Some(edit::replace(old, format!("{}: {{{}}}", native.key, entries.join(", "))));
    }
    if !before.chars().all(|c| matches!(c, ' ' | '-')) {
        return None;
    }
    let indentation = format!("{}{}  ", edit::line_break(text), " ".repeat(before.len()));
    let entries: String = native.entries.iter().map(|(key, value)| format!("{indentation}{key}: {value}")).collect();
    Some(edit::replace(old, format!("{}:{entries}", native.key)))
}
