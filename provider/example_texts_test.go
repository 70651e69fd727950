package provider_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"regexp"
	"testing/fstest"

	"github.com/bonafide-id/bonafide/provider"
)

// A sentence of the host's own, and a language that this module does not have. A host
// embeds the files, or reads them from a folder by os.DirFS.
func ExampleConfig_texts() {
	idp, cleanUp := newExample(provider.Config{
		BaseURL: "https://id.example.com",
		Texts: fstest.MapFS{
			"en.json": {Data: []byte(`{"SignIn": {"Heading": "Your library card, please"}}`)},
			"nl.json": {Data: []byte(`{"Language": {"Name": "Nederlands", "Dir": "ltr"}, "SignIn": {"Heading": "Uw bibliotheekpas, graag"}}`)},
		},
	})
	defer cleanUp()

	for _, lang := range []string{"en", "nl"} {
		w := httptest.NewRecorder()
		idp.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/signin?ui_locales="+lang, nil))
		fmt.Println(regexp.MustCompile(`<h1>(.*)</h1>`).FindStringSubmatch(w.Body.String())[1])
	}
	// Output:
	// Your library card, please
	// Uw bibliotheekpas, graag
}
