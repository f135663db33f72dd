use super::{Context, Sink, names, words};
use crate::fix::{Fix, edit};
use crate::model::{Container, ContainerPort, Field, Found, Number, Origin, Role};
use crate::span::Span;

/// Protocols of a port.
const PROTOCOLS: [&str; 3] = ["TCP", "UDP", "SCTP"];

pub(super) fn check(cx: &Context<'_>, sink: &mut Sink<'_>) {
    if cx.workload.origin == Origin::Fragment || !cx.workload.is_builtin() {
        return;
    }
    let containers = cx.workload.containers.iter().filter(|container| container.role != Role::Ephemeral);
    let mut taken: Vec<(HostPort, Span)> = Vec::new();
    let mut is_main = false;
    for container in containers {
        // Host ports are held against those of the same list.
        if !is_main && container.role == Role::Main {
            taken.clear();
            is_main = true;
        }
        let mut check = Check { cx, sink: &mut *sink, container };
        for (path, found, at) in &container.ports_wrong {
            check.must_be(path, *at, *found, "a list of maps with `containerPort`");
        }
        for (index, port) in container.ports.iter().enumerate() {
            check.port(index, port);
            check.host_port(index, port, &mut taken);
        }
    }
}

/// What no two ports may share: number, protocol, address.
#[derive(Clone, PartialEq, Eq)]
struct HostPort(Number, String, String);

struct Check<'c, 's, 'f> {
    cx: &'c Context<'c>,
    sink: &'s mut Sink<'f>,
    container: &'c Container,
}

impl Check<'_, '_, '_> {
    fn must_be(&mut self, field: &str, at: Span, found: Found, expected: &str) {
        let owner = words::owner(self.cx.workload, self.container);
        let message = format!("`{field}` of {owner} must be {expected}, not {}", found.with_article());
        self.report(field, at, message, &format!("write {expected}"), None);
    }

    fn report(&mut self, field: &str, at: Span, message: String, help: &str, fix: Option<Fix>) {
        let why = words::refused(self.cx);
        self.sink.container(self.container, field, at, message).why(why).help(help).fix(fix);
    }

    fn port(&mut self, index: usize, port: &ContainerPort) {
        let owner = words::owner(self.cx.workload, self.container);
        let path = |field: &str| format!("ports[{index}].{field}");
        match &port.number {
            Field::Wrong { found, at, .. } => {
                self.must_be(&path("containerPort"), *at, *found, "a whole number");
            }
            Field::Value { value, at, .. } if !(1..=65535).contains(value) => {
                let message = format!("{owner} declares port {value}, but ports go from 1 to 65535");
                self.report(&path("containerPort"), *at, message, "write the port that it listens on", None);
            }
            // A patch may go by the name; another key in its place is told as an unknown field.
            Field::Absent | Field::Null { .. }
                if self.cx.workload.origin == Origin::Complete && port.keys.iter().all(|key| key.known) =>
            {
                let at = port.number.key().unwrap_or(Span::new(port.at.start, first_line_end(self.cx.text, port.at)));
                let message = format!("a port of {owner} has no `containerPort`");
                self.report(&path("containerPort"), at, message, "write the port that it listens on", None);
            }
            _ => {}
        }
        if let Field::Wrong { found, at, .. } = &port.name {
            self.must_be(&path("name"), *at, *found, "text");
        }
        if let Some((name, at)) = port.name.spanned().filter(|(name, _)| !name.is_empty()) {
            if let Some(fault) = names::port_name_fault(name) {
                let message = format!("{owner} names a port \"{name}\", which is no port name: it {fault}");
                self.report(&path("name"), at, message, "choose a short name in lower case, such as `http`", None);
            }
            let same = |other: &&ContainerPort| other.name.value() == Some(name);
            if let Some(first) = self.container.ports[..index].iter().find(same) {
                let message = format!("{owner} declares two ports named `{name}`");
                let why = words::refused(self.cx);
                self.sink
                    .container(self.container, &path("name"), at, message)
                    .label(first.name.at().unwrap_or(first.at), "the first one")
                    .why(why)
                    .help("give each port a name of its own");
            }
        }
        match &port.protocol {
            Field::Wrong { found, at, .. } => self.must_be(&path("protocol"), *at, *found, "text"),
            Field::Value { value, at, .. } if !value.is_empty() && !PROTOCOLS.contains(&value.as_str()) => {
                let upper = value.to_ascii_uppercase();
                let legal = PROTOCOLS.contains(&upper.as_str()).then(|| edit::quoted_like(self.cx.text, *at, &upper));
                let fix = legal.map(|text| Fix::safe(format!("write `{upper}`"), vec![edit::replace(*at, text)]));
                let message = format!("a port of {owner} has the protocol `{value}`, which is none of TCP, UDP, SCTP");
                let help = if fix.is_some() { "write it in capitals" } else { "write `TCP`, `UDP` or `SCTP`" };
                self.report(&path("protocol"), *at, message, help, fix);
            }
            _ => {}
        }
    }

    fn host_port(&mut self, index: usize, port: &ContainerPort, taken: &mut Vec<(HostPort, Span)>) {
        let owner = words::owner(self.cx.workload, self.container);
        let path = format!("ports[{index}].hostPort");
        let (value, at) = match &port.host_port {
            Field::Wrong { found, at, .. } => return self.must_be(&path, *at, *found, "a whole number"),
            Field::Value { value, at, .. } if *value != 0 => (*value, *at),
            _ => return,
        };
        if !(1..=65535).contains(&value) {
            let message = format!("{owner} takes port {value} of the node, but ports go from 1 to 65535");
            self.report(&path, at, message, "write a port of the node, or delete the line", None);
            return;
        }
        let on_node = self.cx.workload.host_network.value() == Some(&true);
        if let Some(&number) = port.number.value().filter(|&&number| on_node && number != value) {
            let message = format!(
                "{owner} takes port {value} of the node, but with `hostNetwork` that is its own port, {number}"
            );
            let fix = Fix::risky(format!("write {number}"), vec![edit::replace(at, number.to_string())]);
            self.report(&path, at, message, &format!("write {number}, or delete the line"), Some(fix));
        }
        let protocol = port.protocol.value().filter(|protocol| !protocol.is_empty());
        let protocol = protocol.cloned().unwrap_or_else(|| "TCP".to_owned());
        let key = HostPort(value, protocol, port.host_ip.value().cloned().unwrap_or_default());
        match taken.iter().find(|(other, _)| *other == key) {
            Some(&(_, first)) => {
                let message = format!("{owner} takes port {value} of the node, which is taken already");
                let why = words::refused(self.cx);
                self.sink
                    .container(self.container, &path, at, message)
                    .label(first, "taken here")
                    .why(why)
                    .help("choose another `hostPort`, or leave it out");
            }
            None => taken.push((key, at)),
        }
    }
}

/// The end of the first line of a place.
fn first_line_end(text: &str, at: Span) -> u32 {
    edit::line_end(text, at.start).min(at.end)
}
