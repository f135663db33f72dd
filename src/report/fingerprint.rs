//! Marks by which a service recognises a finding again after lines have moved.

use std::collections::HashMap;

use crate::finding::Finding;

/// GitHub's `primaryLocationLineHash` of every line of `text`, the first line first: sixteen-digit hash of the 100
/// UTF-16 units from the start of the line, and the number of lines up to this one that have the same hash. Blanks do
/// not count, every line end counts as `\n`. GitHub computes the same when a report lacks it, and warns on another value:
/// <https://github.com/github/codeql-action/blob/main/src/fingerprints.ts>.
pub(super) fn line_hashes(text: &str) -> Vec<String> {
    const BLOCK: usize = 100;
    const END_OF_TEXT: u16 = 0xffff;

    let mut units = Vec::with_capacity(text.len() + BLOCK);
    let mut starts = vec![0];
    let mut after_return = false;
    for unit in text.encode_utf16() {
        let second_half = after_return && unit == u16::from(b'\n');
        after_return = unit == u16::from(b'\r');
        if second_half || unit == u16::from(b' ') || unit == u16::from(b'\t') {
            continue;
        }
        if after_return || unit == u16::from(b'\n') {
            units.push(u16::from(b'\n'));
            starts.push(units.len());
        } else {
            units.push(unit);
        }
    }
    units.push(END_OF_TEXT);
    units.resize(units.len() + BLOCK, 0);

    let mut seen = HashMap::new();
    starts
        .into_iter()
        .map(|start| {
            let block = &units[start..start + BLOCK];
            let hash = block.iter().fold(0u64, |hash, &unit| hash.wrapping_mul(37).wrapping_add(u64::from(unit)));
            let occurrence = seen.entry(hash).and_modify(|count| *count += 1).or_insert(1u32);
            format!("{hash:x}:{occurrence}")
        })
        .collect()
}

/// A mark of our own that does not depend on lines at all: a hash of the rule, the file and the faulty field's name.
/// Findings that agree in all of these are told apart by their order.
#[derive(Default)]
pub(super) struct Identities {
    seen: HashMap<u64, u32>,
}

impl Identities {
    pub(super) fn next(&mut self, finding: &Finding, uri: &str) -> String {
        let parts = [finding.rule, uri, &finding.subject, &finding.field_path];
        let hash = fnv1a(parts.iter().flat_map(|part| part.bytes().chain([0])));
        let occurrence = self.seen.entry(hash).and_modify(|count| *count += 1).or_insert(1);
        format!("{hash:016x}:{occurrence}")
    }
}

/// FNV-1a, 64 bits: the standard library's hash may change between its versions, this one may not.
fn fnv1a(bytes: impl Iterator<Item = u8>) -> u64 {
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::sample;

    /// The definition, written as a sum: unit i counts 37 to the power of 99 - i.
    fn by_definition(units: &[u64]) -> String {
        let sum = units
            .iter()
            .enumerate()
            .fold(0u64, |sum, (at, unit)| sum.wrapping_add(unit.wrapping_mul(37u64.wrapping_pow(99 - at as u32))));
        format!("{sum:x}")
    }

    #[test]
    fn an_empty_text_has_the_hash_of_its_end_mark() {
        // 65535 * 37^99 modulo 2^64
        assert_eq!(line_hashes(""), ["c129715d7a2bc9a3:1"]);
    }

    #[test]
    fn a_line_hash_reaches_into_the_lines_below_and_skips_blanks() {
        let (newline, end) = (10, 65535);
        let expected = [
            format!("{}:1", by_definition(&[97, newline, 98, newline, end])),
            format!("{}:1", by_definition(&[98, newline, end])),
            format!("{}:1", by_definition(&[end])),
        ];
        assert_eq!(line_hashes(" a\t\n b\n"), expected);
    }

    #[test]
    fn every_kind_of_line_end_hashes_alike() {
        let unix = line_hashes("a\n\nb: c\n");
        assert_eq!(line_hashes("a\r\n\r\nb: c\r\n"), unix);
        assert_eq!(line_hashes("a\r\rb: c\r"), unix);
    }

    #[test]
    fn only_a_hundred_units_count_and_equal_hashes_are_numbered() {
        let line = format!("{}\n", "x".repeat(120));
        let hashes = line_hashes(&line.repeat(3));
        assert_eq!(hashes.len(), 4);
        let stem = by_definition(&[120; 100]);
        assert_eq!(hashes[..3], [format!("{stem}:1"), format!("{stem}:2"), format!("{stem}:3")]);
    }

    #[test]
    fn characters_beyond_the_basic_plane_are_two_units() {
        assert_eq!(line_hashes("🙂"), [format!("{}:1", by_definition(&[0xd83d, 0xde42, 65535]))]);
    }

    #[test]
    fn an_identity_survives_moved_lines_and_tells_twins_apart() {
        let mut finding = sample::outcome().findings.remove(0);
        let mut identities = Identities::default();
        let first = identities.next(&finding, "a.yaml");
        assert_eq!(identities.next(&finding, "a.yaml"), first.replace(":1", ":2"));
        finding.span.start += 40;
        assert_eq!(Identities::default().next(&finding, "a.yaml"), first);
        assert_ne!(Identities::default().next(&finding, "b.yaml"), first);
    }
}
