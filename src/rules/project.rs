//! All sources of a run with a small index across them.

mod replicas;

use std::collections::{HashMap, HashSet};

use crate::model::{self, ConfigMap, Model, Namespace, Origin, PeerAuthentication, Service, Workload};
use crate::source::Source;
use crate::span::SourceId;

pub use replicas::{Replicas, ReplicasFrom};

/// One source with its model.
#[derive(Debug)]
pub struct File {
    /// The text.
    pub source: Source,
    /// What was read from it.
    pub model: Model,
}

/// The folder of a file, empty for the one at the top.
fn folder_of(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// The folder of a file and those above it, up to the empty one.
fn ancestors(path: &str) -> impl Iterator<Item = &str> {
    let folder = folder_of(path);
    std::iter::successors(Some(folder), |folder| (!folder.is_empty()).then(|| folder_of(folder)))
}

/// The sources of a run. What one file says of another is looked up here.
#[derive(Debug, Default)]
pub struct Project {
    files: Vec<File>,
    /// Services by namespace and the first label of their selector: few share one, so a pod finds its Services without
    /// being held against all of them.
    services: HashMap<(String, String, String), Vec<(usize, usize)>>,
    config_maps: HashMap<(String, String), (usize, usize)>,
    autoscalers: replicas::Index,
    /// How far the nearest pod is that a Service selects, by file and index of the Service.
    nearest: HashMap<(usize, usize), usize>,
    settings_files: Vec<SettingsFile>,
}

/// A file with settings of an application that lies in a folder with one workload alone, whose settings these must be.
#[derive(Debug)]
pub struct SettingsFile {
    /// Its id in this project.
    pub source: SourceId,
    /// Where it lies.
    pub folder: String,
    /// The folder of the application; files of the workload lie in it or below.
    pub root: String,
}

impl Project {
    /// Indexes the files, which must be in a deterministic order. What a kustomization names as a patch is no complete
    /// object, whatever it looks like.
    pub fn new(mut files: Vec<File>) -> Self {
        let patches: HashSet<String> = files
            .iter()
            .filter_map(|file| Some((file.model.kustomization.as_ref()?, file.source.path.as_str())))
            .flat_map(|(kustomization, path)| kustomization.patch_paths(path))
            .collect();
        let mut project = Self::default();
        for (file_index, file) in files.iter_mut().enumerate() {
            if !patches.is_empty() && patches.contains(&crate::model::normalize_path(&file.source.path)) {
                for workload in &mut file.model.workloads {
                    if workload.origin == Origin::Complete {
                        workload.make_patch();
                    }
                }
            }
            for (index, service) in file.model.services.iter().enumerate() {
                if let Some((key, value)) = service.selector.first() {
                    let namespace = default_namespace(&service.namespace).to_owned();
                    let place = (namespace, key.clone(), value.clone());
                    project.services.entry(place).or_default().push((file_index, index));
                }
            }
            for (index, config_map) in file.model.config_maps.iter().enumerate() {
                let place = (default_namespace(&config_map.namespace).to_owned(), config_map.name.clone());
                project.config_maps.entry(place).or_insert((file_index, index));
            }
        }
        project.files = files;
        project.find_nearest();
        project.autoscalers = replicas::index(&project);
        project.find_settings_files();
        project
    }

    /// Keeps the settings files of which it is certain whose they are.
    fn find_settings_files(&mut self) {
        let is_settings = |file: &File| model::is_settings_file(&file.source.path);
        if !self.files.iter().any(is_settings) {
            return;
        }
        // The only workload in a folder and below it, or none where there are several.
        let mut only: HashMap<&str, Option<(&str, Option<&str>)>> = HashMap::new();
        for file in &self.files {
            for workload in file.model.workloads.iter().filter(|workload| !workload.containers.is_empty()) {
                let name = workload.name.as_ref().map(|name| name.value.as_str());
                let this = Some((workload.kind.as_str(), name));
                for folder in ancestors(&file.source.path) {
                    only.entry(folder).and_modify(|known| *known = known.filter(|_| *known == this)).or_insert(this);
                }
            }
        }
        let mut found = Vec::new();
        for (index, file) in self.files.iter().enumerate().filter(|(_, file)| is_settings(file)) {
            let folder = folder_of(&file.source.path);
            let root = ["src/main/resources/config", "src/main/resources", "config"]
                .iter()
                .find_map(|end| folder.strip_suffix(end).filter(|root| root.is_empty() || root.ends_with('/')))
                .map_or(folder, |root| root.trim_end_matches('/'));
            if only.get(root).is_some_and(Option::is_some) {
                let source = SourceId(index as u32);
                found.push(SettingsFile { source, folder: folder.to_owned(), root: root.to_owned() });
            }
        }
        self.settings_files = found;
    }

    /// Settings files that belong to the workload of a file for certain.
    pub fn settings_files_of(&self, source: SourceId) -> impl Iterator<Item = &SettingsFile> {
        let path = self.file(source).source.path.as_str();
        self.settings_files.iter().filter(move |settings| ancestors(path).any(|folder| folder == settings.root))
    }

    /// A tree of many applications has many pods labelled `app: web`. A Service means those that lie nearest to it.
    fn find_nearest(&mut self) {
        let mut nearest: HashMap<(usize, usize), usize> = HashMap::new();
        for (index, file) in self.files.iter().enumerate() {
            for workload in &file.model.workloads {
                for service in self.selecting(workload) {
                    let distance = self.distance(index, service.0);
                    nearest.entry(service).and_modify(|least| *least = distance.min(*least)).or_insert(distance);
                }
            }
        }
        self.nearest = nearest;
    }

    /// Steps from the folder of one file to that of another.
    fn distance(&self, a: usize, b: usize) -> usize {
        let folders = |index: usize| {
            let path = self.files[index].source.path.as_str();
            folder_of(path).split('/').filter(|part| !part.is_empty() && *part != ".")
        };
        let shared = folders(a).zip(folders(b)).take_while(|(a, b)| a == b).count();
        folders(a).count() + folders(b).count() - 2 * shared
    }

    /// The files in order.
    pub fn files(&self) -> &[File] {
        &self.files
    }

    /// The file of an id of this project.
    pub fn file(&self, id: SourceId) -> &File {
        &self.files[id.0 as usize]
    }

    /// Gives the files back.
    pub fn into_files(self) -> Vec<File> {
        self.files
    }

    /// The Services that select the pods of a workload and lie no nearer to other pods that they select: the nearest
    /// first, then in order of files.
    pub fn services_of(&self, source: SourceId, workload: &Workload) -> Vec<(SourceId, &Service)> {
        let mut found: Vec<_> = self
            .selecting(workload)
            .into_iter()
            .map(|service| (self.distance(source.0 as usize, service.0), service.0 != source.0 as usize, service))
            .filter(|(distance, _, service)| self.nearest.get(service).is_none_or(|nearest| distance <= nearest))
            .collect();
        found.sort_unstable();
        found
            .into_iter()
            .map(|(.., service)| service)
            .map(|(file, index)| (SourceId(file as u32), &self.files[file].model.services[index]))
            .collect()
    }

    /// File and index of each Service whose selector fits the labels of a workload's pods.
    fn selecting(&self, workload: &Workload) -> Vec<(usize, usize)> {
        let namespace = default_namespace(&workload.namespace);
        let mut found: Vec<(usize, usize)> = workload
            .labels
            .iter()
            .filter_map(|(key, value)| self.services.get(&(namespace.to_owned(), key.clone(), value.clone())))
            .flatten()
            .copied()
            .filter(|&(file, index)| {
                let service = &self.files[file].model.services[index];
                service.selector.iter().all(|label| workload.labels.contains(label))
            })
            .collect();
        found.sort_unstable();
        found
    }

    /// Whether some file has a Service of this name and namespace.
    pub fn has_service(&self, name: &str, namespace: &str) -> bool {
        let mut services = self.files.iter().flat_map(|file| &file.model.services);
        services.any(|service| service.name == name && service.namespace == namespace)
    }

    /// The Namespaces of that name with the files they are in. Rules that ask have found a reason to: they are few.
    pub fn namespaces(&self, name: &str) -> impl Iterator<Item = (SourceId, &Namespace)> {
        let all = self.files.iter().enumerate().flat_map(|(file, content)| {
            content.model.namespaces.iter().map(move |namespace| (SourceId(file as u32), namespace))
        });
        all.filter(move |(_, namespace)| !name.is_empty() && namespace.name == name)
    }

    /// All rules about mutual TLS with the files they are in.
    pub fn peer_authentications(&self) -> impl Iterator<Item = (SourceId, &PeerAuthentication)> {
        self.files.iter().enumerate().flat_map(|(file, content)| {
            content.model.peer_authentications.iter().map(move |policy| (SourceId(file as u32), policy))
        })
    }

    /// A ConfigMap by the namespace of the one who asks and its name.
    pub fn config_map(&self, namespace: &str, name: &str) -> Option<&ConfigMap> {
        self.config_map_in(namespace, name).map(|(_, map)| map)
    }

    /// The same with the source it is written in.
    pub fn config_map_in(&self, namespace: &str, name: &str) -> Option<(SourceId, &ConfigMap)> {
        let &(file, index) = self.config_maps.get(&(default_namespace(namespace).to_owned(), name.to_owned()))?;
        Some((SourceId(file as u32), &self.files[file].model.config_maps[index]))
    }
}

/// An object without a namespace goes where the one that says `default` goes, more often than not.
fn default_namespace(namespace: &str) -> &str {
    if namespace == "default" { "" } else { namespace }
}
