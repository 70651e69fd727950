package ui

import "github.com/a-h/templ"

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
		Checks: checksOf(), MayAsk: true, Note: "Discounts for veterans and their families.",
	}
}

func reviewOf(p Page, r DeveloperReview) DeveloperReviewView {
	return DeveloperReviewView{
		DeveloperPage: developerPage(p), ReviewsURL: "/developer/review", Form: sampleForm, Version: "v1", Name: "Shop", ClientID: "test_c1", LogoURL: "sample/client.svg",
		Organization: "River Bikes", Contact: "hello@riverbikes.example", Kind: "web",
		RedirectURIs: []string{"https://riverbikes.example/callback", "https://www.riverbikes.example/callback"},
		Resources:    []string{"https://api.riverbikes.example/"},
		Scopes:       []string{"openid", "military"}, TermsURL: "https://riverbikes.example/terms", PolicyURL: "https://riverbikes.example/privacy",
		Review: r, Since: fixedNow, AskedBy: ada.Email,
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
			Waiting: []DeveloperReviewed{{"Shop", "River Bikes", "/developer/review/sandbox/c1", fixedNow, false}},
			Live: []DeveloperReviewed{
				{Name: "Museum", Organization: "Lovelace & Co", URL: "/developer/review/production/c2"},
				{Name: "Till", Organization: "River Bikes", URL: "/developer/review/production/c3", Stopped: true},
			},
		})
	}},
	{"developer-reviews-none", func(p Page) templ.Component {
		return DeveloperReviews(DeveloperReviewsView{DeveloperPage: developerPage(p), SearchURL: "/developer/review"})
	}},
	{"developer-review", func(p Page) templ.Component {
		v := reviewOf(p, ReviewAsked)
		v.Checks, v.MayApprove, v.Note = checksOf(), true, "Discounts for veterans."
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
		v.Scopes, v.TermsURL, v.MayStop = nil, "", true
		return DeveloperReviewScreen(v)
	}},
	{"developer-review-stopped", func(p Page) templ.Component {
		v := reviewOf(p, ReviewRefused)
		v.Contact, v.MayStart, v.Reason = "", true, "It is no shop any more."
		return DeveloperReviewScreen(v)
	}},
}
