package reply

import (
	"strings"
	"testing"
)

func TestName(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"Ada Lovelace": "Ada Lovelace", "  Ada \n\t Lovelace ": "Ada Lovelace", "عائشة": "عائشة", "小明": "小明",
		"a\u202eb\u200bc\x00d": "abc d", "\xff\xfe": "", "": "", "<b>": "<b>",
		strings.Repeat("é", 150): strings.Repeat("é", 100),
	} {
		if got := Name(text); got != want {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
	}
}

func TestEmail(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"ada@uni.example": "ada@uni.example", " ada@uni.example ": "ada@uni.example", "ädä@üni.example": "ädä@üni.example",
		`"a@b"@uni.example`: `"a@b"@uni.example`, "": "", "ada": "", "@uni.example": "", "ada@": "", "a da@uni.example": "",
		"ada@uni.example\r\nBcc: all@uni.example": "", "a\u200bda@uni.example": "", "\xff@uni.example": "",
		strings.Repeat("a", 250) + "@uni.example": "",
	} {
		if got := Email(text); got != want {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
	}
	if got := Domain(`"a@b"@Uni.Example`); got != "uni.example" {
		t.Errorf("%q", got)
	}
}
