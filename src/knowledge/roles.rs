//! Paths that tell whether a process is ready, and what only the leader passes.

use std::sync::LazyLock;

use super::images::name;
use super::table::{RowError, matches, rows};
use crate::yaml;

/// What a row is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum RoleKind {
    /// Whether the process is ready for traffic.
    Readiness,
    /// Whether it is the leader.
    Leader,
}

/// A row of the table.
#[derive(Debug)]
pub struct Role {
    kind: RoleKind,
    paths: Vec<String>,
    query: Option<String>,
    word: Option<String>,
    images: Vec<String>,
    /// The end of the path that stands for readiness; empty when the query does.
    pub ready: Option<String>,
    /// What stands there for the process alone.
    pub live: Option<String>,
    /// What such an endpoint is called where nobody documents it.
    pub such_as: Option<String>,
    /// Whether the vendor itself uses the path for liveness.
    pub is_tolerated: bool,
    /// Who answers there.
    pub framework: String,
    /// Where that is documented.
    pub source: String,
}

static ROLES: LazyLock<Vec<Role>> = LazyLock::new(|| read(include_str!("../../rules/knowledge/roles.yaml")).0);

/// What is known of a path, query included, as an endpoint for readiness.
pub fn readiness(path: &str, image: Option<&str>) -> Option<&'static Role> {
    by_path(RoleKind::Readiness, path, image)
}

/// What is known of a path that only the leader answers with success.
pub fn leader_path(path: &str) -> Option<&'static Role> {
    by_path(RoleKind::Leader, path, None)
}

/// What is known of a text in a command that only succeeds for the leader.
pub fn leader_word(text: &str) -> Option<&'static Role> {
    ROLES.iter().find(|row| row.word.as_deref().is_some_and(|word| text.contains(word)))
}

fn by_path(kind: RoleKind, path: &str, image: Option<&str>) -> Option<&'static Role> {
    let (path, query) = path.split_once('?').unwrap_or((path, ""));
    let path = path.trim_end_matches('/').to_ascii_lowercase();
    ROLES.iter().filter(|row| row.kind == kind).find(|row| {
        let fits = row.paths.iter().any(|pattern| matches(pattern, &path));
        let query_fits = row.query.as_deref().is_none_or(|wanted| query.split('&').any(|pair| pair == wanted));
        let image_fits = row.images.is_empty()
            || image.map(name).is_some_and(|image| row.images.iter().any(|pattern| matches(pattern, image)));
        fits && query_fits && image_fits
    })
}

fn read(text: &str) -> (Vec<Role>, Vec<RowError>) {
    const KINDS: [(&str, RoleKind); 2] = [("readiness", RoleKind::Readiness), ("leader", RoleKind::Leader)];
    const KEYS: [&str; 11] =
        ["kind", "path", "query", "word", "image", "ready", "live", "such-as", "tolerated", "framework", "source"];
    let tree = yaml::parse(text);
    rows(&tree, &KEYS, |row| {
        let owned = |key: &str| row.optional(key).map(str::to_owned);
        let (paths, word) = (row.texts("path"), owned("word"));
        if paths.is_empty() && word.is_none() {
            return Err(row.error("neither `path` nor `word` is there"));
        }
        Ok(Role {
            kind: row.word("kind", &KINDS)?.ok_or_else(|| row.error("`kind` is missing"))?,
            paths,
            query: owned("query"),
            word,
            images: row.texts("image"),
            ready: owned("ready"),
            live: owned("live"),
            such_as: owned("such-as"),
            is_tolerated: row.flag("tolerated"),
            framework: row.text("framework")?.to_owned(),
            source: row.text("source")?.to_owned(),
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn live(path: &str, image: &str) -> Option<&'static str> {
        readiness(path, Some(image)).and_then(|role| role.live.as_deref())
    }

    #[test]
    fn every_row_of_the_table_can_be_read() {
        let (rows, errors) = read(include_str!("../../rules/knowledge/roles.yaml"));
        assert_eq!(errors, []);
        assert!(rows.len() > 15);
    }

    #[test]
    fn the_framework_decides_what_the_other_path_is_called() {
        assert_eq!(live("/shop/actuator/health/readiness/", "example.org/shop:1"), Some("/liveness"));
        assert_eq!(live("/health/ready", "quay.io/keycloak/keycloak:26"), Some("/live"));
        assert_eq!(live("/health/ready", "oryd/hydra:v2"), Some("/alive"));
        assert_eq!(live("/health/ready", "example.org/shop:1"), None);
        assert!(readiness("/health/ready", None).is_some());
    }

    #[test]
    fn only_the_last_part_of_a_path_tells() {
        for path in ["/ready", "/readyz", "/api/Ready", "/healthz/ready", "/-/ready", "/isReady"] {
            assert!(readiness(path, None).is_some(), "{path}");
        }
        for path in ["/already", "/readyz/ping", "/healthz", "/ready-to-go", "/"] {
            assert!(readiness(path, None).is_none(), "{path}");
        }
        assert!(readiness("/health?ready=1", Some("cockroachdb/cockroach:v24")).is_some());
        assert!(readiness("/health", Some("cockroachdb/cockroach:v24")).is_none());
    }

    #[test]
    fn leaders_are_known_by_path_and_by_file() {
        assert!(leader_path("/healthz/leader").is_some() && leader_path("/leaderboard").is_none());
        assert!(leader_word("/tmp/operator-sdk-ready").is_some() && leader_word("/tmp/ready").is_none());
    }
}
