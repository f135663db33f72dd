//! Settings of a Spring Boot application, as far as the input shows them: arguments, `SPRING_APPLICATION_JSON`, `-D`
//! options, variables, and `application.yml` and its like from ConfigMaps and from files of the run.
//!
//! Source of the order and of the spellings: Spring Boot reference documentation, "Externalized Configuration", sections
//! "External Application Properties" and "Relaxed Binding".

mod file;
pub(super) mod health;

use super::Context;
use super::environment::{Lookup, lookup};
use crate::model::{Container, EnvSource, Role};
use crate::span::{SourceId, Span};

/// One setting.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Setting {
    /// Its name in lower case, without dots, dashes and underscores, so that every spelling is the same.
    key: String,
    /// Its value; `None` when it cannot be known: a placeholder, a Secret, a profile that may be active or not.
    pub(super) value: Option<String>,
    /// The source it is written in.
    pub(super) source: SourceId,
    /// Its line, or its value.
    pub(super) at: Span,
}

/// What is known of a setting.
#[derive(Clone, Copy, Debug)]
pub(super) enum Known<'s> {
    /// Nothing in the input sets it; the application itself may.
    Unset,
    /// It is set to something that cannot be seen.
    Hidden,
    /// Its value, and where it is set.
    Set(&'s str, &'s Setting),
}

impl<'s> Known<'s> {
    /// The value, if it is known.
    pub(super) fn value(self) -> Option<&'s str> {
        self.set().map(|(value, _)| value)
    }

    /// The value and where it is set, if it is known.
    pub(super) const fn set(self) -> Option<(&'s str, &'s Setting)> {
        match self {
            Self::Set(value, setting) => Some((value, setting)),
            _ => None,
        }
    }

    /// Whether it is set to something that cannot be seen.
    pub(super) const fn is_hidden(self) -> bool {
        matches!(self, Self::Hidden)
    }
}

/// All settings that the input shows for one container, the strongest last.
#[derive(Debug, Default)]
pub(super) struct Settings {
    all: Vec<Setting>,
    /// The container takes a ConfigMap that is not in the input.
    misses_some: bool,
}

impl Settings {
    /// Whether nothing is known.
    pub(super) const fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// Whether a server of settings, or a ConfigMap that is not in the input, may have the last word.
    pub(super) fn may_be_overridden(&self) -> bool {
        let has_server = self.all.iter().any(|setting| {
            let is_import = setting.key.starts_with("springconfigimport");
            let names_server = setting.value.as_deref().is_none_or(|value| {
                ["configserver", "consul", "vault", "zookeeper", "kubernetes"].iter().any(|it| value.contains(it))
            });
            is_import && names_server || setting.key == "springcloudconfiguri"
        });
        has_server || self.misses_some
    }

    /// Settings whose names begin with `start` and end with `end`, with what stands between, the strongest first.
    pub(super) fn named(&self, start: &str, end: &str) -> impl Iterator<Item = (&str, &Setting)> {
        let (start, end) = (squash(start), squash(end));
        self.all.iter().rev().filter_map(move |setting| {
            let name = setting.key.strip_prefix(start.as_str())?.strip_suffix(end.as_str())?;
            (!name.is_empty()).then_some((name, setting))
        })
    }

    /// A setting by its canonical name: `management.server.port`.
    pub(super) fn get(&self, name: &str) -> Known<'_> {
        let key = squash(name);
        match self.all.iter().rev().find(|setting| setting.key == key) {
            None => Known::Unset,
            Some(setting) => match &setting.value {
                Some(value) => Known::Set(value, setting),
                None => Known::Hidden,
            },
        }
    }

    /// The items of a list, written in one value with commas or each on its own (`include[0]`). `None` when it is not set
    /// or cannot be seen.
    pub(super) fn list(&self, name: &str) -> Option<Vec<(&str, &Setting)>> {
        if let Known::Set(value, setting) = self.get(name) {
            return Some(
                value.split(',').map(|item| (item.trim(), setting)).filter(|(item, _)| !item.is_empty()).collect(),
            );
        }
        let key = squash(name);
        let is_item = |setting: &&Setting| {
            setting
                .key
                .strip_prefix(key.as_str())
                .is_some_and(|rest| !rest.is_empty() && rest.bytes().all(|byte| byte.is_ascii_digit()))
        };
        let items: Option<Vec<_>> =
            self.all.iter().filter(is_item).map(|setting| Some((setting.value.as_deref()?, setting))).collect();
        items.filter(|items| !items.is_empty())
    }
}

/// `management.endpoints.web.base-path`, `MANAGEMENT_ENDPOINTS_WEB_BASEPATH` and `..._BASE_PATH` are one setting.
fn squash(name: &str) -> String {
    name.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_lowercase()).collect()
}

/// Reads what the input says of a container.
pub(super) fn settings(cx: &Context<'_>, container: &Container) -> Settings {
    let mut all = Vec::new();
    beside(cx, container, &mut all);
    mounted(cx, container, &mut all);
    stated(cx, container, &mut all);
    let is_missing = |name: &str| cx.project.config_map_in(&cx.workload.namespace, name).is_none();
    Settings { all, misses_some: container.config_maps.iter().any(|used| is_missing(&used.name)) }
}

/// What variables, options and arguments of the container set, the strongest last.
fn stated(cx: &Context<'_>, container: &Container, all: &mut Vec<Setting>) {
    variables(cx, container, all);
    for name in ["JAVA_OPTS", "JDK_JAVA_OPTIONS", "JAVA_TOOL_OPTIONS"] {
        if let Lookup::Value(value, at) = lookup(cx, container, name) {
            all.extend(value.split_whitespace().filter_map(|word| option(word, "-D", cx.source, at)));
        }
    }
    for arg in container.command.iter().chain(&container.args) {
        all.extend(arg.text.split_whitespace().filter_map(|word| option(word, "-D", cx.source, arg.at)));
    }
    if let Lookup::Value(json, at) = lookup(cx, container, "SPRING_APPLICATION_JSON") {
        all.extend(file::yaml(&json, cx.source, &|_| at));
    }
    for arg in container.command.iter().chain(&container.args) {
        all.extend(arg.text.split_whitespace().filter_map(|word| option(word, "--", cx.source, arg.at)));
    }
    // `${...}` is for the application to fill in.
    let is_open = |value: &String| ["${", "{{", "$("].iter().any(|mark| value.contains(mark));
    for setting in all.iter_mut() {
        setting.value = setting.value.take().filter(|value| !is_open(value));
    }
}

/// `-Dkey=value` or `--key=value`.
fn option(word: &str, prefix: &str, source: SourceId, at: Span) -> Option<Setting> {
    let (key, value) = word.strip_prefix(prefix)?.split_once('=')?;
    key.contains('.').then(|| Setting { key: squash(key), value: Some(value.to_owned()), source, at })
}

fn variables(cx: &Context<'_>, container: &Container, all: &mut Vec<Setting>) {
    for used in &container.config_maps {
        let Some(prefix) = &used.prefix else { continue };
        let Some((source, map)) = cx.project.config_map_in(&cx.workload.namespace, &used.name) else { continue };
        let entries = map.data.iter().map(|entry| Setting {
            key: squash(&format!("{prefix}{}", entry.name)),
            value: Some(entry.text.trim().to_owned()),
            source,
            at: entry.at,
        });
        all.extend(entries);
    }
    for variable in &container.env {
        let value = match lookup(cx, container, &variable.name) {
            Lookup::Value(value, _) if !matches!(variable.source, EnvSource::Unknown) => Some(value),
            _ => None,
        };
        all.push(Setting { key: squash(&variable.name), value, source: cx.source, at: variable.at });
    }
}

/// Files in ConfigMaps that the container mounts.
fn mounted(cx: &Context<'_>, container: &Container, all: &mut Vec<Setting>) {
    for used in container.config_maps.iter().filter(|used| used.prefix.is_none()) {
        let Some((source, map)) = cx.project.config_map_in(&cx.workload.namespace, &used.name) else { continue };
        let text = &cx.project.file(source).source.text;
        let names = map.data.iter().map(|entry| entry.name.as_str());
        for (name, is_certain) in file::order(names, profiles(cx, container).as_deref()) {
            let Some(entry) = map.entry(name) else { continue };
            let line = |number: usize| if entry.is_literal { file::line(text, entry.at, number) } else { entry.at };
            all.extend(file::read(name, is_certain, &entry.text, source, &line));
        }
    }
}

/// Files of the run that belong to this workload for certain.
fn beside(cx: &Context<'_>, container: &Container, all: &mut Vec<Setting>) {
    let is_main = |container: &&Container| container.role == Role::Main;
    if !is_main(&container) || cx.workload.containers.iter().filter(is_main).count() != 1 {
        return;
    }
    let files: Vec<_> = cx
        .project
        .settings_files_of(cx.source)
        .map(|settings| {
            let source = &cx.project.file(settings.source).source;
            (source.path.rsplit('/').next().unwrap_or(&source.path), source, settings)
        })
        .collect();
    // Of two applications in one place nobody knows which one it is.
    if files.windows(2).any(|pair| pair[0].2.folder != pair[1].2.folder) {
        return;
    }
    let names = files.iter().map(|(name, ..)| *name);
    for (name, is_certain) in file::order(names, profiles(cx, container).as_deref()) {
        let Some((_, source, settings)) = files.iter().find(|(other, ..)| *other == name) else { continue };
        let whole = Span::new(0, source.text.len() as u32);
        let line = |number: usize| file::line(&source.text, whole, number);
        all.extend(file::read(name, is_certain, &source.text, settings.source, &line));
    }
}

/// Profiles that the container switches on by a literal argument, option or variable; `None` when something else may
/// decide on them, such as the image or a file.
fn profiles(cx: &Context<'_>, container: &Container) -> Option<Vec<String>> {
    let mut given = Vec::new();
    stated(cx, container, &mut given);
    let given = Settings { all: given, misses_some: false };
    let active = given.get("spring.profiles.active").value()?;
    Some(active.split(',').map(|profile| profile.trim().to_owned()).collect())
}
