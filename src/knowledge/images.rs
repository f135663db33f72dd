//! Published images by name.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::table::{RowError, matches, rows};
use crate::yaml;

/// What runs inside an image or behind an endpoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    /// A Java virtual machine.
    Jvm,
    /// .NET.
    Dotnet,
    /// Node.js.
    Node,
    /// Python.
    Python,
    /// Ruby.
    Ruby,
    /// PHP.
    Php,
    /// Erlang or Elixir.
    Erlang,
    /// Compiled code.
    Native,
}

/// The words of the tables.
pub(super) const FAMILIES: [(&str, Family); 8] = [
    ("jvm", Family::Jvm),
    ("dotnet", Family::Dotnet),
    ("node", Family::Node),
    ("python", Family::Python),
    ("ruby", Family::Ruby),
    ("php", Family::Php),
    ("erlang", Family::Erlang),
    ("native", Family::Native),
];

/// A row of the table.
#[derive(Debug)]
pub struct Image {
    names: Vec<String>,
    /// What runs inside.
    pub family: Family,
    /// Seconds that a start may take, when it is slow.
    pub start: Option<u64>,
    /// Where that comes from.
    pub source: String,
}

/// The rows, by name where there is no `*` in it: images are looked up far more often than anything else.
struct Table {
    rows: Vec<Image>,
    by_name: HashMap<String, usize>,
    patterns: Vec<(String, usize)>,
}

static IMAGES: LazyLock<Table> = LazyLock::new(|| {
    let (rows, _) = read(include_str!("../../rules/knowledge/images.yaml"));
    let mut table = Table { rows: Vec::new(), by_name: HashMap::new(), patterns: Vec::new() };
    for (index, row) in rows.iter().enumerate() {
        for name in &row.names {
            if name.contains('*') {
                table.patterns.push((name.clone(), index));
            } else {
                table.by_name.entry(name.clone()).or_insert(index);
            }
        }
    }
    table.rows = rows;
    table
});

/// What is known of an image reference such as `registry.example:5000/library/postgres:16@sha256:...`. A whole name goes
/// before a pattern.
pub fn image(reference: &str) -> Option<&'static Image> {
    let name = name(reference);
    let by_pattern = || IMAGES.patterns.iter().find(|(pattern, _)| matches(pattern, name)).map(|(_, index)| index);
    IMAGES.by_name.get(name).or_else(by_pattern).map(|&index| &IMAGES.rows[index])
}

/// The last part of an image's name, without tag and digest.
pub fn name(reference: &str) -> &str {
    let without_digest = reference.split('@').next().unwrap_or_default();
    let last = without_digest.rsplit('/').next().unwrap_or_default();
    last.split(':').next().unwrap_or_default()
}

fn read(text: &str) -> (Vec<Image>, Vec<RowError>) {
    let tree = yaml::parse(text);
    rows(&tree, &["image", "family", "start", "source"], |row| {
        let names = row.texts("image");
        if names.is_empty() {
            return Err(row.error("`image` is missing"));
        }
        let family = row.word("family", &FAMILIES)?.ok_or_else(|| row.error("`family` is missing"))?;
        Ok(Image { names, family, start: row.number("start")?, source: row.text("source")?.to_owned() })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_of_the_table_can_be_read() {
        let (rows, errors) = read(include_str!("../../rules/knowledge/images.yaml"));
        assert_eq!(errors, []);
        assert!(rows.len() > 20);
    }

    #[test]
    fn an_image_is_known_by_its_last_name_alone() {
        let start = |reference| image(reference).and_then(|image| image.start);
        assert_eq!(start("postgres"), Some(60));
        assert_eq!(start("docker.io/bitnami/postgresql:16.1@sha256:0123"), Some(60));
        assert_eq!(start("registry.example:5000/cassandra:5"), Some(120));
        assert_eq!(start("quay.io/prometheuscommunity/postgres-exporter:v0.15"), None);
        assert_eq!(start("example.org/postgres-backup"), None);
    }

    #[test]
    fn a_wrong_row_is_reported_with_its_place() {
        let (rows, errors) = read("- image: x\n  family: cobol\n  source: s\n- image: y\n  famly: jvm\n");
        assert_eq!(rows.len(), 0);
        assert!(errors[0].message.starts_with("`cobol` is no family"));
        assert_eq!(errors[1].message, "unknown key `famly`");
    }
}
