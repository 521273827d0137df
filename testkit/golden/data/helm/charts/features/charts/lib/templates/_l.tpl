{{- define "lib.suffix" -}}lib{{ .Chart.Version }}{{- end -}}
