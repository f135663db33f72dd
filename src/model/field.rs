//! One value of a manifest with everything that can be the matter with it.

use crate::span::Span;

/// A setting as it was found. A rule that needs the number takes [`Field::value`]; a rule that only needs presence takes
/// [`Field::is_set`], which is also true of a value that only rendering will tell.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Field<T> {
    /// Not written.
    #[default]
    Absent,
    /// Written as null: the default applies.
    Null {
        /// Bytes of the key.
        key: Span,
        /// Bytes of the value.
        at: Span,
    },
    /// Written and understood.
    Value {
        /// The value.
        value: T,
        /// Bytes of the key.
        key: Span,
        /// Bytes of the value.
        at: Span,
    },
    /// Written, but of a type that the reader of this field refuses.
    Wrong {
        /// What is there instead.
        found: Found,
        /// Bytes of the key.
        key: Span,
        /// Bytes of the value.
        at: Span,
    },
    /// Written as a placeholder that something replaces before the cluster sees it.
    Templated {
        /// Bytes of the key.
        key: Span,
        /// Bytes of the value.
        at: Span,
    },
}

/// What stands where another type belongs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Found {
    /// Text without quotes, such as `10s`.
    Text,
    /// Text in quotes, or tagged `!!str`.
    QuotedText,
    /// `true`, `yes`, `on`, ...
    Boolean,
    /// A whole number.
    Integer,
    /// A number with a fraction.
    Fraction,
    /// `.inf` or `.nan`.
    NotJson,
    /// A list.
    List,
    /// A map.
    Map,
    /// A null element, where elements must be something.
    Null,
}

impl Found {
    /// For a message: "a boolean".
    pub const fn with_article(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::QuotedText => "quoted text",
            Self::Boolean => "a boolean",
            Self::Integer => "an integer",
            Self::Fraction => "a fraction",
            Self::NotJson => "infinity or not-a-number",
            Self::List => "a list",
            Self::Map => "a map",
            Self::Null => "null",
        }
    }
}

impl<T> Field<T> {
    /// The value, when it is written and understood.
    pub const fn value(&self) -> Option<&T> {
        match self {
            Self::Value { value, .. } => Some(value),
            _ => None,
        }
    }

    /// Bytes of the value, when anything is written.
    pub const fn at(&self) -> Option<Span> {
        match self {
            Self::Absent => None,
            Self::Null { at, .. } | Self::Value { at, .. } | Self::Wrong { at, .. } | Self::Templated { at, .. } => {
                Some(*at)
            }
        }
    }

    /// Bytes of the key, when anything is written.
    pub const fn key(&self) -> Option<Span> {
        match self {
            Self::Absent => None,
            Self::Null { key, .. }
            | Self::Value { key, .. }
            | Self::Wrong { key, .. }
            | Self::Templated { key, .. } => Some(*key),
        }
    }

    /// The value and its bytes.
    pub const fn spanned(&self) -> Option<(&T, Span)> {
        match self {
            Self::Value { value, at, .. } => Some((value, *at)),
            _ => None,
        }
    }

    /// Whether something other than null is written.
    pub const fn is_set(&self) -> bool {
        !matches!(self, Self::Absent | Self::Null { .. })
    }

    /// Whether nobody can tell the value before rendering.
    pub const fn is_templated(&self) -> bool {
        matches!(self, Self::Templated { .. })
    }

    /// Whether the default applies.
    pub const fn is_default(&self) -> bool {
        matches!(self, Self::Absent | Self::Null { .. })
    }
}
