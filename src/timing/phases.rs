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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn phases_are_spread_over_the_whole_interval() {
        for stride in 0..4 {
            let mut tenths = [0; 10];
            for index in 0..200 {
                let phase = spread(index, stride);
                assert!((0.0..1.0).contains(&phase));
                tenths[(phase * 10.0) as usize] += 1;
            }
            assert!(tenths.iter().all(|&count| (11..=29).contains(&count)), "{stride}: {tenths:?}");
        }
    }
}
