package sampleclient

import (
	"errors"
	"log/slog"
	"net/http"
)

// problem is what went wrong, in words for the visitor, and what developers call it.
type problem struct {
	status            int
	Headline, Text    string
	Code, Description string
}

func (p *problem) Error() string { return p.Headline }

var (
	problemUnasked = &problem{
		status: http.StatusBadRequest, Headline: "This sign-in did not begin here",
		Text: "It took too long, was finished already, or was started in another browser. Please begin again.",
	}
	problemIssuer = &problem{
		status: http.StatusBadRequest, Headline: "Another service answered",
		Text: "The answer did not come from the service that you chose, so it was thrown away. Please begin again.",
	}
	problemNonce = &problem{
		status: http.StatusBadGateway, Headline: "This answer belongs to another sign-in",
		Text: "The ID token was not made for this sign-in, so it was thrown away. Please begin again.",
	}
)

// words tell what the codes of RFC 6749 section 4.1.2.1 and OpenID Connect Core
// section 3.1.2.6 and of its extensions mean to a visitor.
var words = map[string][2]string{
	"access_denied":                     {"You have not been signed in", "You chose not to share, or a required status is not verified. Nothing was passed on."},
	"login_required":                    {"Nobody is signed in", "The request asked not to show a sign-in screen, and there is no session. Begin again without prompt=none."},
	"consent_required":                  {"You have not allowed this yet", "The request asked not to show a consent screen. Begin again without prompt=none."},
	"interaction_required":              {"The service has to ask you something", "The request asked to show no screen. Begin again without prompt=none."},
	"account_selection_required":        {"The service has to ask which account", "The request asked to show no screen. Begin again without prompt=none."},
	"unmet_authentication_requirements": {"This sign-in is not enough", "The shop wants more than you can show now. Begin again, or take any sign-in."},
	"invalid_scope":                     {"The service does not know this scope", "Choose another one on the start page."},
	"invalid_grant":                     {"The code is no longer good", "It was used already or took too long. Please begin again."},
	"temporarily_unavailable":           {"The service is busy", "Please try again in a moment."},
	"server_error":                      {"The service failed", "Please try again in a moment."},
}

// refused returns the problem for an error that the provider reports.
func refused(code, description string) *problem {
	p := &problem{
		status: http.StatusOK, Headline: "The service refused",
		Text: "It gave the reason below. Please begin again.", Code: code, Description: description,
	}
	if w, ok := words[code]; ok {
		p.Headline, p.Text = w[0], w[1]
	}
	return p
}

// asProblem returns what to tell the visitor about an error. What only developers
// understand is logged.
func asProblem(err error) *problem {
	var p *problem
	if errors.As(err, &p) {
		return p
	}
	slog.Error("sample client: sign-in failed", slog.Any("error", err))
	return &problem{
		status: http.StatusBadGateway, Headline: "The service could not be understood",
		Text: "It may be down, or gave an answer that could not be verified. The log of this site says more.",
	}
}
