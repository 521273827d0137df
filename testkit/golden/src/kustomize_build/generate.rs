//! Trees of kustomizations from a seed: bases, overlays, components, every field in combination, and broken input.
//!
//! [`tree`] makes the tree of a seed. What an object looks like is in `objects`, what a kustomization says in `fields`
//! and the modules that it names; `oddities` rewrites files as people write them, and breaks some.

mod configurations;
mod fields;
mod objects;
mod oddities;
mod patches;
mod plugins;
mod replacements;

use super::Tree;
use crate::generate::Random;

/// Names of objects: few, so that they meet.
const NAMES: &[&str] = &["web", "db", "cache", "api", "web-2"];

/// Makes one tree.
struct Maker<'r> {
    random: &'r mut Random,
    tree: Tree,
    /// A field that comes more often in this tree: by its place in the list.
    favourite: usize,
    /// How many more choices may be ones that the tool probably refuses.
    mistakes: usize,
    /// Kinds and names of the objects that the kustomization at hand can name.
    known: Vec<(&'static str, String)>,
}

/// Where a kustomization is: what its fields may name.
struct Place<'p> {
    folder: &'p str,
    component: bool,
}

impl Maker<'_> {
    fn name(&mut self) -> &'static str {
        self.pick(NAMES)
    }

    fn pick(&mut self, items: &[&'static str]) -> &'static str {
        items[self.random.below(items.len())]
    }

    /// One of the first `sound` items; seldom, and in few trees, one of the others.
    fn choose(&mut self, items: &[&'static str], sound: usize) -> &'static str {
        if self.mistakes > 0 && self.random.one_in(6) {
            self.mistakes -= 1;
            return self.pick(items);
        }
        self.pick(&items[..sound])
    }

    /// The name of an object of `kind` that there is, or any name.
    fn known(&mut self, kind: &str) -> String {
        let names: Vec<&String> = self
            .known
            .iter()
            .filter(|(known, _)| *known == kind)
            .map(|(_, name)| name)
            .collect();
        if names.is_empty() || (self.mistakes > 0 && self.random.one_in(12)) {
            return self.name().to_owned();
        }
        names[self.random.below(names.len())].clone()
    }

    /// Whether there is an object of `kind`, or none is needed.
    fn has(&mut self, kind: &str) -> bool {
        self.known.iter().any(|(known, _)| *known == kind) || (self.mistakes > 0 && self.random.one_in(8))
    }

    /// A name for a new object of `kind`: seldom one that another has.
    fn fresh(&mut self, kind: &'static str) -> String {
        let mut name = self.name().to_owned();
        while self.known.contains(&(kind, name.clone())) && !(self.mistakes > 0 && self.random.one_in(20)) {
            name.push_str("-x");
        }
        self.known.push((kind, name.clone()));
        name
    }

    fn one_in(&mut self, times: usize) -> bool {
        self.random.one_in(times)
    }

    /// Writes a file beside the kustomization, and answers how the kustomization names it.
    fn file(&mut self, place: &Place<'_>, name: &str, text: String) -> String {
        self.tree.insert(format!("{}/{name}", place.folder), text);
        name.to_owned()
    }

    /// Up to three different ones of `items`, chosen as by [`Maker::choose`] and separated by commas.
    fn some(&mut self, items: &[&'static str], sound: usize) -> String {
        let mut all: Vec<&str> = Vec::new();
        for _ in 0..=self.random.below(3) {
            let item = self.choose(items, sound);
            if !all.contains(&item) {
                all.push(item);
            }
        }
        all.join(", ")
    }

    fn level(&mut self, folder: &str, resources: &[String], component: bool, more: &str) {
        let place = Place { folder, component };
        let mut text = fields::kustomization(self, &place, resources);
        text.push_str(more);
        self.tree.insert(format!("{folder}/kustomization.yaml"), text);
    }

    /// A base with objects that none of `others` is.
    fn base(&mut self, folder: &str, others: &[(&'static str, String)]) {
        let mut names = Vec::new();
        self.known = others.to_vec();
        for index in 0..=self.random.below(4) {
            let file = format!("r{index}.yaml");
            let text = objects::stream(self);
            self.tree.insert(format!("{folder}/{file}"), text);
            names.push(file);
        }
        self.known.drain(..others.len());
        self.level(folder, &names, false, "");
    }

    fn components(&mut self, up: &str) -> String {
        if !self.one_in(3) {
            return String::new();
        }
        let mut names = Vec::new();
        for index in 0..=self.random.below(2) {
            let folder = format!("component{index}");
            let file = if self.one_in(3) {
                let text = objects::stream(self);
                self.tree.insert(format!("{folder}/own.yaml"), text);
                vec!["own.yaml".to_owned()]
            } else {
                Vec::new()
            };
            self.level(&folder, &file, true, "");
            names.push(format!("{up}{folder}"));
        }
        format!("components: [{}]\n", names.join(", "))
    }
}

/// A tree whose `top` is the kustomization to build.
#[must_use]
pub fn tree(random: &mut Random) -> Tree {
    let favourite = random.below(fields::COUNT * 2);
    let mistakes = if random.one_in(3) { 1 + random.below(2) } else { 0 };
    let mut maker = Maker {
        random,
        tree: Tree::new(),
        favourite,
        mistakes,
        known: Vec::new(),
    };
    let bases = 1 + maker.random.below(2);
    let mut known = Vec::new();
    for base in 0..bases {
        maker.base(&format!("base{base}"), &known);
        known.append(&mut maker.known);
    }
    maker.known = known;
    let mut resources: Vec<String> = (0..bases).map(|base| format!("../base{base}")).collect();
    if maker.one_in(3) {
        let components = if maker.one_in(3) {
            maker.components("../")
        } else {
            String::new()
        };
        maker.level("middle", &resources, false, &components);
        resources = vec!["../middle".into()];
    }
    if maker.mistakes > 0 && maker.one_in(3) {
        // A diamond: two ways to one base.
        maker.level("left", &["../base0".into()], false, "");
        maker.level("right", &["../base0".into()], false, "");
        resources = vec!["../left".into(), "../right".into()];
    }
    if maker.one_in(4) {
        let text = objects::stream(&mut maker);
        maker.tree.insert("top/own.yaml".into(), text);
        resources.push("own.yaml".into());
    }
    let components = maker.components("../");
    maker.level("top", &resources, false, &components);
    oddities::rewrite(&mut maker);
    maker.tree
}
