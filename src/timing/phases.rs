//! Phases that fill an interval evenly.

/// The `index`-th of a sequence of fractions in [0, 1) that fills the interval evenly however long it goes on; `stride`
/// tells several such sequences apart, so that pairs and triples fill squares and cubes too.
///
/// These are the additive recurrences of the powers of 1/φ₃, φ₃ ≈ 1.2207 being the root of x⁴ = x + 1.
pub fn spread(index: u32, stride: u32) -> f64 {
    const ROOT: f64 = 1.220_744_084_605_759_5;
    let step = ROOT.powi(-(stride as i32 + 1));
    (f64::from(index) * step).fract()
}
