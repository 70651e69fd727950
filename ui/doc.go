// Package ui renders the screens that people see in a flow and of their accounts, and writes
// the e-mails that they get. Package provider serves them: a host needs this package only to
// render one of them itself. It is also the kit that screens are written with; those of
// another audience are a package of their own over it, such as ui/developer.
//
// A screen is a templ component over a view: [SignIn] renders a [SignInView],
// [Consent] a [ConsentView], and so on. A view holds values that are ready to
// be shown and addresses that are ready to be followed; it decides nothing.
// Whoever serves a screen fills in its view and renders the component:
//
//	ui.SignIn(ui.SignInView{Page: page, Form: form}).Render(ctx, w)
//
// [Page] is what all views share: the language, the name and logo of the
// service, the application that the user came from. [Form] is what all
// views with something to submit share. Forms work without JavaScript, post
// to the page that shows them, and carry back what [Form.Hidden] holds.
//
// The screens need no inline style and no inline script, so they can be served
// under
//
//	default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self';
//	form-action 'self'; frame-ancestors 'none'; base-uri 'none'
//
// Their stylesheet and scripts are [Assets], to be served under one path, beside the files
// of the [Page.Theme] (package theme), which replaces colours, corners and the font. One with
// a font of its own needs font-src 'self' as well.
//
// # The kit
//
// A component over the kit begins with the page around it, [Layout] for people or
// [WideLayout] for those who work with the service, and says its sentences with
// [Locale.Plain] and [Locale.Say]. [Files] are its texts and assets.
//
//	templ Lend(v LendView) {
//		{{ l := v.Locale.OrEnglish() }}
//		{{ t := textOf(l).Lend }}
//		@ui.Layout(v.Page, l.Plain(t.Heading)) {
//			<h1>{ l.Plain(t.Heading) }</h1>
//			<p class="lead">
//				@l.Say(t.Text, ui.With("client", v.Client.Name))
//			</p>
//			@ui.Problems(l, v.Form)
//			@ui.PostForm(v.Form) {
//				@ui.SubmitButton(l.Plain(t.Submit))
//			}
//		}
//	}
//
// Its parts are
//   - sentences: [Message], filled by [With] and [Count]; [Words], [Locale.List], [Locale.Date], [Locale.Number];
//   - forms: [PostForm], [HiddenFields], [Problems], [InputField], [EmailField], [PasswordField],
//     [NewPasswordField], [KnownUser], [CodeField], [EntryField], [Optional],
//     [Choice], [Choices], [OptionField], [Select], [SubmitButton], [ActionButton], [CopyButton], [Copyable];
//   - what people chose or wrote: [Label], [Name], [EmailAddress], [Identity], [Logo], [Image], [Initial], [Clean];
//   - time: [Day], [Instant], [Since];
//   - counts by day: [Chart], drawn by [DayChart];
//   - links: [NewTabLink], [BackLink], [RowLink], [SwitchLink], [Origin], [LanguageSwitch], [FootLinks];
//   - upstream providers: [Upstreams], [UpstreamMarkOf];
//   - passkeys: [PasskeyForm], [PasskeySignals], with the script [ScriptPasskey];
//   - what has happened: [Announcement], [Emblem], [Icon]; QR codes: [Symbol];
//   - the application that has sent the user: [ToClient], [ClientLogo];
//   - a frame of another form: [Frame], [Head].
//
// # Words
//
// Every sentence is in text/en.json and its translations, one file for each
// language, and so are the e-mails that [Compose] writes. A caller names what
// went wrong by a [ProblemCode] or an [ErrorCode] and never holds text itself.
// The labels of attributes and of verified groups are the caller's own, for it
// is the caller who knows them. [NewLocaleSet] puts the words of a host in the place of
// those of this package, and adds languages.
//
// Strings that people chose, such as the name of an application, are shown
// escaped, shortened, stripped of control characters and isolated from the
// direction of the text around them.
package ui

//go:generate go tool -modfile=../.ci/tools/go.mod templ generate -include-version=false
//go:generate go run ./internal/pack
