//! Programs whose business is to run another program: shells that are given a script, and wrappers such as `timeout`,
//! `env` or `sudo`. These are the only programs that the code knows by name; everything else is in the tables.

use super::place::Text;
use super::reader::{Assignment, Reading};
use super::run::{Shell, TimeLimit, program_name};
use super::script::RunId;
use super::word::{Expander, Part, Value, Word};

/// Wrappers in wrappers that are followed. Each step drops at least one word.
const MAX_WRAPPERS: usize = 16;

const SHELLS: [&str; 9] = ["sh", "bash", "dash", "ash", "ksh", "mksh", "zsh", "rbash", "hush"];

/// How a wrapper's own words end and the command begins.
struct Wrapper {
    name: &'static str,
    /// Options that take the next word as their value, short ones as letters.
    short_values: &'static str,
    /// Long ones, when written without `=`.
    long_values: &'static [&'static str],
    /// Words of its own before the command.
    operands: usize,
}

const fn wrapper(
    name: &'static str,
    short_values: &'static str,
    long_values: &'static [&'static str],
    operands: usize,
) -> Wrapper {
    Wrapper { name, short_values, long_values, operands }
}

const WRAPPERS: [Wrapper; 28] = [
    wrapper("timeout", "ks", &["kill-after", "signal"], 1),
    wrapper("env", "uC", &["unset", "chdir"], 0),
    wrapper("exec", "a", &[], 0),
    wrapper("command", "", &[], 0),
    wrapper("builtin", "", &[], 0),
    wrapper("nice", "n", &["adjustment"], 0),
    wrapper("ionice", "cn", &["class", "classdata"], 0),
    wrapper("nohup", "", &[], 0),
    wrapper("setsid", "", &[], 0),
    wrapper("stdbuf", "ioe", &["input", "output", "error"], 0),
    wrapper("time", "fo", &["format", "output"], 0),
    wrapper("gosu", "", &[], 1),
    wrapper("su-exec", "", &[], 1),
    wrapper("setuser", "", &[], 1),
    wrapper("s6-setuidgid", "", &[], 1),
    wrapper("chpst", "ubonPdfcmtr", &[], 0),
    wrapper("setpriv", "", &["reuid", "regid", "groups", "securebits", "inh-caps", "ambient-caps", "bounding-set"], 0),
    wrapper("sudo", "ughpCrtTDR", &["user", "group", "host", "prompt", "chdir", "chroot", "role", "type"], 0),
    wrapper("doas", "uC", &[], 0),
    wrapper("busybox", "", &[], 0),
    wrapper("toybox", "", &[], 0),
    wrapper("tini", "pe", &[], 0),
    wrapper("tini-static", "pe", &[], 0),
    wrapper("dumb-init", "r", &["rewrite"], 0),
    wrapper("catatonit", "", &[], 0),
    wrapper("with-contenv", "", &[], 0),
    wrapper("nsenter", "tSGW", &["target", "setuid", "setgid", "wdns"], 0),
    wrapper("chroot", "", &[], 1),
];

/// Takes wrappers off the front of a run and reads the script that a shell is given.
pub(super) fn unwrap(reading: &mut Reading, run: RunId) {
    for _ in 0..MAX_WRAPPERS {
        let own = &reading.runs[run];
        let Some(name) = own.words.first().and_then(program_name) else {
            return;
        };
        let name = name.into_owned();
        if SHELLS.contains(&name.as_str()) {
            if let Some((shell, index)) = shell_script(&own.words, 1) {
                read_script(reading, run, shell, index);
            }
            return;
        }
        if name == "su" || name == "runuser" {
            if let Some(index) = su_script(&own.words) {
                read_script(reading, run, Shell::default(), index);
                return;
            }
            if name == "su" {
                return;
            }
        }
        let Some(used) = wrapper_words(reading, run, &name) else {
            return;
        };
        let own = &mut reading.runs[run];
        if used >= own.words.len() {
            return;
        }
        own.replaces_shell |= name == "exec";
        own.elsewhere |= name == "nsenter" || name == "chroot";
        let rest = own.words.split_off(used);
        let mut front = std::mem::replace(&mut own.words, rest);
        own.wrapped_in.append(&mut front);
    }
}

/// How many words belong to the wrapper `name` itself; `None` when it is no wrapper, or wraps nothing here.
fn wrapper_words(reading: &mut Reading, run: RunId, name: &str) -> Option<usize> {
    let run_user = wrapper("runuser", "ugG", &["user", "group", "supp-group"], 0);
    let wrapper = if name == "runuser" { &run_user } else { WRAPPERS.iter().find(|wrapper| wrapper.name == name)? };
    let own = &mut reading.runs[run];
    let mut at = 1;
    let mut limit = None;
    let mut operands = wrapper.operands;
    while let Some(word) = own.words.get(at) {
        // An option may hold a variable in its value.
        let value = Value::of(word);
        let text = value.text();
        if text == "--" {
            at += 1;
            break;
        }
        if let Some(long) = text.strip_prefix("--") {
            at += if !long.contains('=') && wrapper.long_values.contains(&long) { 2 } else { 1 };
        } else if text.len() > 1 && text.starts_with('-') {
            // `command -v nc` looks a program up and does not run it.
            if name == "command" && text.contains(['v', 'V']) {
                return None;
            }
            // Old busybox writes the duration as an option.
            if name == "timeout" && text == "-t" {
                limit = own.words.get(at + 1).map(time_limit);
                operands = 0;
                at += 2;
                continue;
            }
            let takes_next = text.char_indices().nth(1).is_some()
                && text[1..]
                    .char_indices()
                    .find(|(_, option)| wrapper.short_values.contains(*option))
                    .is_some_and(|(index, option)| 1 + index + option.len_utf8() == text.len());
            at += if takes_next { 2 } else { 1 };
        } else if text == "-" && name == "env" {
            at += 1;
        } else {
            break;
        }
    }
    if name == "timeout" && operands == 1 {
        limit = own.words.get(at).map(time_limit);
    }
    at += operands;
    if name == "gosu" && own.words.get(at).is_some_and(|word| word.is("--")) {
        at += 1;
    }
    if name == "env" || name == "sudo" {
        let start = at;
        while let Some(assignment) = own.words.get(at).and_then(Assignment::cut) {
            own.assignments.push(assignment);
            at += 1;
        }
        if at == own.words.len() {
            return None;
        }
        // Each word is kept once, so that a script inside is judged once.
        own.words.drain(start..at);
        at = start;
    }
    if limit.is_some() && at < own.words.len() {
        own.limit = limit;
    }
    Some(at)
}

/// The options of a shell and the index of its script, when it is given one with `-c`.
fn shell_script(words: &[Word], from: usize) -> Option<(Shell, usize)> {
    let mut shell = Shell::default();
    let mut has_script = false;
    let mut at = from;
    while let Some(word) = words.get(at) {
        // The script itself may hold what is not known.
        let value = Value::of(word);
        let text = value.text();
        if text == "--" || text == "-" {
            at += 1;
            break;
        }
        if let Some(long) = text.strip_prefix("--") {
            at += if matches!(long, "rcfile" | "init-file") { 2 } else { 1 };
            continue;
        }
        let on = match text.as_bytes() {
            [b'-', _, ..] => true,
            [b'+', _, ..] => false,
            _ => break,
        };
        at += 1;
        for option in text[1..].chars() {
            match option {
                'c' if on => has_script = true,
                'e' => shell.exits_on_error = on,
                'o' | 'O' => {
                    if words.get(at).is_some_and(|word| word.is("pipefail")) {
                        shell.pipefail = on;
                    } else if words.get(at).is_some_and(|word| word.is("errexit")) {
                        shell.exits_on_error = on;
                    }
                    at += 1;
                }
                _ => {}
            }
        }
    }
    if !has_script || at >= words.len() {
        return None;
    }
    shell.extra = words.len() - at - 1;
    Some((shell, at))
}

/// The index of the script of `su -c SCRIPT user`, `su - user -c SCRIPT`. With `runuser -u` there is none.
fn su_script(words: &[Word]) -> Option<usize> {
    let at = words.iter().position(|word| word.is("-c") || word.is("--command"))?;
    let separator = words.iter().position(|word| word.is("--")).unwrap_or(words.len());
    (at < separator && at + 1 < words.len()).then_some(at + 1)
}

/// Reads the word at `index` as a script.
fn read_script(reading: &mut Reading, run: RunId, shell: Shell, index: usize) {
    let Some(word) = reading.runs[run].words.get(index) else {
        return;
    };
    // A script that comes out of a variable alone is not in the text.
    if !word.parts.iter().any(|part| matches!(part, Part::Literal { .. })) {
        reading.gave_up |= !word.parts.is_empty();
        return;
    }
    let text = script_text(word);
    let script = reading.script(&text);
    reading.runs[run].script = Some(script);
    reading.runs[run].shell = Some(shell);
}

/// The text that the inner shell reads. A variable that the outer shell has already replaced is left in it: the inner
/// shell sees the same value if the variable is exported, and its name is what matters here. What a substitution of
/// the outer shell put there is not known; its commands are already counted, so `$!` stands for it.
fn script_text(word: &Word) -> Text<'static> {
    let mut text = Text::builder(word.place.arg);
    for part in &word.parts {
        let place = part.place();
        match part {
            Part::Literal { text: literal, .. } => text.push(literal, place.span.start),
            Part::Variable(variable) if variable.by == Expander::Kubelet => {
                text.push(&format!("$({})", variable.name), place.span.start);
            }
            Part::Variable(variable) => text.push(&format!("${{{}}}", variable.name), place.span.start),
            Part::Substitution { .. } | Part::Arithmetic { .. } => text.push("$!", place.span.start),
        }
    }
    text
}

fn time_limit(word: &Word) -> TimeLimit {
    let value = Value::of(word);
    TimeLimit { seconds: value.known().and_then(seconds), place: word.place }
}

/// Reads `5`, `0.5s`, `500ms`, `2m`, `1h`, `1m30s`: the notations of `timeout`, `sleep` and Go programs.
pub(super) fn seconds(text: &str) -> Option<f64> {
    let mut rest = text.trim();
    let mut total = 0.0;
    if rest.is_empty() || rest.len() > 32 {
        return None;
    }
    while !rest.is_empty() {
        let digits = rest.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(rest.len());
        let number: f64 = rest[..digits].parse().ok()?;
        let unit_end = rest[digits..].find(|c: char| c.is_ascii_digit()).map_or(rest.len(), |length| digits + length);
        let factor = match &rest[digits..unit_end] {
            "" | "s" => 1.0,
            "ms" => 0.001,
            "us" | "µs" => 0.000_001,
            "m" => 60.0,
            "h" => 3600.0,
            "d" => 86_400.0,
            _ => return None,
        };
        total += number * factor;
        rest = &rest[unit_end..];
    }
    Some(total)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_read_in_every_notation_that_clients_use() {
        assert_eq!(seconds("5"), Some(5.0));
        assert_eq!(seconds("0.5s"), Some(0.5));
        assert_eq!(seconds("500ms"), Some(0.5));
        assert_eq!(seconds("1m30s"), Some(90.0));
        assert_eq!(seconds("2h"), Some(7200.0));
        assert_eq!(seconds("five"), None);
        assert_eq!(seconds(""), None);
        assert_eq!(seconds("."), None);
    }
}
