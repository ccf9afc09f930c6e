{{- define "levee.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 50 | trimSuffix "-" -}}
{{- end -}}

{{- define "levee.fullname" -}}
{{- $name := include "levee.name" . -}}
{{- $made := contains $name .Release.Name | ternary .Release.Name (printf "%s-%s" .Release.Name $name) -}}
{{- default $made .Values.fullnameOverride | trunc 50 | trimSuffix "-" -}}
{{- end -}}

{{/* Of all objects. Called with (dict "root" $ "component" NAME). */}}
{{- define "levee.labels" -}}
{{ include "levee.selector" . }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .root.Chart.Name .root.Chart.Version | replace "+" "_" }}
{{- end -}}

{{/* The component is part of it: workers of a topology that is called like the release are no operators. */}}
{{- define "levee.selector" -}}
app.kubernetes.io/name: {{ include "levee.name" .root }}
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .component }}
{{- end -}}

{{/* Called with (dict "image" VALUES "root" $). */}}
{{- define "levee.image" -}}
{{- with .image -}}
{{- if .digest -}}{{ .repository }}@{{ .digest }}{{- else -}}{{ .repository }}:{{ default $.root.Chart.AppVersion .tag }}{{- end -}}
{{- end -}}
{{- end -}}

{{- define "levee.serviceAccount" -}}
{{- $made := .Values.serviceAccount.create | ternary (include "levee.fullname" .) "default" -}}
{{- default $made .Values.serviceAccount.name -}}
{{- end -}}

{{/* Empty: the namespace's own, because nobody can tell where topologies will be. */}}
{{- define "levee.workerServiceAccount" -}}
{{- $made := empty .Values.watchNamespaces | ternary "" "levee-worker" -}}
{{- default $made .Values.workers.serviceAccount.name -}}
{{- end -}}

{{/* Empty: nobody may start executors. */}}
{{- define "levee.driverServiceAccount" -}}
{{- if .Values.workers.executors.enabled -}}
{{- default "levee-driver" .Values.workers.executors.serviceAccount -}}
{{- end -}}
{{- end -}}

{{/* As a JSON array: where experiments may be done. */}}
{{- define "levee.chaosNamespaces" -}}
{{- default .Values.watchNamespaces .Values.chaos.namespaces | toJson -}}
{{- end -}}

{{- define "levee.chaosHelpers" -}}
{{- default .Release.Namespace .Values.chaos.helperNamespace -}}
{{- end -}}

{{- define "levee.store" -}}
{{ include "levee.fullname" . }}-store
{{- end -}}

{{- define "levee.storeAddress" -}}
http://{{ include "levee.store" . }}.{{ .Release.Namespace }}.svc:7070
{{- end -}}

{{- define "levee.page" -}}
{{ include "levee.fullname" . }}-page
{{- end -}}

{{/* The names by which browsers may ask for the page, and those of its Service. */}}
{{- define "levee.pageHosts" -}}
{{- $name := include "levee.page" . -}}
{{- $namespaced := printf "%s.%s" $name .Release.Namespace -}}
{{- concat .Values.page.hosts (list $name $namespaced (printf "%s.svc" $namespaced) (printf "%s.svc.cluster.local" $namespaced)) | join "," -}}
{{- end -}}

{{- define "levee.restrictedContainer" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
runAsNonRoot: true
capabilities:
  drop: [ALL]
seccompProfile:
  type: RuntimeDefault
{{- end -}}

{{/* What the operator does in a namespace with topologies; the same in a ClusterRole and in Roles. */}}
{{- define "levee.rules" -}}
- apiGroups: [levee.dev]
  resources: [faulttoleranttopologies]
  verbs: [get, list, watch, patch]
- apiGroups: [levee.dev]
  resources: [faulttoleranttopologies/status]
  verbs: [get, patch]
- apiGroups: [levee.dev]
  resources: [faultexperiments]
  verbs: [get, list, watch, patch, delete] # deleted when their time to live is over
- apiGroups: [levee.dev]
  resources: [faultexperiments/status]
  verbs: [get, patch]
{{- if .Values.chaos.enabled }}
- apiGroups: [batch]
  resources: [jobs]
  verbs: [get, create, delete]
- apiGroups: [""]
  resources: [pods/log] # of these Jobs
  verbs: [get]
{{- end }}
- apiGroups: [""]
  resources: [pods]
  verbs: [get, list, watch, create, delete]
- apiGroups: [""]
  resources: [configmaps]
  verbs: [get, list, create, delete]
- apiGroups: [""]
  resources: [secrets]
  {{- with .Values.rbac.secretNames }}
  resourceNames: {{ toJson . }}
  {{- end }}
  verbs: [get]
- apiGroups: [events.k8s.io]
  resources: [events]
  verbs: [create]
- apiGroups: [policy]
  resources: [poddisruptionbudgets]
  verbs: [get, create, patch, delete]
{{- end -}}
