{{/* The image, by its digest or by its tag. */}}
{{- define "broadband-operator.image" -}}
{{- with .Values.image -}}
{{- if .digest -}}
{{ printf "%s@%s" .repository .digest | quote }}
{{- else -}}
{{ printf "%s:%s" .repository (.tag | default $.Chart.AppVersion) | quote }}
{{- end -}}
{{- end -}}
{{- end }}

{{/* What a manager of a fleet of this size needs. */}}
{{- define "broadband-operator.size" -}}
{{ index (.Files.Get "files/fleet-sizes.yaml" | fromYaml) .Values.fleetSize | toYaml }}
{{- end }}

{{/* The resources of a manager. */}}
{{- define "broadband-operator.resources" -}}
{{ .Values.resources | default (include "broadband-operator.size" . | fromYaml).resources | toYaml }}
{{- end }}

{{/* The flags that depend on values. */}}
{{- define "broadband-operator.args" -}}
{{- with .Values.namespaces }}
- --namespaces={{ join "," . }}
{{- end }}
{{- with .Values.extraArgs }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{/* The environment variables of a manager. */}}
{{- define "broadband-operator.env" -}}
{{- if not .Values.resources }}
- name: GOMEMLIMIT
  value: {{ (include "broadband-operator.size" . | fromYaml).goMemLimit }}
{{- end }}
{{- with .Values.proxy.httpsProxy }}
- name: HTTPS_PROXY
  value: {{ quote . }}
{{- end }}
{{- with .Values.proxy.noProxy }}
- name: NO_PROXY
  value: {{ quote . }}
{{- end }}
{{- with .Values.extraEnv }}
{{ toYaml . }}
{{- end }}
{{- end }}
