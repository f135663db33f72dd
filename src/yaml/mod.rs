//! YAML text to a spanned tree: every key, scalar and collection with its byte range, comments, anchors, and the errors
//! that a reader of the file must hear of. Scalars stay text; what they mean to which tool is decided by [`scalar`].
//! Knows nothing of Kubernetes.

mod granit;
pub mod scalar;
mod split;
mod tree;

pub use tree::{Document, Kind, Node, Problem, Reader, Style, Tree};

/// Reads a whole stream. Never fails: what is wrong stands in the documents' `problems`, and every document but the
/// broken one keeps its tree.
pub fn parse(text: &str) -> Tree<'_> {
    let mut tree = Tree::new(text);
    for chunk in split::documents(text) {
        // The seam for a faster front end of the plain block subset: it would fill the same tree, and hand a chunk that
        // it does not understand to this one.
        granit::read(&mut tree, &chunk);
    }
    tree.finish();
    tree
}

#[cfg(test)]
mod tests;
