//! How many pods a workload has at least, whoever says so.

use std::collections::HashMap;

use super::{Project, default_namespace};
use crate::model::{Autoscaler, Field, Number, Origin, Workload};
use crate::span::{SourceId, Span};

/// Kinds that have one pod when nothing else is said. A DaemonSet has one a node, a Job what it needs. `service` is that
/// of Tye.
///
/// Sources: kubernetes `pkg/apis/apps/v1/defaults.go`, `SetDefaults_Deployment` and its kin; Argo Rollouts and OpenShift
/// do the same; dotnet/tye `ConfigService.Replicas`.
const ONE_BY_DEFAULT: [&str; 8] = [
    "Pod",
    "Deployment",
    "StatefulSet",
    "ReplicaSet",
    "ReplicationController",
    "Rollout",
    "DeploymentConfig",
    "service",
];

/// The least number of pods of a workload.
#[derive(Clone, Copy, Debug)]
pub struct Replicas<'p> {
    /// Pods.
    pub count: Number,
    /// Who says so.
    pub from: ReplicasFrom<'p>,
}

/// Where a number of pods comes from.
#[derive(Clone, Copy, Debug)]
pub enum ReplicasFrom<'p> {
    /// Nothing is written: the default of the kind.
    Default,
    /// `replicas` of the workload; its bytes in the workload's own source.
    Workload(Span),
    /// An autoscaler; its source and the bytes of its least number, or of its name when that is a default.
    Autoscaler(&'p Autoscaler, SourceId, Span),
}

impl Replicas<'_> {
    /// Where the number stands, given the source of the workload; `None` for a default.
    pub const fn place(&self, own: SourceId) -> Option<(SourceId, Span)> {
        match self.from {
            ReplicasFrom::Default => None,
            ReplicasFrom::Workload(at) => Some((own, at)),
            ReplicasFrom::Autoscaler(_, source, at) => Some((source, at)),
        }
    }
}

/// Autoscalers by namespace, kind and name of what they scale: file, index, and how far their nearest target is.
pub(super) type Index = HashMap<(String, String, String), Vec<(usize, usize, usize)>>;

/// Finds the autoscalers of a project and how far the nearest workload is that each could mean.
pub(super) fn index(project: &Project) -> Index {
    let mut index = Index::new();
    for (file, content) in project.files.iter().enumerate() {
        for (at, scaler) in content.model.autoscalers.iter().enumerate() {
            let namespace = default_namespace(&scaler.namespace).to_owned();
            let key = (namespace, scaler.target_kind.clone(), scaler.target_name.clone());
            index.entry(key).or_default().push((file, at, usize::MAX));
        }
    }
    if index.is_empty() {
        return index;
    }
    for (file, content) in project.files.iter().enumerate() {
        for workload in &content.model.workloads {
            for found in key(workload).and_then(|key| index.get_mut(&key)).into_iter().flatten() {
                found.2 = found.2.min(project.distance(file, found.0));
            }
        }
    }
    index
}

fn key(workload: &Workload) -> Option<(String, String, String)> {
    let name = workload.name.as_ref()?.value.clone();
    Some((default_namespace(&workload.namespace).to_owned(), workload.kind.clone(), name))
}

impl Project {
    /// The least number of pods that a workload runs with: the least that its autoscaler keeps, else its `replicas`, else
    /// the default of its kind. Of several autoscalers the nearest counts, and of several at one distance the one that
    /// keeps least. `None` when nobody can tell: templated, a patch, a kind without a number.
    pub fn replicas_of(&self, source: SourceId, workload: &Workload) -> Option<Replicas<'_>> {
        let own = match &workload.replicas {
            Field::Value { value, at, .. } => Some(Replicas { count: *value, from: ReplicasFrom::Workload(*at) }),
            Field::Absent | Field::Null { .. }
                if workload.origin == Origin::Complete && ONE_BY_DEFAULT.contains(&workload.kind.as_str()) =>
            {
                Some(Replicas { count: 1, from: ReplicasFrom::Default })
            }
            _ => None,
        };
        // An autoscaler leaves a workload alone that was scaled to nothing.
        if own.is_some_and(|own| own.count == 0) || self.autoscalers.is_empty() {
            return own;
        }
        let candidates = key(workload).and_then(|key| self.autoscalers.get(&key)).into_iter().flatten();
        let mut near: Vec<(usize, usize, usize)> = candidates
            .map(|&(file, index, nearest)| (self.distance(source.0 as usize, file), file, index, nearest))
            .filter(|(distance, .., nearest)| distance <= nearest)
            .map(|(distance, file, index, _)| (distance, file, index))
            .collect();
        near.sort_unstable();
        let Some(&(least, ..)) = near.first() else { return own };
        let scalers = near.iter().take_while(|(distance, ..)| *distance == least);
        let numbers: Option<Vec<Replicas<'_>>> = scalers
            .map(|&(_, file, index)| {
                let scaler = &self.files[file].model.autoscalers[index];
                let count = match &scaler.least {
                    Field::Value { value, .. } => *value,
                    Field::Absent | Field::Null { .. } => scaler.kind.default_least(),
                    Field::Wrong { .. } | Field::Templated { .. } => return None,
                };
                let at = scaler.least.at().unwrap_or(scaler.at);
                Some(Replicas { count, from: ReplicasFrom::Autoscaler(scaler, SourceId(file as u32), at) })
            })
            .collect();
        numbers?.into_iter().min_by_key(|replicas| replicas.count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::File;
    use crate::source::Source;
    use crate::yaml;

    fn project(texts: &[(&str, String)]) -> Project {
        let read = |(path, text): &(&str, String)| {
            let model = crate::model::read(path, &yaml::parse(text));
            File { source: Source::new(*path, text), model }
        };
        Project::new(texts.iter().map(read).collect())
    }

    fn deployment(replicas: &str) -> String {
        format!(
            "apiVersion: apps/v1\nkind: Deployment\nmetadata: {{name: web}}\nspec:\n  {replicas}\n  selector: {{}}\n  \
             template: {{spec: {{containers: [{{name: app, image: i}}]}}}}\n"
        )
    }

    fn scaler(kind: &str, api: &str, least: &str) -> String {
        format!(
            "apiVersion: {api}\nkind: {kind}\nmetadata: {{name: web}}\nspec: {{scaleTargetRef: {{kind: Deployment, \
             name: web}}{least}}}\n"
        )
    }

    /// The count for the workload in the first file, and the text at its place.
    fn count(texts: &[(&str, String)]) -> Option<(Number, String)> {
        let project = project(texts);
        let replicas = project.replicas_of(SourceId(0), &project.file(SourceId(0)).model.workloads[0])?;
        let place = replicas.place(SourceId(0));
        let text = place.map(|(source, at)| at.text(&project.file(source).source.text).to_owned());
        Some((replicas.count, text.unwrap_or_default()))
    }

    #[test]
    fn the_workload_says_how_many_pods_it_has() {
        assert_eq!(count(&[("a.yaml", deployment("replicas: 3"))]), Some((3, "3".to_owned())));
        assert_eq!(count(&[("a.yaml", deployment(""))]), Some((1, String::new())));
        assert_eq!(count(&[("a.yaml", deployment("replicas: '{{ n }}'"))]), None);
    }

    #[test]
    fn an_autoscaler_knows_better() {
        let horizontal = |least| scaler("HorizontalPodAutoscaler", "autoscaling/v2", least);
        let files = |least| [("a.yaml", deployment("replicas: 1")), ("b.yaml", horizontal(least))];
        assert_eq!(count(&files(", minReplicas: 4")), Some((4, "4".to_owned())));
        assert_eq!(count(&files("")), Some((1, "web".to_owned())));
        let keda = scaler("ScaledObject", "keda.sh/v1alpha1", "");
        assert_eq!(count(&[("a.yaml", deployment("")), ("b.yaml", keda)]), Some((0, "web".to_owned())));
        let off = [("a.yaml", deployment("replicas: 0")), ("b.yaml", horizontal(", minReplicas: 4"))];
        assert_eq!(count(&off), Some((0, "0".to_owned())));
    }

    #[test]
    fn an_autoscaler_means_the_nearest_workload_of_that_name() {
        let horizontal = |least| scaler("HorizontalPodAutoscaler", "autoscaling/v2", least);
        let files = [
            ("a/web.yaml", deployment("replicas: 2")),
            ("b/web.yaml", deployment("replicas: 2")),
            ("b/scaler.yaml", horizontal(", minReplicas: 5")),
        ];
        assert_eq!(count(&files), Some((2, "2".to_owned())));
        let overlays = [
            ("base/web.yaml", deployment("")),
            ("overlays/dev/scaler.yaml", horizontal(", minReplicas: 2")),
            ("overlays/prod/scaler.yaml", horizontal(", minReplicas: 9")),
        ];
        assert_eq!(count(&overlays), Some((2, "2".to_owned())));
    }
}
