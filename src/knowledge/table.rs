//! Reads the rows of a table with an error for everything that is not as the table's header says.

use crate::span::Span;
use crate::yaml::{Kind, Node, Tree};

/// A row that cannot be used, with its place in the table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RowError {
    /// The bytes at fault.
    pub span: Span,
    /// What is wrong, one sentence without a full stop.
    pub message: String,
}

/// One row, a map with text and lists of text.
pub(super) struct Row<'t> {
    node: Node<'t>,
}

impl<'t> Row<'t> {
    /// A text that must be there.
    pub(super) fn text(&self, key: &str) -> Result<&'t str, RowError> {
        self.optional(key).ok_or_else(|| self.error(format!("`{key}` is missing")))
    }

    /// A value with aliases followed.
    fn get(&self, key: &str) -> Option<Node<'t>> {
        self.node.get(key).and_then(Node::resolved)
    }

    /// A text that may be left out.
    pub(super) fn optional(&self, key: &str) -> Option<&'t str> {
        self.get(key).map(Node::text)
    }

    /// A list of text, or one text; empty when it is left out.
    pub(super) fn list(&self, key: &str) -> Vec<&'t str> {
        match self.get(key) {
            None => Vec::new(),
            Some(node) if node.kind() == Kind::Sequence => node.items().map(Node::text).collect(),
            Some(node) => vec![node.text()],
        }
    }

    /// The same as owned text.
    pub(super) fn texts(&self, key: &str) -> Vec<String> {
        self.list(key).into_iter().map(str::to_owned).collect()
    }

    /// A map inside the row; `None` when it is left out.
    pub(super) fn row(&self, key: &str, keys: &[&str]) -> Result<Option<Self>, RowError> {
        self.get(key).map(|node| Self { node }.with_only(keys)).transpose()
    }

    /// The maps of a list inside the row; none when it is left out.
    pub(super) fn rows(&self, key: &str, keys: &[&str]) -> Result<Vec<Self>, RowError> {
        self.get(key).into_iter().flat_map(Node::items).map(|node| Self { node }.with_only(keys)).collect()
    }

    /// The row itself, unless it has a key that the table does not know.
    fn with_only(self, keys: &[&str]) -> Result<Self, RowError> {
        match self.node.entries().find(|(key, _)| !keys.contains(&key.text())) {
            Some((key, _)) => Err(RowError { span: key.span(), message: format!("unknown key `{}`", key.text()) }),
            None => Ok(self),
        }
    }

    /// A number that may be left out.
    pub(super) fn number<T: std::str::FromStr>(&self, key: &str) -> Result<Option<T>, RowError> {
        let Some(node) = self.get(key) else {
            return Ok(None);
        };
        let error = || RowError { span: node.span(), message: format!("`{key}` must be a number") };
        node.text().parse().map(Some).map_err(|_| error())
    }

    /// Whether a flag is `true`.
    pub(super) fn flag(&self, key: &str) -> bool {
        self.optional(key) == Some("true")
    }

    /// One of the words of a table.
    pub(super) fn word<T: Copy>(&self, key: &str, words: &[(&str, T)]) -> Result<Option<T>, RowError> {
        let find = |text: &str| words.iter().find(|(word, _)| *word == text).map(|&(_, value)| value);
        self.named(key, find).map_err(|error| {
            let all = words.iter().map(|(word, _)| *word).collect::<Vec<_>>().join(", ");
            RowError { message: format!("{}; it must be one of {all}", error.message), ..error }
        })
    }

    /// A word that `find` knows.
    pub(super) fn named<T>(&self, key: &str, find: impl Fn(&str) -> Option<T>) -> Result<Option<T>, RowError> {
        let Some(node) = self.get(key) else {
            return Ok(None);
        };
        let error = || RowError { span: node.span(), message: format!("`{}` is no {key}", node.text()) };
        find(node.text()).map(Some).ok_or_else(error)
    }

    /// An error about the whole row.
    pub(super) fn error(&self, message: impl Into<String>) -> RowError {
        RowError { span: self.node.span(), message: message.into() }
    }
}

/// The rows of a table: a list of maps with no keys but `keys`. What is wrong comes beside the rows that are right.
pub(super) fn rows<'t, T>(
    tree: &'t Tree<'_>,
    keys: &[&str],
    read: impl Fn(&Row<'t>) -> Result<T, RowError>,
) -> (Vec<T>, Vec<RowError>) {
    let mut good = Vec::new();
    let mut bad = Vec::new();
    for document in tree.documents() {
        bad.extend(
            document.problems.iter().map(|problem| RowError { span: problem.span, message: problem.message.clone() }),
        );
        for node in tree.root(document).into_iter().flat_map(Node::items) {
            match (Row { node }).with_only(keys).and_then(|row| read(&row)) {
                Ok(row) => good.push(row),
                Err(error) => bad.push(error),
            }
        }
    }
    (good, bad)
}

/// Whether a text fits a pattern in which `*` stands for any run of characters.
pub(super) fn matches(pattern: &str, text: &str) -> bool {
    let Some((head, rest)) = pattern.split_once('*') else {
        return pattern == text;
    };
    let Some(mut text) = text.strip_prefix(head) else {
        return false;
    };
    let mut parts = rest.split('*').peekable();
    while let Some(part) = parts.next() {
        if parts.peek().is_none() {
            return text.ends_with(part);
        }
        let Some(at) = text.find(part) else {
            return false;
        };
        text = &text[at + part.len()..];
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_stands_for_any_run() {
        assert!(matches("*/actuator/health", "/app/actuator/health"));
        assert!(!matches("*/actuator/health", "/actuator/health/liveness"));
        assert!(matches("jenkins-*", "jenkins-agent") && !matches("jenkins-*", "jenkins"));
        assert!(matches("*a*b*", "xaxbx") && !matches("*a*b*", "xbxax"));
        assert!(matches("abc", "abc") && !matches("abc", "abcd"));
    }
}
