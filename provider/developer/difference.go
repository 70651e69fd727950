package developer

import (
	"slices"
	"strings"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/ui"
	screens "github.com/bonafide-id/bonafide/ui/developer"
)

// registered is a field of a registration as its developers read it.
type registered struct {
	name   string
	value  string
	values []string // of a list, which has no value
}

// registeredFields are the fields of a registration, except its pictures.
func registeredFields(c provider.Client) []registered {
	return []registered{
		{name: ui.FieldName, value: c.Name},
		{name: screens.FieldPolicyURL, value: c.PolicyURL},
		{name: screens.FieldTermsURL, value: c.TermsURL},
		{name: screens.FieldRedirectURIs, values: c.RedirectURIs},
		{name: screens.FieldPostLogoutRedirectURIs, values: c.PostLogoutRedirectURIs},
		{name: screens.FieldInitiateLoginURI, value: c.InitiateLoginURI},
		{name: screens.FieldOrigins, values: c.Origins},
		{name: screens.FieldScopes, values: c.Scopes},
		{name: screens.FieldOptionalScopes, values: c.OptionalScopes},
		{name: screens.FieldRequireVerified, value: onOff(c.RequireVerified)},
		{name: screens.FieldRequires, value: requirementText(c.Requires)},
		{name: ui.FieldGrantTypes, values: grantTypesOf(c)},
		{name: ui.FieldResponseTypes, values: responseTypesOf(c)},
		{name: screens.FieldProfile, value: c.Profile},
		{name: screens.FieldAuthMethod, value: c.TokenEndpointAuthMethod},
		{name: screens.FieldUserinfoSigned, value: onOff(c.UserinfoSignedResponseAlg != "")},
		{name: screens.FieldUserinfoAlg, value: notDefault(c.UserinfoSignedResponseAlg)},
		{name: screens.FieldIDTokenAlg, value: notDefault(c.IDTokenSignedResponseAlg)},
		{name: screens.FieldResponseAlg, value: notDefault(c.AuthorizationSignedResponseAlg)},
		{name: screens.FieldNoQueryToken, value: onOff(c.NoQueryToken)},
		{name: screens.FieldNoJSONP, value: onOff(c.NoJSONP)},
		{name: screens.FieldLeanIDTokens, value: onOff(c.LeanIDTokens)},
		{name: screens.FieldAccessTokenFormat, value: c.AccessTokenFormat},
		{name: screens.FieldDPoPBound, value: onOff(c.DPoPBoundAccessTokens)},
		{name: ui.FieldResources, values: c.Resources},
		{name: ui.FieldBackchannelLogoutURI, value: c.BackchannelLogoutURI},
		{name: screens.FieldBackchannelSession, value: onOff(c.BackchannelLogoutSessionRequired)},
		{name: ui.FieldJWKS, values: keyIDs(c.JWKS)},
		{name: ui.FieldJWKSURI, value: c.JWKSURI},
		{name: screens.FieldAuthSigningAlg, value: c.TokenEndpointAuthSigningAlg},
		{name: screens.FieldRequirePushed, value: onOff(c.RequirePushedAuthorizationRequests)},
		{name: screens.FieldRequirePKCE, value: onOff(c.RequirePKCE)},
		{name: screens.FieldRequireSigned, value: onOff(c.RequireSignedRequestObject)},
		{name: screens.FieldRequestSigningAlg, value: c.RequestObjectSigningAlg},
	}
}

// notDefault returns an algorithm of the provider's signatures, or nothing for the default.
func notDefault(alg string) string {
	if alg == algRS256 {
		return ""
	}
	return alg
}

func onOff(on bool) string {
	if on {
		return "on"
	}
	return ""
}

// differences returns the fields in which two registrations differ: of lists the added and
// the removed values, so that none hides among a hundred unchanged ones.
func differences(before, after provider.Client) []storage.ChangedField {
	var fields []storage.ChangedField
	old := registeredFields(before)
	for i, f := range registeredFields(after) {
		if f.value != old[i].value {
			fields = append(fields, storage.ChangedField{Name: f.name, Before: old[i].value, After: f.value})
		}
		fields = append(fields, changedList(f.name, old[i].values, f.values)...)
	}
	return fields
}

// fieldsOf returns the fields that a new registration sets. Defaults of every
// application are not changes.
func fieldsOf(c provider.Client) []storage.ChangedField {
	var fields []storage.ChangedField
	for _, f := range registeredFields(c) {
		fields = append(append(fields, changed(f.name, "", f.value)...), changedList(f.name, nil, f.values)...)
	}
	return fields
}

// changed returns the fields with another value.
func changed(name, before, after string) []storage.ChangedField {
	if before == after {
		return nil
	}
	return []storage.ChangedField{{Name: name, Before: before, After: after}}
}

// changedList is changed for a field with several values.
func changedList(name string, before, after []string) []storage.ChangedField {
	added, removed := lacking(after, before), lacking(before, after)
	if len(added)+len(removed) == 0 {
		return nil
	}
	return []storage.ChangedField{{Name: name, Added: added, Removed: removed}}
}

// lacking returns the values of a list that another lacks.
func lacking(list, other []string) []string {
	var values []string
	for _, s := range list {
		if !slices.Contains(other, s) {
			values = append(values, s)
		}
	}
	return values
}

// The limits of a change in the activity log, so that long addresses cannot fill the disk.
const (
	maxChangedValue = 512  // bytes of one value
	maxChangedLine  = 8192 // bytes of all values of a line
)

// bounded returns fields within the limits of the activity log: it cuts long values, and
// counts those beyond.
func bounded(fields []storage.ChangedField) []storage.ChangedField {
	room := maxChangedLine
	kept := make([]storage.ChangedField, len(fields))
	for i, f := range fields {
		f.Before, f.After = cutTo(f.Before, maxChangedValue), cutTo(f.After, maxChangedValue)
		room -= len(f.Before) + len(f.After)
		f.Added = named(&room, &f.Cut, f.Added) // what is new matters most
		f.Removed = named(&room, &f.Cut, f.Removed)
		kept[i] = f
	}
	return kept
}

// named returns the values that fit, and counts the others.
func named(room, cut *int, values []string) []string {
	var kept []string
	for _, value := range values {
		value = cutTo(value, maxChangedValue)
		if *room -= len(value); *room < 0 {
			*room += len(value)
			*cut++
			continue
		}
		kept = append(kept, value)
	}
	return kept
}

// cutTo returns the beginning of a value that is longer than so many bytes.
func cutTo(value string, most int) string {
	if len(value) <= most {
		return value
	}
	return strings.ToValidUTF8(value[:most], "") + "…"
}
