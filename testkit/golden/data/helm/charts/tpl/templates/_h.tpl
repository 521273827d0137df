{{ define "t.name" }}{{ .Chart.Name }}{{ end }}
{{- define "t.render" -}}
{{- if typeIs "string" .value }}{{ tpl .value .context }}{{ else }}{{ tpl (.value | toYaml) .context }}{{ end -}}
{{- end -}}
