package clients

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"text/template"

	"github.com/bonafide-id/bonafide/provider/internal/testkit"
)

// TestModAuthOpenIDC has mod_auth_openidc guard a page of an Apache that knows nothing of
// sign-in; both are Debian's, but the server is the test's own.
func TestModAuthOpenIDC(t *testing.T) {
	once(t)
	const program, modules = "/usr/sbin/apache2", "/usr/lib/apache2/modules"
	for _, file := range []string{program, filepath.Join(modules, "mod_auth_openidc.so")} {
		if _, err := os.Stat(file); err != nil {
			need(t, "mod_auth_openidc is missing: apt-get install apache2 libapache2-mod-auth-openidc")
		}
	}
	i, address, folder := newInstallation(t), freeAddress(t), t.TempDir()
	// As root, Apache reads pages as the user of its configuration.
	testkit.OK(t, os.Chmod(filepath.Dir(folder), 0o711))
	s := site{
		installation: i, start: "http://" + address + "/page/index.html", redirectURI: "http://" + address + "/page/callback",
		signOut:    "http://" + address + "/page/callback?logout=http%3A%2F%2F" + strings.Replace(address, ":", "%3A", 1) + "%2Fbye.html",
		afterwards: "http://" + address + "/bye.html",
	}
	i.register(t, s.redirectURI, s.afterwards)
	config := testkit.Must(template.New("").Parse(apacheConfig))(t)
	file := testkit.Must(os.Create(filepath.Join(folder, "apache.conf")))(t)
	_, port, _ := strings.Cut(address, ":")
	testkit.OK(t, config.Execute(file, map[string]string{
		"Modules": modules, "Folder": folder, "Port": port, "Issuer": i.Issuer(), "ClientID": clientID, "ClientSecret": clientSecret, "RedirectURI": s.redirectURI,
	}))
	for name, text := range map[string]string{
		"bye.html":        "Bye",
		"page/index.html": `<!--#echo var="OIDC_CLAIM_name" --> <!--#echo var="OIDC_CLAIM_email" -->`,
	} {
		path := filepath.Join(folder, "www", name)
		testkit.OK(t, os.MkdirAll(filepath.Dir(path), 0o755))
		testkit.OK(t, os.WriteFile(path, []byte(text), 0o644))
	}
	start(t, s.afterwards, command(t, program, "-f", file.Name(), "-DFOREGROUND"))
	s.test(t)
}

const apacheConfig = `
ServerName localhost
ServerRoot {{.Folder}}
PidFile {{.Folder}}/pid
DefaultRuntimeDir {{.Folder}}
Mutex posixsem
User #65534
Group #65534
Listen 127.0.0.1:{{.Port}}
ErrorLog /dev/stderr
LogLevel warn
LoadModule mpm_event_module {{.Modules}}/mod_mpm_event.so
LoadModule authn_core_module {{.Modules}}/mod_authn_core.so
LoadModule authz_core_module {{.Modules}}/mod_authz_core.so
LoadModule authz_user_module {{.Modules}}/mod_authz_user.so
LoadModule mime_module {{.Modules}}/mod_mime.so
LoadModule include_module {{.Modules}}/mod_include.so
LoadModule auth_openidc_module {{.Modules}}/mod_auth_openidc.so
TypesConfig /dev/null
AddType text/html .html
DocumentRoot {{.Folder}}/www

OIDCProviderMetadataURL {{.Issuer}}/.well-known/openid-configuration
OIDCClientID {{.ClientID}}
OIDCClientSecret {{.ClientSecret}}
OIDCRedirectURI {{.RedirectURI}}
OIDCScope "openid profile email offline_access"
OIDCPKCEMethod S256
OIDCCryptoPassphrase n8Wc2Vq6Jx0RzT4yLk9GmB5sHd7PfEaU
# Longer than an access token lives: it is refreshed at every request.
OIDCRefreshAccessTokenBeforeExpiry 3600

<Directory {{.Folder}}/www/page>
	Options +Includes
	SetOutputFilter INCLUDES
	AuthType openid-connect
	Require valid-user
</Directory>
`
