//! What the parser must keep: spans to the byte, documents apart, scalars as the tools read them.

use super::scalar::{Value, resolve, source_span};
use super::*;

fn root<'a>(tree: &'a Tree<'_>, document: usize) -> Node<'a> {
    tree.root(&tree.documents()[document]).expect("a root")
}

fn path<'a>(tree: &'a Tree<'_>, keys: &[&str]) -> Node<'a> {
    keys.iter().fold(root(tree, 0), |node, key| node.get(key).unwrap_or_else(|| panic!("no {key}")))
}

/// The source text of a node.
fn shown<'t>(node: Node<'t>) -> &'t str {
    node.span().text(node.source())
}

#[test]
fn spans_of_scalars_and_collections_are_their_bytes() {
    let text = "a: é  # c\nb:\n  - x: 1\n    y: [1, 2]\n  - z\nc: {k: 'v''w'}\n";
    let tree = parse(text);
    assert_eq!(shown(path(&tree, &["a"])), "é");
    assert_eq!(shown(path(&tree, &["b"])), "- x: 1\n    y: [1, 2]\n  - z");
    let item = path(&tree, &["b"]).items().next().expect("an item");
    assert_eq!(shown(item), "x: 1\n    y: [1, 2]");
    assert_eq!(shown(item.get("y").expect("y")), "[1, 2]");
    assert_eq!(shown(path(&tree, &["c"])), "{k: 'v''w'}");
    assert_eq!(path(&tree, &["c", "k"]).text(), "v'w");
    assert_eq!(tree.comments().iter().map(|span| span.text(text)).collect::<Vec<_>>(), ["# c"]);
}

#[test]
fn crlf_byte_order_mark_and_tabs_are_read_and_offsets_count_them() {
    let text = "\u{feff}a:\t1\r\nb:\r\n- x\t# c\r\n";
    let tree = parse(text);
    assert!(tree.documents()[0].problems.is_empty(), "{:?}", tree.documents()[0].problems);
    let a = path(&tree, &["a"]);
    assert_eq!((shown(a), a.span().start), ("1", 6));
    assert_eq!(shown(path(&tree, &["b"])), "- x");
    assert_eq!(tree.comments()[0].text(text), "# c");
}

#[test]
fn a_block_scalar_ends_with_its_last_letter() {
    let text = "s: |\n  one\n  two # not a comment\n\nt: >-\n  folded\n  text\nu: 1\n";
    let tree = parse(text);
    let s = path(&tree, &["s"]);
    assert_eq!(s.text(), "one\ntwo # not a comment\n");
    assert_eq!(shown(s), "one\n  two # not a comment");
    let two = s.text().find("two").expect("two");
    assert_eq!(source_span(s, two, two + 3).text(text), "two");
    assert_eq!(path(&tree, &["t"]).text(), "folded text");
    assert_eq!(shown(path(&tree, &["u"])), "1");
}

#[test]
fn an_absent_value_is_an_empty_span_behind_its_key() {
    let tree = parse("a:\nb: ~\n");
    assert_eq!(resolve(path(&tree, &["a"])), Value::Null);
    assert!(path(&tree, &["a"]).span().is_empty());
    assert_eq!(resolve(path(&tree, &["b"])), Value::Null);
}

#[test]
fn aliases_point_and_never_copy() {
    let tree = parse("a: &x {p: 1}\nb: *x\nc: [*x, *nope]\n");
    let b = path(&tree, &["b"]);
    assert_eq!(b.kind(), Kind::Alias);
    assert_eq!(b.resolved().and_then(|node| node.get("p")).map(Node::text), Some("1"));
    assert!(path(&tree, &["a"]).is_shared());
    assert_eq!(path(&tree, &["a"]).anchor().map(|span| span.text(tree.text())), Some("&x"));
    assert!(tree.documents()[0].problems[0].message.contains("`*nope`"));
}

#[test]
fn an_alias_inside_its_own_anchor_resolves_to_nothing() {
    let tree = parse("a: &x\n  b: *x\n");
    assert_eq!(path(&tree, &["a", "b"]).resolved(), None);
}

#[test]
fn duplicate_keys_are_all_kept_and_the_last_one_wins() {
    let tree = parse("a: 1\na: 2\n");
    assert_eq!(root(&tree, 0).entries().count(), 2);
    assert_eq!(path(&tree, &["a"]).text(), "2");
}

#[test]
fn a_broken_document_leaves_its_neighbours_alone() {
    let text = "a: 1\n---\nb: [1\nc: 2\n---\nd: 3\n";
    let tree = parse(text);
    assert_eq!(tree.documents().len(), 3);
    assert_eq!(root(&tree, 0).get("a").map(Node::text), Some("1"));
    assert!(tree.root(&tree.documents()[1]).is_none());
    assert_eq!(tree.documents()[1].problems.len(), 1);
    assert_eq!(root(&tree, 2).get("d").map(Node::text), Some("3"));
}

#[test]
fn separators_are_where_kubectl_sees_them() {
    let trees = [("--- # c\na: 1\n--- \nb: 2\n", 2), ("# only\n---\na: 1\n", 2), ("a: |\n  x\n  ---\n  y\n", 1)];
    for (text, count) in trees {
        assert_eq!(parse(text).documents().len(), count, "{text:?}");
    }
    let tree = parse("a: 1\n--- {b: 2}\n");
    assert_eq!(tree.documents()[1].problems[0].reader, Reader::Kubectl);
    assert_eq!(root(&tree, 1).get("b").map(Node::text), Some("2"));
    let tree = parse("%YAML 1.1\n---\na: 1\n");
    assert_eq!(tree.documents().len(), 1);
    assert_eq!(tree.documents()[0].problems[0].span.text(tree.text()), "%YAML 1.1");
}

#[test]
fn text_behind_the_end_marker_is_known_to_be_dropped() {
    let tree = parse("a: 1\n...\nb: [\n---\nc: 1\n");
    assert_eq!(tree.documents().len(), 2);
    assert!(tree.documents()[0].ignored_tail.is_some());
    assert_eq!(root(&tree, 0).get("a").map(Node::text), Some("1"));
}

#[test]
fn json_is_read_with_tabs_and_all() {
    let tree = parse("{\n\t\"a\": [1, true, null],\n\t\"b\": {\"c\": \"x\\u00e9\"}\n}\n");
    assert_eq!(path(&tree, &["b", "c"]).text(), "xé");
    assert_eq!(shown(path(&tree, &["a"])), "[1, true, null]");
}

#[test]
fn scalars_resolve_as_kubectl_resolves_them() {
    let cases: [(&str, Value<'_>); 30] = [
        ("10", Value::Int(10)),
        ("+10", Value::Int(10)),
        ("010", Value::Int(8)),
        ("08", Value::Int(8)),
        ("0o10", Value::Int(8)),
        ("0x1F", Value::Int(31)),
        ("0b11", Value::Int(3)),
        ("0b102", Value::Text("0b102")),
        ("1_000", Value::Int(1000)),
        ("_1", Value::Text("_1")),
        ("1:30", Value::Text("1:30")),
        ("10.0", Value::Int(10)),
        ("5.", Value::Int(5)),
        ("1e1", Value::Int(10)),
        ("1.5e3", Value::Int(1500)),
        ("10.5", Value::Float(10.5)),
        (".5", Value::Float(0.5)),
        ("1e400", Value::Text("1e400")),
        (".inf", Value::NotJson),
        ("2147483648", Value::Int(2_147_483_648)),
        ("18446744073709551616", Value::Int(18_446_744_073_709_551_616)),
        ("\"10\"", Value::Text("10")),
        ("!!str 10", Value::Text("10")),
        ("!!int \"10\"", Value::Int(10)),
        ("!foo x", Value::Text("x")),
        ("yes", Value::Bool(true)),
        ("off", Value::Bool(false)),
        ("~", Value::Null),
        ("2001-12-14", Value::Text("2001-12-14")),
        ("30s", Value::Text("30s")),
    ];
    for (written, expected) in cases {
        let text = format!("a: {written}\n");
        let tree = parse(&text);
        assert_eq!(resolve(path(&tree, &["a"])), expected, "{written}");
    }
}

#[test]
fn tye_reads_integers_and_booleans_as_dotnet_does() {
    use super::scalar::{tye_bool, tye_integer};
    assert_eq!(tye_integer(" +5 "), Some(5));
    assert_eq!(tye_integer("010"), Some(10));
    for wrong in ["5.0", "1e1", "0x10", "5s", "1_000", "2147483648", "", "null", "+", "- 5"] {
        assert_eq!(tye_integer(wrong), None, "{wrong}");
    }
    assert_eq!((tye_bool("True"), tye_bool("yes")), (Some(true), None));
}

#[test]
fn control_characters_are_refused_where_go_yaml_refuses_them() {
    let tree = parse("a: \u{1}\n---\nb: 1\n");
    assert!(tree.documents()[0].problems[0].message.contains("U+0001"));
    assert!(tree.root(&tree.documents()[1]).is_some());
    assert!(parse("a: \u{85}é\n").documents()[0].problems.iter().all(|problem| !problem.message.contains("U+")));
}

#[test]
fn deep_or_hostile_input_ends_in_a_problem_not_in_a_panic() {
    for text in ["[".repeat(100_000), "{a: ".repeat(100_000), "- ".repeat(100_000), "? ".repeat(50_000)] {
        let tree = parse(&text);
        assert!(!tree.documents()[0].problems.is_empty());
    }
    let laughs: String = (1..12).fold("a0: &a0 [x, x]\n".to_owned(), |text, level| {
        let below = level - 1;
        text + &format!("a{level}: &a{level} [{}]\n", format!("*a{below}, ").repeat(9))
    });
    assert!(parse(&laughs).documents()[0].problems.is_empty());
}

#[test]
fn json_objects_one_after_another_are_documents() {
    let tree = parse("{\"a\": 1}\n{\"b\": {\"c\": 2}} \n");
    assert_eq!(tree.documents().len(), 2);
    let b = root(&tree, 1).get("b").expect("b");
    assert_eq!(shown(b), "{\"c\": 2}");
}

#[test]
fn a_merge_of_a_single_value_is_refused() {
    let tree = parse("a: {<<: 5, b: 1}\nc: &x {d: 1}\ne: {<<: *x}\nf: {\"<<\": 5}\n");
    let problems = &tree.documents()[0].problems;
    assert_eq!(problems.len(), 1);
    assert_eq!(problems[0].span.text(tree.text()), "5");
}
