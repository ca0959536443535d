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
