package provider

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"net/netip"
	"reflect"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/bonafide-id/bonafide/provider/internal/oauth"
	"github.com/bonafide-id/bonafide/provider/internal/room"
	"github.com/bonafide-id/bonafide/provider/internal/unknown"
)

// MetadataPaths are the paths, for the host's router, at which clients such as those of the Model
// Context Protocol look for the discovery document besides the path of the BaseURL (RFC 8414
// section 3.1). None if the BaseURL has no path: the provider then gets these requests anyway.
// A client that takes the issuer for OpenID Connect does not use them.
//
//	for _, path := range idp.MetadataPaths() {
//		mux.Handle(path, idp)
//	}
func (p *Provider) MetadataPaths() []string {
	if base := p.server.BasePath(); base != "" {
		return oauth.InsertedPaths(base)
	}
	return nil
}

// Installation describes this provider. The caller may change the value.
func (p roomsOf) Installation() room.Installation[Lifetimes, Resource] {
	i := room.Installation[Lifetimes, Resource]{
		Version: Version(), BaseURL: p.cfg.BaseURL, Sandbox: p.cfg.Sandbox, Name: p.cfg.Brand.name(), Code: p.cfg.Brand.Code, Issuer: p.issuer,
		HasAccounts: p.cfg.hasAccounts(), SignsUp: p.cfg.hasAccounts() && p.cfg.Mailer != nil, Assurance: p.cfg.highestAssurance(),
		Scopes: slices.Clone(p.catalogue.Scopes), Attributes: slices.Clone(p.catalogue.Attributes), Groups: slices.Clone(p.catalogue.Groups),
		Resources: slices.Clone(p.cfg.Resources), SigningAlgorithms: slices.Clone(p.cfg.Algorithms), Profiles: p.cfg.profiles(),
		Devices: p.cfg.DeviceAuthorization.On, Documents: p.cfg.UnknownClients.Documents, Registers: p.cfg.UnknownClients.Register == unknown.RegisterOpen, RegistersByToken: p.cfg.UnknownClients.Register != "", Webhooks: p.cfg.Signals.Webhooks, Streams: p.cfg.Signals.SharedSignals, Signals: p.signals.IsOn(), VerifiedClaims: p.cfg.VerifiedClaims != nil, Credentials: slices.Clone(p.catalogue.Credentials()),
		Lifetimes: p.cfg.Lifetimes, RecoveryWait: p.cfg.SignIn.Recovery.Wait,
	}
	for n, s := range i.Scopes {
		i.Scopes[n].Attributes, i.Scopes[n].Groups, i.Scopes[n].Translations = slices.Clone(s.Attributes), slices.Clone(s.Groups), maps.Clone(s.Translations)
	}
	for n, a := range i.Attributes {
		i.Attributes[n].Members, i.Attributes[n].From, i.Attributes[n].Translations = slices.Clone(a.Members), slices.Clone(a.From), maps.Clone(a.Translations)
	}
	for n, g := range i.Groups {
		i.Groups[n].Subgroups, i.Groups[n].Translations = slices.Clone(g.Subgroups), maps.Clone(g.Translations)
		for lang, words := range g.Translations {
			words.Subgroups = maps.Clone(words.Subgroups)
			i.Groups[n].Translations[lang] = words
		}
	}
	for n, r := range i.Resources {
		i.Resources[n].Scopes, i.Resources[n].Introspectors, i.Resources[n].Clients = slices.Clone(r.Scopes), slices.Clone(r.Introspectors), slices.Clone(r.Clients)
	}
	return i
}

// Condition says how this provider is doing. It takes as long as the store takes to answer, two
// seconds at most.
func (p roomsOf) Condition(ctx context.Context) room.Condition {
	s := room.Condition{
		Round: p.upkeep.Round(), SendsMail: p.cfg.Mailer != nil, Mailed: orZero(p.mailed.Load()), Unmailed: orZero(p.unmailed.Load()),
		GoVersion: runtime.Version(), Settings: settings("", reflect.ValueOf(p.cfg)),
	}
	ctx, cancel := context.WithTimeout(ctx, healthTimeout)
	defer cancel()
	begin := time.Now()
	if s.Database = p.store.Ping(ctx); s.Database == nil {
		s.LogoutTokens, s.Database = p.store.WaitingClientSessions(ctx, 1000)
	}
	s.Answered = time.Since(begin)
	return s
}

func orZero(t *time.Time) time.Time {
	if t == nil {
		return time.Time{}
	}
	return *t
}

// Version returns the version of this module in the running program, or (devel).
func Version() string { return moduleVersion() }

// version is set where the Go command cannot know it, as in an archive of a release: by -ldflags -X.
var version string

var moduleVersion = sync.OnceValue(func() string {
	if version != "" {
		return version
	}
	const module, unknown = "github.com/bonafide-id/bonafide", "(devel)"
	build, ok := debug.ReadBuildInfo()
	if !ok {
		return unknown
	}
	for _, m := range append(build.Deps, &build.Main) {
		if m.Path == module {
			return cmp.Or(m.Version, unknown)
		}
	}
	return unknown
})

// settings returns the fields of a configuration. Only numbers, switches, durations and texts
// have a value: none of these is a secret, which are all bytes.
func settings(name string, v reflect.Value) (all []room.Setting) {
	if v.Kind() == reflect.Struct && v.Type().PkgPath() == reflect.TypeFor[Config]().PkgPath() {
		for i := range v.NumField() {
			if f := v.Type().Field(i); f.IsExported() {
				all = append(all, settings(strings.TrimPrefix(name+"."+f.Name, "."), v.Field(i))...)
			}
		}
		return all
	}
	s := room.Setting{Name: name, IsSet: !v.IsZero()}
	switch value := v.Interface().(type) {
	case time.Duration, bool, int, int64, string, Assurance:
		s.Value = fmt.Sprint(value)
	case []string:
		s.Value = strings.Join(value, " ")
	case []netip.Prefix:
		s.Value = strings.Trim(fmt.Sprint(value), "[]")
	default:
		if kind := v.Kind(); (kind == reflect.Slice && v.Type().Elem().Kind() == reflect.Struct || kind == reflect.Map) && s.IsSet {
			s.Value = strconv.Itoa(v.Len())
		}
	}
	return append(all, s)
}
