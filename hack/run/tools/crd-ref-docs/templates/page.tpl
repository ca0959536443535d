{{- define "gvList" -}}
# API reference

Every kind, every field and every type of the API, from the Go types in `api/`. `make manifests` writes this
page: to change it, change the comments there. `kubectl explain bbs.spec` shows the same descriptions. The
page of each kind, listed [by what you want to do](README.md), explains how its fields are used.

Fields marked `required` must be set. Not every rule is shown here: if a manifest breaks one, `kubectl apply`
refuses it and says how to correct it.
{{ range . }}
- [Kinds](#kinds):
{{- range $i, $kind := .SortedKinds }}{{ if $i }},{{ end }} [{{ $kind }}](#{{ lower $kind }}){{ end }}
- [Types of their fields](#types)

The group and version is `{{ .GroupVersionString }}`.

## Kinds
{{ range .SortedTypes }}{{ if .GVK }}{{ template "type" . }}{{ end }}{{ end }}
## Types
{{ range .SortedTypes }}{{ if not .GVK }}{{ if markdownShouldRenderType . }}{{ template "type" . }}{{ end }}{{ end }}{{ end }}
{{- end }}
{{- end -}}
