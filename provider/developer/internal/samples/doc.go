// Package samples is programs that sign a user in, one for each language, filled with
// the registration of an application. They are shown as they are run: the tests start
// each against a real provider, sign a user in, and read the claims in its answer.
//
// The programs are templates below templates, in text/template, one folder a language.
// Values are written into them by a function that quotes for the language ({{go …}},
// {{sh …}}), never bare: what an application has registered cannot end a string. The
// client secret is in none of them; they read it from an environment variable that is
// called after the provider, and end at once without it.
//
// Below templates/programs are the files that configure programs of others, which a lab runs:
// provider/internal/lab/programs fills the same templates, whose actions are of one form for that,
// a quoting function and a field.
package samples
