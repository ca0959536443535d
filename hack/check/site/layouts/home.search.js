{{- /* What the search looks at: every section of every page, with its address, its titles and its words. */ -}}
{{- $sections := slice -}}
{{- range where site.Pages "File" "ne" nil -}}
  {{- $page := . -}}
  {{- $title := partial "title.html" . -}}
  {{- range split (replaceRE `<h([23]) id=` "\x00<h$1 id=" .Content) "\x00" -}}
    {{- $id := "" }}{{ $heading := "" -}}
    {{- range findRESubmatch `(?s)^<h[23] id="(.+?)">(.+?)</h[23]>` . 1 -}}
      {{- $id = print "#" (index . 1) }}{{ $heading = index . 2 | plainify | htmlUnescape -}}
    {{- end -}}
    {{- $words := replaceRE `(?s)^<h.+?</h\d>` "" . | plainify | htmlUnescape -}}
    {{- $sections = $sections | append (dict "page" $title "heading" $heading
          "address" (print (strings.TrimPrefix "/" $page.RelPermalink) $id)
          "words" (replaceRE `\s+` " " $words)) -}}
  {{- end -}}
{{- end -}}
searchIndex({{ $sections | jsonify }})
