use super::ports::{self, Asked, Setting};
use super::{Context, Report, Sink, words};
use crate::fix::{Fix, edit};
use crate::model::{
    Action, Container, Field, Handler, HttpGet, Number, Orchestrator, Origin, Probe, ProbeKind, Timing,
};
use crate::span::Span;

/// Ports that servers use for TLS and for nothing else, by registration or wide use.
///
/// Source: IANA service name and port number registry (443); Kubernetes documentation, "Ports and Protocols" (6443,
/// 10250); Apache Tomcat documentation, "SSL/TLS Configuration" (8443); Open Liberty documentation, "HTTP endpoint", and
/// controller-runtime, package webhook (9443).
const TLS_PORTS: [Number; 5] = [443, 6443, 8443, 9443, 10250];

/// What says that a port speaks TLS, or that it does not.
struct Clue {
    /// "the name of the port says so".
    words: String,
    /// The place, if it is not the probe itself.
    label: Option<(Span, &'static str)>,
}

/// A probe and the port that it asks.
struct Case<'m> {
    container: &'m Container,
    probe: &'m Probe,
    handler: &'m Handler,
    asked: Asked<'m>,
}

pub(super) fn check(cx: &Context<'_>, sink: &mut Sink<'_>) {
    // What is not written may be written elsewhere; Knative decides by its own port names.
    if cx.workload.origin != Origin::Complete || cx.workload.orchestrator != Orchestrator::Kubernetes {
        return;
    }
    for (container, probe) in cx.workload.probes() {
        let Some(handler) = probe.handler().filter(|_| container.may_have_probes()) else { continue };
        // A name that leads nowhere is another rule's.
        let Some(asked) = ports::asked(container, handler).filter(|asked| !asked.is_undefined(container)) else {
            continue;
        };
        let settings = ports::settings(cx, container);
        let case = Case { container, probe, handler, asked };
        match &handler.action {
            Action::HttpGet(http) => match scheme(http) {
                Some("HTTPS") => {
                    if let Some(clue) = plain(&case, &settings) {
                        report_https(cx, sink, &case, http, clue);
                    }
                }
                Some(_) => {
                    if let Some(clue) = tls(&case, &settings) {
                        report_http(cx, sink, &case, http, clue);
                    }
                }
                None => {}
            },
            // `mode: TLS` came with Kubernetes 1.37.
            Action::Grpc(_) if handler.keys.iter().all(|key| key.name != "mode") => {
                if let Some(clue) = tls(&case, &settings) {
                    report_grpc(cx, sink, &case, clue);
                }
            }
            Action::TcpSocket(_) => {
                if let Some(clue) = tls(&case, &settings) {
                    report_tcp(cx, sink, &case, clue);
                }
            }
            _ => {}
        }
    }
}

/// The scheme in force; `None` when it is not understood.
fn scheme(http: &HttpGet) -> Option<&str> {
    match &http.scheme {
        Field::Absent | Field::Null { .. } => Some("HTTP"),
        Field::Value { value, .. } => match value.as_str() {
            "" | "HTTP" => Some("HTTP"),
            "HTTPS" => Some("HTTPS"),
            _ => None,
        },
        _ => None,
    }
}

fn report_http(cx: &Context<'_>, sink: &mut Sink<'_>, case: &Case<'_>, http: &HttpGet, clue: Clue) {
    let edit = match (&http.scheme, http.port.key()) {
        (Field::Value { at, .. } | Field::Null { at, .. }, Some(key)) if !at.is_empty() => {
            Some(edit::replace(*at, edit::quoted_like(cx.text, key, "HTTPS")))
        }
        (Field::Absent, Some(key)) => {
            let value = edit::quoted_like(cx.text, key, "HTTPS");
            edit::insert_entry(cx.text, case.handler.at, key, case.asked.at, "scheme", &value)
        }
        _ => None,
    };
    let what = format!("asks port {} by plain HTTP", case.asked.words());
    case.report(cx, sink, "httpGet.scheme", http.scheme.at(), &what, clue)
        .why(format!("a TLS server answers plain HTTP with an error or hangs up; {}", fate(case.probe)))
        .help("set `scheme: HTTPS`; the kubelet does not verify the certificate")
        .fix(edit.map(|edit| Fix::risky("set `scheme` to `HTTPS`", vec![edit])));
}

fn report_https(cx: &Context<'_>, sink: &mut Sink<'_>, case: &Case<'_>, http: &HttpGet, clue: Clue) {
    let edit = http.scheme.at().zip(http.port.key()).map(|(at, key)| {
        let edit = edit::replace(at, edit::quoted_like(cx.text, key, "HTTP"));
        Fix::risky("set `scheme` to `HTTP`", vec![edit])
    });
    let what = format!("asks port {} by HTTPS", case.asked.words());
    case.report(cx, sink, "httpGet.scheme", http.scheme.at(), &what, clue)
        .why(format!("a server that speaks plain HTTP cannot take part in a TLS handshake; {}", fate(case.probe)))
        .help("remove `scheme`, or ask the port that speaks TLS")
        .fix(edit);
}

fn report_grpc(cx: &Context<'_>, sink: &mut Sink<'_>, case: &Case<'_>, clue: Clue) {
    let what = format!("calls port {} by plain gRPC", case.asked.words());
    case.report(cx, sink, "grpc.port", None, &what, clue)
        .why(format!("a `grpc` probe connects without TLS, which a TLS server refuses; {}", fate(case.probe)))
        .help("offer the health service on a port without TLS, or ask with `exec` and `grpc_health_probe -tls`");
}

fn report_tcp(cx: &Context<'_>, sink: &mut Sink<'_>, case: &Case<'_>, clue: Clue) {
    let asked = &case.asked;
    let every = case.probe.effective(Timing::Period).map(|period| format!(", every {},", words::seconds(period)));
    let speaks_http = asked.names().any(|name| name.contains("https"))
        || asked.number.is_some_and(|number| TLS_PORTS.contains(&number));
    let help = if speaks_http {
        "use `httpGet` with `scheme: HTTPS`; the kubelet does not verify the certificate"
    } else {
        "ask a port without TLS, or use `exec` with a client of the protocol"
    };
    let what = format!("only opens a connection to port {}", asked.words());
    case.report(cx, sink, "tcpSocket.port", None, &what, clue)
        .why(format!(
            "each probe{} ends in the middle of a handshake, which most servers log as an error, and proves only that \
             the port is open",
            every.unwrap_or_default()
        ))
        .help(help);
}

impl Case<'_> {
    /// Reports at a field, or at the port where that is not written.
    fn report<'s>(
        &self,
        cx: &Context<'_>,
        sink: &'s mut Sink<'_>,
        field: &str,
        at: Option<Span>,
        what: &str,
        clue: Clue,
    ) -> Report<'s> {
        let who = words::probe(cx.workload, self.container, self.probe);
        let message = format!("{who} {what}, and {}", clue.words);
        let report = sink.probe(self.container, self.probe, field, at.unwrap_or(self.asked.at), message);
        match clue.label {
            Some((span, text)) => report.label(span, text),
            None => report,
        }
    }
}

fn fate(probe: &Probe) -> String {
    match (probe.kind, words::numbers(probe)) {
        (ProbeKind::Readiness, _) => "then the pod never becomes ready".to_owned(),
        (_, Some(numbers)) => {
            format!("then the container is restarted within {} of each start", numbers.act_after_start())
        }
        _ => "then the probe never succeeds".to_owned(),
    }
}

/// What says that the port speaks TLS.
fn tls(case: &Case<'_>, settings: &[Setting<'_>]) -> Option<Clue> {
    let asked = &case.asked;
    let number = asked.number;
    if number.is_some_and(|number| settings.iter().any(|setting| is_plain_setting(setting, number))) {
        return None;
    }
    if let Some(name) = asked.names().find(|name| is_tls_name(name)) {
        let declared = asked.declared.and_then(|port| port.name.spanned()).filter(|(declared, _)| *declared == name);
        return Some(Clue {
            words: "the name of the port says TLS".to_owned(),
            label: declared.map(|(_, at)| (at, "declared here")),
        });
    }
    let number = number?;
    if let Some(setting) = settings.iter().find(|setting| is_tls_setting(setting, number)) {
        let words = format!("`{}` makes that a TLS port", setting.key);
        return Some(Clue { words, label: Some((setting.at, "set here")) });
    }
    if let Some(setting) =
        settings.iter().find(|setting| turns_tls_on(setting)).filter(|_| is_only_port(case.container, number, settings))
    {
        let words = format!("`{}` turns TLS on", setting.key);
        return Some(Clue { words, label: Some((setting.at, "set here")) });
    }
    let has_plain_name = asked.names().any(is_plain_name);
    (TLS_PORTS.contains(&number) && !has_plain_name).then(|| Clue {
        words: match asked.name {
            Some(_) => format!("{number} is a TLS port by custom"),
            None => "that is a TLS port by custom".to_owned(),
        },
        label: asked.name.and(asked.declared).and_then(|port| port.number.at()).map(|at| (at, "declared here")),
    })
}

/// What says that the port speaks no TLS; nothing does when TLS is spoken of at all.
fn plain(case: &Case<'_>, settings: &[Setting<'_>]) -> Option<Clue> {
    let (container, asked) = (case.container, &case.asked);
    let speaks_of_tls = |text: &str| {
        let text = text.to_ascii_lowercase();
        ["tls", "ssl", "cert", "https", "secure"].iter().any(|word| text.contains(word))
    };
    let number = asked.number?;
    let spoken_of = settings.iter().any(|setting| speaks_of_tls(setting.key) || speaks_of_tls(setting.value))
        || asked.names().any(speaks_of_tls)
        || container.env_from;
    if spoken_of {
        return None;
    }
    let name = asked.declared.and_then(|port| port.name.spanned()).filter(|(name, _)| is_plain_name(name));
    match (number, name) {
        (80, _) => Some(Clue { words: "80 is the port of plain HTTP".to_owned(), label: None }),
        (8080, Some((name, at))) => Some(Clue {
            words: format!("both its number and its name `{name}` stand for plain HTTP"),
            label: Some((at, "declared here")),
        }),
        _ => None,
    }
}

fn is_tls_name(name: &str) -> bool {
    let is_word = |word: &str| matches!(word, "https" | "tls" | "ssl" | "grpcs" | "mtls");
    let negated = name.split('-').any(|word| matches!(word, "no" | "non" | "without" | "redirect"));
    !negated && name.split('-').any(is_word)
}

fn is_plain_name(name: &str) -> bool {
    name == "web" || name.split('-').any(|word| word == "http") && !is_tls_name(name)
}

/// Whether a setting ends in a port of this number: `8443`, `:8443`, `0.0.0.0:8443`.
fn is_port(value: &str, number: Number) -> bool {
    value.rsplit(':').next().is_some_and(|port| port.trim_end_matches('/').parse() == Ok(number))
}

fn words_of(key: &str) -> String {
    key.to_ascii_lowercase().replace(['_', '.'], "-")
}

/// `--https-port=8443`, `TLS_LISTEN_ADDR: ":8443"`, `ASPNETCORE_URLS: https://+:8443`.
fn is_tls_setting(setting: &Setting<'_>, number: Number) -> bool {
    let key = words_of(setting.key);
    let names_place = ["port", "addr", "listen", "bind", "url", "endpoint"].iter().any(|word| key.contains(word));
    let names_tls =
        ["https", "tls", "ssl", "secure-port"].iter().any(|word| key.contains(word)) && !key.contains("insecure");
    if names_tls && names_place && is_port(setting.value, number) {
        return true;
    }
    let is_listener =
        matches!(key.as_str(), "aspnetcore-urls" | "dotnet-urls" | "urls" | "listen" | "listen-address" | "bind");
    is_listener && setting.value.split([';', ',']).any(|url| url.starts_with("https://") && is_port(url, number))
}

/// `--http-port=8443`, `HTTP_ADDR: ":8443"`: against the custom of the number.
fn is_plain_setting(setting: &Setting<'_>, number: Number) -> bool {
    let key = words_of(setting.key);
    let names_plain =
        key.split('-').any(|word| matches!(word, "http" | "insecure" | "health" | "healthz" | "probe" | "metrics"));
    let names_tls = key.contains("https") || key.split('-').any(|word| matches!(word, "tls" | "ssl"));
    let is_url = setting.value.split([';', ',']).any(|url| url.starts_with("http://") && is_port(url, number));
    is_url || names_plain && !names_tls && is_port(setting.value, number)
}

/// Settings that put the whole server behind TLS.
///
/// Source: Spring Boot reference documentation, "Common Application Properties"; Uvicorn and Gunicorn settings.
fn turns_tls_on(setting: &Setting<'_>) -> bool {
    let key = words_of(setting.key);
    match key.as_str() {
        "server-ssl-enabled" => setting.value.eq_ignore_ascii_case("true"),
        "server-ssl-key-store"
        | "server-ssl-keystore"
        | "server-ssl-bundle"
        | "server-ssl-certificate"
        | "ssl-certfile"
        | "ssl-keyfile" => !setting.value.is_empty(),
        _ => false,
    }
}

/// Whether the container has one port for everything: it declares no other, and no setting speaks of another for
/// management or health.
fn is_only_port(container: &Container, number: Number, settings: &[Setting<'_>]) -> bool {
    let alone = container.ports.iter().all(|port| port.number.value() == Some(&number));
    let managed = settings.iter().any(|setting| {
        let key = words_of(setting.key);
        ["management", "health", "probe", "metrics"].iter().any(|word| key.contains(word)) && key.contains("port")
            || key == "server-ssl-enabled" && setting.value.eq_ignore_ascii_case("false")
    });
    alone && !managed && !container.env_from
}

#[cfg(test)]
mod tests {
    use super::{is_plain_name, is_plain_setting, is_port, is_tls_name, is_tls_setting, ports::Setting};
    use crate::span::Span;

    #[test]
    fn names_say_tls_by_whole_words() {
        assert!(is_tls_name("https") && is_tls_name("grpc-tls") && is_tls_name("https-metrics"));
        assert!(!is_tls_name("http") && !is_tls_name("titles") && !is_tls_name("http-no-tls"));
        assert!(is_plain_name("http") && is_plain_name("http-api") && !is_plain_name("http-tls"));
    }

    #[test]
    fn settings_tie_a_number_to_tls() {
        let setting = |key, value| Setting { key, value, at: Span::at(0) };
        assert!(
            is_tls_setting(&setting("https-port", "9000"), 9000) && is_tls_setting(&setting("TLS_ADDR", ":9000"), 9000)
        );
        assert!(is_tls_setting(&setting("ASPNETCORE_URLS", "http://+:8080;https://+:9000"), 9000));
        assert!(!is_tls_setting(&setting("ASPNETCORE_URLS", "http://+:8080;https://+:9000"), 8080));
        assert!(
            !is_tls_setting(&setting("insecure-port", "9000"), 9000)
                && !is_tls_setting(&setting("http-port", "9000"), 9000)
        );
        assert!(
            is_plain_setting(&setting("http-port", "8443"), 8443)
                && is_plain_setting(&setting("urls", "http://*:8443"), 8443)
        );
        assert!(is_port("https://+:8443/", 8443) && !is_port("18443", 8443));
    }
}
