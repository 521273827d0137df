//! Hostile charts end within a limit that their error names, soon, and in little memory.
#![expect(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]
#![expect(clippy::format_push_string, reason = "the texts are short")]

use std::time::Duration;

use convoy_helm::layers::{self, Layer};
use convoy_helm::{Chart, Error, Files, Settings, Setup, render};
use convoy_sprig::{Draw, Entropy, Randomness};
use convoy_template::Limits;
use convoy_template::value::Time;

/// Small enough for a test, large enough for every case to pass the others first.
const LIMITS: Limits = Limits {
    steps: 4_000_000,
    templates: 1_000,
    nesting: 12_000,
    output: 8 << 20,
    heap: 64 << 20,
    text: 8 << 20,
};

/// Processor time that a case may take in the development profile, however busy the machine is.
const PATIENCE: Duration = Duration::from_mins(2);

/// Memory that the whole program may have had at its fullest, in KiB.
const MEMORY: u64 = 1_500_000;

struct Zeros;

impl Entropy for Zeros {
    fn seed(&mut self, _: &Draw<'_>) -> [u8; 32] {
        [0; 32]
    }
}

fn files(entries: &[(&str, &str)]) -> Files {
    let chart = ("Chart.yaml", "apiVersion: v2\nname: c\nversion: 1.0.0\n");
    core::iter::once(&chart)
        .chain(entries)
        .map(|(name, text)| ((*name).to_owned(), text.as_bytes().into()))
        .collect()
}

fn rendered(files: &Files) -> Result<String, Error> {
    rendered_within(files, LIMITS)
}

fn rendered_within(files: &Files, limits: Limits) -> Result<String, Error> {
    let settings = Settings {
        limits,
        setup: Setup::new(|mut context| {
            context.put_state(Randomness::new(Time::unix(1_700_000_000, 0), Zeros));
            context
        }),
        ..Settings::default()
    };
    let chart = Chart::load(files)?;
    render(&chart, &settings).map(|rendered| rendered.text(convoy_helm::Selection::default()))
}

/// Runs on a stack that holds a thousand includes, and watches processor time and memory.
fn end<T: Send + 'static>(name: &str, work: impl FnOnce() -> T + Send + 'static) -> T {
    let work = || (work(), time_of_thread());
    let worker = std::thread::Builder::new().stack_size(1 << 30).spawn(work).unwrap();
    let (result, took) = worker.join().unwrap_or_else(|_| panic!("{name} panicked"));
    assert!(took < PATIENCE, "{name} took {took:?}");
    let memory = peak_memory();
    assert!(memory < MEMORY, "{name}: {memory} KiB");
    result
}

/// For how long this thread was on a processor: what other programs take does not count.
fn time_of_thread() -> Duration {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap();
    Duration::from_nanos(text.split_whitespace().next().unwrap().parse().unwrap())
}

fn peak_memory() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("VmHWM")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

fn error_of(entries: &[(&str, &str)]) -> String {
    let files = files(entries);
    let name = entries.last().unwrap().1.chars().take(80).collect::<String>();
    match end(&name, move || rendered(&files)) {
        Ok(text) => panic!("{name} was rendered: {} bytes", text.len()),
        Err(error) => error.go_text(),
    }
}

/// The template is refused, and the error says this.
fn check(template: &str, expect: &str) {
    let error = error_of(&[("templates/a.yaml", template)]);
    assert!(error.contains(expect), "{template}\n{error}");
}

/// The template is rendered, soon.
fn passes(template: &str) {
    let files = files(&[("templates/a.yaml", &format!("# {template}"))]);
    let name = template.chars().take(80).collect::<String>();
    let result = end(&name, move || rendered(&files));
    assert!(result.is_ok(), "{name}: {}", result.unwrap_err().go_text());
}

const TEXT: &str = "limit of the length of a text exceeded";
const MEMORY_LIMIT: &str = "limit of template memory exceeded";
const STEPS: &str = "limit of template steps exceeded";
const RECURSION: &str = "limit of template recursion exceeded";
const VALUE_DEPTH: &str = "limit of value nesting exceeded";

#[test]
fn recursion_ends() {
    check(
        "{{ define \"r\" }}{{ template \"r\" . }}{{ end }}{{ template \"r\" . }}",
        RECURSION,
    );
    check(
        "{{ define \"r\" }}{{ include \"r\" . }}{{ end }}{{ include \"r\" . }}",
        "nested reference name",
    );
    let error = error_of(&[(
        "templates/a.yaml",
        "{{ define \"a\" }}{{ include \"b\" . }}{{ end }}{{ define \"b\" }}{{ include \"a\" . }}{{ end }}{{ include \"a\" . }}",
    )]);
    assert!(is_recursion(&error), "{error}");
    let text = "text: '{{ tpl .Values.text . }}'";
    let error = error_of(&[("values.yaml", text), ("templates/a.yaml", "{{ tpl .Values.text . }}")]);
    assert!(error.contains(RECURSION), "{error}");
    let text = "text: '{{ include \"r\" . }}'";
    let error = error_of(&[
        ("values.yaml", text),
        (
            "templates/_r.tpl",
            "{{ define \"r\" }}{{ tpl .Values.text . }}{{ end }}",
        ),
        ("templates/a.yaml", "{{ tpl .Values.text . }}"),
    ]);
    assert!(
        error.contains("nested reference name") || error.contains(RECURSION),
        "{error}"
    );
}

#[test]
fn charts_that_include_each_other_end() {
    let error = error_of(&[
        ("charts/s/Chart.yaml", "apiVersion: v2\nname: s\nversion: 1.0.0\n"),
        (
            "charts/s/templates/_s.tpl",
            "{{ define \"s\" }}{{ include \"c\" . }}{{ end }}",
        ),
        ("templates/_c.tpl", "{{ define \"c\" }}{{ include \"s\" . }}{{ end }}"),
        ("templates/a.yaml", "{{ include \"c\" . }}"),
    ]);
    assert!(is_recursion(&error), "{error}");
}

/// Helm counts a template within itself; ours counts all templates too.
fn is_recursion(error: &str) -> bool {
    error.contains("nested reference name") || error.contains(RECURSION)
}

#[test]
fn texts_are_bounded() {
    for template in [
        "{{ repeat 1000000000 \"x\" }}",
        "{{ repeat 9223372036854775807 \"xx\" }}",
        "{{ indent 1000000000 \"x\\nx\" }}",
        "{{ nindent 100000000 \"x\" }}",
        "{{ randAlphaNum 1000000000 }}",
        "{{ randAscii 9223372036854775807 }}",
        "{{ randBytes 1000000000 }}",
        "{{ printf \"%900000d%900000d%900000d%900000d%900000d%900000d%900000d%900000d%900000d%900000d\" 1 2 3 4 5 6 7 8 9 10 }}",
        "{{ join (repeat 100000 \"x\") (until 1000) }}",
        "{{ replace \"\" (repeat 10000 \"x\") (repeat 10000 \"y\") }}",
        "{{ replace \"y\" (repeat 10000 \"x\") (repeat 10000 \"y\") }}",
        "{{ regexReplaceAll \"y\" (repeat 10000 \"y\") (repeat 10000 \"x\") }}",
        "{{ regexReplaceAll \"(y+)\" (repeat 10000 \"y\") (repeat 10000 \"$1\") }}",
        "{{ regexReplaceAll \"(y+)\" (repeat 1000000 \"y\") (repeat 1000000 \"$1\") }}",
        "{{ regexReplaceAllLiteral \"\" (repeat 10000 \"y\") (repeat 10000 \"x\") }}",
        "{{ $s := \"x\" }}{{ range until 60 }}{{ $s = printf \"%s%s\" $s $s }}{{ end }}",
        "{{ $s := \"x\" }}{{ range until 60 }}{{ $s = cat $s $s }}{{ end }}",
        "{{ $s := \"x\" }}{{ range until 100 }}{{ $s = b64enc $s }}{{ end }}",
        "{{ $s := \"x\" }}{{ range until 100 }}{{ $s = b32enc $s }}{{ end }}",
        "{{ $s := \"\\\"\" }}{{ range until 60 }}{{ $s = toJson $s }}{{ end }}",
        "{{ $s := \"\\\"\" }}{{ range until 60 }}{{ $s = quote $s }}{{ end }}",
        "{{ $s := \"x\" }}{{ range until 60 }}{{ $s = list $s $s | toString }}{{ end }}",
        "{{ $s := \"x\" }}{{ range until 60 }}{{ $s = tpl \"{{ . }}{{ . }}\" $s }}{{ end }}",
        "{{ wrapWith 1 (repeat 10000 \"x\") (repeat 10000 \"a \") }}",
    ] {
        let error = error_of(&[("templates/a.yaml", template)]);
        let named = [TEXT, MEMORY_LIMIT, STEPS, "limit of template output exceeded"];
        assert!(named.iter().any(|name| error.contains(name)), "{template}\n{error}");
    }
}

#[test]
fn lists_and_maps_are_bounded() {
    for template in [
        "{{ until 1000000000 }}",
        "{{ untilStep 0 9223372036854775807 1 }}",
        "{{ untilStep -9223372036854775808 9223372036854775807 1 }}",
        "{{ seq 1 1000000000 }}",
        "{{ seq 0 -1 -9223372036854775807 }}",
        "{{ $l := list 1 }}{{ range until 60 }}{{ $l = concat $l $l }}{{ end }}",
        "{{ $l := list 1 }}{{ range until 1000000 }}{{ $l = prepend $l 1 }}{{ end }}",
        "{{ $l := list 1 }}{{ range until 10000000 }}{{ $l = append $l (list 1 2 3) }}{{ end }}",
        "{{ $d := dict }}{{ range $i := until 10000000 }}{{ $_ := set $d (toString $i) (dict) }}{{ end }}",
        "{{ $d := dict \"x\" 1 }}{{ range until 1000000 }}{{ $d = merge (dict (randAlphaNum 5) 1) (deepCopy $d) }}{{ end }}",
        "{{ splitList \"\" (repeat 8000000 \"x\") }}",
        "{{ split \"\" (repeat 8000000 \"x\") }}",
        "{{ regexFindAll \".\" (repeat 8000000 \"x\") -1 }}",
        "{{ regexSplit \"\" (repeat 8000000 \"x\") -1 }}",
        "{{ chunk 1 (until 1500000) }}",
        "{{ range until 1000 }}{{ $_ := fromJson (printf \"[%s1]\" (repeat 100000 \"1,\")) }}{{ end }}",
        "{{ range until 1000 }}{{ $_ := fromYaml (printf \"a: [%s1]\" (repeat 100000 \"1,\")) }}{{ end }}",
        "{{ range 1000000000 }}{{ end }}",
        "{{ range until 100 }}{{ $_ := sortAlpha (splitList \",\" (repeat 500000 \"x,\")) }}{{ end }}",
    ] {
        let error = error_of(&[("templates/a.yaml", template)]);
        let is_named = error.contains(MEMORY_LIMIT) || error.contains(STEPS) || error.contains(TEXT);
        assert!(is_named || error.contains("limit of"), "{template}\n{error}");
    }
}

/// A map in itself, and maps that are few but hold each other so often that walking them takes for ever.
#[test]
fn values_in_themselves_end_every_function_that_walks_them() {
    let cycle = "{{ $d := dict }}{{ $_ := set $d \"a\" $d }}{{ $l := list $d }}";
    let laughs = "{{ $d := dict \"x\" 1 }}{{ range until 100 }}{{ $d = dict \"a\" $d \"b\" $d }}{{ end }}\
                  {{ $e := dict \"x\" 1 }}{{ range until 100 }}{{ $e = dict \"a\" $e \"b\" $e }}{{ end }}{{ $l := list $d }}";
    for (name, start) in [("cycle", cycle), ("laughs", laughs)] {
        for walk in [
            "{{ $d }}",
            "{{ print $d }}",
            "{{ printf \"%v\" $d }}",
            "{{ printf \"%#v\" $d }}",
            "{{ $d | toString }}",
            "{{ $d | quote }}",
            "{{ $l | join \",\" }}",
            "{{ cat $d }}",
            "{{ toYaml $d }}",
            "{{ toYamlPretty $d }}",
            "{{ mustToYaml $d }}",
            "{{ toJson $d }}",
            "{{ mustToJson $d }}",
            "{{ toPrettyJson $d }}",
            "{{ toRawJson $d }}",
            "{{ toToml $d }}",
            "{{ deepCopy $d | len }}",
            "{{ mustDeepCopy $d | len }}",
            "{{ html $d }}",
            "{{ js $d }}",
            "{{ urlquery $d }}",
            "{{ $l | sortAlpha }}",
            "{{ randAlpha 1 | printf \"%s%v\" $d }}",
            "{{ fail (toString $d) }}",
            "{{ tpl (toYaml $d) . }}",
        ] {
            let template = format!("{start}{walk}");
            let error = error_of(&[("templates/a.yaml", &template)]);
            assert!(
                error.contains("limit of") || error.contains("cycle"),
                "{name}: {walk}\n{error}"
            );
        }
    }
    let check = |walk: &str| {
        let error = error_of(&[("templates/a.yaml", &format!("{laughs}{walk}"))]);
        assert!(error.contains("limit of"), "{walk}\n{error}");
    };
    check("{{ deepEqual $d $e }}");
    check("{{ has $d (list $e) }}");
    check("{{ without (list $d) $e }}");
    check("{{ list $d $e | uniq }}");
    check("{{ merge $d $e | len }}");
    check("{{ mergeOverwrite $d $e | len }}");
    check("{{ mustMerge (dict) $e $d | len }}");
    passes(&format!(
        "{cycle}{{{{ keys $d }}}}{{{{ len $d }}}}{{{{ hasKey $d.a.a.a \"a\" }}}}{{{{ dig \"a\" \"a\" \"b\" 1 $d }}}}"
    ));
    let twin = "{{ $e := dict }}{{ $_ := set $e \"a\" $e }}";
    for walk in [
        "{{ deepEqual $d $e }}",
        "{{ merge $d $e | len }}",
        "{{ mergeOverwrite $d $e | len }}",
        "{{ has $d (list $e) }}",
    ] {
        let template = format!("{cycle}{twin}{walk}");
        let files = files(&[("templates/a.yaml", &template)]);
        // Go says that two maps that look alike wherever it looks are equal; a limit is an answer too.
        if let Err(error) = end(walk, move || rendered(&files)) {
            assert!(error.go_text().contains("limit of"), "{walk}");
        }
    }
}

#[test]
fn depth_is_bounded() {
    check(
        &format!("{{{{ {}1{} }}}}", "(".repeat(5_000), ")".repeat(5_000)),
        "limit of template nesting exceeded",
    );
    for block in ["if true", "with 1", "range until 1"] {
        let template = format!("{{{{ {block} }}}}").repeat(5_000) + &"{{ end }}".repeat(5_000);
        check(&template, "limit of template nesting exceeded");
    }
    check(
        "{{ $l := list }}{{ range until 10000 }}{{ $l = list $l }}{{ end }}{{ $l }}",
        VALUE_DEPTH,
    );
    passes("{{ (fromYaml (repeat 10000 \"[\")).Error | len }}{{ (fromJson (repeat 10000 \"[\")).Error | len }}");
    passes(
        "{{ (fromYaml (printf \"a: %s\" (repeat 5000 \"{a: \"))).Error | len }}{{ (fromToml (printf \"a=%s\" (repeat 5000 \"[\"))).Error | len }}",
    );
    for text in ["[".repeat(10_000), "{a: ".repeat(10_000), "- ".repeat(10_000)] {
        let error = error_of(&[("templates/a.yaml", &text)]);
        assert!(error.contains("YAML parse error"), "{error}");
        let error = error_of(&[("values.yaml", &text)]);
        assert!(error.contains("values.yaml"), "{error}");
        let error = error_of(&[
            ("values.schema.json", &text.replace("a: ", "\"a\": ").replace("- ", "[")),
            ("templates/a.yaml", ""),
        ]);
        assert!(!error.is_empty());
    }
}

#[test]
fn aliases_of_yaml_are_bounded() {
    let mut bomb = String::from("a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n");
    for level in 1..12 {
        let before = level - 1;
        bomb += &format!("a{level}: &a{level} [{}]\n", vec![format!("*a{before}"); 10].join(", "));
    }
    let error = error_of(&[("values.yaml", &bomb)]);
    assert!(error.contains("alias"), "{error}");
    let error = error_of(&[("templates/a.yaml", &bomb)]);
    assert!(error.contains("alias"), "{error}");
    let text = format!("{bomb:?}");
    passes(&format!("{{{{ (fromYaml {text}).Error | len }}}}"));
}

/// Regular expressions run in linear time, whatever they are; what is too large is refused as Go refuses it.
#[test]
fn expressions_and_patterns_end() {
    passes("{{ regexMatch \"(a+)+$\" (printf \"%s!\" (repeat 100000 \"a\")) }}");
    passes("{{ regexMatch \"^(([a-z])+.)+[A-Z]([a-z])+$\" (repeat 100000 \"a\") }}");
    passes("{{ regexFindAll \"(x+x+)+y\" (repeat 20000 \"x\") -1 | len }}");
    let large = files(&[(
        "templates/a.yaml",
        "# {{ regexMatch \"((a{1000}){1000}){1000}\" \"a\" }}",
    )]);
    let _ = end("large", move || rendered(&large).is_ok());
    check(
        "{{ mustRegexMatch (repeat 100000 \"(\") \"a\" }}",
        "error parsing regexp",
    );
    check(
        "{{ mustRegexMatch (printf \"(%s\" (repeat 1000000 \"a|\")) \"a\" }}",
        STEPS,
    );
    let glob = |pattern: &str| {
        let template = format!("# {{{{ (.Files.Glob {pattern:?}).AsConfig | len }}}}");
        let long = format!("files/{}", "a".repeat(200));
        let files = files(&[(&*long, "x"), ("templates/a.yaml", &template)]);
        let name = pattern.chars().take(60).collect::<String>();
        if let Err(error) = end(&name, move || rendered(&files)) {
            let text = error.go_text();
            assert!(text.contains("limit of") || text.contains("pattern"), "{name}: {text}");
        }
    };
    glob(&"{a,b}".repeat(40));
    glob(&"*a".repeat(60));
    glob(&("**/".repeat(200) + "x"));
    glob(&"{".repeat(10_000));
    glob(&("{a,".repeat(500) + &"}".repeat(500)));
    glob(&"[a-z]*".repeat(100));
    glob(&"?".repeat(1_000_000));
}

#[test]
fn widths_and_precisions_of_printf_end() {
    for template in [
        "{{ printf \"%1000000000d\" 1 }}",
        "{{ printf \"%*d\" 1000000000 1 }}",
        "{{ printf \"%.1000000000f\" 1.5 }}",
        "{{ printf \"%.*f\" 1000000000 1.5 }}",
        "{{ printf \"%999999999999999999999d\" 1 }}",
        "{{ printf \"%[1000000000]d\" 1 }}",
        "{{ printf \"%.1000000f\" 1e300 | len }}",
        "{{ printf \"%1000000v\" (until 5) | len }}",
    ] {
        let files = files(&[("templates/a.yaml", &format!("# {template}"))]);
        match end(template, move || rendered(&files)) {
            Ok(text) => assert!(text.len() < LIMITS.output),
            Err(error) => assert!(error.go_text().contains("limit of"), "{template}"),
        }
    }
}

#[test]
fn keys_and_hashes_cost_steps() {
    for template in [
        "{{ range until 100000 }}{{ $_ := genPrivateKey \"rsa\" }}{{ end }}",
        "{{ range until 1000000 }}{{ $_ := genPrivateKey \"ecdsa\" }}{{ end }}",
        "{{ range until 100000 }}{{ $_ := genCA \"a\" 1 }}{{ end }}",
        "{{ range until 100000 }}{{ $_ := genPrivateKey \"dsa\" }}{{ end }}",
        "{{ range until 10000000 }}{{ $_ := genPrivateKey \"ed25519\" }}{{ end }}",
        "{{ range until 100000 }}{{ $_ := bcrypt \"a\" }}{{ end }}",
        "{{ range until 100000 }}{{ $_ := derivePassword 1 \"long\" \"a\" \"b\" \"c\" }}{{ end }}",
        "{{ range until 100000 }}{{ $_ := encryptAES \"a\" (repeat 1000000 \"x\") }}{{ end }}",
        "{{ range until 10000 }}{{ $_ := sha256sum (repeat 1000000 \"x\") }}{{ end }}",
    ] {
        let error = error_of(&[("templates/a.yaml", template)]);
        assert!(
            error.contains(STEPS) || error.contains(MEMORY_LIMIT),
            "{template}\n{error}"
        );
    }
    // An RSA key of 16,384 bits: the lengths are read before the numbers.
    let number = |bytes: usize| {
        let mut text = vec![
            0x02,
            0x82,
            u8::try_from((bytes + 1) >> 8).unwrap(),
            (bytes + 1).to_le_bytes()[0],
            0,
        ];
        text.extend(vec![0xff; bytes]);
        text
    };
    let mut body = vec![0x02, 0x01, 0x00];
    for bytes in [2_048, 1_024, 2_048, 1_024, 1_024, 1_024, 1_024, 1_024] {
        body.extend(number(bytes));
    }
    let mut der = vec![
        0x30,
        0x82,
        u8::try_from(body.len() >> 8).unwrap(),
        body.len().to_le_bytes()[0],
    ];
    der.extend(body);
    let hex = der.iter().fold(String::new(), |mut text, byte| {
        text.push_str(&format!("\\x{byte:02x}"));
        text
    });
    check(
        &format!(
            "{{{{ genCAWithKey \"a\" 1 (printf \"-----BEGIN RSA PRIVATE KEY-----\\n%s\\n-----END RSA PRIVATE KEY-----\\n\" (b64enc \"{hex}\")) }}}}"
        ),
        "limit of the length of an RSA key exceeded: 8192 bits",
    );
    check(
        "{{ $f := 1.2345678901234567e300 }}{{ mulf $f $f $f $f $f $f $f $f $f $f | mulf $f }}{{ fail \"done\" }}",
        "",
    );
}

#[test]
fn words_dates_versions_and_urls_are_read_in_linear_time() {
    for template in [
        "{{ wrap 1 (repeat 1000000 \"x \") | len }}",
        "{{ (repeat 1000000 \"aB_\") | snakecase | len }}",
        "{{ (repeat 1000000 \"aB_\") | camelcase | len }}",
        "{{ (repeat 1000000 \"aB_\") | kebabcase | len }}",
        "{{ (repeat 1000000 \"a b\") | initials | len }}",
        "{{ (repeat 1000000 \"a b\") | nospace | len }}",
        "{{ (repeat 1000000 \"a b\") | title | swapcase | len }}",
        "{{ abbrevboth 5 100 (repeat 1000000 \"é\") | len }}",
        "{{ trimAll \"ab\" (repeat 1000000 \"ab\") | len }}",
        "{{ shuffle (repeat 1000000 \"é\") | len }}",
        "{{ now | date (repeat 100000 \"2006\") | len }}",
        "{{ toDate (repeat 100000 \"2006\") (repeat 100000 \"2006\") }}",
        "{{ (urlParse (printf \"http://h/%s\" (repeat 1000000 \"a/../\"))).path | clean | len }}",
        "{{ clean (repeat 1000000 \"a/../\") | len }}",
        "{{ b64dec (repeat 1000000 \"AAAA\") | len }}",
        "{{ fromJson (printf \"[%s]\" (repeat 100 \"1,\")) | len }}",
        "{{ int64 (repeat 1000000 \"1\") }}{{ float64 (repeat 1000000 \"1\") }}{{ toDecimal (repeat 1000000 \"1\") }}",
        "{{ htpasswd (repeat 1000000 \"u\") \"p\" | len }}",
        "{{ buildCustomCert (b64enc (repeat 100000 \"-----BEGIN CERTIFICATE-----\\n\\n-----END CERTIFICATE-----x\\n\")) \"\" | default 1 | kindOf }}",
    ] {
        let files = files(&[("templates/a.yaml", &format!("# {template}"))]);
        // Some are refused for what they are: that they end is what counts here.
        let _ = end(template, move || rendered(&files).is_ok());
    }
    for template in [
        "{{ semverCompare (repeat 100000 \">1 || \") \"1.2.3\" }}",
        "{{ semverCompare (repeat 100000 \"1.2.3 \") \"1.2.3\" }}",
        "{{ semver (repeat 1000000 \"1\") }}",
        "{{ semver (printf \"1.2.3-%s\" (repeat 1000000 \"a.\")) }}",
        "{{ genSelfSignedCert \"a\" (splitList \",\" (repeat 1000000 \"1.1.1.1,\")) nil 1 }}",
        "{{ semverCompare (printf \"%s1.2.3\" (repeat 500000 \"=\")) \"1.2.3\" }}",
    ] {
        let files = files(&[("templates/a.yaml", template)]);
        let _ = end(template, move || rendered(&files).is_ok());
    }
}

#[test]
fn schemas_reach_no_file_and_no_host_and_end() {
    for target in [
        "file:///etc/passwd",
        "http://127.0.0.1:1/x",
        "/etc/passwd",
        "../../x.json",
        "ftp://h/x",
    ] {
        let schema = format!("{{\"$ref\": {target:?}}}");
        let error = error_of(&[("values.schema.json", &schema), ("templates/a.yaml", "a: 1")]);
        assert!(
            error.contains(target) || error.contains("$ref") || error.contains("schema"),
            "{error}"
        );
        assert!(!error.contains("root:"), "{error}");
    }
    let deadly = "{\"properties\": {\"a\": {\"type\": \"string\", \"pattern\": \"^(a+)+$\"}}}";
    let values = format!("a: {}!", "a".repeat(100_000));
    let error = error_of(&[
        ("values.schema.json", deadly),
        ("values.yaml", &values),
        ("templates/a.yaml", ""),
    ]);
    assert!(error.contains("pattern"), "{}", &error[..error.len().min(300)]);
    let endless = "{\"$ref\": \"#/definitions/a\", \"definitions\": {\"a\": {\"$ref\": \"#/definitions/b\"}, \"b\": {\"$ref\": \"#/definitions/a\"}}}";
    let files_of = files(&[("values.schema.json", endless), ("templates/a.yaml", "")]);
    let _ = end("endless", move || rendered(&files_of).is_ok());
    let many = format!(
        "{{\"anyOf\": [{}]}}",
        vec!["{\"anyOf\": [{\"$ref\": \"#\"}, {\"$ref\": \"#\"}]}"; 50].join(",")
    );
    let files_of = files(&[("values.schema.json", &many), ("templates/a.yaml", "")]);
    let _ = end("many", move || rendered(&files_of).is_ok());
}

#[test]
fn options_of_values_are_bounded() {
    let check = |layer: Layer<'_>, expect: &str| {
        let error = layers::apply(&[layer], &mut |_| Err("no file".into())).unwrap_err();
        let text = error.go_text();
        assert!(text.contains(expect), "{text}");
    };
    check(Layer::Set("a[1000000000]=1"), "65536");
    check(Layer::Set("a[99999999999999999999]=1"), "");
    check(Layer::Set(&("a.".repeat(100) + "a=1")), "30");
    let deep = "[".repeat(10_000);
    check(Layer::Json(&format!("a={deep}")), "");
    let long = "a=1,".repeat(100_000);
    let started = time_of_thread();
    assert!(layers::apply(&[Layer::Set(&long)], &mut |_| Err("no file".into())).is_ok());
    let lists = "a={".to_owned() + &"x,".repeat(100_000) + "}";
    assert!(layers::apply(&[Layer::Set(&lists)], &mut |_| Err("no file".into())).is_ok());
    assert!(time_of_thread() < started + PATIENCE);
}

/// A header of a tar archive.
fn header(name: &str, kind: u8, size: usize, link: &str) -> Vec<u8> {
    let mut block = vec![0; 512];
    block[..name.len()].copy_from_slice(name.as_bytes());
    block[100..108].copy_from_slice(b"0000644\0");
    block[124..136].copy_from_slice(format!("{size:011o}\0").as_bytes());
    block[156] = kind;
    block[157..157 + link.len()].copy_from_slice(link.as_bytes());
    block[257..263].copy_from_slice(b"ustar\0");
    block[263..265].copy_from_slice(b"00");
    block[148..156].fill(b' ');
    let sum: u32 = block.iter().map(|byte| u32::from(*byte)).sum();
    block[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
    block
}

fn entry(name: &str, content: &[u8]) -> Vec<u8> {
    let mut entry = header(name, b'0', content.len(), "");
    entry.extend_from_slice(content);
    entry.resize(entry.len().next_multiple_of(512), 0);
    entry
}

fn gzip(tar: &[u8]) -> Vec<u8> {
    let mut out = vec![0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3];
    out.extend(miniz_oxide::deflate::compress_to_vec(tar, 6));
    let mut sum = u32::MAX;
    for byte in tar {
        sum ^= u32::from(*byte);
        for _ in 0..8 {
            sum = if sum & 1 == 1 { sum >> 1 ^ 0xedb8_8320 } else { sum >> 1 };
        }
    }
    out.extend((!sum).to_le_bytes());
    out.extend(u32::try_from(tar.len()).unwrap().to_le_bytes());
    out
}

fn packed(entries: &[Vec<u8>]) -> Vec<u8> {
    let mut tar = entry("c/Chart.yaml", b"apiVersion: v2\nname: c\nversion: 1.0.0\n");
    tar.extend(entries.concat());
    tar.extend([0; 1_024]);
    gzip(&tar)
}

#[test]
fn archives_are_bounded_and_hold_files_only() {
    assert!(Chart::from_archive(&packed(&[])).is_ok());
    let zeros = vec![0; 4 << 20];
    let many: Vec<Vec<u8>> = (0..30).map(|place| entry(&format!("c/f{place}"), &zeros)).collect();
    let check = |name: &str, bytes: Vec<u8>, expect: &str| {
        let Err(error) = end(name, move || Chart::from_archive(&bytes)) else {
            panic!("{name}: the archive is loaded");
        };
        assert!(error.go_text().contains(expect), "{name}: {}", error.go_text());
    };
    check("ratio", packed(&many), "unpacked bytes for each packed one");
    check(
        "link",
        packed(&[header("c/templates/l", b'2', 0, "/etc/passwd")]),
        "link",
    );
    check(
        "hard link",
        packed(&[header("c/templates/l", b'1', 0, "../../x")]),
        "link",
    );
    check("device", packed(&[header("c/d", b'3', 0, "")]), "link or a device");
    check("climbing", packed(&[entry("c/../../x", b"x")]), "parent");
    let empty: Vec<Vec<u8>> = (0..60_000)
        .map(|place| header(&format!("c/f{place}"), b'0', 0, ""))
        .collect();
    check("files", packed(&empty), "");
    let mut nested = packed(&[]);
    for _ in 0..40 {
        nested = packed(&[entry("c/charts/c.tgz", &nested)]);
    }
    check("nested", nested, "charts inside of charts");
    check("huge size", packed(&[header("c/x", b'0', 0o7_7777_7777, "")]), "");
    check("truncated", packed(&[])[..40].to_vec(), "");
    check("nothing", Vec::new(), "");
}

/// Under the limits that everybody has: what is dear ends in some seconds, and the error has the limit's number.
#[test]
fn what_is_dear_ends_under_the_default_limits() {
    let laughs = |name: &str| {
        format!(
            "{{{{ ${name} := dict \"x\" 1 }}}}{{{{ range until 60 }}}}{{{{ ${name} = dict \"a\" ${name} \"b\" ${name} }}}}{{{{ end }}}}"
        )
    };
    let (d, e) = (laughs("d"), laughs("e"));
    let mut cases: Vec<String> = [
        "toJson $d",
        "toToml $d",
        "toYaml $d",
        "toPrettyJson $d",
        "toRawJson $d",
        "mustToJson $d",
        "deepCopy $d",
        "deepEqual $d $e",
        "merge $d $e",
    ]
    .map(|walk| format!("{d}{e}{{{{ {walk} | toString | len }}}}"))
    .into();
    cases.extend(
        [
            "{{ range until 100000 }}{{ $_ := bcrypt \"x\" }}{{ end }}",
            "{{ range until 1000 }}{{ $_ := genPrivateKey \"rsa\" }}{{ end }}",
            "{{ range until 1000 }}{{ $_ := derivePassword 1 \"long\" \"a\" \"b\" \"c\" }}{{ end }}",
            "{{ splitList \"\" (repeat 50000000 \"a\") | len }}",
            "{{ range until 100000 }}{{ $_ := sortAlpha (until 100000) }}{{ end }}",
            "{{ $l := list }}{{ range until 100 }}{{ $l = append $l (repeat 60000000 \"a\") }}{{ end }}",
            "{{ $l := list 1 }}{{ range until 60 }}{{ $l = concat $l $l }}{{ end }}",
        ]
        .map(str::to_owned),
    );
    for template in cases {
        let files = files(&[("templates/a.yaml", &template)]);
        let (result, took) = end(&template, move || {
            let started = time_of_thread();
            (
                rendered_within(&files, Limits::default()),
                time_of_thread().saturating_sub(started),
            )
        });
        println!("{took:?} {} KiB {template}", peak_memory());
        let error = result.expect_err("a limit").go_text();
        let named = error.contains("limit of") && error.contains("exceeded (");
        assert!(named, "{template}\n{error}");
        assert!(took < Duration::from_secs(20), "{template} took {took:?}");
    }
}

/// What charts make in earnest, several times over, is affordable.
#[test]
fn a_dozen_keys_and_hashes_pass_the_default_limits() {
    for (count, call) in [
        (12, "genPrivateKey \"rsa\""),
        (24, "genCA \"a\" 365"),
        (24, "genPrivateKey \"ecdsa\""),
        (24, "htpasswd \"a\" \"b\""),
        (12, "derivePassword 1 \"long\" \"a\" \"b\" \"c\""),
    ] {
        let template = format!("# {{{{ range until {count} }}}}{{{{ $_ := {call} }}}}{{{{ end }}}}");
        let files = files(&[("templates/a.yaml", &template)]);
        let result = end(&template, move || rendered_within(&files, Limits::default()));
        assert!(result.is_ok(), "{template}: {}", result.unwrap_err().go_text());
    }
}
