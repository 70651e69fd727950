// Package verifiedclaims is the claim verified_claims: that a person is a verified member of a
// group, by which rules, how and on which day (OpenID Connect for Identity Assurance 1.0, and its
// Schema Definition 1.0), for applications that have to know what a verification is worth:
//
//	verified, err := verifiedclaims.New(verifiedclaims.Config{
//		Frameworks: map[string]string{"student": "https://id.example.com/trust/student"},
//	})
//	idp, err := provider.New(ctx, provider.Config{ /* … */ VerifiedClaims: verified})
//
// An application asks by the parameter claims. The claim of a group is group_NAME; its value are
// the subgroups:
//
//	{"userinfo": {"verified_claims": {
//		"verification": {"trust_framework": null, "time": null, "evidence": [{"type": {"value": "document"}}]},
//		"claims": {"group_student": null}}}}
//
// A scope that the application is registered for has to have the group. The user is asked as for
// that scope, and is told that the application also receives method and day.
//
// The answer has nothing that was not asked for. What does not meet a restriction (value, values,
// max_age) is left out, without an error. The time is the midnight in UTC that begins the day of
// the verification, from which max_age counts. The verification_process is the case of package
// verification, under another name for each application; a status that the host has recorded has
// none. No name, number, document, source or reviewer is ever told.
package verifiedclaims

import (
	"errors"
	"fmt"
	"maps"
	"slices"
)

// Config configures Claims. Frameworks is required.
type Config struct {
	// Frameworks are by group the identifiers of the rules by which its members are verified,
	// each with a domain name of who has made the rules. A group without one is never in
	// verified_claims.
	Frameworks map[string]string

	// Evidence is by provider.Status.Method what a verification rests on. A status of another
	// method has no evidence.
	// Defaults to that of the methods of package verification.
	Evidence map[string]Evidence
}

// Evidence is what a verification rests on.
type Evidence struct {
	// Type is document, electronic_record or vouch, and CheckMethod how it was checked, such as
	// vri, data or auth; empty does not say.
	Type, CheckMethod string

	// Kind is the type of the document, record or attestation, such as education.
	// Defaults to an identifier of the provider for the method.
	Kind string
}

// detailsOf are the elements with the Kind of an evidence.
var detailsOf = map[string]string{"document": "document_details", "electronic_record": "record", "vouch": "attestation"}

var defaultEvidence = map[string]Evidence{
	"code":         {Type: "vouch"},
	"document":     {Type: "document", CheckMethod: "vri"},
	"email_domain": {Type: "electronic_record", CheckMethod: "auth"},
	"record":       {Type: "electronic_record", CheckMethod: "auth"},
	"roster":       {Type: "electronic_record", CheckMethod: "data"},
}

// Claims answers requests for verified_claims. It is for provider.Config, and of no other use.
type Claims struct{ cfg Config }

// New returns the claims of a Config. An error names its field.
func New(c Config) (*Claims, error) {
	if c.Evidence == nil {
		c.Evidence = defaultEvidence
	}
	c.Frameworks, c.Evidence = maps.Clone(c.Frameworks), maps.Clone(c.Evidence)
	for group, framework := range c.Frameworks {
		if framework == "" {
			return nil, fmt.Errorf("verifiedclaims: Config.Frameworks[%q] is empty", group)
		}
	}
	for method, e := range c.Evidence {
		if detailsOf[e.Type] == "" || method == "" {
			return nil, fmt.Errorf("verifiedclaims: Config.Evidence[%q].Type %q is none of document, electronic_record and vouch", method, e.Type)
		}
	}
	if len(c.Frameworks) == 0 {
		return nil, errors.New("verifiedclaims: Config.Frameworks is missing")
	}
	return &Claims{c}, nil
}

// Groups returns the groups that can be asked for, sorted.
func (c *Claims) Groups() []string { return slices.Sorted(maps.Keys(c.cfg.Frameworks)) }

// Metadata returns the members of the discovery document (section 8).
func (c *Claims) Metadata(issuer string) map[string]any {
	lists := map[string][]string{}
	add := func(name, value string) { lists[name] = append(lists[name], value) }
	for group, framework := range c.cfg.Frameworks {
		add("trust_frameworks_supported", framework)
		add("claims_in_verified_claims_supported", claimPrefix+group)
	}
	for method, e := range c.cfg.Evidence {
		add("evidence_supported", e.Type)
		if e.Type != "vouch" {
			add(e.Type+"s_supported", c.kind(issuer, method))
		}
		if e.Type == "document" && e.CheckMethod != "" {
			add("documents_check_methods_supported", e.CheckMethod)
		}
	}
	m := map[string]any{"verified_claims_supported": true}
	for name, list := range lists {
		m[name] = distinct(list)
	}
	return m
}

// kind returns the Kind of the evidence of a method.
func (c *Claims) kind(issuer, method string) string {
	if kind := c.cfg.Evidence[method].Kind; kind != "" {
		return kind
	}
	return issuer + "#" + method
}
