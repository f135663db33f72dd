//! Reads maps as kubectl's YAML-to-JSON step leaves them: aliases followed, merge keys applied, the last of two equal
//! keys in force.
//!
//! Source: gopkg.in/yaml.v2 `decode.go`, `mapping` and `merge`: a merge is applied where it stands, so one that is
//! written behind a key overrides it, against the YAML merge specification.

use std::cell::Cell;

use crate::model::probe::{Arg, Key, Number, Port};
use crate::model::{Field, Found};
use crate::span::Span;
use crate::yaml::scalar::{self, Value};
use crate::yaml::{Kind, Node, Style};

/// Limits what merge keys may cost in one document, since a merge of merges multiplies.
const MERGE_STEPS: u32 = 100_000;

thread_local! {
    static MERGE_BUDGET: Cell<u32> = const { Cell::new(MERGE_STEPS) };
}

/// Gives the next document a fresh allowance of merge steps.
pub(super) fn start_document() {
    MERGE_BUDGET.set(MERGE_STEPS);
}

/// An entry in force.
#[derive(Clone, Debug)]
pub(super) struct Entry<'t> {
    /// The key as JSON has it.
    pub(super) name: std::borrow::Cow<'t, str>,
    /// The key as written.
    pub(super) key: Node<'t>,
    /// The value, aliases followed.
    pub(super) value: Node<'t>,
    /// The alias or merge key through which it came, if any.
    pub(super) alias: Option<Span>,
}

/// A map's entries in force, in document order.
#[derive(Clone, Debug, Default)]
pub(super) struct Map<'t> {
    pub(super) entries: Vec<Entry<'t>>,
}

impl<'t> Map<'t> {
    /// Reads a mapping; anything else gives an empty map.
    pub(super) fn read(node: Node<'t>) -> Self {
        let mut map = Self::default();
        map.add(node, None);
        map
    }

    fn add(&mut self, node: Node<'t>, through: Option<Span>) {
        for (key, value) in node.entries() {
            if MERGE_BUDGET.get() == 0 {
                return;
            }
            if through.is_some() {
                MERGE_BUDGET.set(MERGE_BUDGET.get() - 1);
            }
            if is_merge(key) {
                self.merge(value, through.unwrap_or(key.span()));
                continue;
            }
            let Some(key) = key.resolved() else { continue };
            let alias = through.or((value.kind() == Kind::Alias).then(|| value.span()));
            let Some(value) = value.resolved() else { continue };
            let entry = Entry { name: scalar::key(key), key, value, alias };
            match self.entries.iter_mut().find(|known| known.name == entry.name) {
                Some(known) => *known = entry,
                None => self.entries.push(entry),
            }
        }
    }

    fn merge(&mut self, value: Node<'t>, through: Span) {
        let Some(value) = value.resolved() else { return };
        match value.kind() {
            Kind::Mapping => self.add(value, Some(through)),
            // Earlier items win, so they are applied last.
            Kind::Sequence => {
                let items: Vec<_> = value.items().filter_map(Node::resolved).collect();
                for item in items.into_iter().rev() {
                    self.add(item, Some(through));
                }
            }
            Kind::Scalar | Kind::Alias => {}
        }
    }

    pub(super) fn entry(&self, name: &str) -> Option<&Entry<'t>> {
        self.entries.iter().find(|entry| entry.name == name)
    }

    /// The value in force, null included.
    pub(super) fn get(&self, name: &str) -> Option<Node<'t>> {
        self.entry(name).map(|entry| entry.value)
    }

    /// The value in force as a map; empty when it is something else.
    pub(super) fn map(&self, name: &str) -> Self {
        self.get(name).map(Self::read).unwrap_or_default()
    }

    /// The items of a list in force, aliases followed.
    pub(super) fn list(&self, name: &str) -> Vec<Node<'t>> {
        self.get(name).map(|node| node.items().filter_map(Node::resolved).collect()).unwrap_or_default()
    }

    /// The value in force as text, when it is a scalar that JSON would have as text.
    pub(super) fn text(&self, name: &str) -> Option<&'t str> {
        match scalar_value(self.get(name)?)? {
            Value::Text(text) => Some(text),
            _ => None,
        }
    }

    /// Keys as written, against the fields that the object has.
    pub(super) fn keys(&self, known: &[&'static str]) -> Vec<Key> {
        self.entries
            .iter()
            // A null key is an error of the document, reported there.
            .filter(|entry| !scalar::is_null(entry.key))
            .map(|entry| {
                let legal = known.iter().find(|name| **name == entry.name);
                Key {
                    known: legal.is_some(),
                    name: legal.map_or_else(|| entry.name.clone().into_owned().into(), |&name| name.into()),
                    at: entry.key.span(),
                    value: entry.value.span(),
                }
            })
            .collect()
    }

    /// The first alias or merge key that brings in any of the entries.
    pub(super) fn alias(&self) -> Option<Span> {
        self.entries.iter().find_map(|entry| entry.alias)
    }

    pub(super) fn number(&self, name: &str) -> Field<Number> {
        self.field(name, |node| match scalar_value(node) {
            Some(Value::Int(number)) => Ok(number),
            Some(value) => Err(found_scalar(node, value)),
            None => Err(found_collection(node)),
        })
    }

    pub(super) fn string(&self, name: &str) -> Field<String> {
        self.field(name, |node| match scalar_value(node) {
            Some(Value::Text(text)) => Ok(text.to_owned()),
            Some(value) => Err(found_scalar(node, value)),
            None => Err(found_collection(node)),
        })
    }

    pub(super) fn boolean(&self, name: &str) -> Field<bool> {
        self.field(name, |node| match scalar_value(node) {
            Some(Value::Bool(value)) => Ok(value),
            Some(value) => Err(found_scalar(node, value)),
            None => Err(found_collection(node)),
        })
    }

    /// A number or a name, as `intstr.IntOrString` decodes it.
    pub(super) fn port(&self, name: &str) -> Field<Port> {
        self.field(name, |node| match scalar_value(node) {
            Some(Value::Int(number)) => Ok(Port::Number(number)),
            Some(Value::Text(text)) => Ok(Port::Name(text.to_owned())),
            Some(value) => Err(found_scalar(node, value)),
            None => Err(found_collection(node)),
        })
    }

    /// A list of strings.
    pub(super) fn args(&self, name: &str) -> Field<Vec<Arg>> {
        self.field(name, |node| {
            if node.kind() != Kind::Sequence {
                let value = scalar_value(node);
                return Err(value.map_or_else(|| found_collection(node), |value| found_scalar(node, value)));
            }
            Ok(node.items().filter_map(Node::resolved).map(arg).collect())
        })
    }

    /// A value read by `read`, with null, absence and placeholders set apart.
    pub(super) fn field<T>(&self, name: &str, read: impl FnOnce(Node<'t>) -> Result<T, Found>) -> Field<T> {
        let Some(entry) = self.entry(name) else {
            return Field::Absent;
        };
        let (key, at) = (entry.key.span(), entry.value.span());
        if is_null(entry.value) {
            return Field::Null { key, at };
        }
        if is_placeholder(entry.value) {
            return Field::Templated { key, at };
        }
        match read(entry.value) {
            Ok(value) => Field::Value { value, key, at },
            Err(found) => Field::Wrong { found, key, at },
        }
    }
}

/// `<<`, unless it is quoted, as yaml.v2's `isMerge` sees it.
pub(super) fn is_merge(key: Node<'_>) -> bool {
    key.kind() == Kind::Scalar && key.style() == Style::Plain && key.text() == "<<"
}

/// Whether a null stands there.
pub(super) fn is_null(node: Node<'_>) -> bool {
    node.kind() == Kind::Scalar && scalar::is_null(node)
}

fn scalar_value(node: Node<'_>) -> Option<Value<'_>> {
    (node.kind() == Kind::Scalar).then(|| scalar::resolve(node))
}

fn found_scalar(node: Node<'_>, value: Value<'_>) -> Found {
    match value {
        Value::Text(_) if node.style() == Style::Plain && node.tag().is_none() => Found::Text,
        Value::Text(_) => Found::QuotedText,
        Value::Bool(_) => Found::Boolean,
        Value::Int(_) => Found::Integer,
        Value::Float(_) => Found::Fraction,
        Value::NotJson => Found::NotJson,
        Value::Null => Found::Null,
    }
}

/// The [`Found`] of a list or map.
pub(super) fn found_collection(node: Node<'_>) -> Found {
    if node.kind() == Kind::Sequence { Found::List } else { Found::Map }
}

/// What a node is, for a place where a map belongs; `None` for a map.
pub(super) fn not_a_map(node: Node<'_>) -> Option<Found> {
    match node.kind() {
        Kind::Mapping => None,
        Kind::Sequence => Some(Found::List),
        _ => Some(found_scalar(node, scalar::resolve(node))),
    }
}

/// Whether a scalar is, or holds, something that a tool fills in before the cluster sees it: Helm and Jinja actions,
/// `${NAME}` of OpenShift, Flux and envsubst, `$NAME`, `<NAME>`, `@NAME@`, `%NAME%` and `__NAME__` alone.
pub(super) fn is_placeholder(node: Node<'_>) -> bool {
    // `{{ .Values.x }}` without quotes is a flow map in a flow map.
    if node.kind() == Kind::Mapping && node.style() == Style::Flow {
        return node.span().text(node.source()).starts_with("{{");
    }
    if node.kind() != Kind::Scalar {
        return false;
    }
    let text = node.text();
    if text.contains("{{") || text.contains("${") || text.contains("{%") {
        return true;
    }
    let is_name = |name: &str| {
        !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.'))
    };
    let inside = |open: &str, close: &str| {
        text.strip_prefix(open).and_then(|rest| rest.strip_suffix(close)).is_some_and(is_name)
    };
    inside("<", ">")
        || inside("@", "@")
        || inside("%", "%")
        || inside("__", "__")
        || inside("$(", ")")
        || text.strip_prefix('$').is_some_and(is_name)
}

fn arg(node: Node<'_>) -> Arg {
    let at = node.span();
    let wrong = match scalar_value(node) {
        // A null element becomes the empty string.
        Some(Value::Text(_) | Value::Null) => None,
        _ if is_placeholder(node) => None,
        Some(value) => Some(found_scalar(node, value)),
        None => Some(found_collection(node)),
    };
    let is_text = wrong.is_none() && !(node.kind() == Kind::Scalar && scalar::is_null(node));
    let text = if is_text { node.text().to_owned() } else { String::new() };
    Arg { text, at, wrong, lines: agreement(node) }
}

/// Where a scalar's text and its source run together: `(offset in the text, offset in the source)` of each run.
fn agreement(node: Node<'_>) -> Vec<(u32, u32)> {
    if let Some(raw) = node.text_span() {
        return vec![(0, raw.start)];
    }
    if matches!(node.style(), Style::SingleQuoted | Style::DoubleQuoted) {
        return quoted_agreement(node).unwrap_or_default();
    }
    if node.style() != Style::Literal {
        return Vec::new();
    }
    let mut runs = Vec::new();
    let mut at = 0;
    for line in node.text().split_inclusive('\n') {
        let content = line.trim_end_matches('\n');
        let place = scalar::source_span(node, at, at + content.len());
        if place == node.span() && content.len() as u32 != place.len() {
            return Vec::new();
        }
        runs.push((at as u32, place.start));
        at += line.len();
    }
    runs
}

/// The same inside quotes on one line, where each escape begins a new run behind it. `None` for what is not understood,
/// such as surrogate pairs and folded lines.
fn quoted_agreement(node: Node<'_>) -> Option<Vec<(u32, u32)>> {
    let raw = node.span().text(node.source());
    let inner = raw.get(1..raw.len().checked_sub(1)?)?;
    if inner.contains(['\n', '\r']) {
        return None;
    }
    let base = node.span().start + 1;
    let mut decoded = node.text().chars();
    let mut runs = vec![(0, base)];
    let (mut text, mut at) = (0, 0);
    while let Some(next) = inner[at..].chars().next() {
        let character = decoded.next()?;
        let length = match (node.style(), next) {
            (Style::SingleQuoted, '\'') => 2,
            (Style::DoubleQuoted, '\\') => match inner[at + 1..].chars().next()? {
                'x' => 4,
                'u' => 6,
                'U' => 10,
                other => 1 + other.len_utf8(),
            },
            _ if next == character => next.len_utf8(),
            _ => return None,
        };
        inner.get(at..at + length)?;
        at += length;
        text += character.len_utf8();
        if length != character.len_utf8() || next != character {
            runs.push((text as u32, base + at as u32));
        }
    }
    decoded.next().is_none().then_some(runs)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::yaml;

    /// The source text of a part of the first item of a list.
    fn source_of<'a>(text: &'a str, part: &str) -> Option<&'a str> {
        let tree = yaml::parse(text);
        let root = tree.root(&tree.documents()[0])?;
        let arg = arg(root.get("c")?.items().next()?);
        let start = arg.text.find(part)?;
        Some(arg.span_of(start, start + part.len()).text(text))
    }

    #[test]
    fn a_word_is_found_again_behind_escapes_and_indentation() {
        assert_eq!(source_of(r#"c: ["a \"b\" \u00e9\t curl x"]"#, "curl"), Some("curl"));
        assert_eq!(source_of(r#"c: ["psql \"$URL\" x"]"#, "\"$URL\""), Some(r#"\"$URL\""#));
        assert_eq!(source_of("c: ['it''s curl']", "curl"), Some("curl"));
        assert_eq!(source_of("c:\n- |\n  # é\n  a && curl x\n", "curl"), Some("curl"));
        assert_eq!(source_of("c: [plain curl]", "curl"), Some("curl"));
    }

    #[test]
    fn what_cannot_be_found_again_is_the_whole_element() {
        let folded = "c:\n- >-\n  a\n  curl x\n";
        assert_eq!(source_of(folded, "curl"), Some("a\n  curl x"));
        assert_eq!(source_of(r#"c: ["\uD83D\uDE00 curl"]"#, "curl"), Some(r#""\uD83D\uDE00 curl""#));
    }
}
