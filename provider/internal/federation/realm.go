package federation

import (
	"errors"
	"strings"
	"unicode"

	"golang.org/x/net/idna"
)

// Errors of CheckRealm.
var (
	errDomain = errors.New("is no domain such as uni.example")
	errPublic = errors.New("has public mailboxes, whose owners have no home in common")
)

// CheckRealm returns what is wrong with a domain as a realm. One at which everybody gets a mailbox
// would send all of them to whoever has claimed it.
func CheckRealm(domain string) error {
	key, err := realm(domain)
	switch {
	case err != nil:
		return err
	case public[key]:
		return errPublic
	}
	return nil
}

// realm returns the one spelling of a domain: in ASCII and lower case, without the dot of the
// root.
func realm(domain string) (string, error) {
	ascii := strings.ToLower(strings.TrimSuffix(domain, "."))
	if strings.ContainsFunc(ascii, func(r rune) bool { return r > unicode.MaxASCII }) {
		var err error
		if ascii, err = idna.Lookup.ToASCII(ascii); err != nil {
			return "", errDomain
		}
	}
	labels := strings.Split(ascii, ".")
	if len(ascii) > 253 || len(labels) < 2 {
		return "", errDomain
	}
	for _, label := range labels {
		if label == "" || len(label) > 63 || strings.HasPrefix(label, "-") || strings.HasSuffix(label, "-") || strings.ContainsFunc(label, isOutside) {
			return "", errDomain
		}
	}
	return ascii, nil
}

// isOutside reports whether a character is in no host name.
func isOutside(r rune) bool {
	return r != '-' && (r < 'a' || r > 'z') && (r < '0' || r > '9')
}

// public are well-known domains at which anybody gets a mailbox. There are more.
var public = set(`
	gmail.com googlemail.com
	outlook.com outlook.de outlook.fr outlook.es outlook.it hotmail.com hotmail.co.uk hotmail.de hotmail.fr hotmail.es hotmail.it
	live.com live.co.uk live.de live.fr live.it msn.com
	yahoo.com yahoo.co.uk yahoo.co.in yahoo.co.jp yahoo.de yahoo.es yahoo.fr yahoo.it yahoo.com.br ymail.com rocketmail.com
	icloud.com me.com mac.com privaterelay.appleid.com aol.com
	proton.me protonmail.com pm.me tutanota.com tuta.com fastmail.com hey.com zoho.com mail.com email.com
	gmx.com gmx.de gmx.at gmx.ch gmx.net web.de t-online.de freenet.de posteo.de mailbox.org
	orange.fr wanadoo.fr free.fr laposte.net sfr.fr libero.it virgilio.it tiscali.it alice.it
	terra.com.br uol.com.br bol.com.br sapo.pt
	mail.ru inbox.ru list.ru bk.ru yandex.ru yandex.com ya.ru seznam.cz wp.pl o2.pl interia.pl
	qq.com foxmail.com 163.com 126.com yeah.net sina.com sohu.com aliyun.com naver.com daum.net hanmail.net
	rediffmail.com comcast.net verizon.net att.net sbcglobal.net cox.net btinternet.com sky.com virginmedia.com
	users.noreply.github.com
`)

func set(names string) map[string]bool {
	made := map[string]bool{}
	for name := range strings.FieldsSeq(names) {
		made[name] = true
	}
	return made
}
