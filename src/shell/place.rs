//! Places inside `exec.command`, and texts that remember where each byte of theirs was written. Mapping a place on to
//! the source file is the business of the caller, who knows how YAML quoted the element.

use std::borrow::Cow;

use crate::span::Span;

/// A byte range inside one element of `exec.command`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place {
    /// Index of the element, counted from 0.
    pub arg: u32,
    /// Bytes of the element's text after YAML decoding.
    pub span: Span,
}

impl Place {
    /// The smallest place that holds both; `self` alone when they lie in different elements.
    pub fn to(self, other: Self) -> Self {
        if self.arg == other.arg { Self { arg: self.arg, span: self.span.to(other.span) } } else { self }
    }

    /// The empty place behind the last byte, where text can be inserted.
    pub const fn after(self) -> Self {
        Self { arg: self.arg, span: Span::at(self.span.end) }
    }
}

/// A text taken from an element, with the rule for finding its bytes in that element again.
///
/// The kubelet turns `$$` into `$` before a shell sees the text, and a script inside a quoted word has lost its
/// escapes: so the bytes come in runs, each of which starts somewhere in the element.
#[derive(Clone, Debug)]
pub(super) struct Text<'a> {
    pub(super) text: Cow<'a, str>,
    arg: u32,
    /// (offset in `text`, offset in the element) where a run begins, ascending, never empty.
    runs: Vec<(u32, u32)>,
}

impl<'a> Text<'a> {
    /// The element as it stands.
    pub(super) fn verbatim(arg: u32, text: &'a str) -> Self {
        Self { text: Cow::Borrowed(text), arg, runs: vec![(0, 0)] }
    }

    /// An empty text to which pieces of one element are added.
    pub(super) fn builder(arg: u32) -> Text<'static> {
        Text { text: Cow::Owned(String::new()), arg, runs: vec![(0, 0)] }
    }

    /// Adds a piece that begins at `from` in the element.
    pub(super) fn push(&mut self, piece: &str, from: u32) {
        let at = self.text.len() as u32;
        self.text.to_mut().push_str(piece);
        if let Some(last) = self.runs.last_mut() {
            if last.0 == at {
                *last = (at, from);
                return;
            }
            if from.wrapping_sub(last.1) == at - last.0 {
                return;
            }
        }
        self.runs.push((at, from));
    }

    /// The place of a byte range of this text.
    pub(super) fn place(&self, start: usize, end: usize) -> Place {
        let from = self.offset(start);
        let to = if end > start { self.offset(end - 1) + 1 } else { from };
        Place { arg: self.arg, span: Span::new(from, to.max(from)) }
    }

    /// Where the byte at `at` stands in the element.
    pub(super) fn offset(&self, at: usize) -> u32 {
        let at = at as u32;
        let index = self.runs.partition_point(|run| run.0 <= at).saturating_sub(1);
        let (start, from) = self.runs.get(index).copied().unwrap_or_default();
        from + (at - start.min(at))
    }

    pub(super) const fn arg(&self) -> u32 {
        self.arg
    }

    /// The ends of the stretches of `start..end` that stand unbroken in the element; the last one is `end`.
    pub(super) fn breaks(&self, start: usize, end: usize) -> Vec<usize> {
        let first = self.runs.partition_point(|run| run.0 as usize <= start);
        let inner = self.runs[first..].iter().map(|run| run.0 as usize).take_while(|at| *at < end);
        inner.chain([end]).collect()
    }

    /// The byte of this text that stands at `from` in the element.
    pub(super) fn find_offset(&self, from: u32) -> Option<usize> {
        let index = self.runs.partition_point(|run| run.1 <= from).checked_sub(1)?;
        let (at, start) = *self.runs.get(index)?;
        Some((at + (from - start)) as usize)
    }
}

/// A `$(NAME)` that the kubelet looks up among the static `env` values of the container before anything runs. A name
/// that it does not find stays in the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reference {
    /// What stands between the parentheses.
    pub name: String,
    /// The whole `$(NAME)`.
    pub place: Place,
}

/// What the kubelet hands on: `$$` is an escape for `$`, and `$(NAME)` is kept and listed. Follows its expansion
/// routine, in which `$(` reads up to the next `)` whatever stands between.
pub(super) fn after_kubelet(arg: u32, text: &str) -> (Text<'_>, Vec<Reference>) {
    let mut references = Vec::new();
    if !text.contains('$') {
        return (Text::verbatim(arg, text), references);
    }
    let bytes = text.as_bytes();
    let mut out = Text::builder(arg);
    let mut copied = 0;
    let mut at = 0;
    let mut no_more_closers = false;
    while at + 1 < bytes.len() {
        if bytes[at] != b'$' {
            at += 1;
            continue;
        }
        match bytes[at + 1] {
            b'$' => {
                out.push(&text[copied..at], copied as u32);
                copied = at + 1;
                at += 2;
            }
            b'(' if !no_more_closers => match memchr::memchr(b')', &bytes[at..]) {
                Some(length) => {
                    let name = &text[at + 2..at + length];
                    if is_variable_name(name) {
                        let span = Span::new(at as u32, (at + length + 1) as u32);
                        references.push(Reference { name: name.to_owned(), place: Place { arg, span } });
                    }
                    at += length + 1;
                }
                None => {
                    no_more_closers = true;
                    at += 2;
                }
            },
            _ => at += 2,
        }
    }
    out.push(&text[copied..], copied as u32);
    (out, references)
}

/// Whether the API server takes this as the name of an environment variable.
fn is_variable_name(name: &str) -> bool {
    let legal = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
    name.starts_with(|c: char| legal(c) && !c.is_ascii_digit()) && name.chars().all(legal)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_doubled_dollar_is_one_dollar_and_keeps_its_place() {
        let (text, references) = after_kubelet(2, "-D $$DB x");
        assert_eq!(text.text, "-D $DB x");
        assert!(references.is_empty());
        assert_eq!(text.place(4, 6), Place { arg: 2, span: Span::new(5, 7) });
        assert_eq!(text.place(7, 8), Place { arg: 2, span: Span::new(8, 9) });
    }

    #[test]
    fn only_a_legal_variable_name_is_a_reference() {
        let (text, references) = after_kubelet(0, "$(POD_IP) $(hostname -i) $$(X) $(");
        assert_eq!(text.text, "$(POD_IP) $(hostname -i) $(X) $(");
        let names: Vec<_> = references.iter().map(|reference| reference.name.as_str()).collect();
        assert_eq!(names, ["POD_IP"]);
        assert_eq!(references[0].place.span, Span::new(0, 9));
    }
}
