package main

import (
	"encoding/xml"
	"io"
	"strings"
	"testing"
)

const (
	sequenceHead = "sequence\ntitle T\ndesc D\nwho a Ann\nwho b Bob & Co\n"
	layersHead   = "layers\ntitle T\ndesc D\nrow\nbox a Upper\na has one two\nrow\nbox b Lower\n"
)

func TestDraw(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		text string
		want []string
	}{
		"Sequence": {sequenceHead + "a -> b: \"<hello>\"\nb: think\nb --> a: yes\n", []string{
			`<title id="title">T</title>`, `<desc id="desc">D</desc>`, "Bob &amp; Co", "1. &#34;&lt;hello&gt;&#34;", ">think<", ">yes<", "line back",
		}},
		"Layers": {layersHead + "a -> b\n", []string{">Upper<", ">one two<", ">Lower<", `marker-end="url(#tip)"`}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			svg, err := draw(test.text)
			if err != nil {
				t.Fatal(err)
			}
			for _, want := range append(test.want, "prefers-color-scheme:dark") {
				if !strings.Contains(svg, want) {
					t.Errorf("the drawing has no %q:\n%s", want, svg)
				}
			}
			decoder := xml.NewDecoder(strings.NewReader(svg))
			for {
				if _, err := decoder.Token(); err == io.EOF {
					return
				} else if err != nil {
					t.Fatalf("no XML: %v\n%s", err, svg)
				}
			}
		})
	}
}

func TestDrawRefuses(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"Nothing":        "# only a comment\n",
		"AnUnknownKind":  "pie\ntitle T\ndesc D\n",
		"NoDescription":  "sequence\ntitle T\nwho a Ann\nwho b Bob\na -> b: hello\n",
		"AStranger":      sequenceHead + "a -> c: hello\n",
		"AMuteArrow":     sequenceHead + "a -> b\n",
		"AnUpwardArrow":  layersHead + "b -> a\n",
		"AnArrowNowhere": layersHead + "a -> c\n",
		"AnUnknownLine":  layersHead + "a likes b\n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if svg, err := draw(text); err == nil {
				t.Errorf("it is drawn:\n%s", svg)
			}
		})
	}
}
