//! What is wrong with a tree, as a class that both sides' words show: a refusal for another reason than the tool's helps nobody.

/// A class of refusals: its name, words of the tool's of which one stands in each of its texts, and words of ours.
type Class = (&'static str, &'static [&'static str], &'static [&'static str]);

/// The first that fits counts: the tool's words for what lies deeper come before those for what holds it.
const CLASSES: &[Class] = &[
    ("a cycle", &["cycle detected"], &["cycle detected"]),
    (
        "no component, or one among resources",
        &["expected kind 'Component'", "expected kind != 'Component'"],
        &["expected kind 'Component'", "expected kind != 'Component'"],
    ),
    (
        "an id twice",
        &["already registered id", "ID conflict"],
        &["already registered id", "ID conflict"],
    ),
    ("no target of a patch", &["no matches for Id"], &["no matches for Id"]),
    (
        "many targets of a patch",
        &["multiple matches for Id"],
        &["multiple matches for Id"],
    ),
    (
        "a generated object that is there",
        &["behavior must be merge or replace"],
        &["behavior must be merge or replace"],
    ),
    (
        "no object to merge a generated one into",
        &[
            "cannot merge or replace",
            "that could accept merge of",
            "cannot find resource with id",
        ],
        &[
            "cannot merge or replace",
            "that could accept merge of",
            "cannot find resource with id",
        ],
    ),
    (
        "a file that is not there",
        &["no such file or directory", "doesn't exist"],
        &["is not there", "is no directory"],
    ),
    (
        "a validator that changes something",
        &["validator shouldn't modify"],
        &["validator shouldn't modify"],
    ),
    (
        "a text that is no patch",
        &[
            "unable to parse SM or JSON patch",
            "qualifies as both an SM and JSON patch",
            "patch appears to be empty",
        ],
        &[
            "unable to parse SM or JSON patch",
            "qualifies as both an SM and JSON patch",
            "patch appears to be empty",
        ],
    ),
    (
        "no source of a replacement",
        &[
            "nothing selected by",
            "multiple matches for selector",
            "for replacement source",
            "looking up replacement source",
        ],
        &[
            "nothing selected by",
            "multiple matches for selector",
            "for replacement source",
            "looking up replacement source",
        ],
    ),
    (
        "no target of a replacement",
        &["in replacement target"],
        &["in replacement target"],
    ),
    (
        "a delimiter that does not fit",
        &["delimiter option can only be used", "is out of bounds"],
        &["delimiter option can only be used", "is out of bounds"],
    ),
    (
        "a variable",
        &[
            "cannot be mapped to a field",
            "not found in corresponding resource",
            "unable to disambiguate",
            "already encountered",
        ],
        &[
            "cannot be mapped to a field",
            "specified in var",
            "unable to disambiguate",
            "already encountered",
        ],
    ),
    (
        "no target of replicas",
        &["does not match a config with the following GVK"],
        &["does not match any type with replicas"],
    ),
    (
        "fields that contradict",
        &["conflicting fieldspecs"],
        &["conflicting fieldspecs"],
    ),
    (
        "an empty kustomization",
        &["kustomization.yaml is empty"],
        &["the kustomization is empty"],
    ),
    (
        "a plugin that there is not",
        &[
            "unable to load builtin",
            "external plugins disabled",
            "not a transformer",
            "not a generator",
        ],
        &[
            "unable to load builtin",
            "only built-in plugins run here",
            "is no transformer",
            "is no generator",
            "is no validator",
        ],
    ),
    (
        "no name or no kind",
        &[
            "missing metadata.name",
            "missing kind",
            "missing Resource metadata",
            "not equal",
        ],
        &["missing metadata.name", "missing kind", "no name or no kind"],
    ),
    (
        "an operation of a JSON patch",
        &[
            "operation does not apply",
            "test failed",
            "missing value",
            "Unexpected kind",
            "operation value must be",
        ],
        &["operation "],
    ),
    (
        "an order that there is not",
        &["must be one of fifo, legacy", "but the selected sort order"],
        &["`sortOptions`"],
    ),
    (
        "several patches for one target",
        &["Multiple Strategic-Merge Patches"],
        &["multiple strategic merge patches"],
    ),
    (
        "many objects that a name may mean",
        &["multiple possible referrals"],
        &["multiple possible referrals"],
    ),
    (
        "a value that is not what its tag says",
        &["cannot decode"],
        &["holds another kind of value"],
    ),
    (
        "no description of types",
        &[
            "open API definition",
            "OpenAPI version",
            "invalid schema file",
            "interface conversion",
        ],
        &["`crds`", "`openapi`"],
    ),
    (
        "a field that a kustomization has not, or not of that type",
        &["cannot unmarshal", "unknown field"],
        &["was expected, not", "unknown field"],
    ),
    (
        "a key or a source of a generator",
        &[
            "loading KV pairs",
            "illegally repeats the key",
            "is not a valid key name",
        ],
        &[
            "`configMapGenerator`",
            "`secretGenerator`",
            "plugin ConfigMapGenerator",
            "plugin SecretGenerator",
        ],
    ),
    (
        "a node of another kind",
        &[
            "wrong node kind",
            "expected sequence or mapping node",
            "considering field",
        ],
        &[
            "expected sequence or mapping node",
            "an image must be a text",
            "was expected",
            "invalid value type",
        ],
    ),
    (
        "a text that is no YAML",
        &["yaml: ", "MalformedYAMLError", "invalid document separator"],
        &[" at line "],
    ),
];

/// The class of the tool's text, if it is known.
#[must_use]
pub fn of_tool(text: &str) -> Option<&'static str> {
    let has = |words: &&str| text.contains(*words);
    CLASSES
        .iter()
        .find(|(_, tool, _)| tool.iter().any(has))
        .map(|class| class.0)
}

/// The class of a text of ours, if it is known.
#[must_use]
pub fn of_ours(text: &str) -> Option<&'static str> {
    let has = |words: &&str| text.contains(*words);
    CLASSES
        .iter()
        .find(|(_, _, ours)| ours.iter().any(has))
        .map(|class| class.0)
}
