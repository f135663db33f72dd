use super::{Context, Sink};
pub(super) fn check(_cx: &Context<'_>, _sink: &mut Sink<'_>) {}
