{{- define "type" }}
### {{ .Name }}

{{ .Doc | trim }}
{{- if .IsAlias }}

Written as {{ markdownRenderTypeLink .UnderlyingType }}.
{{- end }}
{{- if and .Validation (not .Members) }}
{{ range .Validation }}
- {{ markdownRenderFieldDoc . }}
{{- end }}
{{- end }}
{{- if .References }}

Used by:
{{- range $i, $user := .SortedReferences }}{{ if $i }},{{ end }} {{ markdownRenderTypeLink $user }}{{ end }}.
{{- end }}
{{- if .Members }}

| field | type | description | default | limits |
|---|---|---|---|---|
{{- range .Members }}
| `{{ .Name }}` | {{ markdownRenderType .Type }} | {{ template "description" . }} | {{ markdownRenderDefault .Default }} | {{ template "limits" . }} |
{{- end }}
{{- end }}
{{ end -}}

{{- define "description" -}}
{{- if eq .Name "metadata" -}} the name, namespace, labels and annotations of the object
{{- else -}} {{ regexReplaceAll "<br />" (markdownRenderFieldDoc .Doc) " " | replace "  " " " }}
{{- end -}}
{{- end -}}

{{- define "limits" -}}
{{- $limits := list -}}
{{- range .Validation -}}
{{- if hasPrefix "Required:" . -}} {{- $limits = append $limits "required" -}}
{{- else if not (hasPrefix "Optional:" .) -}} {{- $limits = append $limits (markdownRenderFieldDoc .) -}}
{{- end -}}
{{- end -}}
{{- join "; " $limits -}}
{{- end -}}
