use super::probe_value_type::plain_number;
use super::{Context, Sink, names, words};
use crate::fix::{Fix, edit};
use crate::model::{Field, Port};

pub(super) fn check(cx: &Context<'_>, sink: &mut Sink<'_>) {
    for (container, probe) in cx.workload.probes() {
        // Validation looks into the first handler alone.
        let Some(handler) = probe.handlers.first().filter(|_| container.may_have_probes()) else { continue };
        let Some(Field::Value { value: Port::Name(name), at, .. }) = handler.port() else { continue };
        let Some(fault) = names::port_name_fault(name) else { continue };
        let field = format!("{}.port", handler.kind().field());
        let who = words::probe(cx.workload, container, probe);
        let number = name.trim().parse::<u16>().ok().filter(|&number| number > 0);
        let declared = container.ports.iter().find(|port| {
            port.name.value().is_some_and(|declared| {
                declared.eq_ignore_ascii_case(name) && names::port_name_fault(declared).is_none()
            })
        });
        let message = match number {
            Some(_) => format!("`{field}` of {who} is the text \"{name}\", so it is taken for a port name"),
            None => format!("`{field}` of {who} is \"{name}\", which is no port name: it {fault}"),
        };
        let mut report = sink.probe(container, probe, &field, *at, message);
        report = match (number, declared) {
            (Some(_), _) => report
                .why(format!("a port name needs a letter; {}", words::refused(cx)))
                .help("write the number of the port, without quotes")
                .fix(plain_number(cx.text, *at)),
            (None, Some(port)) => {
                let name = port.name.value().map_or("", String::as_str);
                let text = edit::quoted_like(cx.text, *at, name);
                report
                    .why(words::refused(cx))
                    .label(port.name.at().unwrap_or(port.at), "the declared name")
                    .help(format!("write `{name}`"))
                    .fix(Some(Fix::safe(format!("write `{name}`"), vec![edit::replace(*at, text)])))
            }
            (None, None) => report
                .why(words::refused(cx))
                .help("write the name of one of the container's `ports`, or the number of the port"),
        };
        let _ = report;
    }
}
