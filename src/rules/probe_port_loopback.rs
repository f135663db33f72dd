use super::handlers;
use super::ports::{self, Setting};
use super::{Context, Sink, words};
use crate::model::{Container, Handler, Number, Origin};
use crate::span::Span;

pub(super) fn check(cx: &Context<'_>, sink: &mut Sink<'_>) {
    if cx.workload.origin != Origin::Complete {
        return;
    }
    for site in handlers::sites(cx.workload) {
        let Some(probe) = site.probe.filter(|_| dials_the_pod(site.handler)) else { continue };
        let Some(asked) = ports::asked(site.container, site.handler) else { continue };
        let Some(number) = asked.number else { continue };
        let settings = ports::settings(cx, site.container);
        let Some(listens) = on_loopback(&settings, number) else { continue };
        if is_forwarded(cx, site.container, number) {
            continue;
        }
        let who = words::probe(cx.workload, site.container, probe);
        let within = words::numbers(probe).map(|numbers| format!(" within {}", numbers.act_after_start()));
        let fate = match probe.kind {
            crate::model::ProbeKind::Readiness => "the pod never becomes ready".to_owned(),
            _ => format!("the container is restarted{} of each start", within.unwrap_or_default()),
        };
        let message = format!("{who} asks port {}, on which the process listens for loopback only", asked.words());
        let field = format!("{}.port", site.handler.kind().field());
        sink.probe(site.container, probe, &field, asked.at, message)
            .label(listens, "listens here")
            .why(format!("the kubelet dials the pod's address, where nobody listens; {fate}"))
            .help("let the process listen on all addresses, or ask with `exec`, which runs inside the container");
    }
}

/// Whether the kubelet dials the pod: no `host` leads it elsewhere.
fn dials_the_pod(handler: &Handler) -> bool {
    handler.host().is_none_or(crate::model::Field::is_default)
}

/// Where the command line says that the process listens on a port, and on loopback alone. Silent when another option
/// mentions the port, which may be a second address to listen on.
fn on_loopback(settings: &[Setting<'_>], number: Number) -> Option<Span> {
    let options = || settings.iter().filter(|setting| !setting.key.is_empty());
    let found = options().find(|setting| {
        is_listen_option(setting.key)
            && setting
                .value
                .rsplit_once(':')
                .is_some_and(|(host, port)| is_loopback(host) && port.parse() == Ok(number))
    })?;
    let others = settings.iter().filter(|setting| setting.at != found.at && setting.value != found.value);
    let is_alone = others.filter(|setting| ports::mentions(setting.value, number)).count() == 0;
    is_alone.then_some(found.at)
}

/// Options that say where to listen, not whom to ask: `--listen-address`, `--health-probe-bind-address`, `--addr`.
fn is_listen_option(key: &str) -> bool {
    let key = key.to_ascii_lowercase();
    let is_whom =
        ["upstream", "advertise", "target", "remote", "backend", "proxy"].iter().any(|word| key.contains(word));
    let parts = || key.split(['-', '.', '_']);
    !is_whom && (parts().any(|part| matches!(part, "listen" | "bind")) || matches!(key.as_str(), "addr" | "address"))
}

fn is_loopback(host: &str) -> bool {
    let host = host.trim_start_matches('[').trim_end_matches(']');
    host.eq_ignore_ascii_case("localhost") || host.parse::<std::net::IpAddr>().is_ok_and(|host| host.is_loopback())
}

/// Whether another container of the pod may take the port on the pod's own address, as a proxy in front does.
fn is_forwarded(cx: &Context<'_>, own: &Container, number: Number) -> bool {
    let others = || cx.workload.containers.iter().filter(|container| container.path != own.path);
    others().any(|container| {
        container.ports.iter().any(|port| port.number.value() == Some(&number))
            || ports::settings(cx, container).iter().any(|setting| ports::mentions(setting.value, number))
    })
}

#[cfg(test)]
mod tests {
    use super::{is_listen_option, is_loopback};

    #[test]
    fn an_option_says_where_to_listen() {
        for key in ["web.listen-address", "health-probe-bind-address", "addr", "bind", "http_listen_addr"] {
            assert!(is_listen_option(key), "{key}");
        }
        for key in ["upstream", "redis-address", "proxy-bind", "server", "listener"] {
            assert!(!is_listen_option(key), "{key}");
        }
    }

    #[test]
    fn loopback_is_an_address_of_the_process_itself() {
        assert!(is_loopback("127.0.0.1") && is_loopback("[::1]") && is_loopback("localhost"));
        assert!(!is_loopback("0.0.0.0") && !is_loopback("") && !is_loopback("[::]") && !is_loopback("$(POD_IP)"));
    }
}
