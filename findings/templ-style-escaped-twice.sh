#!/usr/bin/env bash
# templ escapes the string of a style attribute twice: the quotes round the name of a font become
# &amp;#39;, which a browser reads as the text &#39;, so that it drops the declaration. Until v0.3.977 that was
# so for style={ … } alone, and a style among spread attributes was escaped once; in v0.3.1118 it is
# so for both. A reader of the page sees another font, and no error anywhere. Found when the fonts of
# e-mails, styled by templ.Attributes, changed with an update. What helps: names of fonts without quotes,
# which CSS allows.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

cat >page.templ <<'TEMPL'
package main

templ page(style string) {
	<p { templ.Attributes{"style": style}... }></p>
	<p style={ style }></p>
}
TEMPL
cat >main.go <<'GO'
package main

import (
	"context"
	"os"
)

func main() {
	if err := page("font-family:'Segoe UI'").Render(context.Background(), os.Stdout); err != nil {
		panic(err)
	}
}
GO

# render VERSION prints the two elements, one a line.
render() {
	printf 'module surprise\n\ngo 1.25.0\n' >go.mod
	go get "github.com/a-h/templ@$1" "github.com/a-h/templ/cmd/templ@$1" >/dev/null 2>&1
	go run github.com/a-h/templ/cmd/templ generate >/dev/null 2>&1
	go mod tidy >/dev/null 2>&1
	go run . | sed 's/<\/p>/&\n/g' | grep '<p'
}

status=0
# expect VERSION SPREAD OWN compares what is rendered with what was seen.
expect() {
	local got want
	got=$(render "$1") want=$(printf '<p style="%s"></p>\n<p style="%s"></p>' "$2" "$3")
	printf 'templ %s\n%s\n' "$1" "$got"
	if [[ $(tr -d ' ' <<<"$got") != "$(tr -d ' ' <<<"$want")" ]]; then
		printf 'seen before:\n%s\n' "$want"
		status=1
	fi
}

expect v0.3.977 "font-family:&#39;Segoe UI&#39;" "font-family:&amp;#39;Segoe UI&amp;#39;;"
expect v0.3.1118 "font-family:&amp;#39;Segoe UI&amp;#39;;" "font-family:&amp;#39;Segoe UI&amp;#39;;"
exit "$status"
