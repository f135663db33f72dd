use super::{Context, Sink, http_probe_invalid, names, words};
use crate::finding::Level;
use crate::fix::{Fix, edit};
use crate::model::{Action, Container, Field, Found, Handler, Hook, HookKind, Number, Origin, Port};
use crate::span::Span;

/// Grace period of a pod that writes none, in seconds.
///
/// Source: kubernetes `pkg/apis/core/v1/defaults.go`, `SetDefaults_PodSpec`.
const DEFAULT_GRACE_PERIOD: Number = 30;

pub(super) fn check(cx: &Context<'_>, sink: &mut Sink<'_>) {
    for container in cx.workload.containers.iter().filter(|container| container.may_have_probes()) {
        let mut check = Check { cx, sink: &mut *sink, container };
        if let Some((found, at)) = container.lifecycle.wrong {
            check.must_be("lifecycle", at, found, "a map with `postStart` or `preStop`");
        }
        for hook in &container.lifecycle.hooks {
            check.hook(hook);
        }
    }
}

struct Check<'c, 's, 'f> {
    cx: &'c Context<'c>,
    sink: &'s mut Sink<'f>,
    container: &'c Container,
}

impl Check<'_, '_, '_> {
    /// "the `preStop` hook of container `app`".
    fn name(&self, hook: HookKind) -> String {
        format!("the `{}` hook of {}", hook.field(), words::owner(self.cx.workload, self.container))
    }

    fn report(&mut self, field: &str, at: Span, message: String, help: &str) {
        let why = words::refused(self.cx);
        self.sink.container(self.container, field, at, message).why(why).help(help);
    }

    fn must_be(&mut self, field: &str, at: Span, found: Found, expected: &str) {
        let owner = words::owner(self.cx.workload, self.container);
        let message = format!("`{field}` of {owner} must be {expected}, not {}", found.with_article());
        self.report(field, at, message, &format!("write {expected}"));
    }

    fn text(&mut self, field: &str, value: &Field<String>) {
        if let Field::Wrong { found, at, .. } = value {
            self.must_be(field, *at, *found, "text");
        }
    }

    fn hook(&mut self, hook: &Hook) {
        let path = format!("lifecycle.{}", hook.kind.field());
        let who = self.name(hook.kind);
        if let Some((found, at)) = hook.wrong {
            self.must_be(&path, at, found, "a map with a handler");
            return;
        }
        for handler in &hook.handlers {
            self.types(&path, handler);
        }
        let [first, others @ ..] = hook.handlers.as_slice() else {
            // Another key in its place is told as an unknown field.
            let is_shown_whole = self.cx.workload.origin == Origin::Complete;
            if is_shown_whole && hook.keys.iter().all(|key| key.known) {
                let help = "add one of `exec`, `httpGet` or `sleep`, or delete the hook";
                self.report(&path, hook.key, format!("{who} has no handler, so there is nothing to run"), help);
            }
            return;
        };
        for handler in others {
            let (kept, extra) = (first.kind().field(), handler.kind().field());
            let message = format!("{who} has both `{kept}` and `{extra}`");
            let why = words::refused(self.cx);
            self.sink
                .container(self.container, &format!("{path}.{extra}"), handler.key, message)
                .label(first.key, format!("`{kept}` is here"))
                .why(why)
                .help("keep one; a script can do both");
        }
        self.content(&path, &who, hook, first);
    }

    /// What does not decode, in any handler.
    fn types(&mut self, path: &str, handler: &Handler) {
        let path = format!("{path}.{}", handler.kind().field());
        match &handler.action {
            Action::Wrong(_, found) => self.must_be(&path, handler.at, *found, "a map"),
            Action::Exec(Field::Wrong { found, at, .. }) => {
                self.must_be(&format!("{path}.command"), *at, *found, "a list of words");
            }
            Action::Exec(command) => {
                for (index, arg) in command.value().into_iter().flatten().enumerate() {
                    if let Some(found) = arg.wrong {
                        self.must_be(&format!("{path}.command[{index}]"), arg.at, found, "text");
                    }
                }
            }
            Action::HttpGet(http) => {
                for (name, value) in [("path", &http.path), ("scheme", &http.scheme), ("host", &http.host)] {
                    self.text(&format!("{path}.{name}"), value);
                }
                for (index, header) in http.headers.value().into_iter().flatten().enumerate() {
                    self.text(&format!("{path}.httpHeaders[{index}].name"), &header.name);
                    self.text(&format!("{path}.httpHeaders[{index}].value"), &header.value);
                }
                if let Field::Wrong { found, at, .. } = &http.headers {
                    self.must_be(&format!("{path}.httpHeaders"), *at, *found, "a list of maps with `name` and `value`");
                }
            }
            Action::TcpSocket(tcp) => self.text(&format!("{path}.host"), &tcp.host),
            Action::Sleep(Field::Wrong { found, at, .. }) => {
                self.must_be(&format!("{path}.seconds"), *at, *found, "a whole number");
            }
            Action::Sleep(_) | Action::Grpc(_) | Action::Templated(_) => {}
        }
        if let Some(Field::Wrong { found, at, .. }) = handler.port() {
            self.must_be(&format!("{path}.port"), *at, *found, "a number or the name of a port");
        }
    }

    /// What validation refuses in the first handler; it looks into no other.
    fn content(&mut self, path: &str, who: &str, hook: &Hook, handler: &Handler) {
        let name = handler.kind().field();
        let path = format!("{path}.{name}");
        let is_shown_whole = self.cx.workload.origin == Origin::Complete;
        match &handler.action {
            Action::Exec(command) => {
                let is_empty = command.is_default() || command.value().is_some_and(Vec::is_empty);
                if is_empty && is_shown_whole && handler.keys.iter().all(|key| key.known) {
                    let at = command.key().unwrap_or(handler.key);
                    let message = format!("`exec` of {who} has no `command`");
                    self.report(&format!("{path}.command"), at, message, "name the command, as a list of words");
                }
            }
            Action::HttpGet(http) => {
                if let Some((scheme, at)) =
                    http.scheme.spanned().filter(|(scheme, _)| !http_probe_invalid::is_scheme(scheme))
                {
                    let message = format!("the scheme `{scheme}` of {who} is neither `HTTP` nor `HTTPS`");
                    self.report(&format!("{path}.scheme"), at, message, "write `HTTP` or `HTTPS`");
                }
                for (header, at) in http_probe_invalid::bad_headers(http) {
                    let fault = names::header_name_fault(&header).unwrap_or_default();
                    let message = format!("the header `{header}` of {who} {fault}");
                    self.report(&format!("{path}.httpHeaders"), at, message, "write letters, digits and hyphens only");
                }
            }
            Action::Sleep(seconds) => self.sleep(&path, who, handler, seconds),
            _ => {}
        }
        self.port(&path, who, handler, is_shown_whole);
        if matches!(handler.action, Action::TcpSocket(_)) {
            let fate = match hook.kind {
                HookKind::PostStart => "the hook fails, and a failing `postStart` stops the container after each start",
                HookKind::PreStop => "the hook fails at once, and the container gets its TERM signal without it",
            };
            self.sink
                .container(self.container, &path, handler.key, format!("{who} uses `tcpSocket`, which no kubelet runs"))
                .level(Level::Warning)
                .why(fate)
                .help("use `exec`, `httpGet` or `sleep`");
        }
    }

    fn port(&mut self, path: &str, who: &str, handler: &Handler, is_shown_whole: bool) {
        let field = format!("{path}.port");
        let name = handler.kind().field();
        match handler.port() {
            Some(port @ (Field::Absent | Field::Null { .. }))
                if is_shown_whole && handler.keys.iter().all(|key| key.known) =>
            {
                let at = port.key().unwrap_or(handler.key);
                let help = "name the port that the container listens on; there is no default";
                self.report(&field, at, format!("`{name}` of {who} has no `port`"), help);
            }
            Some(Field::Value { value: Port::Number(number), at, .. }) if !(1..=65535).contains(number) => {
                let message = format!("{who} asks port {number}, but ports go from 1 to 65535");
                self.report(&field, *at, message, "write the port that the container listens on, or its name");
            }
            Some(Field::Value { value: Port::Name(port), at, .. }) => {
                if let Some(fault) = names::port_name_fault(port) {
                    let message = format!("the port \"{port}\" of {who} is no port name: it {fault}");
                    self.report(&field, *at, message, "write the number of the port, or the name of a declared one");
                }
            }
            _ => {}
        }
    }

    /// Source: kubernetes `pkg/apis/core/validation/validation.go`, `validateSleepAction`.
    fn sleep(&mut self, path: &str, who: &str, handler: &Handler, seconds: &Field<Number>) {
        let (value, at) = match seconds {
            Field::Value { value, at, .. } => (*value, *at),
            Field::Absent | Field::Null { .. } => (0, handler.key),
            Field::Wrong { .. } | Field::Templated { .. } => return,
        };
        let grace = match &self.cx.workload.grace_period {
            Field::Value { value, at, .. } => Some((*value, Some(*at))),
            Field::Absent | Field::Null { .. } if self.cx.workload.origin == Origin::Complete => {
                Some((DEFAULT_GRACE_PERIOD, None))
            }
            _ => None,
        };
        // The conversion of a Pod makes 1 of a negative grace period.
        let grace = grace.map(|(value, at)| (if value < 0 && self.cx.workload.kind == "Pod" { 1 } else { value }, at));
        let is_too_old_for_zero =
            value == 0 && self.cx.kubernetes_version.is_some_and(|it| (30..33).contains(&it.minor));
        if value < 0 || is_too_old_for_zero {
            let least = if is_too_old_for_zero { "1 before Kubernetes 1.33" } else { "0" };
            let message = format!("{who} sleeps for {value} s, but must sleep for at least {least}");
            self.report(path, at, message, "write the seconds that the hook shall wait");
            return;
        }
        let Some((grace, written)) = grace.filter(|(grace, _)| value > *grace) else { return };
        let message = format!("{who} sleeps for {value} s, longer than the pod's grace period of {grace} s");
        let why = words::refused(self.cx);
        let report = self.sink.container(self.container, path, at, message).why(why).help(format!(
            "write at most {grace} s here, or a longer `terminationGracePeriodSeconds` in the pod spec: it must hold \
                 the sleep and the shutdown behind it"
        ));
        let _ = match written {
            Some(place) => report.label(place, "the grace period").fix(Some(Fix::risky(
                format!("set the grace period to {}", value + 30),
                vec![edit::replace(place, (value + 30).to_string())],
            ))),
            None => report,
        };
    }
}
