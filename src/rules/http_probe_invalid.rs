use super::{Context, Sink, names, words};
use crate::fix::{Fix, edit};
use crate::model::{Action, Container, Field, Header, HttpGet, Probe};
use crate::span::Span;

pub(super) fn check(cx: &Context<'_>, sink: &mut Sink<'_>) {
    for (container, probe) in cx.workload.probes() {
        // Validation looks into the first handler alone.
        let Some(handler) = probe.handlers.first().filter(|_| container.may_have_probes()) else { continue };
        let Action::HttpGet(http) = &handler.action else { continue };
        let who = words::probe(cx.workload, container, probe);
        if let Some((scheme, at)) = http.scheme.spanned() {
            check_scheme(cx, sink, container, probe, &who, scheme, at);
        }
        for (name, at) in bad_headers(http) {
            let message = match names::header_name_fault(&name) {
                Some(fault) if !name.is_empty() => format!("the header `{name}` of {who} {fault}"),
                _ => format!("a header of {who} has no name"),
            };
            sink.probe(container, probe, "httpGet.httpHeaders", at, message)
                .why(words::refused(cx))
                .help("write the name with letters, digits and hyphens only, without the colon");
        }
    }
}

/// Names of headers that are refused, with their place.
pub(super) fn bad_headers(http: &HttpGet) -> Vec<(String, Span)> {
    let fault = |header: &Header| {
        let (name, at) = match &header.name {
            Field::Value { value, at, .. } => (value.as_str(), *at),
            Field::Absent | Field::Null { .. } => ("", header.at),
            Field::Wrong { .. } | Field::Templated { .. } => return None,
        };
        // `key`, `Name`: the misspelt key is the fault.
        let is_misspelt = name.is_empty() && header.keys.iter().any(|key| !key.known);
        let is_bad = !is_misspelt && !name.contains("{{") && names::header_name_fault(name).is_some();
        is_bad.then(|| (name.to_owned(), at))
    };
    http.headers.value().into_iter().flatten().filter_map(fault).collect()
}

/// Whether the API server takes a scheme; the empty one means HTTP.
pub(super) fn is_scheme(scheme: &str) -> bool {
    matches!(scheme, "" | "HTTP" | "HTTPS") || scheme.contains("{{")
}

fn check_scheme(
    cx: &Context<'_>,
    sink: &mut Sink<'_>,
    container: &Container,
    probe: &Probe,
    who: &str,
    scheme: &str,
    at: Span,
) {
    if is_scheme(scheme) {
        return;
    }
    let upper = scheme.trim().trim_end_matches("://").to_ascii_uppercase();
    let legal = matches!(upper.as_str(), "HTTP" | "HTTPS").then_some(upper);
    let message = format!("the scheme `{scheme}` of {who} is neither `HTTP` nor `HTTPS`");
    let report = sink.probe(container, probe, "httpGet.scheme", at, message).why(words::refused(cx));
    let _ = match legal {
        Some(legal) => {
            let text = edit::quoted_like(cx.text, at, &legal);
            report
                .help(format!("write `{legal}`: schemes are compared letter by letter"))
                .fix(Some(Fix::safe(format!("write `{legal}`"), vec![edit::replace(at, text)])))
        }
        None => report.help("write `HTTP` or `HTTPS`; for anything else use `tcpSocket`, `grpc` or `exec`"),
    };
}
