//! Shell syntax in places where no shell reads it: the program gets it as plain text.

use super::place::Place;
use super::run::Run;
use super::word::Word;
use crate::span::Span;

/// Something that would mean more to a shell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Misread {
    /// What it is.
    pub kind: MisreadKind,
    /// Where it stands.
    pub place: Place,
}

/// Kinds of shell syntax.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MisreadKind {
    /// `|`, `&&`, `||`, `;`, `&` as a word of its own.
    Operator,
    /// `>`, `2>&1`, `</dev/null` as a word of its own.
    Redirection,
    /// `$NAME` or `${NAME}`, with the name.
    Variable(String),
    /// `$(command ...)` or backquotes.
    Substitution,
    /// Quotes around a whole word, which become part of it.
    Quotes,
    /// The only element holds blanks, so that a file of that name is looked for. Whether it needs a shell, or only to
    /// be split.
    WholeLine {
        /// Whether it holds operators, quotes, variables or patterns.
        needs_shell: bool,
    },
    /// Words behind the script of `sh -c`, which become `$0`, `$1`, ... and are not run.
    ExtraWords,
}

/// Variables of awk, Perl and PHP that are upper case as well.
const OF_LANGUAGES: [&str; 12] =
    ["NF", "NR", "FNR", "FS", "OFS", "RS", "ORS", "ENV", "ARGV", "GLOBALS", "_SERVER", "_ENV"];

/// Looks at the elements as they were given and at the run they became.
pub(super) fn find(words: &[Word], runs: &[Run]) -> Vec<Misread> {
    let mut found = Vec::new();
    let Some(first) = runs.first() else {
        return found;
    };
    if let (Some(shell), Some(_)) = (first.shell, &first.script) {
        // `sh -c 'f "$1"' name value` passes words to the script on purpose.
        let uses_them =
            runs.iter().skip(1).any(|run| ["0", "1", "2", "@", "*", "#"].iter().any(|name| run.mentions(name)));
        if shell.extra > 0 && !uses_them {
            let extra = &words[words.len().saturating_sub(shell.extra)..];
            found.extend(extra.iter().map(|word| Misread { kind: MisreadKind::ExtraWords, place: word.place }));
        }
        return found;
    }
    if let [only] = words {
        let text = only.text().unwrap_or_default();
        let text = text.trim();
        if text.contains(|c: char| c.is_ascii_whitespace()) {
            let needs_shell =
                text.contains(['|', '&', ';', '<', '>', '$', '`', '"', '\'', '*', '?', '(', '\n', '\\', '~']);
            found.push(Misread { kind: MisreadKind::WholeLine { needs_shell }, place: only.place });
            return found;
        }
    }
    for word in words {
        word_syntax(word, &mut found);
    }
    found
}

fn word_syntax(word: &Word, found: &mut Vec<Misread>) {
    let whole = word.text();
    if let Some(text) = whole.as_deref() {
        let kind = match text {
            "|" | "||" | "&&" | ";" | "&" | "|&" => Some(MisreadKind::Operator),
            _ if is_redirection(text) => Some(MisreadKind::Redirection),
            _ => None,
        };
        if let Some(kind) = kind {
            found.push(Misread { kind, place: word.place });
            return;
        }
        let quoted = |quote: char| {
            text.len() > 2 && text.starts_with(quote) && text.ends_with(quote) && text.matches(quote).count() == 2
        };
        if quoted('\'') || quoted('"') {
            found.push(Misread { kind: MisreadKind::Quotes, place: word.place });
        }
    }
    for part in &word.parts {
        let super::word::Part::Literal { text, place } = part else {
            continue;
        };
        if text.len() != place.span.len() as usize {
            continue;
        }
        let at = |start: usize, end: usize| {
            let start = place.span.start + start as u32;
            Place { arg: place.arg, span: Span::new(start, place.span.start + end as u32) }
        };
        let bytes = text.as_bytes();
        let mut from = 0;
        while let Some(dollar) = memchr::memchr(b'$', &bytes[from..]).map(|length| from + length) {
            from = dollar + 1;
            let rest = &text[from..];
            if rest.starts_with('(') {
                found.push(Misread { kind: MisreadKind::Substitution, place: at(dollar, text.len()) });
                break;
            }
            let braced = rest.starts_with('{');
            let start = from + usize::from(braced);
            let length = text[start..].bytes().take_while(|byte| byte.is_ascii_alphanumeric() || *byte == b'_').count();
            let end = start + length;
            let closes = !braced || text[end..].starts_with(['}', ':']);
            // Environment variables are upper case by custom; `$1` and `$x` belong to awk, jq, regular expressions.
            let is_environment = length > 1
                && text[start..end].bytes().all(|byte| !byte.is_ascii_lowercase())
                && !text[start..].starts_with(|c: char| c.is_ascii_digit())
                && !OF_LANGUAGES.contains(&&text[start..end]);
            if closes && is_environment {
                let name = text[start..end].to_owned();
                let last = if braced { text[end..].find('}').map_or(end, |length| end + length + 1) } else { end };
                found.push(Misread { kind: MisreadKind::Variable(name), place: at(dollar, last) });
                from = last;
            }
        }
        if text.starts_with('`') && text.len() > 1 && text.ends_with('`') {
            found.push(Misread { kind: MisreadKind::Substitution, place: *place });
        }
    }
}

/// `>`, `>>`, `2>`, `2>&1`, `>/dev/null`, `</dev/tcp/...`: a redirection and nothing else. `->` and `<html>` are text.
fn is_redirection(text: &str) -> bool {
    let rest = text.trim_start_matches(|c: char| c.is_ascii_digit());
    if text.len() - rest.len() > 1 {
        return false;
    }
    let rest = rest.strip_prefix('&').filter(|rest| rest.starts_with('>')).unwrap_or(rest);
    let Some(target) = rest.strip_prefix(">>").or_else(|| rest.strip_prefix(['<', '>'])) else {
        return false;
    };
    target.is_empty() || target.starts_with('/') || target.starts_with('&')
}
