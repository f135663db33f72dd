//! Words: what a shell makes of one blank-separated piece of a command, as far as the text alone tells.

use std::borrow::Cow;

use super::place::Place;
use super::script::Script;

/// One word of a command, with quotes already removed.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Word {
    /// In the order of the text; none for an empty word (`''`).
    pub parts: Vec<Part>,
    /// The word as written, with its quotes.
    pub place: Place,
    /// Whether any of it was quoted or escaped. A quoted word is never a keyword, a pattern or several words.
    pub quoted: bool,
}

/// A piece of a word.
#[derive(Clone, Debug, PartialEq)]
pub enum Part {
    /// Text that stands for itself. The place has the same length, except for escapes such as `\t` in `$'..'`.
    Literal {
        /// The text without quotes.
        text: String,
        /// Where it stands.
        place: Place,
    },
    /// `$NAME`, `${NAME:-default}`, or `$(NAME)` in an element that no shell reads.
    Variable(Variable),
    /// `$(script)`, `` `script` ``, or `<(script)`.
    Substitution {
        /// What runs.
        script: Script,
        /// The whole substitution.
        place: Place,
    },
    /// `$((...))`: a number that is not computed here.
    Arithmetic {
        /// Variables and substitutions inside.
        parts: Vec<Self>,
        /// The whole expression.
        place: Place,
    },
}

/// A variable inside a word.
#[derive(Clone, Debug, PartialEq)]
pub struct Variable {
    /// The name, a digit, or a special parameter such as `?`.
    pub name: String,
    /// The word of `${NAME:-word}`, `${NAME-word}`, `${NAME:=word}`.
    pub default: Option<Box<Word>>,
    /// Whether the value is changed on the way (`${NAME%%:*}`, `${#NAME}`, ...).
    pub altered: bool,
    /// Whether double quotes keep the value one word.
    pub quoted: bool,
    /// Who puts the value in.
    pub by: Expander,
    /// The whole expression.
    pub place: Place,
}

/// Who replaces a variable by its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expander {
    /// The shell that reads the script: any variable of its environment.
    Shell,
    /// The kubelet, before the command starts: static `env` values of the container only.
    Kubelet,
}

impl Word {
    /// The whole text, when nothing in it depends on the time of running.
    pub fn text(&self) -> Option<Cow<'_, str>> {
        match self.parts.as_slice() {
            [] => Some(Cow::Borrowed("")),
            [Part::Literal { text, .. }] => Some(Cow::Borrowed(text)),
            parts => parts
                .iter()
                .map(|part| match part {
                    Part::Literal { text, .. } => Some(text.as_str()),
                    _ => None,
                })
                .collect::<Option<String>>()
                .map(Cow::Owned),
        }
    }

    /// Whether the word is exactly this text.
    pub fn is(&self, text: &str) -> bool {
        self.text().is_some_and(|own| own == text)
    }

    /// Whether the known text of the word holds `text`; what a variable adds is not known.
    pub fn holds(&self, text: &str) -> bool {
        Value::of(self).text().contains(text)
    }

    /// Whether the word may turn into no word or several, because a value in it is not quoted.
    pub fn may_split(&self) -> bool {
        self.parts.iter().any(|part| match part {
            Part::Variable(variable) => !variable.quoted && variable.by == Expander::Shell,
            Part::Substitution { .. } => !self.quoted,
            _ => false,
        })
    }

    /// The variables in the word, also in defaults and arithmetic but not inside substitutions.
    pub fn variables(&self) -> Vec<&Variable> {
        let mut found = Vec::new();
        visit(&self.parts, &mut |part| {
            if let Part::Variable(variable) = part {
                found.push(variable);
            }
        });
        found
    }

    /// Whether the word mentions the variable `name`.
    pub fn mentions(&self, name: &str) -> bool {
        let mut found = false;
        visit(&self.parts, &mut |part| found |= matches!(part, Part::Variable(v) if v.name == name));
        found
    }
}

/// Calls `seen` for every part, also those in defaults and arithmetic; substitutions are seen but not entered.
pub(super) fn visit<'w>(parts: &'w [Part], seen: &mut dyn FnMut(&'w Part)) {
    for part in parts {
        seen(part);
        match part {
            Part::Variable(Variable { default: Some(word), .. }) => visit(&word.parts, seen),
            Part::Arithmetic { parts, .. } => visit(parts, seen),
            _ => {}
        }
    }
}

/// Stands in [`Value::text`] for a part whose text is not known.
pub(super) const HOLE: char = '\u{fffc}';

/// A word, or a stretch of one, as a text with holes: what options, addresses and URLs are cut from.
#[derive(Clone, Debug)]
pub struct Value<'w> {
    text: String,
    marks: Vec<Mark<'w>>,
    place: Place,
    may_split: bool,
}

/// A part inside a [`Value`].
#[derive(Clone, Debug)]
struct Mark<'w> {
    /// Byte range in the text of the value.
    start: usize,
    end: usize,
    /// How far into the part the range starts, for a literal that was cut.
    skipped: usize,
    part: &'w Part,
}

impl<'w> Value<'w> {
    /// The whole word.
    pub fn of(word: &'w Word) -> Self {
        let mut text = String::new();
        let mut marks = Vec::with_capacity(word.parts.len());
        for part in &word.parts {
            let start = text.len();
            match part {
                Part::Literal { text: literal, .. } => text.push_str(literal),
                _ => text.push(HOLE),
            }
            marks.push(Mark { start, end: text.len(), skipped: 0, part });
        }
        Self { text, marks, place: word.place, may_split: word.may_split() }
    }

    /// The bytes `start..end`, moved back to character boundaries.
    pub fn slice(&self, start: usize, end: usize) -> Self {
        let start = boundary(&self.text, start);
        let end = boundary(&self.text, end).max(start);
        let first = self.marks.partition_point(|mark| mark.end <= start);
        let marks: Vec<_> = self.marks[first..]
            .iter()
            .take_while(|mark| mark.start < end)
            .map(|mark| Mark {
                start: mark.start.max(start) - start,
                end: mark.end.min(end) - start,
                skipped: mark.skipped + start.saturating_sub(mark.start),
                part: mark.part,
            })
            .collect();
        let place = match (marks.first(), marks.last()) {
            (Some(first), Some(last)) => first.place().to(last.place()),
            _ => self.edge(start),
        };
        Self { text: self.text[start..end].to_owned(), marks, place, may_split: self.may_split }
    }

    /// The text from `start` on.
    pub fn from(&self, start: usize) -> Self {
        self.slice(start, self.text.len())
    }

    /// The text, with the object replacement character for whatever is not known.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The text, when all of it is known.
    pub fn known(&self) -> Option<&str> {
        if self.holes().next().is_none() { Some(&self.text) } else { None }
    }

    /// The parts that are not literal, with their byte offsets in [`Value::text`].
    pub fn holes(&self) -> impl Iterator<Item = (usize, &'w Part)> + '_ {
        self.marks.iter().filter(|mark| !matches!(mark.part, Part::Literal { .. })).map(|mark| (mark.start, mark.part))
    }

    /// Where it stands.
    pub const fn place(&self) -> Place {
        self.place
    }

    /// Whether the word may turn into several.
    pub const fn may_split(&self) -> bool {
        self.may_split
    }

    /// The text as a person would write it: `${NAME}` for a variable, `$(...)` for a substitution.
    pub fn shown(&self) -> String {
        let mut shown = String::new();
        for mark in &self.marks {
            match mark.part {
                Part::Literal { .. } => shown.push_str(&self.text[mark.start..mark.end]),
                Part::Variable(variable) => {
                    shown.push_str("${");
                    shown.push_str(&variable.name);
                    shown.push('}');
                }
                Part::Substitution { .. } => shown.push_str("$(...)"),
                Part::Arithmetic { .. } => shown.push_str("$((...))"),
            }
        }
        shown
    }

    /// The empty place at a byte of the text.
    fn edge(&self, at: usize) -> Place {
        match self.marks.iter().rfind(|mark| mark.start <= at) {
            Some(mark) => {
                let place = mark.part.place();
                let start = place.span.start + (mark.skipped + (at - mark.start)) as u32;
                let end = start.min(place.span.end);
                Place { arg: place.arg, span: crate::span::Span::at(end) }
            }
            None => Place { arg: self.place.arg, span: crate::span::Span::at(self.place.span.start) },
        }
    }
}

/// The nearest character boundary at or before `at`.
fn boundary(text: &str, at: usize) -> usize {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

impl Mark<'_> {
    fn place(&self) -> Place {
        let whole = self.part.place();
        let Part::Literal { text, .. } = self.part else {
            return whole;
        };
        if text.len() != whole.span.len() as usize {
            return whole;
        }
        let start = whole.span.start + self.skipped as u32;
        Place { arg: whole.arg, span: crate::span::Span::new(start, start + (self.end - self.start) as u32) }
    }
}

impl Part {
    /// Where the part stands.
    pub const fn place(&self) -> Place {
        match self {
            Self::Literal { place, .. } | Self::Substitution { place, .. } | Self::Arithmetic { place, .. } => *place,
            Self::Variable(variable) => variable.place,
        }
    }
}
