{{/* Labels of everything; takes the name of the part and the root. */}}
{{- define "bookshelf.labels" -}}
{{ include "bookshelf.selector" . }}
app.kubernetes.io/part-of: {{ .root.Values.global.partOf }}
{{- end }}

{{/* Labels that select the pods of a part. */}}
{{- define "bookshelf.selector" -}}
app.kubernetes.io/name: {{ .name }}
{{- end }}

{{/* The image: tag, or the version of the application. */}}
{{- define "bookshelf.image" -}}
{{- with .Values.image -}}
{{ .repository }}:{{ .tag | default $.Chart.AppVersion }}-alpine
{{- end -}}
{{- end }}
