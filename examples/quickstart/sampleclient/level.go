package sampleclient

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/coreos/go-oidc/v3/oidc"
)

// level is how sure a sign-in has to be of the visitor.
type level struct {
	// Key stands for the level in addresses, Title for visitors.
	Key, Title string

	// classes are the values of acr that are enough, the best last.
	classes []string
}

// levels are what the visitor can choose beside any sign-in: the classes of the REFEDS MFA
// profile and of OpenID Connect EAP ACR Values 1.0.
var levels = []level{
	{"two-factors", "with two factors", []string{"https://refeds.org/profile/mfa", "phr"}},
	{"passkey", "with a passkey", []string{"phr"}},
}

// levelOf returns the level with this key, the zero level for any.
func levelOf(key string) level {
	if i := slices.IndexFunc(levels, func(l level) bool { return l.Key == key }); i >= 0 {
		return levels[i]
	}
	return level{}
}

// ask adds the level to an authorization request. By an essential claim the provider answers
// with an error if it cannot be reached (OpenID Connect Core section 5.5.1.1); acr_values,
// which is all there is without an ID token, is a wish.
func (l level) ask(request url.Values, openID bool) {
	if len(l.classes) == 0 {
		return
	}
	if !openID {
		request.Set("acr_values", strings.Join(l.classes, " "))
		return
	}
	type claim struct {
		Essential bool     `json:"essential"`
		Values    []string `json:"values"`
	}
	claims, _ := json.Marshal(map[string]map[string]claim{"id_token": {"acr": {true, l.classes}}}) // cannot fail
	request.Set("claims", string(claims))
}

// check refuses an ID token that does not say that the level was reached: the request went
// through the browser, whose owner can change it.
func (l level) check(id *oidc.IDToken) error {
	if len(l.classes) == 0 {
		return nil
	}
	var claims struct {
		ACR string `json:"acr"`
	}
	if err := id.Claims(&claims); err != nil {
		return fmt.Errorf("read acr: %w", err)
	}
	if !slices.Contains(l.classes, claims.ACR) {
		return &problem{
			status: http.StatusOK, Headline: "This sign-in is not enough",
			Text: "The shop wants a sign-in " + l.Title + ". Please begin again.", Code: "acr", Description: claims.ACR,
		}
	}
	return nil
}
