//! Variables of a container, and the hosts in their values.

use super::Context;
use crate::model::{Container, EnvSource};
use crate::span::Span;

/// Where the value of a variable of the container comes from.
pub(super) enum Lookup {
    /// Known, and where it is set.
    Value(String, Span),
    /// The pod's own name or address.
    Own,
    /// A Secret or a ConfigMap that is not at hand; where it is named.
    Elsewhere(Span),
    /// Not in `env`.
    NotDeclared,
}

/// Looks a variable of the container up.
pub(super) fn lookup(cx: &Context<'_>, container: &Container, name: &str) -> Lookup {
    let Some(variable) = container.env.iter().rev().find(|variable| variable.name == name) else {
        return Lookup::NotDeclared;
    };
    match &variable.source {
        EnvSource::Literal(value) if value.contains("$(") => Lookup::Own,
        EnvSource::Literal(value) => Lookup::Value(value.clone(), variable.at),
        EnvSource::Pod(_) => Lookup::Own,
        EnvSource::ConfigMap(map, key) => {
            let map = cx.project.config_map(&cx.workload.namespace, map);
            match map.and_then(|map| map.entry(key)) {
                Some(entry) => Lookup::Value(entry.text.trim().to_owned(), variable.at),
                None => Lookup::Elsewhere(variable.at),
            }
        }
        EnvSource::Unknown => Lookup::Elsewhere(variable.at),
    }
}

/// The host in a value: of a URL, of `host:port`, or the value itself.
pub(super) fn host_of(value: &str) -> &str {
    let rest = value.split_once("://").map_or(value, |(_, rest)| rest);
    let authority = rest.split(['/', ',', '?']).next().unwrap_or_default();
    let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
    match host.strip_prefix('[') {
        Some(rest) => rest.split(']').next().unwrap_or_default(),
        None => host.split(':').next().unwrap_or_default(),
    }
}

/// The host in a connection string, `scheme://...` or `host=... port=...`; `None` when it names none.
pub(super) fn host_of_connection(value: &str) -> Option<&str> {
    if value.contains("://") {
        return Some(host_of(value));
    }
    value.split([' ', ';']).find_map(|pair| pair.strip_prefix("host="))
}

/// Whether a variable is called after a URL.
pub(super) fn names_a_url(name: &str) -> bool {
    ["URL", "URI", "DSN"].iter().any(|word| name.ends_with(word))
}

#[cfg(test)]
mod tests {
    use super::{host_of, host_of_connection};

    #[test]
    fn the_host_of_a_value_is_found_in_urls_and_addresses() {
        assert_eq!(host_of("postgres://u:p@db.shop:5432/x?y"), "db.shop");
        assert_eq!(host_of("cache:6379"), "cache");
        assert_eq!(host_of("[::1]:80"), "::1");
        assert_eq!(host_of("db"), "db");
        assert_eq!(host_of_connection("dbname=x host=db.shop port=5432"), Some("db.shop"));
        assert_eq!(host_of_connection("orders"), None);
    }
}
