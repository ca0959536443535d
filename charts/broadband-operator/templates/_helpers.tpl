{{/* The image: by its digest; by its tag; or by the version and the digest that the chart of a release has. */}}
{{- define "broadband-operator.image" -}}
{{- $image := .Values.image -}}
{{- $released := index .Chart.Annotations "wholesale.broadband/image-digest" -}}
{{- if $image.digest -}}
{{ printf "%s@%s" $image.repository $image.digest | quote }}
{{- else if $image.tag -}}
{{ printf "%s:%s" $image.repository $image.tag | quote }}
{{- else if $released -}}
{{ printf "%s:%s@%s" $image.repository .Chart.AppVersion $released | quote }}
{{- else -}}
{{ printf "%s:%s" $image.repository .Chart.AppVersion | quote }}
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
{{- if .Values.metrics.certSecret }}
- --metrics-cert-dir=/etc/broadband-operator/metrics-cert
{{- end }}
{{- if eq (toString .Values.submit) "false" }}
- --submit=false
{{- end }}
{{- if .Values.approvalCheckedElsewhere }}
- --approval-checked-elsewhere
{{- end }}
{{- with .Values.carrierHosts }}
- --carrier-hosts={{ join "," . }}
{{- end }}
{{- with .Values.extraArgs }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{/* The volumes that depend on values. */}}
{{- define "broadband-operator.volumes" -}}
{{- with .Values.metrics.certSecret }}
- name: metrics-cert
  secret:
    secretName: {{ . }}
{{- end }}
{{- with .Values.extraVolumes }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{/* Where these volumes are mounted. */}}
{{- define "broadband-operator.volumeMounts" -}}
{{- if .Values.metrics.certSecret }}
- mountPath: /etc/broadband-operator/metrics-cert
  name: metrics-cert
  readOnly: true
{{- end }}
{{- with .Values.extraVolumeMounts }}
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
