package registration

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// Names that people take for others are found by the skeletons of Unicode Technical Standard 39,
// section 4. The table is written by hand after the standard's confusables.txt: letters of the
// alphabets that names of applications are written in which look like letters and digits of ASCII.
// It is not all of that file. What is left of compatibility, width, accents and case is Unicode's
// own, by normalization.
//
// capitals are letters that look like a capital of ASCII, which their small letters need not
// do, and small are letters and digits that look like a small one.
const (
	capitals = "АA ВB ЕE ЅS ІI ЈJ КK МM НH ОO РP СC ТT УY ХX ЗZ ҮY ԌG ԚQ ԜW Ӏl ΑA ΒB ΕE ΖZ ΗH ΙI ΚK ΜM ΝN ΟO ΡP ΤT ΥY ΧX " +
		"ՍU ՕO ՏS ԼL ᎪA ᏴB ᏟC ᎠD ᎬE ᏀG ᎻH ᎫJ ᏦK ᏞL ᎷM ᏢP ᏒR ᏚS ᎢT ᏙV ᎳW ᏃZ ꓐB ꓑP ꓓD ꓔT ꓖG ꓗK ꓙJ ꓚC ꓜZ ꓝF ꓟM ꓠN ꓡL ꓢS ꓣR ꓦV ꓧH ꓪW ꓫX ꓬY ꓮA ꓰE ꓲI ꓳO ꓴU"
	small = "аa вb гr еe ѕs іi јj кk мm нh оo пn рp сc тt уy хx ьb һh ԁd ԍg ԛq ԝw ѵv ѡw ӏl үy ӕae αa βb γy εe ηn ιi κk νv οo ρp σo τt υu χx ωw " +
		"ոn ռn սu օo հh յj ցg զq գq ɑa ɡg ɩi ıi ʟl ɴn ʀr ꜱs ʏy ɢg ɪi ʙb ʜh ᴀa ᴄc ᴅd ᴇe ᴊj ᴋk ᴍm ᴏo ᴘp ᴛt ᴜu ᴠv ᴡw ᴢz øo đd łl ħh ŧt ƒf ßb æae œoe ðd þp " +
		"0o 1l il |l ǀl mrn wvv"
)

var (
	fromCapitals = table(capitals)
	fromSmall    = table(small)
)

func table(pairs string) *strings.Replacer {
	var list []string
	for pair := range strings.FieldsSeq(pairs) {
		_, size := utf8.DecodeRuneInString(pair)
		list = append(list, pair[:size], pair[size:])
	}
	return strings.NewReplacer(list...)
}

// NameSkeleton is the same for names that look alike, whatever there is of spaces, marks,
// punctuation and letters that cannot be seen.
func NameSkeleton(name string) string {
	name = strings.Map(visible, norm.NFKD.String(name))
	name = cases.Fold().String(fromCapitals.Replace(name))
	for range 2 { // what a letter stands for can stand for another
		name = fromSmall.Replace(strings.ReplaceAll(strings.ReplaceAll(name, "rn", "m"), "vv", "w"))
	}
	return name
}

// visible drops what makes no letter of a name.
func visible(r rune) rune {
	if unicode.In(r, unicode.L, unicode.N) || r == '|' {
		return r
	}
	return -1
}

// substring is how long a name is at least that is found within words of another: a shorter
// one is a part of many.
const substring = 4

// NameContains reports whether a name has another in it, or looks as if it had.
func NameContains(name, other string) bool {
	skeleton := NameSkeleton(other)
	if skeleton == "" {
		return false
	}
	if len(skeleton) >= substring && strings.Contains(NameSkeleton(name), skeleton) {
		return true
	}
	words := strings.FieldsFunc(norm.NFKC.String(name), func(r rune) bool { return !unicode.In(r, unicode.L, unicode.N, unicode.M, unicode.Cf) })
	for i := range words {
		for j := i; j < len(words); j++ {
			if NameSkeleton(strings.Join(words[i:j+1], "")) == skeleton {
				return true
			}
		}
	}
	return false
}
