//! Reads what a kustomization says about other files: which of them are patches.

use crate::yaml::{Kind, Node};

/// The part of a kustomization that tells complete objects from patches.
#[derive(Debug, Default)]
pub struct Kustomization {
    /// Paths of patch files as written, relative to the kustomization.
    pub patches: Vec<String>,
}

/// Whether the document is a kustomization, by its file name or its kind.
pub(super) fn is_kustomization(file_name: &str, root: Node<'_>) -> bool {
    let is_kind = root.get("kind").is_some_and(|kind| matches!(kind.text(), "Kustomization" | "Component"))
        && root.get("apiVersion").is_some_and(|version| version.text().starts_with("kustomize.config.k8s.io/"));
    is_kind || matches!(file_name, "kustomization.yaml" | "kustomization.yml" | "Kustomization")
}

/// Reads the paths of patches. Inline patches are texts of their own and not read here.
pub(super) fn read(root: Node<'_>) -> Kustomization {
    let mut patches = Vec::new();
    for field in ["patches", "patchesStrategicMerge", "patchesJson6902"] {
        for item in root.get(field).into_iter().flat_map(Node::items) {
            let path = if item.kind() == Kind::Scalar { Some(item) } else { item.get("path") };
            if let Some(path) = path.filter(|path| !path.text().contains('\n')) {
                patches.push(path.text().to_owned());
            }
        }
    }
    Kustomization { patches }
}

impl Kustomization {
    /// Paths of the patch files, given the kustomization's own path; `/` between the parts, `.` and `..` resolved.
    pub fn patch_paths(&self, own_path: &str) -> impl Iterator<Item = String> {
        let folder = own_path.rsplit_once('/').map_or("", |(folder, _)| folder).to_owned();
        let place = move |path: &String| if folder.is_empty() { path.clone() } else { format!("{folder}/{path}") };
        self.patches.iter().map(move |path| normalize(&place(path)))
    }
}

/// Resolves `.` and `..` in a path by its text alone.
pub(crate) fn normalize(path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            // The empty part before the first slash keeps an absolute path absolute.
            "" if parts.is_empty() && path.starts_with('/') => parts.push(""),
            "" | "." => {}
            ".." if parts.last().is_some_and(|last| !matches!(*last, ".." | "")) => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    parts.join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patch_paths_are_relative_to_the_kustomization() {
        let kustomization = Kustomization { patches: vec!["../base/p.yaml".to_owned(), "./q.yaml".to_owned()] };
        let paths: Vec<_> = kustomization.patch_paths("overlays/prod/kustomization.yaml").collect();
        assert_eq!(paths, ["overlays/base/p.yaml", "overlays/prod/q.yaml"]);
        assert_eq!(normalize("/a/./b//../c"), "/a/c");
        assert_eq!(kustomization.patch_paths("kustomization.yaml").collect::<Vec<_>>(), ["../base/p.yaml", "q.yaml"]);
    }
}
