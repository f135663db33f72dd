//! Texts to lint: where they come from and what they are called. Knows nothing of YAML.

mod text;
mod walk;

use std::sync::OnceLock;

pub use walk::{ReadError, Reading, Request, compare_paths, read_all};

use crate::span::{ColumnUnit, LineIndex, Position, Span};

/// One text with its name and line index.
#[derive(Debug)]
pub struct Source {
    /// The path as reports print it: as the user wrote it or as the walk found it, with `/` between the parts.
    pub path: String,
    /// The whole text, byte order mark included.
    pub text: String,
    lines: OnceLock<LineIndex>,
}

impl Source {
    /// A source named `path` that holds `text`.
    pub fn new(path: impl Into<String>, text: impl Into<String>) -> Self {
        Self { path: path.into(), text: text.into(), lines: OnceLock::new() }
    }

    /// Line starts, read on first use.
    pub fn lines(&self) -> &LineIndex {
        self.lines.get_or_init(|| LineIndex::new(&self.text))
    }

    /// 1-based line and column of a byte offset.
    pub fn position(&self, offset: u32, unit: ColumnUnit) -> Position {
        self.lines().position(&self.text, offset, unit)
    }

    /// The text of a span.
    pub fn slice(&self, span: Span) -> &str {
        span.text(&self.text)
    }
}
