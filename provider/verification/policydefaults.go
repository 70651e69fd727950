package verification

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"time"

	"github.com/bonafide-id/bonafide/provider/catalogue"
)

const day = 24 * time.Hour

// The limits of a rule.
const (
	maxVerifiers = 8
	maxDepth     = 3
	maxKeep      = 90 * day
)

func (p Policies) withDefaults() Policies {
	p = slices.Clone(p)
	for i := range p {
		p[i] = p[i].withDefaults()
	}
	return p
}

func (p Policy) withDefaults() Policy {
	if p.Holds == nil {
		p.Holds = func(_ string, verified time.Time) time.Time { return verified.AddDate(1, 0, 0) }
	}
	p.RenewFrom = cmp.Or(p.RenewFrom, 60*day)
	p.Finish = cmp.Or(p.Finish, 14*day)
	p.Promise = cmp.Or(p.Promise, 48*time.Hour)
	p.Reviewers = cmp.Or(p.Reviewers, 1)
	p.Keep = cmp.Or(p.Keep, 7*day)
	p.Tries.Short = cmp.Or(p.Tries.Short, 5)
	p.Tries.ShortPeriod = cmp.Or(p.Tries.ShortPeriod, 6*time.Hour)
	p.Tries.Long = cmp.Or(p.Tries.Long, 10)
	p.Tries.LongPeriod = cmp.Or(p.Tries.LongPeriod, 30*day)
	return p
}

// check returns an error for the first invalid field.
func (p Policies) check(groups []catalogue.Group) error {
	if len(p) == 0 {
		return wrongField("Policies", "are missing: nobody could be verified")
	}
	seen := map[string]bool{}
	for i, one := range p {
		field := fmt.Sprintf("Policies[%d]", i)
		known := slices.ContainsFunc(groups, func(g catalogue.Group) bool { return g.Name == one.Group })
		switch {
		case !known:
			return wrongField(field+".Group", "%q is not a group of the catalogue", one.Group)
		case one.Group == returnPath:
			return wrongField(field+".Group", "%q is the page to which people return", one.Group)
		case seen[one.Group]:
			return wrongField(field+".Group", "%q has a policy already", one.Group)
		}
		seen[one.Group] = true
		if err := one.check(field); err != nil {
			return err
		}
	}
	return nil
}

func (p Policy) check(field string) error {
	for _, f := range []struct {
		name          string
		value, lowest time.Duration
		highest       time.Duration
	}{
		{"RenewFrom", p.RenewFrom, time.Hour, 365 * day},
		{"Finish", p.Finish, time.Hour, 90 * day},
		{"Promise", p.Promise, time.Minute, 90 * day},
		{"Keep", p.Keep, time.Hour, maxKeep},
		{"Tries.ShortPeriod", p.Tries.ShortPeriod, time.Minute, 30 * day},
		{"Tries.LongPeriod", p.Tries.LongPeriod, time.Minute, 365 * day},
	} {
		if f.value < f.lowest || f.value > f.highest {
			return wrongField(field+"."+f.name, "%v is not from %v to %v", f.value, f.lowest, f.highest)
		}
	}
	switch {
	case p.Reviewers < 1 || p.Reviewers > 2:
		return wrongField(field+".Reviewers", "must be 1 or 2")
	case p.Tries.Short < 1 || p.Tries.Short > 1000:
		return wrongField(field+".Tries.Short", "must be from 1 to 1000")
	case p.Tries.Long < 1 || p.Tries.Long > 1000:
		return wrongField(field+".Tries.Long", "must be from 1 to 1000")
	}
	return p.Rule.check(field + ".Rule")
}

var methodName = regexp.MustCompile(`^[a-z][a-z0-9_]{0,31}$`)

func (r Rule) check(field string) error {
	all := r.verifiers()
	switch {
	case len(all) == 0:
		return wrongField(field, "has no verifier")
	case len(all) > maxVerifiers:
		return wrongField(field, "has %d verifiers, more than %d", len(all), maxVerifiers)
	case r.depth() > maxDepth:
		return wrongField(field, "is more than %d levels deep", maxDepth)
	case r.hasEmpty():
		return wrongField(field, "has an AnyOf or AllOf of nothing")
	}
	names := map[string]bool{}
	for _, v := range all {
		if names[v.Name] {
			return wrongField(field, "has two verifiers with the name %q", v.Name)
		}
		names[v.Name] = true
		if err := v.checkFields(fmt.Sprintf("%s (verifier %q)", field, v.Name)); err != nil {
			return err
		}
	}
	return nil
}

func (r Rule) hasEmpty() bool {
	return r.verifier == nil && len(r.rules) == 0 || slices.ContainsFunc(r.rules, Rule.hasEmpty)
}

func (v *Verifier) checkFields(field string) error {
	switch {
	case !methodName.MatchString(v.Name):
		return wrongField(field+".Name", "%q is not 1 to 32 of a-z, 0-9 and _, beginning with a letter", v.Name)
	case v.Title.English == "":
		return wrongField(field+".Title", "is missing")
	case v.Next == nil:
		return wrongField(field+".Next", "is missing")
	case v.Receive != nil && v.Fetch == nil:
		return wrongField(field+".Fetch", "is missing; a callback is not believed, and Fetch asks for the outcome")
	}
	kinds := map[string]bool{}
	for i, r := range v.Upload {
		name := fmt.Sprintf("%s.Upload[%d].Name", field, i)
		if !requirementName.MatchString(r.Name) || kinds[r.Name] {
			return wrongField(name, "%q is not 1 to 32 of a-z, 0-9 and _, or is there twice", r.Name)
		}
		kinds[r.Name] = true
	}
	if v.Check != nil {
		if err := v.Check(); err != nil {
			return within(field, err)
		}
	}
	if v.check != nil {
		return v.check(field)
	}
	return nil
}

var factKind = regexp.MustCompile(`^[a-z_]{1,32}$`)

var requirementName = regexp.MustCompile(`^[a-z0-9_]{1,32}$`)
