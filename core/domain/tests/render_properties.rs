//! What names a render, and what does not.

use convoy_domain::limits::Limits;
use convoy_domain::manifests::render_manifests;
use convoy_domain::object::Object;
use convoy_domain::release::Manifests;
use convoy_domain::render::{CorruptRender, Render};
use convoy_testkit_strategies::{any_bytes, files, hostile_yaml, manifests, object, objects, reordered};
use convoy_value::{json, yaml};
use proptest::collection::vec;
use proptest::prelude::*;

fn render(objects: Vec<Object>) -> Render {
    Render::new(objects, &Limits::default()).expect("the objects are few and small")
}

fn read(text: &str) -> Object {
    let value = yaml::helm::parse(text, &convoy_value::Limits::default()).expect("the text was written as YAML");
    Object::new(value).expect("the text is an object's")
}

/// JSON that is YAML too: YAML forbids some characters that JSON allows.
fn flow_text(object: &Object) -> String {
    let escape = |c: char| match u32::from(c) {
        code @ 0x7f..0x10000 => format!("\\u{code:04x}"),
        _ => c.to_string(),
    };
    let pieces: Vec<String> = json::to_canonical(object.as_value()).chars().map(escape).collect();
    pieces.concat()
}

fn with_reordered(objects: Vec<Object>) -> impl Strategy<Value = (Vec<Object>, Vec<Object>)> {
    let others: Vec<_> = objects
        .iter()
        .map(|object| reordered(object.as_value()).prop_map(|value| Object::new(value).expect("it was one")))
        .collect();
    (Just(objects), others)
}

/// The ref is what a Go program made with sigs.k8s.io/yaml, apimachinery's unstructured and encoding/json.
#[test]
fn odd_scalars_give_the_render_that_go_gives() {
    let files = [("odd.yaml".to_string(), include_bytes!("data/odd.yaml")[..].into())].into();
    let selected = Manifests {
        paths: vec!["odd.yaml".into()],
        target_namespace: None,
    };
    let objects = render_manifests(&files, &selected, &Limits::default()).unwrap();
    assert_eq!(
        render(objects).render_ref().to_string(),
        "sha256:fb0b196896c94e570d2bd2441faba99fcaeb1ee5c11fe2e28fd9135a7f7866e3"
    );
}

proptest! {
    // Objects are large: a hundred cases find what a thousand do, and every build runs them.
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn the_order_in_which_keys_were_set_does_not_name_a_render(
        (objects, others) in objects(4).prop_flat_map(with_reordered),
    ) {
        let (a, b) = (render(objects), render(others));
        prop_assert_eq!(a.render_ref(), b.render_ref());
        prop_assert_eq!(a.to_bytes(), b.to_bytes());
    }

    #[test]
    fn the_layout_of_the_yaml_does_not_name_a_render(object in object()) {
        // As Go's writer, ours leaves a key `<<` bare, and its reader takes that for a merge.
        prop_assume!(!flow_text(&object).contains("\\u003c\\u003c"));
        let flow = read(&flow_text(&object));
        let block = read(&yaml::to_string(flow.as_value()));
        let commented = read(&format!("# a comment\n---\n\n{}...\n# the end\n", yaml::to_string(flow.as_value())));
        let name = render(vec![flow]).render_ref();
        prop_assert_eq!(render(vec![block]).render_ref(), name);
        prop_assert_eq!(render(vec![commented]).render_ref(), name);
    }

    #[test]
    fn how_documents_are_spread_over_files_does_not_name_a_render(objects in objects(5), cut in 0_usize..6) {
        let texts: Vec<String> = objects.iter().map(flow_text).collect();
        let cut = cut.min(texts.len());
        let paths = |paths: &[&str]| Manifests {
            paths: paths.iter().map(ToString::to_string).collect(),
            target_namespace: None,
        };
        let file = |texts: &[String], between: &str| texts.join(between).into_bytes().into();
        let one = [("all.yaml".to_string(), file(&texts, "\n---\n"))].into();
        let two = [
            ("b.json".to_string(), file(&texts[..cut], "\n...\n---\n")),
            ("a/a.yaml".to_string(), file(&texts[cut..], "\n---\n---\n")),
        ]
        .into();
        let list = [(
            "list.yaml".to_string(),
            format!("{{\"apiVersion\": \"v1\", \"kind\": \"List\", \"items\": [{}]}}", texts.join(",")).into_bytes().into(),
        )]
        .into();
        let name = |files, selected| {
            render_manifests(files, &selected, &Limits::default()).map(|objects| render(objects).render_ref())
        };
        let expect = name(&one, paths(&["."]));
        prop_assert!(expect.is_ok(), "{:?}", expect);
        prop_assert_eq!(&name(&two, paths(&["b.json", "a"])), &expect);
        prop_assert_eq!(&name(&list, paths(&["list.yaml"])), &expect);
    }

    #[test]
    fn the_order_of_objects_names_a_render(objects in objects(5), by in 1_usize..5) {
        prop_assume!(objects.len() > 1);
        let mut turned = objects.clone();
        turned.rotate_left(by % objects.len());
        let same = turned == objects;
        prop_assert_eq!(render(objects).render_ref() == render(turned).render_ref(), same);
    }

    #[test]
    fn a_stored_render_reads_back_and_damage_is_seen(objects in objects(4), at in any::<prop::sample::Index>(), bit in 0..8_u8) {
        let render = render(objects);
        let mut bytes = render.to_bytes();
        prop_assert_eq!(bytes.len() as u64, render.byte_len());
        let again = Render::from_bytes(&bytes, render.render_ref());
        prop_assert_eq!(again, Ok(render.clone()));
        prop_assume!(!bytes.is_empty());
        let at = at.index(bytes.len());
        bytes[at] ^= 1_u8 << bit;
        let damaged = Render::from_bytes(&bytes, render.render_ref());
        let is_hash = matches!(damaged, Err(CorruptRender::Hash { .. }));
        prop_assert!(is_hash, "{:?}", damaged);
    }

    #[test]
    fn any_bytes_are_a_render_or_corrupt(bytes in vec(hostile_yaml(), 0..4)) {
        any_bytes::stored_render(&bytes.concat());
    }

    #[test]
    fn any_files_give_objects_or_an_error(files in files(), manifests in manifests()) {
        any_bytes::manifests(&files, &manifests);
    }

    #[test]
    fn any_text_gives_objects_or_an_error(text in hostile_yaml()) {
        any_bytes::manifest_file(&text);
    }
}
