package developer

import (
	"time"

	"github.com/a-h/templ"

	"github.com/bonafide-id/bonafide/ui"
	"github.com/bonafide-id/bonafide/ui/internal/audiencetest"
)

func checksOf(met ...bool) []Check {
	checks := []Check{
		{CheckLogo, true, "/developer/branding"}, {CheckRedirects, true, "/developer/settings"},
		{CheckTerms, true, "/developer/settings"}, {CheckPolicy, true, "/developer/settings"}, {CheckContact, true, "/developer/o/1/settings"},
	}
	for i := range met {
		checks[i].Met = met[i]
	}
	return checks
}

func accessOf(p ui.Page, r Review) AccessView {
	return AccessView{
		Page: applicationPage(p, SectionAccess), Form: audiencetest.Form(), Version: "v1", Name: "Shop", Review: r, Since: audiencetest.Now,
		Checks: checksOf(), LeftBehind: []string{"http://localhost:3000/callback"}, MayAsk: true, Note: "Discounts for veterans and their families.",
	}
}

func reviewOf(p ui.Page, r Review) ReviewView {
	return ReviewView{
		Page: page(p), ReviewsURL: "/developer/review", Form: audiencetest.Form(), Version: "v1", Name: "Shop", ClientID: "test_c1", LogoURL: "sample/client.svg",
		Organization: "River Bikes", Contact: "hello@riverbikes.example", Kind: "web",
		Fields: []ReviewedField{
			{Name: ui.FieldName, Values: []string{"Shop"}},
			{Name: FieldPolicyURL, Values: []string{"https://riverbikes.example/privacy"}},
			{Name: FieldTermsURL, Values: []string{"https://riverbikes.example/terms"}},
			{Name: FieldRedirectURIs, Values: []string{"https://riverbikes.example/callback", "https://www.riverbikes.example/callback"}},
			{Name: FieldScopes, Values: []string{"openid", "military"}},
			{Name: ui.FieldResponseTypes, Values: []string{"code"}},
			{Name: ui.FieldResources, Values: []string{"https://api.riverbikes.example/"}},
		},
		Pictures: []ReviewedPicture{{Field: ui.FieldLogo, URL: "sample/client.svg"}, {Field: FieldWordmarkDark, URL: "sample/client.svg"}},
		Review:   r, AskedBy: audiencetest.Ada.Email,
	}
}

func waitingOf() []ChangedField {
	return []ChangedField{
		{Name: ui.FieldName, Before: "Shop", After: "Shop & More"},
		{Name: FieldRedirectURIs, Added: []string{"https://shop.example/callback"}},
		{Name: ui.FieldLogo},
	}
}

var productionFixtures = []audiencetest.Fixture{
	{Name: "access", Render: func(p ui.Page) templ.Component {
		return Access(accessOf(p, ReviewNone))
	}},
	{Name: "access-incomplete", Render: func(p ui.Page) templ.Component {
		v := accessOf(p, ReviewNone)
		v.Checks = checksOf(false, true, false)
		v.Form = audiencetest.Form(ui.Problem{Code: ui.ChecksUnmet})
		return Access(v)
	}},
	{Name: "access-asked", Render: func(p ui.Page) templ.Component {
		v := accessOf(p, ReviewAsked)
		v.Notice = NoticeAsked
		return Access(v)
	}},
	{Name: "access-refused", Render: func(p ui.Page) templ.Component {
		v := accessOf(p, ReviewRefused)
		v.Reason = "Your terms of use are not there: the page is empty."
		return Access(v)
	}},
	{Name: "access-approved", Render: func(p ui.Page) templ.Component {
		v := accessOf(p, ReviewApproved)
		v.LiveURL = "/developer/o/1/production/c1"
		return Access(v)
	}},
	{Name: "access-stopped", Render: func(p ui.Page) templ.Component {
		v := accessOf(p, ReviewRefused)
		v.Page = inProduction(v.Page)
		v.Stopped, v.Reason = true, "It is no shop any more."
		return Access(v)
	}},
	{Name: "access-unfinished", Render: func(p ui.Page) templ.Component {
		return Access(accessOf(p, ReviewApproved))
	}},
	{Name: "reviews", Render: func(p ui.Page) templ.Component {
		return Reviews(ReviewsView{
			Page: page(p), SearchURL: "/developer/review", LiveMoreURL: "?after=c3",
			Ownerless: []Ownerless{{Name: "Lovelace & Co", URL: "/developer/review/organization/2", Members: 3, Applications: 12}}, OwnerlessMoreURL: "?ownerless_after=2",
			Waiting: []Reviewed{{Name: "Shop", Organization: "River Bikes", URL: "/developer/review/sandbox/c1", LogoURL: "sample/client.svg", Since: audiencetest.Now}, {Name: "Till", Organization: "River Bikes", URL: "/developer/review/production/c3", Since: audiencetest.Now, Changes: true}},
			Live: []Reviewed{
				{Name: "Museum", Organization: "Lovelace & Co", URL: "/developer/review/production/c2"},
				{Name: "Till", Organization: "River Bikes", URL: "/developer/review/production/c3", Stopped: true},
			},
		})
	}},
	{Name: "reviews-none", Render: func(p ui.Page) templ.Component {
		return Reviews(ReviewsView{Page: page(p), SearchURL: "/developer/review"})
	}},
	{Name: "appoint", Render: func(p ui.Page) templ.Component {
		return Appoint(AppointView{
			Page: page(p), Form: audiencetest.Form(ui.Problem{Code: ui.OwnerNeedsEmail}), ReviewsURL: "/developer/review", Name: "Lovelace & Co", Contact: "hello@lovelace.example", Ownerless: true,
			Members:     []Member{{"u2", ui.Account{Name: "Grace Hopper", Email: "grace@example.com"}, RoleDeveloper, audiencetest.Now.Add(-2 * 24 * time.Hour), false}},
			Invitations: []Invitation{{"i1", "grace@example.com", audiencetest.Ada.Email, RoleOwner, audiencetest.Now.Add(5 * 24 * time.Hour)}},
			Live:        []Reviewed{{Name: "Museum", Organization: "Lovelace & Co", URL: "/developer/review/production/c2"}},
		})
	}},
	{Name: "appoint-link", Render: func(p ui.Page) templ.Component {
		return Appoint(AppointView{
			Page: page(p), Form: audiencetest.Form(), ReviewsURL: "/developer/review", Name: "Lovelace & Co", Ownerless: true,
			Link: "https://id.example/developer/join/XK3", LinkFor: "grace@example.com",
		})
	}},
	{Name: "suspend", Render: func(p ui.Page) templ.Component {
		return Appoint(AppointView{
			Page: page(p), Form: audiencetest.Form(ui.Problem{Code: ui.ReasonMissing}), ReviewsURL: "/developer/review", Name: "River Bikes", Contact: "hello@river.example",
			Live: []Reviewed{{Name: "Till", Organization: "River Bikes", URL: "/developer/review/production/c3"}},
		})
	}},
	{Name: "suspended", Render: func(p ui.Page) templ.Component {
		return Appoint(AppointView{
			Page: page(p), Form: audiencetest.Form(), ReviewsURL: "/developer/review", Name: "River Bikes", Version: "7", Left: 2,
			Suspended: &Suspension{Since: audiencetest.Now, Reason: "Its applications pass for those of a bank."}, SuspendedBy: audiencetest.Ada.Email,
		})
	}},
	{Name: "suspended-own", Render: func(p ui.Page) templ.Component {
		return Appoint(AppointView{
			Page: page(p), Form: audiencetest.Form(), ReviewsURL: "/developer/review", Name: "River Bikes", Version: "7", Own: true,
			Suspended: &Suspension{Since: audiencetest.Now, Reason: "Its applications pass for those of a bank."}, SuspendedBy: audiencetest.Ada.Email,
		})
	}},
	{Name: "reviews-found", Render: func(p ui.Page) templ.Component {
		return Reviews(ReviewsView{
			Page: page(p), SearchURL: "/developer/review", Search: "river",
			Found: []Found{{Name: "River Bikes", URL: "/developer/review/organization/1", Suspended: true}, {Name: "Upriver", URL: "/developer/review/organization/3"}}, FoundMoreURL: "?found_after=3",
			Suspended: []Found{{Name: "River Bikes", URL: "/developer/review/organization/1", Suspended: true}}, SuspendedMoreURL: "?suspended_after=1",
		})
	}},
	{Name: "review", Render: func(p ui.Page) templ.Component {
		v := reviewOf(p, ReviewAsked)
		v.Checks, v.MayApprove, v.MayRefuse, v.Note = checksOf(), true, true, "Discounts for veterans."
		v.NameOfBrand, v.NameTaken = true, []Reviewed{{Name: "Sh0p", Organization: "Lovelace & Co", URL: "/developer/review/production/c2"}}
		v.Form = audiencetest.Form(ui.Problem{Code: ui.ReasonMissing})
		return ReviewScreen(v)
	}},
	{Name: "review-unfinished", Render: func(p ui.Page) templ.Component {
		v := reviewOf(p, ReviewApproved)
		v.MayFinish = true
		return ReviewScreen(v)
	}},
	{Name: "review-live", Render: func(p ui.Page) templ.Component {
		v := reviewOf(p, ReviewApproved)
		v.Live, v.MayStop = true, true
		return ReviewScreen(v)
	}},
	{Name: "review-changes", Render: func(p ui.Page) templ.Component {
		v := reviewOf(p, ReviewAsked)
		v.Live, v.Compared, v.Checks, v.MayApprove, v.MayRefuse, v.MayStop = true, true, checksOf(), true, true, true
		v.Waiting = waitingOf()
		v.Fields[0] = ReviewedField{Name: ui.FieldName, Values: []string{"Shop & More"}, Changed: true, Since: v.Waiting[0]}
		v.Fields[3] = ReviewedField{
			Name: FieldRedirectURIs, Values: []string{"https://riverbikes.example/callback", "https://shop.example/callback"}, Changed: true,
			Since: ChangedField{Added: []string{"https://shop.example/callback"}, Removed: []string{"https://old.riverbikes.example/callback"}},
		}
		v.Pictures[0].Changed, v.Pictures[0].ApprovedURL = true, "sample/brand.svg"
		v.Pictures = append(v.Pictures, ReviewedPicture{Field: FieldLogoDark, Changed: true})
		return ReviewScreen(v)
	}},
	{Name: "review-own", Render: func(p ui.Page) templ.Component {
		v := reviewOf(p, ReviewAsked)
		v.Own = true
		return ReviewScreen(v)
	}},
	{Name: "review-changes-unfinished", Render: func(p ui.Page) templ.Component {
		v := reviewOf(p, ReviewApproved)
		v.Live, v.MayFinish = true, true
		return ReviewScreen(v)
	}},
	{Name: "changes", Render: func(p ui.Page) templ.Component {
		return Changes(ChangesView{
			Page: inProduction(applicationPage(p, SectionAccess)), Form: audiencetest.Form(), Version: "v1", Name: "Shop", Fields: waitingOf(), Since: audiencetest.Now,
			Checks: checksOf(), MayWithdraw: true,
		})
	}},
	{Name: "changes-refused", Render: func(p ui.Page) templ.Component {
		return Changes(ChangesView{
			Page: inProduction(applicationPage(p, SectionAccess)), Form: audiencetest.Form(), Name: "Shop",
			Reason: "Your name looks like that of another shop.", DecidedAt: audiencetest.Now, Checks: checksOf(),
		})
	}},
	{Name: "review-stopped", Render: func(p ui.Page) templ.Component {
		v := reviewOf(p, ReviewRefused)
		v.Contact, v.MayStart, v.Reason = "", true, "It is no shop any more."
		return ReviewScreen(v)
	}},
}
