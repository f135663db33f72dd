//! The port that a handler asks, and what the containers around it say of that port.

use super::Context;
use crate::model::{Action, Container, ContainerPort, EnvSource, EnvVar, Field, Handler, Number, Port, Workload};
use crate::span::Span;

/// The port of a handler as the kubelet resolves it.
pub(super) struct Asked<'m> {
    /// The name, where one is written.
    pub(super) name: Option<&'m str>,
    /// The number, written or found by the name.
    pub(super) number: Option<Number>,
    /// What the probe's own container declares of it: by name the first one of that name, by number the one for TCP if
    /// there is one.
    pub(super) declared: Option<&'m ContainerPort>,
    /// Bytes of the written value.
    pub(super) at: Span,
}

impl Asked<'_> {
    /// "`http`" or "8080".
    pub(super) fn words(&self) -> String {
        match (self.name, self.number) {
            (Some(name), _) => format!("`{name}`"),
            (None, Some(number)) => number.to_string(),
            (None, None) => String::new(),
        }
    }

    /// Whether it is a name that leads nowhere, though all ports of the container are to be seen.
    pub(super) fn is_undefined(&self, container: &Container) -> bool {
        self.name.is_some() && self.declared.is_none() && container.ports_known
    }

    /// The names that stand for it: the one written, and the one declared.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        let declared = self.declared.and_then(|port| port.name.value()).map(String::as_str);
        [self.name, declared].into_iter().flatten()
    }
}

/// The port of a network handler; `None` for other handlers and for what is not understood.
///
/// Source: kubernetes `pkg/probe/util.go`, `ResolveContainerPort`: a name is looked up in the probe's own container,
/// whatever the protocol, and the first one counts.
pub(super) fn asked<'m>(container: &'m Container, handler: &'m Handler) -> Option<Asked<'m>> {
    let by_number = |number: Number, at| Asked {
        name: None,
        number: Some(number),
        declared: find(container, |port| port.number.value() == Some(&number)),
        at,
    };
    if let Action::Grpc(grpc) = &handler.action {
        let (&number, at) = grpc.port.spanned()?;
        return Some(by_number(number, at));
    }
    match handler.port()?.spanned()? {
        (Port::Number(number), at) => Some(by_number(*number, at)),
        (Port::Name(name), at) => {
            let declared = container.ports.iter().find(|port| port.name.value() == Some(name));
            let number = declared.and_then(|port| port.number.value()).copied();
            Some(Asked { name: Some(name), number, declared, at })
        }
    }
}

/// The port for TCP if there is one, else the first.
fn find(container: &Container, is_it: impl Fn(&ContainerPort) -> bool) -> Option<&ContainerPort> {
    let all = || container.ports.iter().filter(|port| is_it(port));
    all().find(|port| is_tcp(port)).or_else(|| all().next())
}

/// Whether a port is declared for TCP, or may be.
pub(super) fn is_tcp(port: &ContainerPort) -> bool {
    !matches!(port.protocol.value().map(String::as_str), Some("UDP" | "SCTP"))
}

/// Whether all containers of the pod show all their ports.
pub(super) fn all_known(workload: &Workload) -> bool {
    workload.containers.iter().all(|container| {
        container.ports_known && container.ports.iter().all(|port| !matches!(port.number, Field::Templated { .. }))
    })
}

/// A setting of a container: an option with its value, a word of the command line, or a variable.
pub(super) struct Setting<'m> {
    /// Name of the option without dashes, or of the variable; empty for a mere word.
    pub(super) key: &'m str,
    /// Its value.
    pub(super) value: &'m str,
    /// Bytes to point at.
    pub(super) at: Span,
}

/// Options and words of `command` and `args`, and the variables whose value is known. ConfigMaps of the input are read.
pub(super) fn settings<'m>(cx: &Context<'m>, container: &'m Container) -> Vec<Setting<'m>> {
    let mut settings = Vec::new();
    for list in [&container.command, &container.args] {
        for (index, arg) in list.iter().enumerate() {
            let text = arg.text.as_str();
            let option = text.trim_start_matches('-');
            if option.len() == text.len() {
                settings.push(Setting { key: "", value: text, at: arg.at });
            } else if let Some((key, value)) = option.split_once('=') {
                settings.push(Setting { key, value, at: arg.at });
            } else {
                // The next word may be its value; a word of its own it stays.
                let value = list.get(index + 1).map_or("", |next| next.text.as_str());
                let value = if value.starts_with('-') { "" } else { value };
                settings.push(Setting { key: option, value, at: arg.at });
            }
        }
    }
    for variable in &container.env {
        let value = value(cx, variable).unwrap_or_default();
        settings.push(Setting { key: &variable.name, value, at: variable.at });
    }
    settings
}

/// The value of a variable, where it is to be seen: written beside it, or in a ConfigMap of the input.
pub(super) fn value<'m>(cx: &Context<'m>, variable: &'m EnvVar) -> Option<&'m str> {
    match &variable.source {
        EnvSource::Literal(value) => Some(value),
        EnvSource::ConfigMap(map, key) => {
            let map = cx.project.config_map(&cx.workload.namespace, map)?;
            map.entry(key).map(|entry| entry.text.trim())
        }
        EnvSource::Pod(_) | EnvSource::Unknown => None,
    }
}

/// Whether a number stands in a text by itself: `8081`, `:8081`, `--port=8081`, but not `18081` or `v8081`.
pub(super) fn mentions(text: &str, number: Number) -> bool {
    let wanted = number.to_string();
    text.split(|character: char| !character.is_ascii_alphanumeric()).any(|word| word == wanted)
}

#[cfg(test)]
mod tests {
    use super::mentions;

    #[test]
    fn a_number_stands_by_itself() {
        assert!(mentions("--listen=0.0.0.0:8081", 8081) && mentions("8081", 8081) && mentions("http://x:8081/y", 8081));
        assert!(!mentions("18081", 8081) && !mentions("v8081", 8081) && !mentions("", 8081));
    }
}
