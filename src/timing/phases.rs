//! Phases that fill an interval evenly.

/// The `index`-th of a sequence of fractions in [0, 1) that fills the interval evenly however long it goes on; `stride`
/// tells several such sequences apart, so that pairs, triples and quadruples fill their spaces too.
///
/// These are the additive recurrences of the powers of 1/φ, φ ≈ 1.1673 being the root of x⁵ = x + 1.
pub fn spread(index: u32, stride: u32) -> f64 {
    const ROOT: f64 = 1.167_303_978_261_418_7;
    let step = ROOT.powi(-(stride as i32 + 1));
    (0.5 + f64::from(index) * step).fract()
}
