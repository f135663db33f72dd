//! Puts a command that no shell reads into `sh -c`, or a line that is one element into several.

use super::exec::Command;
use crate::fix::{Edit, edit};
use crate::model::Arg;
use crate::shell::MisreadKind;
use crate::span::Span;

/// Makes one script of all elements: what would mean something to a shell stays bare, the rest is quoted. `None` where
/// that would lose a comment or where it is not sure what was meant. The `$(NAME)` of `variables`, which the kubelet does
/// not replace, become the shell's `${NAME}`.
pub(super) fn in_shell(text: &str, command: &Command<'_>, variables: &[&str]) -> Option<Edit> {
    let words: Option<Vec<String>> = (0..command.args.len()).map(|index| piece(command, index)).collect();
    let script = variables
        .iter()
        .fold(words?.join(" "), |script, name| script.replace(&format!("$({name})"), &format!("${{{name}}}")));
    replace_items(text, command, 0, &["sh", "-c", &script])
}

/// Adds the elements from `first` on to the script before them.
pub(super) fn into_script(text: &str, command: &Command<'_>, first: usize) -> Option<Edit> {
    let script = first.checked_sub(1)?;
    let mut words = vec![command.args.get(script)?.text.clone()];
    for index in first..command.args.len() {
        words.push(piece(command, index)?);
    }
    replace_items(text, command, script, &[&words.join(" ")])
}

/// Puts a shell in front of the only element.
pub(super) fn before_line(text: &str, command: &Command<'_>) -> Option<Edit> {
    let item = command.args.first()?.at;
    let between = separator(text, command, item)?;
    let word = |word: &str| edit::quoted_like(text, item, word);
    Some(edit::replace(Span::at(item.start), format!("{}{between}{}{between}", word("sh"), word("-c"))))
}

/// Cuts the only element into words.
pub(super) fn split(text: &str, command: &Command<'_>) -> Option<Edit> {
    let words: Vec<&str> = command.args.first()?.text.split_whitespace().collect();
    replace_items(text, command, 0, &words)
}

/// Writes `words` in the place of all elements from `first` on.
fn replace_items(text: &str, command: &Command<'_>, first: usize, words: &[&str]) -> Option<Edit> {
    let (from, to) = (command.args.get(first)?, command.args.last()?);
    let span = from.at.to(to.at);
    // A `#` between the elements may begin a comment.
    let is_bare = |pair: &[Arg]| match pair {
        [one, next] => !Span::new(one.at.end, next.at.start.max(one.at.end)).text(text).contains('#'),
        _ => true,
    };
    if !command.args.windows(2).skip(first).all(is_bare) || words.iter().any(|word| word.contains(['\n', '\r', '\t'])) {
        return None;
    }
    let between = separator(text, command, from.at)?;
    let like = from.at.text(text);
    let scalars: Vec<String> = words.iter().map(|word| scalar(word, like)).collect();
    Some(edit::replace(span, scalars.join(&between)))
}

/// What stands between two elements: a comma, or a line break and a dash.
fn separator(text: &str, command: &Command<'_>, item: Span) -> Option<String> {
    if edit::is_flow(text, command.at) {
        return Some(", ".to_owned());
    }
    let before = &text[edit::line_start(text, item.start) as usize..item.start as usize];
    (before.trim() == "-").then(|| format!("{}{before}", edit::line_break(text)))
}

/// A word of YAML that is read as this text, in double quotes where `like` has them.
fn scalar(word: &str, like: &str) -> String {
    if like.starts_with('"') {
        return format!("\"{}\"", word.replace('\\', "\\\\").replace('"', "\\\""));
    }
    let is_plain = word.starts_with(|c: char| c.is_ascii_alphabetic() || matches!(c, '/' | '-'))
        && word.chars().any(|c| c.is_ascii_alphabetic())
        && word.chars().all(|c| c.is_ascii_alphanumeric() || "/-_.=:+@".contains(c))
        && !word.ends_with(':')
        && !["true", "false", "yes", "no", "on", "off", "null", "y", "n"].contains(&word.to_ascii_lowercase().as_str());
    if is_plain && !like.starts_with('\'') { word.to_owned() } else { format!("'{}'", word.replace('\'', "''")) }
}

/// One element as a word of a script.
fn piece(command: &Command<'_>, index: usize) -> Option<String> {
    let word = &command.args.get(index)?.text;
    let kinds: Vec<&MisreadKind> = command
        .exec
        .misread()
        .iter()
        .filter(|misread| misread.place.arg as usize == index)
        .map(|misread| &misread.kind)
        .collect();
    if kinds.iter().any(|kind| matches!(kind, MisreadKind::Operator | MisreadKind::Redirection | MisreadKind::Quotes)) {
        return Some(word.clone());
    }
    if kinds.contains(&&MisreadKind::Pattern) {
        let is_sure = word.chars().all(|c| is_safe(c) || c == '*' || c == '?');
        return is_sure.then(|| word.clone());
    }
    let substitutes = kinds.contains(&&MisreadKind::Substitution);
    let refers = command.exec.references().iter().any(|reference| reference.place.arg as usize == index);
    if substitutes || refers || kinds.iter().any(|kind| matches!(kind, MisreadKind::Variable(_))) {
        let is_closed = !substitutes || word.matches("$(").count() == word.matches(')').count();
        return (is_closed && !word.contains(['"', '\\', '\'', '`'])).then(|| format!("\"{word}\""));
    }
    if !word.is_empty() && word.chars().all(is_safe) {
        return Some(word.clone());
    }
    (!word.contains('\'')).then(|| format!("'{word}'"))
}

const fn is_safe(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '@' | '%' | '+' | '=' | ':' | ',' | '.' | '/' | '-')
}
