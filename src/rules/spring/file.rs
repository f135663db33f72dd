//! `application.yml`, `application.properties` and their like.

use super::{Setting, squash};
use crate::span::{SourceId, Span};
use crate::yaml::{self, Kind, Node};

/// Nested deeper than any settings are.
const MAX_DEPTH: usize = 32;

/// The rank of a file for a profile that may be active or not.
const UNSURE: usize = usize::MAX;

/// The files that are in force, the weakest first: `bootstrap` before `application`, YAML before properties, and those
/// of a profile after those of all. With each goes whether it is so for certain: without known `profiles` every profile
/// may be active or not.
pub(super) fn order<'n>(names: impl Iterator<Item = &'n str>, profiles: Option<&[String]>) -> Vec<(&'n str, bool)> {
    let mut found: Vec<(bool, usize, bool, &str)> = names
        .filter_map(|name| {
            let (stem, is_properties) = match name.strip_suffix(".properties") {
                Some(stem) => (stem, true),
                None => (name.strip_suffix(".yml").or_else(|| name.strip_suffix(".yaml"))?, false),
            };
            let (kind, profile) = stem.split_once('-').unwrap_or((stem, ""));
            let rank = match (profile, profiles) {
                ("", _) => 0,
                (_, None) => UNSURE,
                (profile, Some(profiles)) => 1 + profiles.iter().position(|active| active == profile)?,
            };
            ["application", "bootstrap"].contains(&kind).then_some((kind == "application", rank, is_properties, name))
        })
        .collect();
    found.sort_unstable();
    found.into_iter().map(|(_, rank, _, name)| (name, rank != UNSURE)).collect()
}

/// Reads a file by its ending. `line` gives the bytes of a line by its number, from 0. What an uncertain file sets is
/// hidden.
pub(super) fn read(
    name: &str,
    is_certain: bool,
    text: &str,
    source: SourceId,
    line: &dyn Fn(usize) -> Span,
) -> Vec<Setting> {
    let mut all = if name.ends_with(".properties") { properties(text, source, line) } else { yaml(text, source, line) };
    if !is_certain {
        hide(&mut all);
    }
    all
}

/// Reads YAML, or JSON. Documents for a profile hide what they set, for nobody knows whether it is active.
pub(super) fn yaml(text: &str, source: SourceId, line: &dyn Fn(usize) -> Span) -> Vec<Setting> {
    let tree = yaml::parse(text);
    let mut all = Vec::new();
    for document in tree.documents().iter().filter(|document| document.problems.is_empty()) {
        let Some(root) = tree.root(document) else { continue };
        let from = all.len();
        flatten(root, "", text, source, line, &mut all, 0);
        hide_profile(&mut all[from..]);
    }
    all
}

fn flatten(
    node: Node<'_>,
    key: &str,
    text: &str,
    source: SourceId,
    line: &dyn Fn(usize) -> Span,
    all: &mut Vec<Setting>,
    depth: usize,
) {
    let Some(node) = node.resolved().filter(|_| depth < MAX_DEPTH) else { return };
    match node.kind() {
        Kind::Mapping => {
            for (name, value) in node.entries() {
                flatten(value, &format!("{key}.{}", name.text()), text, source, line, all, depth + 1);
            }
        }
        Kind::Sequence => {
            for (index, item) in node.items().enumerate() {
                flatten(item, &format!("{key}.{index}"), text, source, line, all, depth + 1);
            }
        }
        Kind::Scalar => {
            let before = text.get(..node.span().start as usize).unwrap_or_default();
            let number = before.bytes().filter(|byte| *byte == b'\n').count();
            all.push(Setting { key: squash(key), value: Some(node.text().to_owned()), source, at: line(number) });
        }
        Kind::Alias => {}
    }
}

/// Reads lines of `key=value` and `key: value`. A `#---` begins a document of its own.
fn properties(text: &str, source: SourceId, line: &dyn Fn(usize) -> Span) -> Vec<Setting> {
    let mut all: Vec<Setting> = Vec::new();
    let mut from = 0;
    let mut continues = false;
    for (number, row) in text.lines().enumerate() {
        let row = row.trim();
        let is_continuation = std::mem::replace(&mut continues, row.ends_with('\\') && !row.starts_with(['#', '!']));
        if is_continuation {
            // A value over several lines is no port, path or short list.
            if let Some(last) = all.last_mut() {
                last.value = None;
            }
            continue;
        }
        if row == "#---" || row == "!---" {
            hide_profile(&mut all[from..]);
            from = all.len();
            continue;
        }
        if row.starts_with(['#', '!']) {
            continue;
        }
        let Some(at) = row.find(['=', ':']) else { continue };
        let value = Some(row[at + 1..].trim().to_owned());
        all.push(Setting { key: squash(row[..at].trim()), value, source, at: line(number) });
    }
    hide_profile(&mut all[from..]);
    all
}

fn hide_profile(settings: &mut [Setting]) {
    let is_condition = |setting: &Setting| {
        setting.key.starts_with("springconfigactivate")
            || setting.key.trim_end_matches(|c: char| c.is_ascii_digit()) == "springprofiles"
    };
    if settings.iter().any(is_condition) {
        hide(settings);
    }
}

fn hide(settings: &mut [Setting]) {
    for setting in settings {
        setting.value = None;
    }
}

/// The bytes of a line of `within`, by its number from 0, without the blanks around it.
pub(super) fn line(text: &str, within: Span, number: usize) -> Span {
    let mut start = within.start as usize;
    for _ in 0..number {
        match text.get(start..within.end as usize).and_then(|rest| rest.find('\n')) {
            Some(at) => start += at + 1,
            None => return within,
        }
    }
    let rest = text.get(start..within.end as usize).unwrap_or_default();
    let row = rest.lines().next().unwrap_or_default();
    let from = start + (row.len() - row.trim_start().len());
    Span::new(from as u32, (from + row.trim().len()) as u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(name: &str, text: &str) -> Vec<String> {
        show(name, true, text)
    }

    fn show(name: &str, is_certain: bool, text: &str) -> Vec<String> {
        let whole = Span::new(0, text.len() as u32);
        let settings = read(name, is_certain, text, SourceId(0), &|number| line(text, whole, number));
        settings
            .iter()
            .map(|it| format!("{}={} [{}]", it.key, it.value.as_deref().unwrap_or("?"), it.at.text(text)))
            .collect()
    }

    #[test]
    fn settings_are_found_with_their_lines() {
        assert_eq!(
            shown("application.yml", "server:\n  port: 8081\nmanagement.server:\n  port: 9090\na: [x, y]\n"),
            [
                "serverport=8081 [port: 8081]",
                "managementserverport=9090 [port: 9090]",
                "a0=x [a: [x, y]]",
                "a1=y [a: [x, y]]"
            ]
        );
        assert_eq!(
            shown("application.properties", "# x\nserver.port = 8081\r\nmanagement.endpoints.web.base-path:/manage\n"),
            [
                "serverport=8081 [server.port = 8081]",
                "managementendpointswebbasepath=/manage [management.endpoints.web.base-path:/manage]"
            ]
        );
    }

    #[test]
    fn what_a_profile_sets_is_not_known() {
        assert_eq!(
            shown("application.yml", "a: 1\n---\nspring.config.activate.on-profile: prod\na: 2\n")[1..],
            ["springconfigactivateonprofile=? [spring.config.activate.on-profile: prod]", "a=? [a: 2]"]
        );
        assert_eq!(shown("application.properties", "a=1\n#---\nspring.profiles=x\na=2\n")[2], "a=? [a=2]");
        assert_eq!(show("application-prod.properties", false, "a=1\n"), ["a=? [a=1]"]);
        assert_eq!(show("application-prod.yml", false, "a: 1\n"), ["a=? [a: 1]"]);
    }

    #[test]
    fn files_stand_in_their_order() {
        let names = ["application-prod.yml", "application.properties", "application.yml", "bootstrap.yml", "x.yml"];
        let all = |profiles: &[&str]| {
            let profiles: Vec<String> = profiles.iter().map(|it| (*it).to_owned()).collect();
            order(names.into_iter(), Some(&profiles))
        };
        let common = [("bootstrap.yml", true), ("application.yml", true), ("application.properties", true)];
        assert_eq!(all(&[]), common);
        assert_eq!(all(&["prod"])[..3], common);
        assert_eq!(all(&["prod"])[3..], [("application-prod.yml", true)]);
        let unknown = order(names.into_iter(), None);
        assert_eq!(unknown[..3], common);
        assert_eq!(unknown[3..], [("application-prod.yml", false)]);
    }
}
