package provider_test

import (
	"bytes"
	"context"
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"errors"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/storage/sqlite"
)

func TestNew(t *testing.T) {
	store, err := sqlite.Open(t.Context(), t.TempDir()+"/identity.db")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	small, err := rsa.GenerateKey(rand.Reader, 1024)
	if err != nil {
		small = nil // newer releases of Go refuse to make one
	}
	for name, c := range map[string]struct {
		change func(*provider.Config)
		field  string
	}{
		"NoBaseURL":            {func(c *provider.Config) { c.BaseURL = "" }, "BaseURL"},
		"PlainHTTP":            {func(c *provider.Config) { c.BaseURL = "http://id.example.com" }, "BaseURL"},
		"SlashAtTheEnd":        {func(c *provider.Config) { c.BaseURL = "https://id.example.com/" }, "BaseURL"},
		"EscapedHost":          {func(c *provider.Config) { c.BaseURL = "https://caf%C3%A9.example" }, "BaseURL"},
		"CapitalsInTheScheme":  {func(c *provider.Config) { c.BaseURL = "HTTPS://id.example.com" }, "BaseURL"},
		"HostNotInASCII":       {func(c *provider.Config) { c.BaseURL = "https://café.example" }, "BaseURL"},
		"QueryInTheBaseURL":    {func(c *provider.Config) { c.BaseURL = "https://id.example.com?x=1" }, "BaseURL"},
		"NoSecret":             {func(c *provider.Config) { c.Secret = nil }, "Secret"},
		"ShortSecret":          {func(c *provider.Config) { c.Secret = c.Secret[:31] }, "Secret"},
		"SecretOfZeros":        {func(c *provider.Config) { c.Secret = make([]byte, 32) }, "Secret"},
		"NoStore":              {func(c *provider.Config) { c.Store = nil }, "Store"},
		"ColorThatIsNone":      {func(c *provider.Config) { c.Brand.ButtonColor = "red;}" }, "Brand.ButtonColor"},
		"LogoThatIsNone":       {func(c *provider.Config) { c.Brand.Logo = []byte("<svg onload=alert(1)>") }, "Brand.Logo"},
		"LinkThatRunsCode":     {func(c *provider.Config) { c.Brand.HelpURL = "javascript:alert(1)" }, "Brand.HelpURL"},
		"UnknownAttribute":     {func(c *provider.Config) { c.Scopes = []provider.Scope{{Name: "a", Attributes: []string{"fnam"}}} }, "Scopes[0].Attributes"},
		"UnknownGroup":         {func(c *provider.Config) { c.Scopes = []provider.Scope{{Name: "a", Groups: []string{"pilots"}}} }, "Scopes[0].Groups"},
		"ReservedScope":        {func(c *provider.Config) { c.Scopes = []provider.Scope{{Name: "openid"}} }, "Scopes[0].Name"},
		"AttributeOfProtocol":  {func(c *provider.Config) { c.Attributes = []provider.Attribute{{Handle: "iss"}} }, "Attributes[0]"},
		"LongCodeLife":         {func(c *provider.Config) { c.Lifetimes.Code = time.Hour }, "Lifetimes.Code"},
		"SignedInWithoutURL":   {func(c *provider.Config) { c.Users.SignInURL = "/login" }, "Users.SignedIn"},
		"NegativeTimeOfEvents": {func(c *provider.Config) { c.KeepEvents = -time.Hour }, "KeepEvents"},
		"ShortPasswordsWanted": {func(c *provider.Config) { c.PasswordMinLength = 4 }, "PasswordMinLength"},
		"TwoKindsOfSigner": {func(c *provider.Config) {
			c.Signer = small
			c.SignWith = func(k *rsa.PrivateKey) (crypto.Signer, error) { return k, nil }
		}, "SignWith"},
		"SmallSigner": {func(c *provider.Config) {
			if small != nil {
				c.Signer = small
			} else {
				c.Secret = nil
			}
		}, "S"},
	} {
		t.Run("Names"+name, func(t *testing.T) {
			cfg := provider.Config{BaseURL: "http://localhost:8080", Secret: bytes.Clone(testSecret(t)), Store: store}
			c.change(&cfg)
			_, err := provider.New(t.Context(), cfg)
			if err == nil || !strings.Contains(err.Error(), "Config."+c.field) {
				t.Fatalf("New returned %v, want the field %s", err, c.field)
			}
			if len(cfg.Secret) > 8 && strings.Contains(err.Error(), string(cfg.Secret)) {
				t.Error("the error shows the secret")
			}
		})
	}
}

func TestNewTriesSignWith(t *testing.T) {
	store, err := sqlite.Open(t.Context(), t.TempDir()+"/identity.db")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	_, err = provider.New(t.Context(), provider.Config{
		BaseURL: "http://localhost:8080", Secret: testSecret(t), Store: store,
		SignWith: func(*rsa.PrivateKey) (crypto.Signer, error) { return nil, errors.New("no library") },
	})
	if err == nil || !strings.Contains(err.Error(), "SignWith: no library") {
		t.Errorf("New returned %v, want the field SignWith and its reason", err)
	}
}

func TestLifecycle(t *testing.T) {
	t.Run("NewStartsNothingAndCloseLeavesNothing", func(t *testing.T) {
		before := runtime.NumGoroutine()
		store, err := sqlite.Open(t.Context(), t.TempDir()+"/identity.db")
		if err != nil {
			t.Fatal(err)
		}
		p, err := provider.New(t.Context(), provider.Config{BaseURL: "http://localhost:8080", Secret: testSecret(t), Store: store})
		if err != nil {
			t.Fatal(err)
		}
		ended := make(chan error, 1)
		go func() { ended <- p.Run(context.Background()) }()
		if err := p.Close(); err != nil {
			t.Fatal(err)
		}
		if err := <-ended; err != nil {
			t.Fatalf("Run: %v", err)
		}
		for range 100 { // database/sql lets go of its opener a moment later
			if runtime.NumGoroutine() <= before {
				return
			}
			runtime.Gosched()
			<-time.After(10 * time.Millisecond)
		}
		t.Fatalf("%d goroutines before, %d after", before, runtime.NumGoroutine())
	})
	t.Run("RefusesAnotherSecretInsteadOfMakingNewKeys", func(t *testing.T) {
		path := t.TempDir() + "/identity.db"
		open := func(secret []byte, previous ...[]byte) (*provider.Provider, error) {
			store, err := sqlite.Open(t.Context(), path)
			if err != nil {
				t.Fatal(err)
			}
			p, err := provider.New(t.Context(), provider.Config{BaseURL: "http://localhost:8080", Secret: secret, PreviousSecrets: previous, Store: store})
			if err != nil {
				_ = store.Close()
			}
			return p, err
		}
		p, err := open(testSecret(t))
		if err != nil {
			t.Fatal(err)
		}
		if err := p.Close(); err != nil {
			t.Fatal(err)
		}
		other := make([]byte, 32)
		if _, err := rand.Read(other); err != nil {
			t.Fatal(err)
		}
		if _, err := open(other); err == nil {
			t.Fatal("opened with another secret")
		}
		p, err = open(other, testSecret(t))
		if err != nil {
			t.Fatalf("with the former secret among the previous ones: %v", err)
		}
		_ = p.Close()
	})
}

func TestSaveClient(t *testing.T) {
	w := newWorld(t)
	valid := func() provider.Client { return provider.Client{ID: "c", RedirectURIs: []string{callbackURI}} }
	for name, c := range map[string]struct {
		change func(*provider.Client)
		field  string
	}{
		"ID":                   {func(c *provider.Client) { c.ID = "a b" }, "ID"},
		"Dialect":              {func(c *provider.Client) { c.Dialect = "v4" }, "Dialect"},
		"ShortSecret":          {func(c *provider.Client) { c.Secret = "hunter2" }, "Secret"},
		"SecretOfPublicClient": {func(c *provider.Client) { c.Public, c.Secret = true, clientSecret }, "Secret"},
		"NoRedirectURI":        {func(c *provider.Client) { c.RedirectURIs = nil }, "RedirectURIs"},
		"UnknownScope":         {func(c *provider.Client) { c.Scopes = []string{"militry"} }, "Scopes[0]"},
		"UnknownGrant":         {func(c *provider.Client) { c.GrantTypes = []string{"password"} }, "GrantTypes[0]"},
		"UnknownResponseType":  {func(c *provider.Client) { c.ResponseTypes = []string{"none"} }, "ResponseTypes[0]"},
		"WildcardOrigin":       {func(c *provider.Client) { c.Origins = []string{"https://*.rp.test"} }, "Origins[0]"},
		"OriginWithPath":       {func(c *provider.Client) { c.Origins = []string{"https://rp.test/"} }, "Origins[0]"},
		"Color":                {func(c *provider.Client) { c.ButtonColor = "#fff" }, "ButtonColor"},
		"PolicyThatRunsCode":   {func(c *provider.Client) { c.PolicyURL = "javascript:alert(1)" }, "PolicyURL"},
	} {
		t.Run("Names"+name, func(t *testing.T) {
			client := valid()
			c.change(&client)
			if err := w.SaveClient(t.Context(), client); err == nil || !strings.Contains(err.Error(), c.field) {
				t.Fatalf("SaveClient returned %v, want the field %s", err, c.field)
			}
		})
	}
	t.Run("KeepsTheSecretThatIsRegistered", func(t *testing.T) {
		if err := w.SaveClient(t.Context(), valid()); err != nil {
			t.Fatal(err)
		}
		made, err := w.ClientSecret(t.Context(), "c")
		if err != nil || len(made) < 40 {
			t.Fatalf("secret of %d characters, %v", len(made), err)
		}
		renamed := valid()
		renamed.Name = "Another name"
		if err := w.SaveClient(t.Context(), renamed); err != nil {
			t.Fatal(err)
		}
		if kept, err := w.ClientSecret(t.Context(), "c"); err != nil || kept != made {
			t.Fatalf("the secret has changed: %v", err)
		}
	})
}

func TestRotateClientSecret(t *testing.T) {
	w := newWorld(t).withClients().withUsers()
	b := w.newBrowser().signIn("alice@example.com", alicePass)
	redeem := func(secret string) int {
		p, _ := b.token("code", w.code(b), "client_secret", secret)
		return p.StatusCode
	}
	fresh, err := w.RotateClientSecret(t.Context(), "v3", time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	if old, now := redeem(clientSecret), redeem(fresh); old != 200 || now != 200 {
		t.Errorf("within the overlap: old %d, new %d", old, now)
	}
	w.advance(time.Hour)
	if old, now := redeem(clientSecret), redeem(fresh); old != 401 || now != 200 {
		t.Errorf("after the overlap: old %d, new %d", old, now)
	}
	if _, err := w.RotateClientSecret(t.Context(), "pub", time.Hour); !errors.Is(err, provider.ErrNoClient) {
		t.Errorf("a public client: %v", err)
	}
}
