{{- define "features.name" -}}{{ .Chart.Name | trunc 63 }}-{{ include "lib.suffix" . }}{{- end -}}
{{- define "loop" -}}{{ if gt (int .) 0 }}{{ . }}{{ include "loop" (sub (int .) 1) }}{{ end }}{{- end -}}
