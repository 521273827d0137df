//! The chart that all generated templates are put into.

use crate::helm_template::Question;

/// Values of all cases; what YAML has no type for is set by [`HEAD`].
const VALUES: &str = r#"{
  "s": "hello world", "empty": "", "uni": "héllo wörld ☃", "lines": "a\nb\n\nc", "html": "<a href='x'>&\"</a>",
  "n": 3, "f": 1.5, "neg": -7.25, "big": 1e21, "t": true, "no": false, "one": 1, "long": 1234567, "tpl": "{{ .Values.n }}-{{ .Release.Name }}",
  "list": ["b", "a", "c", "a"], "nums": [3, 1, 2, 1], "mixed": [1, "a", null, true, {"k": "v"}, [1]],
  "m": {"a": 1, "b": {"c": "deep", "d": [1, 2]}, "z": null, "s": "text", "e": ""}, "em": {}, "el": [],
  "m2": {"a": 2, "b": {"c": "other", "x": true}, "n": "new", "e": "filled", "s": ""},
  "tplmap": {"k": "{{ .Values.s }}", "l": ["{{ 1 }}"]}, "sub": {"own": "given", "global": {"x": 1}}, "global": {"g": "all"},
  "ver": "1.2.3-beta.1+meta", "url": "https://u:p@example.com:8080/a/b%20c?q=1&r=2#frag", "json": "{\"b\":[1,2.5,null],\"a\":\"x\"}"
}"#;

/// What each case begins with.
pub(super) const HEAD: &str = "{{- $v := deepCopy .Values -}}{{- $_ := set $v \"i\" (int 42) -}}{{- $_ = set $v \"i64\" (int64 -9) -}}\
{{- $_ = set $v \"nil\" nil -}}{{- $_ = set $v \"bytes\" (.Files.GetBytes \"files/raw.txt\") -}}\
{{- $_ = set $v \"time\" (toDate \"2006-01-02T15:04:05.999Z07:00\" \"2023-07-04T15:06:07.089Z\") -}}\
{{- $_ = set $v \"strs\" (splitList \",\" \"x,y,,x\") -}}{{- $_ = set $v \"sm\" (split \",\" \"v,1\") -}}\
{{- $_ = set $v \"u64\" (semver \"18446744073709551615.0.0\").Major -}}{{- with $v }}";

const HELPERS: &str = r#"{{- define "inc" }}<{{ . }}>{{ end }}
{{- define "ctx" -}}
name: {{ .Release.Name }}
{{- end -}}
{{ define "lines" }}
a: 1
b:
  - x
{{ end }}
{{- define "nested" }}{{ include "inc" (include "inc" .) }}{{ end }}
{{- define "bad" }}{{ .x.y.z }}{{ end }}
{{- define "empty" }}{{ end }}
{{- define "typed" }}{{ kindOf . }}/{{ typeOf . }}{{ end }}
{{- define "shadow" }}first{{ end }}
{{- define "vars" }}{{ $x := . }}{{ range $i, $e := (list 1 2) }}{{ $x = $e }}{{ end }}{{ $x }}{{ end }}
"#;

const PARTIAL: &str = "{{ define \"shadow\" }}second{{ end }}partial of {{ .Chart.Name }}\n";

const SUB: &str = "{{ define \"sub.label\" }}{{ .Chart.Name }}={{ .Values.own }}/{{ .Values.global.g }}{{ end }}";

/// The chart of all cases, without their templates.
pub(super) fn base() -> Question {
    Question::chart("c")
        .with("values.yaml", VALUES)
        .with("templates/_helpers.tpl", HELPERS)
        .with("templates/_partial.tpl", PARTIAL)
        .with("files/raw.txt", "raw")
        .with("files/b.yaml", "b: 1\nl: [x, y]\n")
        .with("files/deep/c.conf", "line one\nline two\n")
        .with("charts/sub/Chart.yaml", "apiVersion: v2\nname: sub\nversion: 0.1.0\n")
        .with("charts/sub/values.yaml", "own: default\nn: {x: 1}\n")
        .with("charts/sub/templates/_s.tpl", SUB)
}
