//! HTTP paths that make poor probes: guarded ones and dear ones.

use std::sync::LazyLock;

use super::images::name;
use super::table::{RowError, matches, rows};
use crate::yaml;

/// What a request to a path gets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// A login page, or a way to one.
    Login,
    /// 401 or 403 without credentials.
    Refused,
    /// Everything that is measured.
    Metrics,
    /// Profiles and dumps.
    Profile,
    /// A whole page, made anew each time.
    WholePage,
}

/// A row of the table.
#[derive(Debug)]
pub struct WebPage {
    paths: Vec<String>,
    images: Vec<String>,
    unless: Vec<String>,
    /// Variables or options, one of which must be set; `name=value` when only that value counts.
    pub with: Vec<String>,
    /// What is there.
    pub answer: Answer,
    /// A path that answers the question of a probe.
    pub instead: Option<String>,
    /// Whether the image says so, and not the path alone.
    pub of_image: bool,
    /// Where that is documented.
    pub source: String,
}

static PAGES: LazyLock<Vec<WebPage>> = LazyLock::new(|| read(include_str!("../../rules/knowledge/pages.yaml")).0);

/// The rows about a path, query included, asked of a container with this name and image. What a row is not for is told
/// from the container's name too: images are often filled in by somebody else. `with` is for the caller to ask.
pub fn web_pages<'a>(
    path: &'a str,
    container: &'a str,
    image: Option<&'a str>,
) -> impl Iterator<Item = &'static WebPage> + 'a {
    let path = path.split(['?', '#']).next().unwrap_or(path);
    let path = if path.len() > 1 { path.trim_end_matches('/') } else { path };
    let path = if path.is_empty() { "/" } else { path };
    let image = image.map(name);
    let fits = |patterns: &[String], name: &str| patterns.iter().any(|pattern| matches(pattern, name));
    PAGES.iter().filter(move |row| {
        row.paths.iter().any(|pattern| matches(pattern, path))
            && (row.images.is_empty() || image.is_some_and(|image| fits(&row.images, image)))
            && !image.into_iter().chain([container]).any(|name| fits(&row.unless, name))
    })
}

fn read(text: &str) -> (Vec<WebPage>, Vec<RowError>) {
    const ANSWERS: [(&str, Answer); 5] = [
        ("login", Answer::Login),
        ("refused", Answer::Refused),
        ("metrics", Answer::Metrics),
        ("profile", Answer::Profile),
        ("page", Answer::WholePage),
    ];
    let tree = yaml::parse(text);
    rows(&tree, &["path", "image", "unless", "with", "answer", "instead", "source"], |row| {
        let missing = |key: &str| row.error(format!("`{key}` is missing"));
        let paths = row.texts("path");
        if paths.is_empty() {
            return Err(missing("path"));
        }
        let images = row.texts("image");
        Ok(WebPage {
            paths,
            of_image: !images.is_empty(),
            images,
            unless: row.texts("unless"),
            with: row.texts("with"),
            answer: row.word("answer", &ANSWERS)?.ok_or_else(|| missing("answer"))?,
            instead: row.optional("instead").map(str::to_owned),
            source: row.text("source")?.to_owned(),
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answers(path: &str, image: Option<&str>) -> Vec<Answer> {
        web_pages(path, "app", image).map(|row| row.answer).collect()
    }

    #[test]
    fn every_row_of_the_table_can_be_read() {
        let (rows, errors) = read(include_str!("../../rules/knowledge/pages.yaml"));
        assert_eq!(errors, []);
        assert!(rows.len() > 10);
    }

    #[test]
    fn the_image_decides_what_the_front_page_is() {
        assert_eq!(answers("/", Some("docker.io/grafana/grafana:11.0")), [Answer::Login]);
        assert_eq!(answers("", Some("wordpress:6")), [Answer::WholePage]);
        assert_eq!(answers("/", Some("nginx:1.27")), []);
        assert_eq!(answers("/", None), []);
    }

    #[test]
    fn paths_are_compared_without_query_and_slash() {
        assert_eq!(answers("/debug/pprof/", None), [Answer::Profile]);
        assert_eq!(answers("/user/login?next=/", None), [Answer::Login]);
        assert_eq!(answers("/login", Some("jenkins/jenkins:lts")), []);
        assert_eq!(answers("/artifactory/webapp/#/login", None), []);
        assert_eq!(answers("/healthz", None), []);
    }
}
