use super::{Context, Sink, words};

pub(super) fn check(cx: &Context<'_>, sink: &mut Sink<'_>) {
    for (container, probe) in cx.workload.probes() {
        let [first, others @ ..] = probe.handlers.as_slice() else { continue };
        if !container.may_have_probes() {
            continue;
        }
        // API validation keeps the first in its own order, whatever the order in the file, and forbids the rest.
        for handler in others {
            let (kept, extra) = (first.kind().field(), handler.kind().field());
            let who = words::probe(cx.workload, container, probe);
            sink.probe(container, probe, extra, handler.key, format!("{who} has both `{kept}` and `{extra}`"))
                .label(first.key, format!("`{kept}` is here"))
                .why(words::refused(cx))
                .help(format!(
                    "keep one handler; to check both, let the {} endpoint or command do it",
                    probe.kind.word()
                ));
        }
    }
}
