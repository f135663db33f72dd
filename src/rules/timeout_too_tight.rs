use super::{Context, Sink, edits, exec, exec_timeout_inside, words};
use crate::finding::Level;
use crate::knowledge::{self, Family};
use crate::model::{Action, Container, Handler, Timing};
use crate::shell::Runtime;
use crate::span::Span;

/// Seconds that a garbage collection or a cold path of a managed run time may take.
const MANAGED_RUNTIME: i64 = 3;
/// Thousandths of a core below which a TLS handshake or the start of a process is throttled for seconds.
const SMALL_CPU_LIMIT: u64 = 250;

/// Why a handler needs longer than its timeout.
struct Need {
    seconds: i64,
    because: String,
    place: Option<Span>,
}

pub(super) fn check(cx: &Context<'_>, sink: &mut Sink<'_>) {
    for (container, probe) in cx.workload.probes() {
        let (Some(timeout), Some(handler)) = (probe.effective(Timing::Timeout), probe.handler()) else { continue };
        if !container.may_have_probes() || is_unlimited(cx, handler) {
            continue;
        }
        // What the command itself is told to take has a rule of its own.
        let told = exec::read(handler).and_then(|command| exec_timeout_inside::beyond(&command, timeout.value));
        if told.is_some() {
            continue;
        }
        let need = need(container, handler).filter(|need| need.seconds > timeout.value);
        if need.is_none() && timeout.value > 1 {
            continue;
        }
        let who = words::probe(cx.workload, container, probe);
        let field = probe.timing_field(Timing::Timeout);
        let at = timeout.written.unwrap_or(probe.key);
        let slow = format!("each attempt that takes more than {} counts as failed", words::seconds(timeout));
        let fate = match words::numbers(probe) {
            Some(numbers) => format!(
                "{slow}, and {} of them in a row act: {} within {}",
                numbers.failure_threshold,
                words::consequence(probe.orchestrator, probe.kind),
                numbers.act_after_hang(),
            ),
            None => slow,
        };
        match need {
            Some(need) => {
                let message = format!("{who} gives up after {}, but {}", words::seconds(timeout), need.because);
                let mut report = sink
                    .probe(container, probe, field, at, message)
                    .why(fate)
                    .help(format!("set `{field}` to at least {}", need.seconds));
                if let Some(place) = need.place {
                    report = report.label(place, "this is what takes its time");
                }
                report.fix(edits::set_timeout(cx.text, probe, need.seconds));
            }
            None => {
                let message = format!("{who} gives up after {}", words::seconds(timeout));
                sink.probe(container, probe, field, at, message)
                    .level(Level::Advice)
                    .why(format!("{fate}; a busy node alone can delay an answer that long"))
                    .help(format!("write `{field}` with what a loaded process needs"));
            }
        }
    }
}

/// Whether the kubelet of the given release lets a command run for as long as it likes.
///
/// Source: kubernetes `pkg/features/kube_features.go`, `ExecProbeTimeout`, on since 1.20.
fn is_unlimited(cx: &Context<'_>, handler: &Handler) -> bool {
    cx.kubernetes_version.is_some_and(|version| version.minor < 20) && matches!(handler.action, Action::Exec(_))
}

/// What is known of the handler's needs, the greatest one.
fn need(container: &Container, handler: &Handler) -> Option<Need> {
    let image = container.image.spanned();
    let known = image.and_then(|(reference, _)| knowledge::image(reference));
    let mut needs = Vec::new();
    needs.extend(client(handler));
    if let (Some(image), false) = (known, matches!(handler.action, Action::TcpSocket(_))) {
        let family = match image.family {
            Family::Jvm => Some("a JVM"),
            Family::Dotnet => Some(".NET"),
            _ => None,
        };
        if let (Some(family), false) = (family, matches!(handler.action, Action::Exec(_))) {
            needs.push(Need {
                seconds: MANAGED_RUNTIME,
                because: format!("the image runs on {family}, which pauses for that long"),
                place: container.image.at(),
            });
        }
    }
    if let Action::HttpGet(http) = &handler.action {
        if let Some((path, at)) = http.path.spanned()
            && let Some(endpoint) = knowledge::endpoint(path, image.map(|(reference, _)| reference.as_str()))
            && !endpoint.is_convention
        {
            needs.push(Need {
                seconds: MANAGED_RUNTIME,
                because: format!("`{path}` asks {}", endpoint.asks),
                place: Some(at),
            });
        } else if let Some((path, at)) = http.path.spanned()
            && let Some(framework) = managed_path(path)
        {
            needs.push(Need {
                seconds: MANAGED_RUNTIME,
                because: format!("`{path}` is served by {framework} on a JVM, which pauses for that long"),
                place: Some(at),
            });
        }
    }
    let is_tls =
        matches!(&handler.action, Action::HttpGet(http) if http.scheme.value().is_some_and(|scheme| scheme == "HTTPS"));
    let is_exec = matches!(handler.action, Action::Exec(_));
    if let Some(limit) = container.cpu_limit.filter(|&limit| limit < SMALL_CPU_LIMIT && (is_tls || is_exec)) {
        let what = if is_tls { "a TLS handshake" } else { "starting a command" };
        needs.push(Need {
            seconds: 3,
            because: format!("{what} under a CPU limit of {limit}m is throttled"),
            place: Some(handler.key),
        });
    }
    needs.into_iter().reduce(|most, need| if need.seconds > most.seconds { need } else { most })
}

/// Paths that only JVM frameworks have.
fn managed_path(path: &str) -> Option<&'static str> {
    let path = path.split('?').next().unwrap_or_default();
    if path.contains("/actuator/") {
        Some("Spring Boot")
    } else if path.starts_with("/q/health") || path.contains("/q/health/") {
        Some("Quarkus")
    } else {
        None
    }
}

/// A program in the command that takes long to start, the slowest one.
fn client(handler: &Handler) -> Option<Need> {
    let command = exec::read(handler)?;
    let slowest = command.slowest_client()?;
    let runtime = match slowest.client.runtime {
        Runtime::Jvm => "starts a JVM",
        Runtime::Node => "starts a JavaScript engine",
        Runtime::Python => "starts a Python interpreter",
        Runtime::Erlang => "starts an Erlang machine",
        Runtime::Php => "starts a PHP interpreter",
        Runtime::Ruby => "starts a Ruby interpreter",
        Runtime::Perl => "starts a Perl interpreter",
        Runtime::Dotnet => "starts .NET",
        Runtime::Native => "takes its time",
    };
    let place = slowest.run.program_word().map_or(slowest.run.place, |word| word.place);
    Some(Need {
        seconds: i64::from(slowest.client.minimum_timeout?),
        because: format!("`{}` {runtime} first", slowest.run.program().unwrap_or_default()),
        place: Some(command.span(place)),
    })
}
