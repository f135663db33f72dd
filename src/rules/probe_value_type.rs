use super::{Context, Sink, words};
use crate::finding::Level;
use crate::fix::{Fix, edit};
use crate::model::{Action, Arg, Container, Field, Found, Handler, Number, Port, Probe, Timing};
use crate::span::Span;

pub(super) fn check(cx: &Context<'_>, sink: &mut Sink<'_>) {
    for (container, probe) in cx.workload.probes() {
        let mut check = Check { cx, sink: &mut *sink, container, probe };
        if let Some(found) = probe.wrong {
            check.must_be("", probe.at, found, "a map with a handler", None);
            continue;
        }
        for timing in Timing::ALL {
            check.number(probe.timing_field(timing), probe.timing(timing));
        }
        check.number("terminationGracePeriodSeconds", &probe.grace_period);
        for handler in &probe.handlers {
            check.handler(handler);
        }
    }
}

/// The probe at hand and where to report.
struct Check<'c, 's, 'f> {
    cx: &'c Context<'c>,
    sink: &'s mut Sink<'f>,
    container: &'c Container,
    probe: &'c Probe,
}

impl Check<'_, '_, '_> {
    fn handler(&mut self, handler: &Handler) {
        let name = handler.kind().field();
        match &handler.action {
            Action::Wrong(_, found) => self.must_be(name, handler.at, *found, "a map", None),
            Action::Exec(command) => self.command(name, command),
            Action::HttpGet(http) => {
                self.port(&format!("{name}.port"), &http.port);
                for (field, value) in [("path", &http.path), ("scheme", &http.scheme), ("host", &http.host)] {
                    self.text(&format!("{name}.{field}"), value);
                }
                match &http.headers {
                    Field::Wrong { found, at, .. } => {
                        self.must_be(
                            &format!("{name}.httpHeaders"),
                            *at,
                            *found,
                            "a list of maps with `name` and `value`",
                            None,
                        );
                    }
                    headers => {
                        for (index, header) in headers.value().into_iter().flatten().enumerate() {
                            self.text(&format!("{name}.httpHeaders[{index}].name"), &header.name);
                            self.text(&format!("{name}.httpHeaders[{index}].value"), &header.value);
                        }
                    }
                }
            }
            Action::TcpSocket(tcp) => {
                self.port(&format!("{name}.port"), &tcp.port);
                self.text(&format!("{name}.host"), &tcp.host);
            }
            Action::Grpc(grpc) => {
                self.grpc_port(&format!("{name}.port"), &grpc.port);
                self.text(&format!("{name}.service"), &grpc.service);
            }
            Action::Sleep(_) | Action::Templated(_) => {}
        }
    }

    fn command(&mut self, name: &str, command: &Field<Vec<Arg>>) {
        let field = format!("{name}.command");
        if let Field::Wrong { found, at, .. } = command {
            self.must_be(&field, *at, *found, "a list of words", None);
        }
        for (index, arg) in command.value().into_iter().flatten().enumerate() {
            if let Some(found) = arg.wrong {
                let fix = self.quote(arg.at, found);
                self.must_be(&format!("{field}[{index}]"), arg.at, found, "text", fix);
            }
        }
    }

    /// A whole number: refused when it is of another type, pointed out when its notation does not say what is read.
    fn number(&mut self, field: &str, value: &Field<Number>) {
        match value {
            Field::Wrong { found, at, .. } => {
                let fix = plain_number(self.cx.text, *at);
                self.must_be(field, *at, *found, "a whole number", fix);
            }
            Field::Value { value, at, .. } => self.notation(field, *value, *at),
            _ => {}
        }
    }

    fn notation(&mut self, field: &str, value: Number, at: Span) {
        let written = at.text(self.cx.text);
        let is_plain_number = written.strip_prefix('+').unwrap_or(written) == value.to_string();
        // Tags and anchors are somebody's intention; only the digits are looked at.
        if is_plain_number || written.starts_with(['"', '\'', '!', '&']) || written.is_empty() {
            return;
        }
        let who = words::probe(self.cx.workload, self.container, self.probe);
        let message = format!("`{field}` of {who} is written {written}, which kubectl reads as {value}");
        let reason =
            if written.trim_start_matches(['-', '+']).starts_with('0') && written.bytes().all(|b| b.is_ascii_digit()) {
                "a leading zero makes it octal where its digits allow, and other YAML readers disagree"
            } else {
                "other YAML readers take this notation for text or for a fraction"
            };
        self.sink
            .probe(self.container, self.probe, field, at, message)
            .level(Level::Advice)
            .why(reason)
            .help(format!("write {value} if that is meant"));
    }

    fn port(&mut self, field: &str, port: &Field<Port>) {
        match port {
            Field::Wrong { found, at, .. } => self.must_be(field, *at, *found, "a number or the name of a port", None),
            Field::Value { value: Port::Number(value), at, .. } => self.notation(field, *value, *at),
            _ => {}
        }
    }

    fn grpc_port(&mut self, field: &str, port: &Field<Number>) {
        let Field::Wrong { found: Found::Text | Found::QuotedText, at, .. } = port else {
            return self.number(field, port);
        };
        let name = at.text(self.cx.text).trim_matches(['"', '\'']);
        if is_digits(name) {
            return self.number(field, port);
        }
        let who = words::probe(self.cx.workload, self.container, self.probe);
        let declared = self.container.ports.iter().find(|port| port.name.value().is_some_and(|known| known == name));
        let message = format!("`{field}` of {who} is the name `{name}`, but a gRPC probe takes a number");
        let number = declared.and_then(|port| port.number.value()).filter(|number| (1..=65535).contains(*number));
        let fix = number.map(|number| {
            Fix::safe(format!("write the number of port `{name}`"), vec![edit::replace(*at, number.to_string())])
        });
        let mut report =
            self.sink.probe(self.container, self.probe, field, *at, message).why(words::refused(self.cx)).help(
                match number {
                    Some(number) => format!("write {number}"),
                    None => "write the number of the port".to_owned(),
                },
            );
        if let Some(port) = declared {
            report = report.label(port.at, "the port with that name");
        }
        report.fix(fix);
    }

    fn text(&mut self, field: &str, value: &Field<String>) {
        if let Field::Wrong { found, at, .. } = value {
            let fix = self.quote(*at, *found);
            self.must_be(field, *at, *found, "text", fix);
        }
    }

    fn must_be(&mut self, field: &str, at: Span, found: Found, wanted: &str, fix: Option<Fix>) {
        let who = words::probe(self.cx.workload, self.container, self.probe);
        let what = if field.is_empty() { who.clone() } else { format!("`{field}` of {who}") };
        let help = match &fix {
            Some(fix) => fix.title.clone(),
            None => format!("write {wanted}"),
        };
        let shown = match found {
            Found::Boolean | Found::Integer | Found::Fraction | Found::Text | Found::QuotedText => {
                format!("{} (`{}`)", found.with_article(), short(at.text(self.cx.text)))
            }
            _ => found.with_article().to_owned(),
        };
        // A block is pointed at where it begins.
        let at = first_line(self.cx.text, at);
        self.sink
            .probe(self.container, self.probe, field, at, format!("{what} must be {wanted}, not {shown}"))
            .why(words::refused(self.cx))
            .help(help)
            .fix(fix);
    }

    /// The same scalar as text.
    fn quote(&self, at: Span, found: Found) -> Option<Fix> {
        let written = at.text(self.cx.text);
        let is_scalar = matches!(found, Found::Boolean | Found::Integer | Found::Fraction);
        let quoted = format!("\"{written}\"");
        (is_scalar && !written.contains(['"', '\\', '!']) && !has_tag(self.cx.text, at))
            .then(|| Fix::safe(format!("write {quoted}"), vec![edit::replace(at, quoted)]))
    }
}

/// The number inside quotes, or before a unit of seconds.
pub(super) fn plain_number(text: &str, at: Span) -> Option<Fix> {
    let inner = at.text(text).trim_matches(['"', '\'']).trim();
    let digits = inner.strip_suffix('s').unwrap_or(inner).trim_end();
    // A leading zero would turn a decimal text into an octal number.
    let exact = is_digits(digits) && (digits.len() == 1 || !digits.starts_with('0')) && !has_tag(text, at);
    exact.then(|| Fix::safe(format!("write {digits}"), vec![edit::replace(at, digits)]))
}

/// Whether a tag stands before the value: then the tag decides the type, and another value would not help.
fn has_tag(text: &str, at: Span) -> bool {
    let before = Span::new(0, at.start).text(text).trim_end_matches([' ', '\t']);
    before.rsplit([' ', '\t', '\n', '\r', ':', '[', ',']).next().is_some_and(|word| word.starts_with('!'))
}

fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

fn short(text: &str) -> String {
    let text = text.lines().next().unwrap_or_default();
    if text.chars().count() > 40 { text.chars().take(37).chain("...".chars()).collect() } else { text.to_owned() }
}

fn first_line(source: &str, at: Span) -> Span {
    let length = at.text(source).lines().next().unwrap_or_default().trim_end().len();
    Span::new(at.start, at.start + length as u32)
}
