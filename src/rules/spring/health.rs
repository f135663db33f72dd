//! The health endpoint of a Spring Boot application: where it is, and what a group of it asks.
//!
//! Source: Spring Boot reference documentation, "Endpoints", sections "Health Information", "Health Groups" and
//! "Kubernetes Probes".

use super::{Setting, Settings, squash};
use crate::model::{Action, Handler};

/// What an indicator asks besides the process, by its name in a group.
///
/// Sources: Spring Boot reference documentation, "Auto-configured HealthIndicators"; Spring Cloud reference documentation
/// of Consul, Config, Netflix, Stream, Vault and Zookeeper.
const INDICATORS: &[(&str, &str)] = &[
    ("cassandra", "Cassandra"),
    ("clientConfigServer", "the config server"),
    ("configServer", "the config server"),
    ("consul", "Consul"),
    ("couchbase", "Couchbase"),
    ("db", "the database"),
    ("discoveryComposite", "the discovery service"),
    ("elasticsearch", "Elasticsearch"),
    ("eureka", "Eureka"),
    ("hazelcast", "Hazelcast"),
    ("influxDb", "InfluxDB"),
    ("jms", "the message broker"),
    ("kafka", "Kafka"),
    ("ldap", "the LDAP server"),
    ("mail", "the mail server"),
    ("mongo", "MongoDB"),
    ("mongodb", "MongoDB"),
    ("neo4j", "Neo4j"),
    ("r2dbc", "the database"),
    ("rabbit", "RabbitMQ"),
    ("redis", "Redis"),
    ("solr", "Solr"),
    ("vault", "Vault"),
    ("zookeeper", "ZooKeeper"),
];

/// A group of health indicators that a probe asks.
#[derive(Debug)]
pub(in crate::rules) struct Group<'s> {
    /// Its name.
    pub(in crate::rules) name: String,
    /// Indicators that ask somebody else: name, whom it asks, and the setting that puts it into the group.
    pub(in crate::rules) indicators: Vec<(&'s str, &'static str, &'s Setting)>,
    /// The setting that puts every indicator into the group.
    pub(in crate::rules) every: Option<&'s Setting>,
}

/// The path of an HTTP probe without query, if it may ask for health by its name.
pub(in crate::rules) fn path(handler: &Handler) -> Option<&str> {
    let Action::HttpGet(http) = &handler.action else { return None };
    let path = http.path.value()?.split(['?', '#']).next()?.trim_end_matches('/');
    ["health", "live", "ready"].iter().any(|word| path.contains(word)).then_some(path)
}

/// Where the settings put the endpoint, below the context path; `None` when that cannot be known.
pub(in crate::rules) fn endpoint(settings: &Settings) -> Option<String> {
    let base = settings.get("management.endpoints.web.base-path");
    let mapping = settings.get("management.endpoints.web.path-mapping.health");
    if base.is_hidden() || mapping.is_hidden() {
        return None;
    }
    let clean = |path: &str| match path.trim_matches('/') {
        "" => String::new(),
        path => format!("/{path}"),
    };
    Some(format!("{}{}", clean(base.value().unwrap_or("/actuator")), clean(mapping.value().unwrap_or("health"))))
}

/// Cuts a path into what stands before the endpoint and what stands behind.
pub(in crate::rules) fn split<'p>(path: &'p str, endpoint: &str) -> Option<(&'p str, &'p str)> {
    let at = path.find(endpoint)?;
    let (head, rest) = (&path[..at], &path[at + endpoint.len()..]);
    (rest.is_empty() || rest.starts_with('/')).then_some((head, rest))
}

/// Whether a path is one that the settings give a group besides its own.
pub(in crate::rules) fn additional_group(settings: &Settings, path: &str) -> Option<String> {
    let of_its_own =
        settings.named("management.endpoint.health.group", "additional-path").find_map(|(group, setting)| {
            let (_, additional) = setting.value.as_deref()?.split_once(':')?;
            (additional.trim_end_matches('/') == path).then(|| group.to_owned())
        });
    let by_probes = || {
        let (value, _) = settings.get("management.endpoint.health.probes.add-additional-paths").set()?;
        let names = [("/livez", "liveness"), ("/readyz", "readiness")];
        let (_, group) = names.iter().find(|(name, _)| path.ends_with(name))?;
        value.eq_ignore_ascii_case("true").then(|| (*group).to_owned())
    };
    of_its_own.or_else(by_probes)
}

/// The group that a path asks, with what the settings put into it; `None` when it asks none, or one of which the
/// settings say nothing.
pub(in crate::rules) fn group<'s>(settings: &'s Settings, path: &str) -> Option<Group<'s>> {
    let name = additional_group(settings, path).or_else(|| {
        let endpoint = endpoint(settings)?;
        let (_, rest) = split(path, &endpoint)?;
        rest.strip_prefix('/').filter(|name| !name.is_empty() && !name.contains('/')).map(str::to_owned)
    })?;
    let of_group = |list: &str| settings.list(&format!("management.endpoint.health.group.{name}.{list}"));
    let include = of_group("include")?;
    let exclude = of_group("exclude").unwrap_or_default();
    let is_out = |item: &str| exclude.iter().any(|(other, _)| *other == "*" || squash(other) == squash(item));
    let every = include.iter().find(|(item, _)| *item == "*" && !is_out(item)).map(|(_, setting)| *setting);
    let indicators = include
        .iter()
        .filter(|(item, _)| !is_out(item))
        .filter_map(|(item, setting)| {
            let (_, asked) = INDICATORS.iter().find(|(name, _)| squash(name) == squash(item))?;
            let enabled = settings.get(&format!("management.health.{item}.enabled"));
            (enabled.value() != Some("false") && !enabled.is_hidden()).then_some((*item, *asked, *setting))
        })
        .collect();
    Some(Group { name, indicators, every })
}

/// Whether the indicators of the libraries are switched off as a whole.
pub(in crate::rules) fn is_bare(settings: &Settings) -> bool {
    settings.get("management.health.defaults.enabled").value() == Some("false")
}
