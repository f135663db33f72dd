//! Whom a client talks to: reads addresses, URLs and connection strings, and says whose they are.

use super::place::Place;
use super::run::Run;
use super::script::{Node, RedirectKind, Script};
use super::word::{HOLE, Part, Value, Variable, Word};
use super::{Exec, client::Form};

/// Variables that stand for variables are followed this far.
const MAX_STEPS: u32 = 4;

/// A variable that is set more often than this could be anything.
const MAX_VALUES: usize = 4;

/// Names of variables that by custom hold the pod's own name or address, from the downward API or from the runtime.
pub(super) const OWN_POD: [&str; 12] = [
    "HOSTNAME",
    "POD_IP",
    "POD_IPS",
    "POD_NAME",
    "POD_HOSTNAME",
    "MY_POD_IP",
    "MY_POD_NAME",
    "K8S_POD_NAME",
    "K8S_POD_IP",
    "KUBERNETES_POD_NAME",
    "KUBERNETES_POD_IP",
    "HOST_NAME",
];

/// One end that a client talks to.
#[derive(Clone, Debug, PartialEq)]
pub struct Target {
    /// Who it is.
    pub peer: Peer,
    /// The port as written, `${NAME}` for a variable.
    pub port: Option<String>,
    /// The scheme of a URL, in lower case.
    pub scheme: Option<String>,
    /// Path and query of a URL as written.
    pub path: Option<String>,
    /// Where that stands.
    pub path_place: Option<Place>,
    /// What to underline: the host, or the program when none is given.
    pub place: Place,
    /// A variable stands where also the name of a database can stand: only a URL or `host=...` in it is an address.
    pub may_be_no_address: bool,
}

/// Who a target is.
#[derive(Clone, Debug, PartialEq)]
pub enum Peer {
    /// Nothing is given: the client's own default, which is local for every client in the table. Unless the container
    /// sets one of these environment variables.
    Default(Vec<String>),
    /// `localhost`, `127.0.0.1`, `::1`, `0.0.0.0`.
    Loopback,
    /// A socket in the file system.
    Socket,
    /// The pod itself, by `$(hostname)`, `$HOSTNAME`, `$POD_IP`, ...
    OwnPod,
    /// Another name or address. Variables in the middle of a name (`db.${NAMESPACE}.svc`) are shown in it.
    Name(String),
    /// Variables decide, all of which are part of the name.
    Variables(Vec<PeerVariable>),
    /// It cannot be told.
    Unknown,
}

/// A variable that names a host.
#[derive(Clone, Debug, PartialEq)]
pub struct PeerVariable {
    /// Its name in the environment of the container.
    pub name: String,
    /// Who it is when the variable is not set.
    pub default: Option<Box<Peer>>,
    /// Where it stands.
    pub place: Place,
}

impl Peer {
    /// Whether the peer is in the same pod for certain.
    pub fn is_local(&self) -> bool {
        match self {
            Self::Default(environment) => environment.is_empty(),
            Self::Loopback | Self::Socket | Self::OwnPod => true,
            Self::Name(_) | Self::Variables(_) | Self::Unknown => false,
        }
    }
}

/// Reads what a value says in this form; nothing when it is no address.
pub(super) fn addresses<'e>(exec: &'e Exec, value: &Value<'e>, form: Form) -> Vec<Target> {
    let text = value.text();
    match form {
        Form::Address => split(value, 0, text.len(), |c| c == ',')
            .iter()
            .filter(|part| !part.text().is_empty())
            .flat_map(|part| address(exec, part))
            .collect(),
        Form::Url => address(exec, value),
        Form::ConnectionString | Form::MongoAddress if text.chars().eq([HOLE]) => whole_variable(exec, value),
        Form::ConnectionString if text.contains("://") => address(exec, value),
        Form::ConnectionString => {
            let mut found: Vec<Target> = Vec::new();
            let mut port = None;
            for pair in split(value, 0, text.len(), |c| c.is_ascii_whitespace() || c == ';') {
                let Some(equals) = pair.text().find('=') else {
                    continue;
                };
                match pair.text()[..equals].to_ascii_lowercase().as_str() {
                    "host" | "hostaddr" | "server" => found.extend(address(exec, &pair.from(equals + 1))),
                    "port" => port = Some(pair.from(equals + 1).shown()),
                    _ => {}
                }
            }
            for target in &mut found {
                target.port = target.port.take().or_else(|| port.clone());
            }
            found
        }
        Form::MongoAddress if text.contains("://") || text.contains(['/', ':']) => {
            if text.ends_with(".js") {
                Vec::new()
            } else {
                address(exec, value)
            }
        }
        Form::MongoAddress => Vec::new(),
        Form::AtHost if text.starts_with('@') => address(exec, &value.from(1)),
        Form::AtHost => Vec::new(),
        Form::Code => urls_in_code(exec, value),
    }
}

/// `psql "$DATABASE_URL"`, or `psql "$DATABASE"`: only the value of the variable tells.
fn whole_variable<'e>(exec: &'e Exec, value: &Value<'e>) -> Vec<Target> {
    match peer(exec, value, 0) {
        peer @ Peer::Variables(_) => {
            vec![Target {
                peer,
                port: None,
                scheme: None,
                path: None,
                path_place: None,
                place: value.place(),
                may_be_no_address: true,
            }]
        }
        _ => Vec::new(),
    }
}

/// The targets of `/dev/tcp/HOST/PORT` and `/dev/udp/HOST/PORT`, which bash opens as connections.
pub(super) fn device_targets(exec: &Exec, run: &Run) -> Vec<Target> {
    let opened = |kind| {
        matches!(kind, RedirectKind::Read | RedirectKind::Write | RedirectKind::ReadWrite | RedirectKind::WriteBoth)
    };
    let mut found = Vec::new();
    for redirect in run.redirects.iter().filter(|redirect| opened(redirect.kind)) {
        let value = Value::of(&redirect.target);
        let text = value.text();
        let Some(rest) = text.strip_prefix("/dev/tcp/").or_else(|| text.strip_prefix("/dev/udp/")) else {
            continue;
        };
        let start = text.len() - rest.len();
        let slash = rest.find('/').map_or(text.len(), |at| start + at);
        let host = value.slice(start, slash);
        let port = (slash < text.len()).then(|| value.from(slash + 1).shown());
        found.push(Target {
            peer: peer(exec, &host, 0),
            port,
            scheme: None,
            path: None,
            path_place: None,
            place: host.place(),
            may_be_no_address: false,
        });
    }
    found
}

/// The stretches of `start..end` between characters that separate.
fn split<'e>(value: &Value<'e>, start: usize, end: usize, separates: impl Fn(char) -> bool) -> Vec<Value<'e>> {
    let text = value.text();
    let mut parts = Vec::new();
    let mut from = start;
    for (at, c) in text[start..end].char_indices() {
        if separates(c) {
            parts.push(value.slice(from, start + at));
            from = start + at + c.len_utf8();
        }
    }
    parts.push(value.slice(from, end));
    parts
}

/// `host`, `host:port`, a URL with one or more hosts, or a socket.
fn address<'e>(exec: &'e Exec, value: &Value<'e>) -> Vec<Target> {
    let text = value.text();
    let socket = |scheme: Option<String>| {
        vec![Target {
            peer: Peer::Socket,
            port: None,
            scheme,
            path: None,
            path_place: None,
            place: value.place(),
            may_be_no_address: false,
        }]
    };
    let (scheme, start) = match text.find("://") {
        Some(at) => (Some(text[..at].to_ascii_lowercase()), at + 3),
        None => (None, 0),
    };
    if text.starts_with(['/', '.']) || text.starts_with("unix:") || text.ends_with(".sock") || text.starts_with("@/") {
        return socket(scheme);
    }
    let end = text[start..].find(['/', '?', '#']).map_or(text.len(), |length| start + length);
    let host_start = text[start..end].rfind('@').map_or(start, |at| start + at + 1);
    let path = (end < text.len()).then(|| value.from(end).shown());
    let path_place = path.is_some().then(|| value.from(end).place());
    if scheme.is_some() && host_start == end && path.is_some() {
        // `postgres:///name` goes through the socket.
        return socket(scheme);
    }
    split(value, host_start, end, |c| c == ',')
        .into_iter()
        .map(|part| {
            let (host, port) = host_and_port(&part);
            let peer = peer(exec, &host, 0);
            let place = if host.text().is_empty() { part.place() } else { host.place() };
            let port = port.map(|port| port.shown()).filter(|port| !port.is_empty());
            Target {
                peer,
                port,
                scheme: scheme.clone(),
                path: path.clone(),
                path_place,
                place,
                may_be_no_address: false,
            }
        })
        .collect()
}

fn host_and_port<'e>(value: &Value<'e>) -> (Value<'e>, Option<Value<'e>>) {
    let text = value.text();
    if text.starts_with('[')
        && let Some(close) = text.find(']')
    {
        let port = text[close..].starts_with("]:").then(|| value.from(close + 2));
        return (value.slice(1, close), port);
    }
    match text.find(':') {
        // Two colons without brackets are a bare IPv6 address.
        Some(at) if text[at + 1..].contains(':') => (value.clone(), None),
        Some(at) => (value.slice(0, at), Some(value.from(at + 1))),
        None => (value.clone(), None),
    }
}

/// Every `scheme://host` inside program code.
fn urls_in_code<'e>(exec: &'e Exec, value: &Value<'e>) -> Vec<Target> {
    let text = value.text();
    let ends = |c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '`' | ')' | '<' | '>' | '\\' | ';' | '}');
    let mut found = Vec::new();
    let mut from = 0;
    while let Some(at) = text[from..].find("://").map(|at| from + at) {
        let scheme =
            text[from..at].bytes().rev().take_while(|byte| byte.is_ascii_alphanumeric() || *byte == b'+').count();
        let end = text[at + 3..].find(ends).map_or(text.len(), |length| at + 3 + length);
        if scheme > 0 && end > at + 3 {
            found.extend(address(exec, &value.slice(at - scheme, end)));
        }
        from = end.max(at + 3);
    }
    found
}

/// Whose a host is.
fn peer<'e>(exec: &'e Exec, host: &Value<'e>, steps: u32) -> Peer {
    if let Some(name) = host.known() {
        return named(name);
    }
    let text = host.text();
    let holes: Vec<_> = host.holes().collect();
    let Some(&(first, part)) = holes.first() else {
        return Peer::Unknown;
    };
    if first > 0 {
        // A literal first label is a name of its own, whatever namespace follows.
        return if text[..first].contains('.') { Peer::Name(host.shown()) } else { variables(exec, &holes, steps) };
    }
    let rest = &text[HOLE.len_utf8()..];
    let own = part_peer(exec, part, steps);
    if rest.is_empty() {
        return own;
    }
    match own {
        Peer::OwnPod if rest.starts_with('.') => Peer::OwnPod,
        // `${HOST%%...}` and the like, or a name made of several pieces.
        _ => variables(exec, &holes, steps),
    }
}

fn named(name: &str) -> Peer {
    let bare = name.trim_matches(['[', ']']).trim_end_matches('.').to_ascii_lowercase();
    match bare.as_str() {
        "" => Peer::Default(Vec::new()),
        "localhost" | "localhost.localdomain" | "ip6-localhost" | "::1" | "::" | "0.0.0.0" | "0" => Peer::Loopback,
        "0:0:0:0:0:0:0:1" | "::ffff:127.0.0.1" => Peer::Loopback,
        _ if bare.starts_with("127.") && bare.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.') => {
            Peer::Loopback
        }
        _ => Peer::Name(name.to_owned()),
    }
}

/// A name made of several variables, or of a variable and text.
fn variables<'e>(exec: &'e Exec, holes: &[(usize, &'e Part)], steps: u32) -> Peer {
    let mut all: Vec<PeerVariable> = Vec::new();
    for (_, part) in holes {
        match part_peer(exec, part, steps) {
            Peer::Variables(more) => all.extend(more),
            Peer::OwnPod => {}
            Peer::Name(name) => return Peer::Name(name),
            _ => return Peer::Unknown,
        }
    }
    if all.is_empty() { Peer::Unknown } else { Peer::Variables(all) }
}

fn part_peer<'e>(exec: &'e Exec, part: &'e Part, steps: u32) -> Peer {
    match part {
        Part::Variable(variable) => variable_peer(exec, variable, steps),
        Part::Substitution { script, place } => substitution_peer(exec, script, *place),
        Part::Literal { text, .. } => named(text),
        Part::Arithmetic { .. } => Peer::Unknown,
    }
}

fn variable_peer<'e>(exec: &'e Exec, variable: &'e Variable, steps: u32) -> Peer {
    if steps >= MAX_STEPS {
        return Peer::Unknown;
    }
    let assigned = exec.assigned(&variable.name);
    if assigned.is_empty() {
        if OWN_POD.contains(&variable.name.as_str()) {
            return Peer::OwnPod;
        }
        let default = variable.default.as_deref().map(|word| Box::new(word_peer(exec, word, steps + 1)));
        let name = variable.name.clone();
        return Peer::Variables(vec![PeerVariable { name, default, place: variable.place }]);
    }
    if assigned.len() > MAX_VALUES {
        return Peer::Unknown;
    }
    // The script sets it, perhaps more than once: then each value may be the one.
    let mut best = None;
    for value in assigned {
        let only_itself = value.parts.iter().all(|part| match part {
            Part::Variable(own) => own.name == variable.name,
            Part::Literal { text, .. } => text.bytes().all(|byte| matches!(byte, b'[' | b']')),
            _ => false,
        });
        let next = if only_itself {
            // `host="${host:-localhost}"`, `host="[${host}]"`: what is new is the default at most.
            let default = value.variables().into_iter().find_map(|own| own.default.as_deref());
            match default {
                Some(word) => word_peer(exec, word, steps + 1),
                None => continue,
            }
        } else {
            word_peer(exec, value, steps + 1)
        };
        best = Some(match best {
            Some(best) if rank(&best) >= rank(&next) => best,
            _ => next,
        });
    }
    best.unwrap_or(Peer::Unknown)
}

/// Of several values a variable may have, the one that matters most.
const fn rank(peer: &Peer) -> u8 {
    match peer {
        Peer::Name(_) => 5,
        Peer::Variables(_) => 4,
        Peer::Unknown => 3,
        Peer::OwnPod => 2,
        Peer::Default(_) | Peer::Loopback | Peer::Socket => 1,
    }
}

fn word_peer<'e>(exec: &'e Exec, word: &'e Word, steps: u32) -> Peer {
    let value = Value::of(word);
    let (host, _) = host_and_port(&value);
    peer(exec, &host, steps)
}

/// `$(hostname -i)` and its kin, and `$(NAME)` that the kubelet may have replaced before the shell saw it.
fn substitution_peer(exec: &Exec, script: &Script, place: Place) -> Peer {
    let Some(Node::Run(run)) = script
        .items
        .first()
        .filter(|_| script.items.len() == 1)
        .and_then(|item| item.pipelines.first())
        .and_then(|(_, pipeline)| pipeline.stages.first())
        .map(|stage| &stage.node)
    else {
        return Peer::Unknown;
    };
    let Some(run) = exec.runs().get(*run) else {
        return Peer::Unknown;
    };
    let Some(program) = run.program() else {
        return Peer::Unknown;
    };
    let mut arguments = run.words.iter().skip(1);
    match program.as_ref() {
        "hostname" => Peer::OwnPod,
        "uname" if run.words.get(1).is_some_and(|word| word.is("-n")) => Peer::OwnPod,
        "cat" if arguments.all(|word| word.is("/etc/hostname")) && run.words.len() == 2 => Peer::OwnPod,
        name if run.words.len() == 1
            && name.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_') =>
        {
            if OWN_POD.contains(&name) {
                return Peer::OwnPod;
            }
            Peer::Variables(vec![PeerVariable { name: name.to_owned(), default: None, place }])
        }
        _ => Peer::Unknown,
    }
}
