//! Images that lack the programs that probes like to run.

use std::sync::LazyLock;

use super::table::{RowError, matches, rows};
use crate::yaml;

/// Programs of which an image without a shell has none.
const TOOLS: [&str; 45] = [
    "sh", "bash", "ash", "dash", "ksh", "zsh", "busybox", "cat", "ls", "test", "[", "echo", "true", "false", "stat",
    "find", "grep", "egrep", "awk", "sed", "head", "tail", "wc", "ps", "pgrep", "pidof", "kill", "killall", "curl",
    "wget", "nc", "ncat", "netcat", "telnet", "timeout", "sleep", "env", "date", "touch", "hostname", "nslookup",
    "dig", "ping", "openssl", "socat",
];

/// A row of the table.
#[derive(Debug)]
pub struct MinimalImage {
    images: Vec<String>,
    tags: Vec<String>,
    unless: Vec<String>,
    /// Names of programs; none for all that are no part of the application.
    lacks: Vec<String>,
    /// Where that is documented.
    pub source: String,
}

impl MinimalImage {
    /// Whether it has neither a shell nor other tools.
    pub fn has_no_shell(&self) -> bool {
        self.lacks.is_empty()
    }

    /// Whether a program is not there. The name has no directory.
    pub fn lacks(&self, program: &str) -> bool {
        if self.lacks.is_empty() { TOOLS.contains(&program) } else { self.lacks.iter().any(|name| name == program) }
    }
}

static IMAGES: LazyLock<Vec<MinimalImage>> =
    LazyLock::new(|| read(include_str!("../../rules/knowledge/minimal.yaml")).0);

/// The row of an image reference, if the image is known to be that small.
pub fn minimal_image(reference: &str) -> Option<&'static MinimalImage> {
    let without_digest = reference.split('@').next().unwrap_or_default();
    // A colon before the last slash belongs to the port of a registry.
    let (image, tag) = match without_digest.rsplit_once(':') {
        Some((image, tag)) if !tag.contains('/') => (image, tag),
        _ => (without_digest, ""),
    };
    let fits = |patterns: &[String], text: &str| patterns.iter().any(|pattern| matches(pattern, text));
    IMAGES.iter().find(|row| {
        fits(&row.images, image)
            && (row.tags.is_empty() || fits(&row.tags, tag))
            && !fits(&row.unless, tag)
            && !fits(&row.unless, image)
    })
}

fn read(text: &str) -> (Vec<MinimalImage>, Vec<RowError>) {
    let tree = yaml::parse(text);
    rows(&tree, &["image", "tag", "unless", "lacks", "source"], |row| {
        let images = row.texts("image");
        let lacks = row.texts("lacks");
        if images.is_empty() {
            return Err(row.error("`image` is missing"));
        }
        if lacks.is_empty() {
            return Err(row.error("`lacks` is missing"));
        }
        let lacks = if lacks == ["everything"] { Vec::new() } else { lacks };
        let source = row.text("source")?.to_owned();
        Ok(MinimalImage { images, tags: row.texts("tag"), unless: row.texts("unless"), lacks, source })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_of_the_table_can_be_read() {
        let (rows, errors) = read(include_str!("../../rules/knowledge/minimal.yaml"));
        assert_eq!(errors, []);
        assert!(rows.len() > 8);
    }

    #[test]
    fn an_image_is_told_by_its_name_and_its_tag() {
        let lacks = |reference, program| minimal_image(reference).is_some_and(|image| image.lacks(program));
        assert!(lacks("gcr.io/distroless/java17-debian12:nonroot", "sh"));
        assert!(lacks("envoyproxy/envoy:distroless-v1.29.0", "curl"));
        assert!(lacks("registry.example:5000/team/shop-distroless@sha256:00", "bash"));
        assert!(lacks("quay.io/keycloak/keycloak:26.0", "curl"));
        assert!(!lacks("quay.io/keycloak/keycloak:26.0", "bash"));
        assert!(!lacks("quay.io/keycloak/keycloak:19.0.3", "curl"));
        assert!(!lacks("gcr.io/distroless/base-debian12:debug", "sh"));
        assert!(!lacks("gcr.io/distroless/static:debug-nonroot", "sh"));
        assert!(!lacks("cgr.dev/chainguard/nginx:latest-dev", "sh"));
        assert!(!lacks("nginx:1.27", "sh"));
        assert!(!lacks("gcr.io/distroless/static", "shop"));
    }

    #[test]
    fn a_wrong_row_is_reported_with_its_place() {
        let (rows, errors) = read("- image: x\n  source: s\n- lacks: everything\n  source: s\n");
        assert_eq!(rows.len(), 0);
        assert_eq!(errors[0].message, "`lacks` is missing");
        assert_eq!(errors[1].message, "`image` is missing");
    }
}
