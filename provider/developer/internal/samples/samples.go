package samples

import (
	"bytes"
	"embed"
	"fmt"
	"slices"
	"strings"
	"text/template"

	"github.com/bonafide-id/bonafide/provider"
)

// Sample is a program in one language.
type Sample struct {
	// ID is its name in addresses, such as "go".
	ID string

	// Title is the name of the language, Libraries what it is written with.
	Title, Libraries string

	// Files are the program, the one to read first.
	Files []File

	// Run is how it is installed and started in a shell, with [Placeholder] for the secret;
	// empty for what is no program.
	Run string

	// Variable is the environment variable with the secret; empty for what needs none.
	Variable string

	// Secret reports that [Placeholder] stands in the files, and Needs are the settings that the
	// program of others needs which they configure.
	Secret bool
	Needs  []Need

	// Unproven reports that the application has to prove a key, which the sample does not.
	Unproven bool

	// Open is the address that it is opened at, and Listen where it listens itself when
	// something before it ends TLS. Both are empty for what is no server.
	Open, Listen string
}

// Button is the ID of the sample that is the sign-in button.
const Button = "button"

// Placeholder stands for the client secret in what a shell is given.
const Placeholder = "YOUR_CLIENT_SECRET"

// File is one of a sample.
type File struct{ Name, Text string }

// language is what there is to know about one beside its templates.
type language struct {
	id, title string

	// in is what the sample is written with in each dialect; a dialect that is not
	// there has no sample.
	in map[string]variant
}

// variant is a sample in one dialect.
type variant struct {
	libraries string
	proving   string   // what it is written with where it has to prove a key; empty if it cannot
	files     []string // templates/ID/NAME.tmpl
	run       string   // how it is installed and started
}

// both is a sample that one set of templates makes for both dialects.
func both(v variant) map[string]variant {
	return map[string]variant{provider.Standard: v, provider.V3: v}
}

var languages = []language{
	{Button, "HTML", both(variant{files: []string{"button.html"}})},
	{"curl", "curl", both(variant{libraries: "curl, jq, openssl", files: []string{"sign-in.sh"}, run: "bash sign-in.sh"})},
	{"go", "Go", map[string]variant{
		provider.Standard: {libraries: "go-oidc, x/oauth2", proving: "go-oidc, x/oauth2, go-jose", files: []string{"main.go"}, run: "go mod init example && go mod tidy && go run ."},
		provider.V3:       {libraries: "net/http", files: []string{"v3/main.go"}, run: "go run main.go"},
	}},
	{"node", "Node.js", map[string]variant{
		provider.Standard: {libraries: "openid-client", proving: "openid-client", files: []string{"server.mjs", "package.json"}, run: "npm install && node server.mjs"},
		provider.V3:       {libraries: "node:http", files: []string{"v3/server.mjs"}, run: "node server.mjs"},
	}},
	{"python", "Python", map[string]variant{
		provider.Standard: {libraries: "Flask, Authlib", files: []string{"server.py", "requirements.txt"}, run: "pip install -r requirements.txt && python3 server.py"},
		provider.V3:       {libraries: "http.server, urllib", files: []string{"v3/server.py"}, run: "python3 server.py"},
	}},
	{"php", "PHP", both(variant{libraries: "curl", files: []string{"index.php"}, run: "php index.php"})},
	{"ruby", "Ruby", map[string]variant{
		provider.Standard: {libraries: "WEBrick, ruby-jwt", files: []string{"server.rb"}, run: "gem install webrick jwt && ruby server.rb"},
		provider.V3:       {libraries: "WEBrick, Net::HTTP", files: []string{"server.rb"}, run: "gem install webrick && ruby server.rb"},
	}},
	{"java", "Java", map[string]variant{
		provider.Standard: {libraries: "Spring Boot", files: []string{"src/main/java/example/Application.java", "src/main/resources/application.yml", "pom.xml"}, run: "mvn spring-boot:run"},
	}},
	{"csharp", "C#", map[string]variant{
		provider.Standard: {libraries: "ASP.NET Core", files: []string{"Program.cs", "example.csproj"}, run: "dotnet run"},
	}},
}

// machine is the sample of an application at which nobody signs in.
var machine = language{"curl", "curl", both(variant{libraries: "curl", files: []string{"own-token.sh"}, run: "bash own-token.sh"})}

//go:embed templates
var sources embed.FS

var parsed = template.Must(parse())

// parse reads all templates, each under its path.
func parse() (*template.Template, error) {
	root := template.New("").Funcs(quoting).Option("missingkey=error")
	add := func(path string) error {
		text, err := sources.ReadFile(path)
		if err == nil {
			_, err = root.New(path).Parse(string(text))
		}
		return err
	}
	for _, l := range append(slices.Clone(languages), machine) {
		for _, v := range l.in {
			for _, file := range v.files {
				if err := add("templates/" + l.id + "/" + file + ".tmpl"); err != nil {
					return nil, err
				}
			}
		}
	}
	for _, p := range programs {
		for _, file := range p.Files {
			if err := add(p.template(file)); err != nil {
				return nil, err
			}
		}
	}
	return root, nil
}

// execute fills a template.
func execute(path string, v values) (string, error) {
	var b bytes.Buffer
	err := parsed.ExecuteTemplate(&b, path, v)
	return b.String(), err
}

// For returns the samples for an application, in the order in which they are offered. One
// whose redirect URI is of an app has curl only, and so has a machine client.
func For(a Application) ([]Sample, error) {
	v, err := newValues(a)
	if err != nil {
		return nil, err
	}
	if a.Machine {
		s, err := machine.fill(machine.in[a.Dialect], v)
		if err != nil {
			return nil, fmt.Errorf("fill sample of a machine client: %w", err)
		}
		return []Sample{s}, nil
	}
	var all []Sample
	for _, l := range languages {
		variant, ok := l.in[a.Dialect]
		if !ok || !v.IsWeb() && l.id != "curl" {
			continue
		}
		s, err := l.fill(variant, v)
		if err != nil {
			return nil, fmt.Errorf("fill sample %s: %w", l.id, err)
		}
		all = append(all, s)
	}
	return all, nil
}

// fill returns a sample with the values of an application.
func (l language) fill(of variant, v values) (Sample, error) {
	s := Sample{ID: l.id, Title: l.title, Libraries: of.libraries}
	if v.DPoP && of.proving != "" {
		s.Libraries = of.proving
	}
	for _, file := range of.files {
		text, err := execute("templates/"+l.id+"/"+file+".tmpl", v)
		if err != nil {
			return Sample{}, err
		}
		s.Files = append(s.Files, File{Name: strings.TrimPrefix(file, "v3/"), Text: text})
	}
	if s.Run = of.run; s.Run == "" {
		return s, nil
	}
	s.Unproven = v.DPoP && of.proving == ""
	if !v.Public {
		s.Variable = v.Variable()
		s.Run = "export " + s.Variable + "='" + Placeholder + "'\n" + s.Run
	}
	if l.id != "curl" {
		s.Open = v.Open()
	}
	if s.Open != "" && v.Secure() {
		s.Listen = v.Address()
	}
	return s, nil
}
