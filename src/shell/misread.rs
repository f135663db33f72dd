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
    /// `*` or `?` in a path that a program for files is given.
    Pattern,
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

/// Programs that know variables and operators themselves, or hand their words to a shell elsewhere.
const READ_THEIR_OWN: [&str; 17] = [
    "jq",
    "yq",
    "awk",
    "gawk",
    "mawk",
    "perl",
    "php",
    "ruby",
    "cmd",
    "cmd.exe",
    "powershell",
    "powershell.exe",
    "pwsh",
    "pwsh.exe",
    "ssh",
    "envsubst",
    "expect",
];

/// Programs whose own operators look like those of a shell.
const HAVE_OPERATORS: [&str; 5] = ["find", "expr", "test", "[", "let"];

/// Programs whose operands are names of files.
const FOR_FILES: [&str; 8] = ["ls", "cat", "head", "stat", "rm", "touch", "wc", "file"];

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
        let extra = &words[words.len().saturating_sub(shell.extra)..];
        // A single word that names the script (`sh -c '...' probe`) is the custom for `$0`, `--` a habit.
        let is_name = |word: &Word| {
            let text = word.text().unwrap_or_default();
            matches!(&*text, "--" | "-" | "_") || names_shell(word)
        };
        if shell.extra > 0 && !uses_them && !extra.first().is_some_and(is_name) {
            found.extend(extra.iter().map(|word| Misread { kind: MisreadKind::ExtraWords, place: word.place }));
        }
        return found;
    }
    if let [only] = words {
        let text = only.text().unwrap_or_default();
        let text = text.trim();
        // `C:\Program Files\...` is the name of a file.
        let is_windows_path = text.get(1..3) == Some(":\\");
        if text.contains(|c: char| c.is_ascii_whitespace()) && !is_windows_path {
            let needs_shell =
                text.contains(['|', '&', ';', '<', '>', '$', '`', '"', '\'', '*', '?', '(', '\n', '\\', '~']);
            found.push(Misread { kind: MisreadKind::WholeLine { needs_shell }, place: only.place });
            return found;
        }
    }
    let program = first.program().unwrap_or_default();
    if READ_THEIR_OWN.contains(&program.as_ref()) || words.iter().any(names_shell) {
        return found;
    }
    let has_operators = HAVE_OPERATORS.contains(&program.as_ref());
    let for_files = FOR_FILES.contains(&program.as_ref());
    let mut before = None;
    for word in words {
        let from = found.len();
        word_syntax(word, &mut found);
        // Quotes belong to the data that some options take.
        if before.is_some_and(takes_data) {
            found.retain(|misread| misread.kind != MisreadKind::Quotes || misread.place != word.place);
        }
        if has_operators {
            found.retain(|misread| !matches!(misread.kind, MisreadKind::Operator | MisreadKind::Redirection));
        }
        let is_pattern = |text: &str| text.starts_with('/') && text.contains(['*', '?']);
        if for_files && found.len() == from && word.text().is_some_and(|text| is_pattern(&text)) {
            found.push(Misread { kind: MisreadKind::Pattern, place: word.place });
        }
        before = Some(word);
    }
    found
}

/// Whether a word is a shell that a program unknown here may run with what follows.
fn names_shell(word: &Word) -> bool {
    let text = word.text().unwrap_or_default();
    let name = text.rsplit('/').next().unwrap_or_default();
    matches!(name, "sh" | "bash" | "ash" | "dash" | "zsh" | "ksh" | "fish" | "xonsh") || name.starts_with("kubectl")
}

/// Whether an option takes data, in which quotes mean something: a JSON string is one.
fn takes_data(option: &Word) -> bool {
    let text = option.text().unwrap_or_default();
    matches!(&*text, "-d" | "--json") || text.starts_with("--data")
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
