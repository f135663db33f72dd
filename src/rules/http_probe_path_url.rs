use super::{Context, Sink, words};
use crate::fix::{Fix, edit};
use crate::model::{Action, Orchestrator};

pub(super) fn check(cx: &Context<'_>, sink: &mut Sink<'_>) {
    for (container, probe) in cx.workload.probes() {
        let Some(handler) = probe.handler().filter(|_| container.may_have_probes()) else { continue };
        let Action::HttpGet(http) = &handler.action else { continue };
        let Some((path, at)) = http.path.spanned() else { continue };
        let Some(rest) = path_of(path).filter(|_| probe.orchestrator != Orchestrator::Tye) else { continue };
        let who = words::probe(cx.workload, container, probe);
        let port = http.port.at().map_or("", |at| at.text(cx.text));
        let report = sink
            .probe(container, probe, "httpGet.path", at, format!("the path of {who} is a whole URL, `{path}`"))
            .why(format!(
                "the kubelet keeps `{}` of it and asks the pod itself for that, at port {port}; scheme and host are dropped",
                rest
            ))
            .help(format!("write `path: {}`; `port` and `scheme` are fields of their own", rest));
        let text = edit::quoted_like(cx.text, at, rest);
        let _ = report.fix(Some(Fix::risky(format!("write `{}`", rest), vec![edit::replace(at, text)])));
    }
}

/// Path and query of a whole URL, one with a scheme and a host.
fn path_of(path: &str) -> Option<&str> {
    let (scheme, rest) = path.split_once("://")?;
    let is_scheme = !scheme.is_empty() && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric());
    // A placeholder in the host may bring a path along.
    if !is_scheme || path.contains("{{") || path.contains('$') || path.contains('#') {
        return None;
    }
    let start = rest.find(['/', '?']).unwrap_or(rest.len());
    let rest = &rest[start..];
    Some(if rest.is_empty() { "/" } else { rest })
}

#[cfg(test)]
mod tests {
    use super::path_of;

    #[test]
    fn only_whole_urls_are_taken_apart() {
        assert_eq!(path_of("http://localhost:8080/health?deep=1"), Some("/health?deep=1"));
        assert_eq!(path_of("https://shop.example.org"), Some("/"));
        assert_eq!(path_of("/health?next=http://a/b"), None);
        assert_eq!(path_of("health"), None);
    }
}
