//! The arrows of the architecture, held against the code: which module may import which, who may touch the outside, and
//! the habits that a compiler does not ask for.

#![allow(clippy::unwrap_used, reason = "a test may stop at what is not there")]

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

/// What each top-level module may import from this crate; its tests may import anything. A module imports only from rows above its own, so there are
/// no circles.
const MAY_IMPORT: &[(&str, &[&str])] = &[
    ("span", &[]),
    ("error", &[]),
    ("timing", &[]),
    ("shell", &["span"]),
    ("yaml", &["span"]),
    ("source", &["span"]),
    ("fix", &["span", "yaml"]),
    ("finding", &["span", "fix"]),
    // The tables are YAML, and the rows about clients are what the shell reader takes.
    ("knowledge", &["span", "yaml", "shell"]),
    // The kinds of probes are the timing model's.
    ("model", &["span", "yaml", "timing"]),
    ("timeline", &["span", "model", "timing", "shell"]),
    // Pages have front matter in YAML, `syntax-error` passes on what the YAML reader says, and a project keeps sources.
    ("rules", &["span", "yaml", "source", "model", "timing", "timeline", "shell", "knowledge", "finding", "fix"]),
    ("lint", &["span", "yaml", "source", "model", "finding", "rules"]),
    ("report", &["span", "source", "finding", "fix", "lint", "rules", "timing", "timeline"]),
    ("cli", &["span", "error", "source", "model", "finding", "fix", "lint", "rules", "timeline", "timing", "report"]),
    ("lib", &[]),
    ("main", &["cli"]),
];

/// Crates and parts of the standard library that only some modules may name.
const RESERVED: &[(&str, &[&str])] = &[
    ("clap", &["cli"]),
    ("granit_parser", &["yaml"]),
    ("ignore", &["source"]),
    ("miette", &["report"]),
    ("pulldown_cmark", &["report"]),
    ("rayon", &["lint"]),
    ("serde_json", &["report", "cli", "yaml"]),
    ("std::env", &["cli", "main"]),
    ("std::fs", &["source", "cli"]),
    ("std::process", &["main"]),
    ("std::thread", &["source", "cli"]),
];

/// Calls that end the program instead of answering.
const ENDINGS: [&str; 6] = [".unwrap()", ".expect(", "panic!", "todo!", "unimplemented!", "unreachable!"];

/// One file of `src`.
struct File {
    /// From the root of the checkout, with `/` between the parts.
    path: String,
    text: String,
    /// The text with blanks in place of comments and of what stands in quotes; every byte keeps its place.
    code: String,
    /// Bytes that exist only in tests.
    tests: Vec<(usize, usize)>,
}

impl File {
    fn new(path: String, text: String) -> Self {
        let code = blank_out(&text);
        // A file of tests is declared under `cfg(test)` by the module it tests; it may fetch its data anywhere.
        let tests = if path.ends_with("/tests.rs") { vec![(0, code.len())] } else { test_items(&code) };
        Self { path, text, code, tests }
    }

    /// The module's path below the crate: `src/rules/page.rs` is `["rules", "page"]`.
    fn module(&self) -> Vec<&str> {
        let inner = self.path.strip_prefix("src/").unwrap().strip_suffix(".rs").unwrap();
        inner.split('/').filter(|part| *part != "mod").collect()
    }

    fn top(&self) -> &str {
        self.module()[0]
    }

    fn is_test(&self, offset: usize) -> bool {
        self.tests.iter().any(|&(start, end)| (start..end).contains(&offset))
    }

    fn line(&self, offset: usize) -> usize {
        self.text[..offset].matches('\n').count() + 1
    }

    fn place(&self, offset: usize) -> String {
        format!("{}:{}", self.path, self.line(offset))
    }

    /// Top-level modules of this crate that the code names, with the offset of each name.
    fn imports(&self) -> Vec<(usize, String)> {
        let mut found = Vec::new();
        for start in words(&self.code, "crate") {
            self.collect(start + "crate".len(), &mut found);
        }
        for start in words(&self.code, "super") {
            if self.code[..start].ends_with("super::") {
                continue;
            }
            let mut end = start + "super".len();
            let mut levels = 1;
            while self.code[end..].starts_with("::super") {
                end += "::super".len();
                levels += 1;
            }
            // A module of tests lies one level deeper than its file.
            let depth = self.module().len() + usize::from(self.is_test(start));
            if levels >= depth {
                self.collect(end, &mut found);
            }
        }
        found
    }

    /// Collects the names behind the `::` at `at`: one, or the first of each member of a list in braces.
    fn collect(&self, at: usize, found: &mut Vec<(usize, String)>) {
        let Some(rest) = self.code[at..].strip_prefix("::") else { return };
        let mut starts = vec![at + 2];
        if rest.starts_with('{') {
            starts.clear();
            let mut depth = 0;
            for (offset, c) in rest.char_indices() {
                match c {
                    '{' => depth += 1,
                    '}' => depth -= 1,
                    _ => {}
                }
                if depth == 1 && matches!(c, '{' | ',') {
                    starts.push(at + 2 + offset + 1);
                }
                if depth == 0 {
                    break;
                }
            }
        }
        for start in starts {
            let rest = self.code[start..].trim_start();
            let name: String = rest.chars().take_while(|&c| is_word(c)).collect();
            // Types and functions at the root of the crate would show as an unknown module.
            if !name.is_empty() {
                found.push((self.code.len() - rest.len(), name));
            }
        }
    }
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Where `word` stands as a word of its own (or, if it is a path, as the start of one).
fn words<'a>(code: &'a str, word: &'a str) -> impl Iterator<Item = usize> + 'a {
    let is_whole = move |at: &usize| !code[..*at].ends_with(is_word) && !code[at + word.len()..].starts_with(is_word);
    code.match_indices(word).map(|(at, _)| at).filter(is_whole)
}

/// Puts blanks in place of comments and of what stands in quotes.
fn blank_out(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut code = bytes.to_vec();
    let mut at = 0;
    while at < bytes.len() {
        let rest = &text[at..];
        let before_is_word = text[..at].ends_with(is_word);
        let end = if rest.starts_with("//") {
            at + rest.find('\n').unwrap_or(rest.len())
        } else if rest.starts_with("/*") {
            at + rest.find("*/").map_or(rest.len(), |end| end + 2)
        } else if let Some(hashes) = raw_string(rest).filter(|_| !before_is_word) {
            let close = format!("\"{}", "#".repeat(hashes));
            let open = rest.find('"').unwrap() + 1;
            at + rest[open..].find(&close).map_or(rest.len(), |end| open + end + close.len())
        } else if rest.starts_with('"') {
            at + quoted(rest, b'"')
        } else if rest.starts_with('\'') && is_char_literal(rest) {
            at + quoted(rest, b'\'')
        } else {
            at += rest.chars().next().unwrap().len_utf8();
            continue;
        };
        for byte in &mut code[at..end] {
            if *byte != b'\n' {
                *byte = b' ';
            }
        }
        at = end;
    }
    String::from_utf8(code).unwrap()
}

/// The number of `#` if a raw string starts here.
fn raw_string(rest: &str) -> Option<usize> {
    let rest = rest.strip_prefix('b').unwrap_or(rest).strip_prefix('r')?;
    let hashes = rest.len() - rest.trim_start_matches('#').len();
    rest[hashes..].starts_with('"').then_some(hashes)
}

/// A quote opens a character, not a lifetime, if it is closed behind one character or an escape.
fn is_char_literal(rest: &str) -> bool {
    let mut chars = rest.chars().skip(1);
    chars.next() == Some('\\') || chars.next() == Some('\'')
}

/// Bytes of a literal between quotes that backslashes escape.
fn quoted(rest: &str, quote: u8) -> usize {
    let bytes = rest.as_bytes();
    let mut at = 1;
    while at < bytes.len() && bytes[at] != quote {
        at += if bytes[at] == b'\\' { 2 } else { 1 };
    }
    (at + 1).min(bytes.len())
}

/// The items behind `#[cfg(test)]`.
fn test_items(code: &str) -> Vec<(usize, usize)> {
    let mut items = Vec::new();
    for (start, attribute) in code.match_indices("#[cfg(test)]") {
        let mut depth = 0;
        let body = start + attribute.len();
        let end = code[body..].char_indices().find_map(|(offset, c)| {
            match c {
                '{' => depth += 1,
                '}' => depth -= 1,
                _ => {}
            }
            (depth == 0 && matches!(c, '}' | ';')).then_some(body + offset + 1)
        });
        items.push((start, end.unwrap_or(code.len())));
    }
    items
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn collect_paths(folder: &Path, paths: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect_paths(&path, paths);
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            paths.push(path);
        }
    }
}

/// All files of `src`, by path.
fn files() -> Vec<File> {
    let mut paths = Vec::new();
    collect_paths(&root().join("src"), &mut paths);
    paths.sort();
    let mut files: Vec<File> = paths
        .into_iter()
        .map(|path| {
            let shown = path.strip_prefix(root()).unwrap().to_str().unwrap().replace('\\', "/");
            File::new(shown, fs::read_to_string(path).unwrap())
        })
        .collect();
    assert!(files.len() > 20, "only {} files found in src", files.len());
    mark_test_files(&mut files);
    files
}

/// A file whose `mod` line stands behind `#[cfg(test)]` is a test from start to end.
fn mark_test_files(files: &mut [File]) {
    let mut names = BTreeSet::new();
    for file in &*files {
        let mut folder = file.module();
        if matches!(folder[..], ["lib"] | ["main"]) {
            folder.clear();
        }
        for &(start, end) in &file.tests {
            let item = file.code[start..end].trim_start_matches("#[cfg(test)]").trim();
            if let Some(name) = item.strip_prefix("mod ").and_then(|item| item.strip_suffix(';')) {
                names.insert([folder.join("/"), name.to_owned()].join("/"));
            }
        }
    }
    for file in files {
        if names.contains(&file.module().join("/")) {
            file.tests = vec![(0, file.text.len())];
        }
    }
}

fn row<'a>(table: &'a [(&str, &'a [&'a str])], name: &str) -> Option<&'a [&'a str]> {
    table.iter().find(|(module, _)| *module == name).map(|&(_, allowed)| allowed)
}

/// Every import that the table does not allow.
fn forbidden_imports(files: &[File]) -> String {
    let mut violations = String::new();
    for file in files {
        let top = file.top();
        let Some(allowed) = row(MAY_IMPORT, top) else {
            writeln!(violations, "{}: the module `{top}` has no row in MAY_IMPORT", file.path).unwrap();
            continue;
        };
        for (offset, name) in file.imports() {
            let is_whole_test_file = file.path.ends_with("/tests.rs");
            if name != top && !file.is_test(offset) && !allowed.contains(&name.as_str()) && !is_whole_test_file {
                writeln!(violations, "{}: `{top}` may not import `{name}`", file.place(offset)).unwrap();
            }
        }
    }
    violations
}

#[test]
fn modules_import_only_what_the_table_allows() {
    let violations = forbidden_imports(&files());
    assert!(violations.is_empty(), "\n{violations}");
}

#[test]
fn the_table_of_imports_has_no_circles() {
    for (index, (module, allowed)) in MAY_IMPORT.iter().enumerate() {
        for name in *allowed {
            let is_above = MAY_IMPORT[..index].iter().any(|(above, _)| above == name);
            assert!(is_above, "`{name}` does not stand above `{module}`");
        }
    }
}

#[test]
fn the_program_is_nothing_but_a_call_of_the_library() {
    for file in files().iter().filter(|file| file.path == "src/main.rs") {
        for start in words(&file.code, "probelint") {
            let rest = &file.code[start..];
            assert!(rest.starts_with("probelint::cli::"), "{}: only `cli` is for the program", file.place(start));
        }
    }
}

#[test]
fn the_outside_is_touched_only_where_the_table_says() {
    let mut violations = String::new();
    for file in files() {
        let forbidden = RESERVED.iter().filter(|(_, allowed)| !allowed.contains(&file.top()));
        for &(name, allowed) in forbidden {
            for offset in words(&file.code, name).filter(|&at| !file.is_test(at)) {
                // The name of a crate is also a word for fields and options.
                if name.contains("::") || file.code[offset + name.len()..].starts_with("::") {
                    writeln!(violations, "{}: `{name}` is only for {allowed:?}", file.place(offset)).unwrap();
                }
            }
        }
    }
    assert!(violations.is_empty(), "\n{violations}");
}

#[test]
fn every_file_but_a_rule_opens_with_what_it_owns() {
    let mut violations = String::new();
    for file in files() {
        if !file.text.starts_with("//! ") && !is_rule(&file) {
            writeln!(violations, "{}: no `//!` header", file.path).unwrap();
        }
    }
    assert!(violations.is_empty(), "\n{violations}");
}

/// Whether the header of the file is a page in `rules`.
fn is_rule(file: &File) -> bool {
    match file.module()[..] {
        ["rules", name] => root().join(format!("rules/{}.md", name.replace('_', "-"))).is_file(),
        _ => false,
    }
}

/// Calls outside tests that may end the program, unless a comment on the line or above it says why they cannot.
fn endings(file: &File) -> String {
    let mut violations = String::new();
    let lines: Vec<&str> = file.text.lines().collect();
    for call in ENDINGS {
        for (offset, _) in file.code.match_indices(call) {
            let line = file.line(offset);
            let has_reason =
                lines[line - 1].contains("// ") || line > 1 && lines[line - 2].trim_start().starts_with("// ");
            let is_word_end = !call.starts_with('.') && file.code[..offset].ends_with(is_word);
            if !file.is_test(offset) && !has_reason && !is_word_end {
                writeln!(violations, "{}: `{call}` without a comment that says why it is safe", file.place(offset))
                    .unwrap();
            }
        }
    }
    violations
}

#[test]
fn nothing_outside_tests_ends_the_program() {
    let violations: String = files().iter().map(endings).collect();
    assert!(violations.is_empty(), "\n{violations}");
}

/// The names that a file with this text imports, with their lines.
fn imports_of(path: &str, text: &str) -> Vec<(usize, String)> {
    let file = File::new(path.to_owned(), text.to_owned());
    file.imports().into_iter().map(|(offset, name)| (file.line(offset), name)).collect()
}

#[test]
fn imports_are_seen_however_they_are_written() {
    let text = "//! crate::comment::X\nuse crate::finding::{Finding, Level};\nuse crate::{\n    fix::{Edit, Fix},\n    \
                lint,\n};\nfn f() -> crate::span::Span { g('\"', \"crate::quoted::X\", r#\"\"crate::raw::X\"#) }\n";
    let expected = [(2, "finding"), (4, "fix"), (5, "lint"), (7, "span")].map(|(line, name)| (line, name.to_owned()));
    assert_eq!(imports_of("src/rules/page.rs", text), expected);
}

#[test]
fn a_path_that_climbs_to_the_root_is_an_import() {
    assert_eq!(
        imports_of("src/fix/edit.rs", "use super::super::span::Span;\nuse super::Fix;"),
        [(1, "span".to_owned())]
    );
    assert_eq!(imports_of("src/fix/mod.rs", "use super::span::Span;"), [(1, "span".to_owned())]);
    let tests = "#[cfg(test)]\nmod tests {\n    use super::*;\n    use super::super::lint::Outcome;\n}\n";
    assert_eq!(imports_of("src/finding.rs", tests), [(4, "lint".to_owned())]);
}

#[test]
fn a_forbidden_import_is_reported_with_its_place() {
    let file = File::new("src/yaml/tree.rs".to_owned(), "//! T.\n\nuse crate::rules::Page;\n".to_owned());
    assert_eq!(forbidden_imports(&[file]), "src/yaml/tree.rs:3: `yaml` may not import `rules`\n");
    let file = File::new("src/web/mod.rs".to_owned(), String::new());
    assert!(forbidden_imports(&[file]).contains("`web` has no row"));
}

#[test]
fn only_code_counts_as_ending_the_program() {
    let text = "fn f(x: Option<u8>) -> u8 {\n    // panic!\n    let s = \"todo!\";\n    x.unwrap()\n}\n#[cfg(test)]\n\
                mod tests {\n    fn g() { None::<u8>.unwrap(); }\n}\n";
    let file = File::new("src/span.rs".to_owned(), text.to_owned());
    assert!(endings(&file).starts_with("src/span.rs:4: `.unwrap()`"));
    assert_eq!(endings(&file).lines().count(), 1);
    let excused = text.replace("    x.unwrap()", "    // The caller has looked.\n    x.unwrap()");
    assert_eq!(endings(&File::new("src/span.rs".to_owned(), excused)), "");
}
