//! HTTP endpoints whose answer depends on more than the process that is asked.

use std::sync::LazyLock;

use super::images::{FAMILIES, Family, name};
use super::table::{RowError, matches, rows};
use crate::yaml;

/// What an endpoint asks besides the process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EndpointKind {
    /// Checks that applications register, joined.
    Aggregate,
    /// A dependency that the path names.
    Dependency,
    /// The state of a whole cluster.
    Cluster,
    /// Whether most members of a cluster agree, without which none serves.
    Quorum,
    /// Modes of the process that a restart does not mend.
    State,
}

/// A row of the table.
#[derive(Debug)]
pub struct Endpoint {
    paths: Vec<String>,
    images: Vec<String>,
    query: Vec<String>,
    only_with: bool,
    unless_with: bool,
    /// What the answer depends on: "the state of the whole cluster".
    pub asks: String,
    /// What kind of question that is.
    pub kind: EndpointKind,
    /// Who answers there.
    pub framework: String,
    /// What runs there, if that is certain.
    pub family: Option<Family>,
    /// What to ask instead: a path to append (`/liveness`), a query (`?...`), or `/`.
    pub instead: Option<String>,
    /// The path to append for readiness, where that leaves dependencies out.
    pub ready: Option<String>,
    /// Whether the row is a mere naming convention.
    pub is_convention: bool,
    /// Where that is documented.
    pub source: String,
}

static ENDPOINTS: LazyLock<Vec<Endpoint>> =
    LazyLock::new(|| read(include_str!("../../rules/knowledge/endpoints.yaml")).0);

/// What is known of a path, query included, asked of a container with this image.
pub fn endpoint(path: &str, image: Option<&str>) -> Option<&'static Endpoint> {
    let (path, query) = path.split_once('?').unwrap_or((path, ""));
    let path = if path.len() > 1 { path.trim_end_matches('/') } else { path };
    let has = |parameter: &String| query.split('&').any(|pair| pair.split('=').next() == Some(parameter));
    ENDPOINTS.iter().find(|row| {
        let fits = row.paths.iter().any(|pattern| matches(pattern, path));
        let image_fits = row.images.is_empty()
            || image.map(name).is_some_and(|image| row.images.iter().any(|pattern| matches(pattern, image)));
        let query_fits = if row.only_with {
            row.query.iter().any(has)
        } else if row.unless_with {
            !row.query.iter().all(has)
        } else {
            true
        };
        fits && image_fits && query_fits
    })
}

fn read(text: &str) -> (Vec<Endpoint>, Vec<RowError>) {
    const KINDS: [(&str, EndpointKind); 5] = [
        ("aggregate", EndpointKind::Aggregate),
        ("dependency", EndpointKind::Dependency),
        ("cluster", EndpointKind::Cluster),
        ("quorum", EndpointKind::Quorum),
        ("state", EndpointKind::State),
    ];
    const CONFIDENCES: [(&str, bool); 2] = [("medium", false), ("low", true)];
    const KEYS: [&str; 13] = [
        "path",
        "asks",
        "kind",
        "framework",
        "family",
        "image",
        "query",
        "only-with",
        "unless-with",
        "instead",
        "ready",
        "confidence",
        "source",
    ];
    let tree = yaml::parse(text);
    rows(&tree, &KEYS, |row| {
        let missing = |key: &str| row.error(format!("`{key}` is missing"));
        let paths = row.texts("path");
        if paths.is_empty() {
            return Err(missing("path"));
        }
        Ok(Endpoint {
            paths,
            images: row.texts("image"),
            query: row.texts("query"),
            only_with: row.flag("only-with"),
            unless_with: row.flag("unless-with"),
            asks: row.text("asks")?.to_owned(),
            kind: row.word("kind", &KINDS)?.ok_or_else(|| missing("kind"))?,
            framework: row.text("framework")?.to_owned(),
            family: row.word("family", &FAMILIES)?,
            instead: row.optional("instead").map(str::to_owned),
            ready: row.optional("ready").map(str::to_owned),
            is_convention: row.word("confidence", &CONFIDENCES)?.ok_or_else(|| missing("confidence"))?,
            source: row.text("source")?.to_owned(),
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn framework(path: &str) -> Option<&'static str> {
        endpoint(path, None).map(|endpoint| endpoint.framework.as_str())
    }

    #[test]
    fn every_row_of_the_table_can_be_read() {
        let (rows, errors) = read(include_str!("../../rules/knowledge/endpoints.yaml"));
        assert_eq!(errors, []);
        assert!(rows.len() > 10);
    }

    #[test]
    fn aggregates_are_known_and_their_groups_are_not() {
        assert_eq!(framework("/actuator/health"), Some("Spring Boot"));
        assert_eq!(framework("/shop/actuator/health/"), Some("Spring Boot"));
        assert_eq!(framework("/actuator/health/liveness"), None);
        assert_eq!(framework("/healthz"), None);
        assert_eq!(framework("/health"), None);
    }

    #[test]
    fn the_image_decides_where_the_path_alone_does_not_tell() {
        let framework = |path, image| endpoint(path, Some(image)).map(|endpoint| endpoint.framework.as_str());
        assert_eq!(framework("/health", "quay.io/keycloak/keycloak:26.0"), Some("Keycloak"));
        assert_eq!(framework("/auth/health", "quay.io/keycloak/keycloak:26.0"), Some("Keycloak"));
        assert_eq!(framework("/health/live", "quay.io/keycloak/keycloak:26.0"), None);
        assert_eq!(framework("/health", "icr.io/appcafe/open-liberty:full"), Some("MicroProfile Health"));
        assert_eq!(framework("/health", "example.org/shop:1"), None);
        assert_eq!(framework("/api/v2.0/health", "goharbor/harbor-core:v2.12.0"), Some("Harbor"));
        assert_eq!(framework("/api/v2.0/ping", "goharbor/harbor-core:v2.12.0"), None);
        assert_eq!(framework("/_health/?full", "getsentry/sentry:24.8.0"), Some("Sentry"));
        assert_eq!(framework("/_health/", "getsentry/sentry:24.8.0"), None);
    }

    #[test]
    fn frameworks_are_known_by_paths_of_their_own() {
        assert_eq!(framework("/observe/health"), Some("Helidon"));
        assert_eq!(framework("/observe/health/live"), None);
        assert_eq!(framework("/-/readiness?all=1"), Some("GitLab"));
        assert_eq!(framework("/-/readiness"), None);
        assert_eq!(framework("/watchman/"), Some("django-watchman"));
        assert_eq!(framework("/watchman/ping/"), None);
        assert_eq!(framework("/okcomputer/all"), Some("OkComputer (Rails)"));
        assert_eq!(framework("/okcomputer"), None);
        assert_eq!(framework("/minio/health/cluster"), Some("MinIO"));
        assert_eq!(framework("/minio/health/live"), None);
        assert_eq!(framework("/actuator/health/rabbit"), Some("by its name"));
        assert_eq!(framework("/actuator/health/diskSpace"), None);
        assert_eq!(framework("/up"), None);
    }

    #[test]
    fn the_query_decides_where_the_row_says_so() {
        assert_eq!(framework("/v1/sys/health"), Some("Vault"));
        assert_eq!(framework("/v1/sys/health?standbyok=true&sealedcode=204&uninitcode=204"), None);
        assert_eq!(framework("/_cluster/health?local=true"), None);
        assert!(framework("/_cluster/health?wait_for_status=green&timeout=1s").is_some());
    }

    #[test]
    fn the_image_decides_where_the_path_alone_would_not() {
        assert_eq!(endpoint("/health", Some("registry.k8s.io/etcd:3.5.9")).map(|e| e.kind), Some(EndpointKind::Quorum));
        assert!(endpoint("/health?serializable=true", Some("registry.k8s.io/etcd:3.5.9")).is_none());
        assert!(endpoint("/health", Some("example.org/etcd-operator:1")).is_none());
    }
}
