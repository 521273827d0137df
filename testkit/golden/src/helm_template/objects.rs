//! What a template can see of Helm's and Go's own types: each object under each way of looking at it.

/// Objects that are no plain maps, lists and scalars, and those that Helm makes of structs.
pub const OBJECTS: &[&str] = &[
    "$.Capabilities",
    "$.Capabilities.KubeVersion",
    "$.Capabilities.HelmVersion",
    "$.Capabilities.APIVersions",
    "$.Chart",
    "$.Chart.Maintainers",
    "$.Chart.Annotations",
    "$.Chart.Dependencies",
    "$.Release",
    "$.Template",
    "$.Files",
    "($.Files.Glob \"files/*\")",
    "($.Files.GetBytes \"files/raw.txt\")",
    "$.Subcharts",
    "$.Subcharts.sub",
    "$.Values",
    "(semver \"1.2.3-rc.1+b\")",
    "$v.time",
    "($v.time.Sub ($v.time.AddDate 0 0 -1))",
    "$v.time.Month",
    "$v.strs",
    "$v.sm",
    "(b64dec \"Yf/igg==\")",
];

/// Ways to look at an object, which is `{}`.
pub const VIEWS: &[&str] = &[
    "printf \"%v|%+v|%T|%s\" {} {} {} {}",
    "printf \"%#v\" {}",
    "printf \"%q\" {}",
    "{}",
    "({})",
    "$x := {} }}{{ $x }}|{{ ($x) }}|{{ print $x",
    "with {} }}{{ . }}|{{ print . }}{{ end",
    "and 1 {}",
    "or {} 1",
    "not {}",
    "list {}",
    "dict \"a\" {}",
    "toJson {}",
    "toPrettyJson {}",
    "toYaml {}",
    "toYamlPretty {}",
    "toToml {}",
    "dict \"a\" {} | toToml",
    "toString {}",
    "kindOf {}",
    "typeOf {}",
    "typeIs \"map[string]interface {}\" {}",
    "len {}",
    "range $k, $e := {} }}{{ $k }}={{ $e }};{{ end",
    "index {} \"Name\"",
    "index {} 0",
    "eq {} {}",
    "deepEqual {} {}",
    "deepCopy {} | toString",
    "html {}",
    "keys {} | sortAlpha",
    "dig \"Name\" \"x\" {}",
    "{}.Absent",
];

/// Every object under every view, with the object's place.
pub fn templates() -> impl Iterator<Item = (&'static str, String)> {
    let under = |object: &'static str| {
        VIEWS
            .iter()
            .map(move |view| (object, format!("{{{{ {} }}}}", view.replace("{}", object))))
    };
    OBJECTS.iter().flat_map(move |object| under(object))
}

/// Whether an answer depends on how Helm was built, which its packages in another program do not know.
#[must_use]
pub fn names_the_build(object: &str) -> bool {
    [
        "$.Capabilities",
        "$.Capabilities.HelmVersion",
        "$.Subcharts",
        "$.Subcharts.sub",
    ]
    .contains(&object)
}
