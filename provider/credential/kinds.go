package credential

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/bonafide-id/bonafide/provider/catalogue"
	"github.com/bonafide-id/bonafide/provider/internal/engine/protocol"
)

// Kinds are the credentials that there are, one for each group: a provider.Config.Credentials.
type Kinds []Kind

// Kind is the credential of a group. Group is required; it names the configuration.
type Kind struct {
	// Group is the name of a group of the catalogue.
	Group string

	// Scope is the scope by which wallets ask for it.
	// Defaults to credential: and the Group.
	Scope string

	// Life is how long one is in force at most, in whole days, up to 366.
	// Defaults to 30 days.
	Life time.Duration

	// Provenance lets its holder also disclose how the status was verified and where it comes
	// from (provider.Status.Method and Source).
	// Defaults to false.
	Provenance bool
}

const (
	day         = 24 * time.Hour
	defaultLife = 30 * day
	maxLife     = 366 * day
)

// The claims of a credential that its holder can disclose.
const (
	claimSubgroups  = "subgroups"
	claimVerifiedAt = "verified_at"
	claimValidUntil = "valid_until"
	claimMethod     = "method"
	claimSource     = "source"
)

// claimNames returns which claims the holder of a credential can disclose.
func (k Kind) claimNames() []string {
	names := []string{claimSubgroups, claimVerifiedAt, claimValidUntil}
	if k.Provenance {
		names = append(names, claimMethod, claimSource)
	}
	return names
}

func (k Kind) scope() string { return cmp.Or(k.Scope, "credential:"+k.Group) }

func (k Kind) life() time.Duration { return cmp.Or(k.Life, defaultLife) }

// of returns the kind of a group.
func (ks Kinds) of(group string) (Kind, bool) {
	i := slices.IndexFunc(ks, func(k Kind) bool { return k.Group == group })
	if i < 0 {
		return Kind{}, false
	}
	return ks[i], true
}

// check returns an error for the first invalid field.
func (ks Kinds) check() error {
	if len(ks) == 0 {
		return wrongField("Kinds", "is missing")
	}
	for i, k := range ks {
		field := fmt.Sprintf("Kinds[%d].", i)
		switch first, _ := ks.of(k.Group); {
		case k.Group == "":
			return wrongField(field+"Group", "is missing")
		case first != k:
			return wrongField(field+"Group", "%q is there already", k.Group)
		case k.Life < 0 || k.Life > maxLife || k.Life%day != 0:
			return wrongField(field+"Life", "%v is not in whole days, up to %d", k.Life, maxLife/day)
		}
	}
	return nil
}

// Scopes returns the scopes by which wallets ask for credentials; they join those of the provider. No
// device gets one whose user signs in elsewhere: whoever can have the user enter a code would.
func (ks Kinds) Scopes() []catalogue.Scope {
	scopes := make([]catalogue.Scope, len(ks))
	for i, k := range ks {
		scopes[i] = catalogue.Scope{Name: k.scope(), Groups: []string{k.Group}, NoDevice: true}
	}
	return scopes
}

var errDetail = errors.New("credential: not the detail of a credential that there is")

// Detail returns the configuration that an element of authorization_details asks for, and its scope.
// What else it says is ignored (OpenID for Verifiable Credential Issuance 1.0 section 5.1.1).
func (ks Kinds) Detail(sent json.RawMessage) (id, scope string, err error) {
	var detail struct {
		Type *string `json:"type"`
		ID   *string `json:"credential_configuration_id"`
	}
	if json.Unmarshal(sent, &detail) != nil || detail.Type == nil || *detail.Type != protocol.DetailType || detail.ID == nil {
		return "", "", errDetail
	}
	k, ok := ks.of(*detail.ID)
	if !ok {
		return "", "", errDetail
	}
	return k.Group, k.scope(), nil
}

// Metadata returns the members of the discovery document of the provider (RFC 9396 section 10).
func (Kinds) Metadata() map[string]any {
	return map[string]any{"authorization_details_types_supported": []string{protocol.DetailType}}
}
