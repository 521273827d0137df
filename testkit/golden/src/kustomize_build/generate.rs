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
    /// The objects that the kustomization at hand can name.
    known: Vec<Known>,
}

/// An object.
#[derive(Clone, PartialEq)]
struct Known {
    kind: &'static str,
    name: String,
    /// Empty for none.
    namespace: &'static str,
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
        self.object(kind).0
    }

    /// Name and namespace of an object of `kind` that there is, or any name.
    fn object(&mut self, kind: &str) -> (String, &'static str) {
        let objects: Vec<&Known> = self.known.iter().filter(|known| known.kind == kind).collect();
        if objects.is_empty() || (self.mistakes > 0 && self.random.one_in(12)) {
            return (self.name().to_owned(), "");
        }
        let object = objects[self.random.below(objects.len())];
        (object.name.clone(), object.namespace)
    }

    /// Whether there is an object of `kind`, or none is needed.
    fn has(&mut self, kind: &str) -> bool {
        self.known.iter().any(|known| known.kind == kind) || (self.mistakes > 0 && self.random.one_in(8))
    }

    /// A name for a new object of `kind` in a namespace: seldom one that another there has.
    fn fresh(&mut self, kind: &'static str, namespace: &'static str) -> String {
        let mut known = Known {
            kind,
            name: self.name().to_owned(),
            namespace,
        };
        while self.known.contains(&known) && !(self.mistakes > 0 && self.random.one_in(20)) {
            known.name.push_str("-x");
        }
        self.known.push(known.clone());
        known.name
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
    fn base(&mut self, folder: &str, others: &[Known]) {
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
            // A component may have another one below it.
            let more = if index > 0 && self.one_in(3) {
                "components: [../component0]\n"
            } else {
                ""
            };
            self.level(&folder, &file, true, more);
            if !more.is_empty() {
                names.clear();
            }
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
    } else if maker.one_in(12) {
        // One that is fine: other names, or other namespaces.
        let (left, right) = if maker.one_in(2) {
            ("namePrefix: l-\n", "nameSuffix: -r\n")
        } else {
            ("namespace: left\n", "namespace: right\n")
        };
        for (folder, text) in [("left", left), ("right", right)] {
            let path = format!("{folder}/kustomization.yaml");
            maker.tree.insert(path, format!("resources: [../base0]\n{text}"));
        }
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
