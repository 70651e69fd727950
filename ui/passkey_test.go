package ui_test

import (
	"bytes"
	"compress/gzip"
	"strings"
	"testing"

	"github.com/bonafide-id/bonafide/ui"
)

func TestPasskeyScriptIsSmall(t *testing.T) {
	t.Parallel()
	const limit = 2 << 10
	for _, a := range ui.Assets() {
		if a.Name != ui.ScriptPasskey() {
			continue
		}
		var b bytes.Buffer
		w := gzip.NewWriter(&b)
		_, _ = w.Write(a.Bytes)
		_ = w.Close()
		if b.Len() > limit {
			t.Errorf("compressed it has %d bytes, more than %d", b.Len(), limit)
		}
		return
	}
	t.Error("it is no asset")
}

func TestPasskeyForm(t *testing.T) {
	t.Parallel()
	draw := func(p ui.PasskeyPrompt) string {
		var b strings.Builder
		form := ui.Form{Action: "/signin", Hidden: []ui.Field{{Name: "csrf", Value: "x"}}}
		if err := ui.PasskeyForm(form, p, "secondary", "Use a passkey").Render(t.Context(), &b); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	const options = `{"user":{"name":"</script><!--"}}`
	for name, c := range map[string]struct {
		prompt     ui.PasskeyPrompt
		has, lacks []string
	}{
		"Nothing": {prompt: ui.PasskeyPrompt{}, lacks: []string{"<form"}},
		"Get": {
			prompt: ui.PasskeyPrompt{Options: options, Challenge: "sealed"},
			has: []string{
				` novalidate hidden data-passkey="get"`, `name="csrf" value="x"`, `name="challenge" value="sealed"`, `name="passkey" value=""`,
				`<script type="application/json">{"user":{"name":"\u003c/script>\u003c!--"}}</script>`,
			},
			lacks: []string{"data-conditional"},
		},
		"Autofill": {prompt: ui.PasskeyPrompt{Options: options, Conditional: true}, has: []string{`data-conditional`, `data-passkey="get"`}},
		"Create":   {prompt: ui.PasskeyPrompt{Options: options, Create: true}, has: []string{`data-passkey="create"`}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			page := draw(c.prompt)
			for _, text := range c.has {
				if !strings.Contains(page, text) {
					t.Errorf("%s is not in %s", text, page)
				}
			}
			for _, text := range c.lacks {
				if strings.Contains(page, text) {
					t.Errorf("%s is in %s", text, page)
				}
			}
		})
	}
}

func TestPasskeySignals(t *testing.T) {
	t.Parallel()
	draw := func(signals string) string {
		var b strings.Builder
		if err := ui.PasskeySignals(signals).Render(t.Context(), &b); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	if page := draw(""); page != "" {
		t.Errorf("no signals are %q", page)
	}
	if page := draw(`{"a":"</script>"}`); !strings.Contains(page, `{"a":"\u003c/script>"}`) || !strings.Contains(page, "data-passkey-signals") {
		t.Error(page)
	}
}
