//! A probe, the same type for Kubernetes and Tye. Defaults belong to the orchestrator, so one rule serves both.

use std::borrow::Cow;

use super::{Field, Found};
use crate::span::Span;
pub use crate::timing::ProbeKind;

/// Who runs the probe.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Orchestrator {
    /// The kubelet, from a manifest that goes to the API server as it is.
    Kubernetes,
    /// The kubelet, from an object that Knative Serving completes first (port, handler).
    Knative,
    /// `tye run`'s ReplicaMonitor.
    Tye,
}

/// The numbers of a probe.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Timing {
    /// Seconds from the container's start to the first probe.
    InitialDelay,
    /// Seconds between the starts of two probes (Tye: from the end of one to the start of the next).
    Period,
    /// Seconds an attempt may take.
    Timeout,
    /// Consecutive successes that count as a change.
    SuccessThreshold,
    /// Consecutive failures that count as a change.
    FailureThreshold,
}

impl Timing {
    /// All of them in the order in which API validation reports them.
    pub const ALL: [Self; 5] =
        [Self::InitialDelay, Self::Timeout, Self::Period, Self::SuccessThreshold, Self::FailureThreshold];

    /// The key in a manifest of this orchestrator.
    pub const fn field(self, orchestrator: Orchestrator) -> &'static str {
        match (self, orchestrator) {
            (Self::InitialDelay, Orchestrator::Tye) => "initialDelay",
            (Self::Period, Orchestrator::Tye) => "period",
            (Self::Timeout, Orchestrator::Tye) => "timeout",
            (Self::InitialDelay, _) => "initialDelaySeconds",
            (Self::Period, _) => "periodSeconds",
            (Self::Timeout, _) => "timeoutSeconds",
            (Self::SuccessThreshold, _) => "successThreshold",
            (Self::FailureThreshold, _) => "failureThreshold",
        }
    }

    /// What applies when nothing is written.
    ///
    /// Sources: kubernetes `pkg/apis/core/v1/defaults.go`, `SetDefaults_Probe`; dotnet/tye
    /// `ConfigModel/ConfigProbe.cs`.
    pub const fn default(self, orchestrator: Orchestrator) -> i64 {
        match (self, orchestrator) {
            (Self::InitialDelay, _) => 0,
            (Self::Period, Orchestrator::Tye) => 1,
            (Self::Period, _) => 10,
            (Self::Timeout | Self::SuccessThreshold, _) => 1,
            (Self::FailureThreshold, _) => 3,
        }
    }
}

/// A whole number as the reader of the field understands it. The notation (`010`, `1e1`, `10.0`) is to be seen in the
/// source at its span.
pub type Number = i128;

/// The number in force and where it comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Effective {
    /// Seconds, or a count for the thresholds.
    pub value: i64,
    /// Bytes of the written value; `None` for the orchestrator's default.
    pub written: Option<Span>,
}

/// A key of a probe or handler as written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Key {
    /// Its name, as JSON would have it; legal names cost no memory.
    pub name: Cow<'static, str>,
    /// Bytes of the key.
    pub at: Span,
    /// Bytes of the value.
    pub value: Span,
    /// Whether this object has such a field.
    pub known: bool,
}

/// One element of an exec command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Arg {
    /// Text after YAML decoding; empty for a null element.
    pub text: String,
    /// Bytes of the element.
    pub at: Span,
    /// Set when the element is no string.
    pub wrong: Option<Found>,
    /// For a literal block or text that needed no decoding: pairs of (offset in `text`, offset in the source) where
    /// each run of agreeing bytes begins, in order. Empty when source and text do not agree.
    pub(super) lines: Vec<(u32, u32)>,
}

impl Arg {
    /// The source bytes of a range of `text`: exact where source and text agree, else the whole element.
    pub fn span_of(&self, start: usize, end: usize) -> Span {
        let offset = |at: usize| {
            let index = self.lines.partition_point(|&(text, _)| text as usize <= at).checked_sub(1)?;
            let (text, source) = self.lines[index];
            Some(source + (at as u32 - text))
        };
        match (offset(start), offset(end)) {
            (Some(start), Some(end)) if start <= end && end <= self.at.end => Span::new(start, end),
            _ => self.at,
        }
    }

    /// Whether a range of `text` stands in the source to the letter, so that an edit there is exact.
    pub fn is_exact(&self) -> bool {
        !self.lines.is_empty()
    }
}

/// `httpGet.port`, `tcpSocket.port`, `targetPort`: a number or a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Port {
    /// A number, of whatever size.
    Number(Number),
    /// A name, which also any quoted number is.
    Name(String),
}

/// A header of an HTTP probe.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Header {
    /// `name`
    pub name: Field<String>,
    /// `value`
    pub value: Field<String>,
    /// Keys as written.
    pub keys: Vec<Key>,
    /// Bytes of the item.
    pub at: Span,
}

/// `httpGet`, Tye's `http`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HttpGet {
    /// `path`
    pub path: Field<String>,
    /// `port`
    pub port: Field<Port>,
    /// `scheme`; Tye's `protocol`.
    pub scheme: Field<String>,
    /// `host`
    pub host: Field<String>,
    /// `httpHeaders`; Tye's `headers`.
    pub headers: Field<Vec<Header>>,
}

/// `tcpSocket`
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TcpSocket {
    /// `port`
    pub port: Field<Port>,
    /// `host`
    pub host: Field<String>,
}

/// `grpc`
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Grpc {
    /// `port`, which has no names.
    pub port: Field<Number>,
    /// `service`
    pub service: Field<String>,
}

/// What a probe or hook does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Action {
    /// Runs a command in the container.
    Exec(Field<Vec<Arg>>),
    /// Asks by HTTP.
    HttpGet(HttpGet),
    /// Opens a TCP connection.
    TcpSocket(TcpSocket),
    /// Calls the gRPC health service.
    Grpc(Grpc),
    /// Waits so many seconds (hooks only).
    Sleep(Field<Number>),
    /// Something that is no map stands there.
    Wrong(HandlerKind, Found),
    /// A placeholder for the whole handler stands there.
    Templated(HandlerKind),
}

/// The handlers by their field names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum HandlerKind {
    /// `exec`
    Exec,
    /// `httpGet`; Tye's `http`.
    HttpGet,
    /// `tcpSocket`
    TcpSocket,
    /// `grpc`
    Grpc,
    /// `sleep`
    Sleep,
}

impl HandlerKind {
    /// Handlers of a probe in the order in which API validation walks them.
    pub const OF_PROBES: [Self; 4] = [Self::Exec, Self::HttpGet, Self::TcpSocket, Self::Grpc];
    /// Handlers of a lifecycle hook in that order.
    pub const OF_HOOKS: [Self; 4] = [Self::Exec, Self::HttpGet, Self::TcpSocket, Self::Sleep];

    /// The Kubernetes field.
    pub const fn field(self) -> &'static str {
        match self {
            Self::Exec => "exec",
            Self::HttpGet => "httpGet",
            Self::TcpSocket => "tcpSocket",
            Self::Grpc => "grpc",
            Self::Sleep => "sleep",
        }
    }
}

/// A handler with its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Handler {
    /// What it does.
    pub action: Action,
    /// Bytes of its key.
    pub key: Span,
    /// Bytes of its value.
    pub at: Span,
    /// Keys inside it as written.
    pub keys: Vec<Key>,
}

impl Handler {
    /// Which one it is.
    pub const fn kind(&self) -> HandlerKind {
        match &self.action {
            Action::Exec(_) => HandlerKind::Exec,
            Action::HttpGet(_) => HandlerKind::HttpGet,
            Action::TcpSocket(_) => HandlerKind::TcpSocket,
            Action::Grpc(_) => HandlerKind::Grpc,
            Action::Sleep(_) => HandlerKind::Sleep,
            Action::Wrong(kind, _) | Action::Templated(kind) => *kind,
        }
    }

    /// Its port, if handlers of this kind have one that may be a name.
    pub const fn port(&self) -> Option<&Field<Port>> {
        match &self.action {
            Action::HttpGet(http) => Some(&http.port),
            Action::TcpSocket(tcp) => Some(&tcp.port),
            _ => None,
        }
    }

    /// Its `host`, if handlers of this kind have one.
    pub const fn host(&self) -> Option<&Field<String>> {
        match &self.action {
            Action::HttpGet(http) => Some(&http.host),
            Action::TcpSocket(tcp) => Some(&tcp.host),
            _ => None,
        }
    }

    /// The words of an exec command.
    pub fn command(&self) -> Option<&[Arg]> {
        match &self.action {
            Action::Exec(command) => command.value().map(Vec::as_slice),
            _ => None,
        }
    }
}

/// One probe of one container.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Probe {
    /// Which one.
    pub kind: ProbeKind,
    /// Who runs it.
    pub orchestrator: Orchestrator,
    /// Bytes of its key.
    pub key: Span,
    /// Bytes of its value.
    pub at: Span,
    /// Set when the value is no map; everything else is then empty.
    pub wrong: Option<Found>,
    /// Handlers that are there (null ones are not), in validation order.
    pub handlers: Vec<Handler>,
    /// Bytes of handler keys written with null: they say "not this one".
    pub null_handlers: Vec<Span>,
    timings: [Field<Number>; 5],
    /// `terminationGracePeriodSeconds`
    pub grace_period: Field<Number>,
    /// Keys as written.
    pub keys: Vec<Key>,
    /// Where an alias or a merge key brings in (parts of) this probe from another place.
    pub alias: Option<Span>,
    /// Whether an edit inside it changes this probe and nothing else.
    pub editable: bool,
    /// It is a part of a patch: what is not written here may well be written elsewhere.
    pub partial: bool,
}

impl Probe {
    /// A probe with nothing in it.
    pub fn new(kind: ProbeKind, orchestrator: Orchestrator, key: Span, at: Span) -> Self {
        Self {
            kind,
            orchestrator,
            key,
            at,
            wrong: None,
            handlers: Vec::new(),
            null_handlers: Vec::new(),
            timings: Default::default(),
            grace_period: Field::Absent,
            keys: Vec::new(),
            alias: None,
            editable: true,
            partial: false,
        }
    }

    /// A number as written.
    pub const fn timing(&self, timing: Timing) -> &Field<Number> {
        &self.timings[timing as usize]
    }

    /// Sets a number; for readers.
    pub fn set_timing(&mut self, timing: Timing, field: Field<Number>) {
        self.timings[timing as usize] = field;
    }

    /// The number in force, as the orchestrator computes it: its default where nothing is written, and in Kubernetes
    /// also for 0 in every field but the initial delay. `None` when it cannot be known: templated, of a wrong type, or
    /// rejected for its size.
    ///
    /// Source: kubernetes `pkg/apis/core/v1/defaults.go`, `SetDefaults_Probe`.
    pub fn effective(&self, timing: Timing) -> Option<Effective> {
        let default = timing.default(self.orchestrator);
        match self.timing(timing) {
            Field::Absent if self.partial => None,
            Field::Absent | Field::Null { .. } => Some(Effective { value: default, written: None }),
            Field::Value { value, at, .. } => {
                let value = i64::from(i32::try_from(*value).ok()?);
                let value = if value == 0 && timing != Timing::InitialDelay { default } else { value };
                (value >= 0).then_some(Effective { value, written: Some(*at) })
            }
            Field::Wrong { .. } | Field::Templated { .. } => None,
        }
    }

    /// The only handler, when there is exactly one.
    pub fn handler(&self) -> Option<&Handler> {
        match self.handlers.as_slice() {
            [handler] => Some(handler),
            _ => None,
        }
    }

    /// The field of its container or service: `livenessProbe`, Tye's `liveness`.
    pub const fn field(&self) -> &'static str {
        match self.orchestrator {
            Orchestrator::Tye => self.kind.word(),
            _ => self.kind.field(),
        }
    }

    /// The key of a handler in this probe's dialect.
    pub const fn handler_field(&self, kind: HandlerKind) -> &'static str {
        match (self.orchestrator, kind) {
            (Orchestrator::Tye, HandlerKind::HttpGet) => "http",
            _ => kind.field(),
        }
    }

    /// The key of a number in this probe's dialect.
    pub const fn timing_field(&self, timing: Timing) -> &'static str {
        timing.field(self.orchestrator)
    }
}
