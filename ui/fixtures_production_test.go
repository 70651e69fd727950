package ui

import (
	"time"

	"github.com/a-h/templ"
)

func checksOf(met ...bool) []DeveloperCheck {
	checks := []DeveloperCheck{
		{CheckLogo, true, "/developer/branding"}, {CheckRedirects, true, "/developer/settings"},
		{CheckTerms, true, "/developer/settings"}, {CheckPolicy, true, "/developer/settings"}, {CheckContact, true, "/developer/o/1/settings"},
	}
	for i := range met {
		checks[i].Met = met[i]
	}
	return checks
}

func accessOf(p Page, r DeveloperReview) DeveloperAccessView {
	return DeveloperAccessView{
		DeveloperPage: applicationPage(p, SectionAccess), Form: sampleForm, Version: "v1", Name: "Shop", Review: r, Since: fixedNow,
		Checks: checksOf(), LeftBehind: []string{"http://localhost:3000/callback"}, MayAsk: true, Note: "Discounts for veterans and their families.",
	}
}

func reviewOf(p Page, r DeveloperReview) DeveloperReviewView {
	return DeveloperReviewView{
		DeveloperPage: developerPage(p), ReviewsURL: "/developer/review", Form: sampleForm, Version: "v1", Name: "Shop", ClientID: "test_c1", LogoURL: "sample/client.svg",
		Organization: "River Bikes", Contact: "hello@riverbikes.example", Kind: "web",
		Fields: []DeveloperReviewedField{
			{Name: FieldName, Values: []string{"Shop"}},
			{Name: FieldPolicyURL, Values: []string{"https://riverbikes.example/privacy"}},
			{Name: FieldTermsURL, Values: []string{"https://riverbikes.example/terms"}},
			{Name: FieldRedirectURIs, Values: []string{"https://riverbikes.example/callback", "https://www.riverbikes.example/callback"}},
			{Name: FieldScopes, Values: []string{"openid", "military"}},
			{Name: FieldResponseTypes, Values: []string{"code"}},
			{Name: FieldResources, Values: []string{"https://api.riverbikes.example/"}},
		},
		Pictures: []DeveloperReviewedPicture{{Field: FieldLogo, URL: "sample/client.svg"}, {Field: FieldWordmarkDark, URL: "sample/client.svg"}},
		Review:   r, AskedBy: ada.Email,
	}
}

func waitingOf() []DeveloperChangedField {
	return []DeveloperChangedField{
		{Name: FieldName, Before: "Shop", After: "Shop & More"},
		{Name: FieldRedirectURIs, Added: []string{"https://shop.example/callback"}},
		{Name: FieldLogo},
	}
}

var productionFixtures = []fixture{
	{"developer-access", func(p Page) templ.Component {
		return DeveloperAccess(accessOf(p, ReviewNone))
	}},
	{"developer-access-incomplete", func(p Page) templ.Component {
		v := accessOf(p, ReviewNone)
		v.Checks = checksOf(false, true, false)
		v.Form = with(Problem{Code: ChecksUnmet})
		return DeveloperAccess(v)
	}},
	{"developer-access-asked", func(p Page) templ.Component {
		v := accessOf(p, ReviewAsked)
		v.Notice = DeveloperAsked
		return DeveloperAccess(v)
	}},
	{"developer-access-refused", func(p Page) templ.Component {
		v := accessOf(p, ReviewRefused)
		v.Reason = "Your terms of use are not there: the page is empty."
		return DeveloperAccess(v)
	}},
	{"developer-access-approved", func(p Page) templ.Component {
		v := accessOf(p, ReviewApproved)
		v.LiveURL = "/developer/o/1/production/c1"
		return DeveloperAccess(v)
	}},
	{"developer-access-stopped", func(p Page) templ.Component {
		v := accessOf(p, ReviewRefused)
		v.DeveloperPage = inProduction(v.DeveloperPage)
		v.Stopped, v.Reason = true, "It is no shop any more."
		return DeveloperAccess(v)
	}},
	{"developer-access-unfinished", func(p Page) templ.Component {
		return DeveloperAccess(accessOf(p, ReviewApproved))
	}},
	{"developer-reviews", func(p Page) templ.Component {
		return DeveloperReviews(DeveloperReviewsView{
			DeveloperPage: developerPage(p), SearchURL: "/developer/review", LiveMoreURL: "?after=c3",
			Ownerless: []DeveloperOwnerless{{Name: "Lovelace & Co", URL: "/developer/review/organization/2", Members: 3, Applications: 12}}, OwnerlessMoreURL: "?ownerless_after=2",
			Waiting: []DeveloperReviewed{{Name: "Shop", Organization: "River Bikes", URL: "/developer/review/sandbox/c1", LogoURL: "sample/client.svg", Since: fixedNow}, {Name: "Till", Organization: "River Bikes", URL: "/developer/review/production/c3", Since: fixedNow, Changes: true}},
			Live: []DeveloperReviewed{
				{Name: "Museum", Organization: "Lovelace & Co", URL: "/developer/review/production/c2"},
				{Name: "Till", Organization: "River Bikes", URL: "/developer/review/production/c3", Stopped: true},
			},
		})
	}},
	{"developer-reviews-none", func(p Page) templ.Component {
		return DeveloperReviews(DeveloperReviewsView{DeveloperPage: developerPage(p), SearchURL: "/developer/review"})
	}},
	{"developer-appoint", func(p Page) templ.Component {
		return DeveloperAppoint(DeveloperAppointView{
			DeveloperPage: developerPage(p), Form: with(Problem{Code: OwnerNeedsEmail}), ReviewsURL: "/developer/review", Name: "Lovelace & Co", Contact: "hello@lovelace.example", Ownerless: true,
			Members:     []DeveloperMember{{"u2", Account{Name: "Grace Hopper", Email: "grace@example.com"}, DeveloperDeveloper, fixedNow.Add(-2 * 24 * time.Hour), false}},
			Invitations: []DeveloperInvitation{{"i1", "grace@example.com", ada.Email, DeveloperOwner, fixedNow.Add(5 * 24 * time.Hour)}},
			Live:        []DeveloperReviewed{{Name: "Museum", Organization: "Lovelace & Co", URL: "/developer/review/production/c2"}},
		})
	}},
	{"developer-appoint-link", func(p Page) templ.Component {
		return DeveloperAppoint(DeveloperAppointView{
			DeveloperPage: developerPage(p), Form: sampleForm, ReviewsURL: "/developer/review", Name: "Lovelace & Co", Ownerless: true,
			Link: "https://id.example/developer/join/XK3", LinkFor: "grace@example.com",
		})
	}},
	{"developer-suspend", func(p Page) templ.Component {
		return DeveloperAppoint(DeveloperAppointView{
			DeveloperPage: developerPage(p), Form: with(Problem{Code: ReasonMissing}), ReviewsURL: "/developer/review", Name: "River Bikes", Contact: "hello@river.example",
			Live: []DeveloperReviewed{{Name: "Till", Organization: "River Bikes", URL: "/developer/review/production/c3"}},
		})
	}},
	{"developer-suspended", func(p Page) templ.Component {
		return DeveloperAppoint(DeveloperAppointView{
			DeveloperPage: developerPage(p), Form: sampleForm, ReviewsURL: "/developer/review", Name: "River Bikes", Version: "7", Left: 2,
			Suspended: &DeveloperSuspension{Since: fixedNow, Reason: "Its applications pass for those of a bank."}, SuspendedBy: ada.Email,
		})
	}},
	{"developer-suspended-own", func(p Page) templ.Component {
		return DeveloperAppoint(DeveloperAppointView{
			DeveloperPage: developerPage(p), Form: sampleForm, ReviewsURL: "/developer/review", Name: "River Bikes", Version: "7", Own: true,
			Suspended: &DeveloperSuspension{Since: fixedNow, Reason: "Its applications pass for those of a bank."}, SuspendedBy: ada.Email,
		})
	}},
	{"developer-reviews-found", func(p Page) templ.Component {
		return DeveloperReviews(DeveloperReviewsView{
			DeveloperPage: developerPage(p), SearchURL: "/developer/review", Search: "river",
			Found: []DeveloperFound{{Name: "River Bikes", URL: "/developer/review/organization/1", Suspended: true}, {Name: "Upriver", URL: "/developer/review/organization/3"}}, FoundMoreURL: "?found_after=3",
			Suspended: []DeveloperFound{{Name: "River Bikes", URL: "/developer/review/organization/1", Suspended: true}}, SuspendedMoreURL: "?suspended_after=1",
		})
	}},
	{"developer-review", func(p Page) templ.Component {
		v := reviewOf(p, ReviewAsked)
		v.Checks, v.MayApprove, v.MayRefuse, v.Note = checksOf(), true, true, "Discounts for veterans."
		v.NameOfBrand, v.NameTaken = true, []DeveloperReviewed{{Name: "Sh0p", Organization: "Lovelace & Co", URL: "/developer/review/production/c2"}}
		v.Form = with(Problem{Code: ReasonMissing})
		return DeveloperReviewScreen(v)
	}},
	{"developer-review-unfinished", func(p Page) templ.Component {
		v := reviewOf(p, ReviewApproved)
		v.MayFinish = true
		return DeveloperReviewScreen(v)
	}},
	{"developer-review-live", func(p Page) templ.Component {
		v := reviewOf(p, ReviewApproved)
		v.Live, v.MayStop = true, true
		return DeveloperReviewScreen(v)
	}},
	{"developer-review-changes", func(p Page) templ.Component {
		v := reviewOf(p, ReviewAsked)
		v.Live, v.Compared, v.Checks, v.MayApprove, v.MayRefuse, v.MayStop = true, true, checksOf(), true, true, true
		v.Waiting = waitingOf()
		v.Fields[0] = DeveloperReviewedField{Name: FieldName, Values: []string{"Shop & More"}, Changed: true, Since: v.Waiting[0]}
		v.Fields[3] = DeveloperReviewedField{
			Name: FieldRedirectURIs, Values: []string{"https://riverbikes.example/callback", "https://shop.example/callback"}, Changed: true,
			Since: DeveloperChangedField{Added: []string{"https://shop.example/callback"}, Removed: []string{"https://old.riverbikes.example/callback"}},
		}
		v.Pictures[0].Changed, v.Pictures[0].ApprovedURL = true, "sample/brand.svg"
		v.Pictures = append(v.Pictures, DeveloperReviewedPicture{Field: FieldLogoDark, Changed: true})
		return DeveloperReviewScreen(v)
	}},
	{"developer-review-own", func(p Page) templ.Component {
		v := reviewOf(p, ReviewAsked)
		v.Own = true
		return DeveloperReviewScreen(v)
	}},
	{"developer-review-changes-unfinished", func(p Page) templ.Component {
		v := reviewOf(p, ReviewApproved)
		v.Live, v.MayFinish = true, true
		return DeveloperReviewScreen(v)
	}},
	{"developer-changes", func(p Page) templ.Component {
		return DeveloperChanges(DeveloperChangesView{
			DeveloperPage: inProduction(applicationPage(p, SectionAccess)), Form: sampleForm, Version: "v1", Name: "Shop", Fields: waitingOf(), Since: fixedNow,
			Checks: checksOf(), MayWithdraw: true,
		})
	}},
	{"developer-changes-refused", func(p Page) templ.Component {
		return DeveloperChanges(DeveloperChangesView{
			DeveloperPage: inProduction(applicationPage(p, SectionAccess)), Form: sampleForm, Name: "Shop",
			Reason: "Your name looks like that of another shop.", DecidedAt: fixedNow, Checks: checksOf(),
		})
	}},
	{"developer-review-stopped", func(p Page) templ.Component {
		v := reviewOf(p, ReviewRefused)
		v.Contact, v.MayStart, v.Reason = "", true, "It is no shop any more."
		return DeveloperReviewScreen(v)
	}},
}
