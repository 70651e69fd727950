package authorization

import (
	"net/url"
	"slices"
	"strings"

	"github.com/bonafide-id/bonafide/provider/internal/diagnosis"
	"github.com/bonafide-id/bonafide/provider/internal/engine/input"
	"github.com/bonafide-id/bonafide/provider/internal/engine/protocol"
	"github.com/bonafide-id/bonafide/provider/internal/engine/registry"
)

// responseMode returns how the response to a request reaches the client, an error also
// when something else is wrong with the request: in the mode that it names, unless that
// would bring tokens into a query, or as its response type has it. A response type that
// asks for a token has the fragment, whatever else there is in it (OAuth 2.0 Multiple
// Response Type Encoding Practices section 5). A client of signed responses has no others.
func responseMode(c *registry.Client, form url.Values) (mode protocol.ResponseMode, signed bool) {
	byType := protocol.ModeQuery
	for _, value := range input.Values(strings.Join(form["response_type"], " ")) {
		if value == "token" || value == "id_token" {
			byType = protocol.ModeFragment
		}
	}
	if len(form["response_mode"]) != 1 {
		return byType, c.Profile.SignedMessages
	}
	named, signed := unsigned(c, form.Get("response_mode"))
	signed = signed || c.Profile.SignedMessages
	if !slices.Contains(protocol.ResponseModes, named) || named == protocol.ModeQuery {
		return byType, signed
	}
	return named, signed
}

// unsigned is ResponseMode.Unsigned for a client that may have signed responses, or may not.
func unsigned(c *registry.Client, named string) (mode protocol.ResponseMode, signed bool) {
	if !c.Dialect.SignedResponses {
		return protocol.ResponseMode(named), false
	}
	return protocol.ResponseMode(named).Unsigned()
}

// mayReturn reports whether a state reaches the client byte for byte. Browsers change line
// breaks and what is not UTF-8 in the fields of a form, and JSON what is not UTF-8.
func (r *Request) mayReturn(state string) bool {
	return r.Mode != protocol.ModeFormPost && !r.Signed || input.IsText(state)
}

// checkMode refuses a response mode that the request cannot have.
func (r *Request) checkMode(named string) error {
	mode, signed := unsigned(r.Client, named)
	refuse := func(why string) error {
		return protocol.Fail(protocol.UnsupportedResponseMode, why).Because(diagnosis.ResponseModeUnsupported, "response_mode", named)
	}
	switch {
	case r.Signed && !signed:
		return refuse("The responses to this application are signed: name the response_mode jwt.")
	case mode == "", mode == r.Mode:
		return nil
	case mode == protocol.ModeQuery:
		return refuse("Tokens are never sent in a query.")
	default:
		return refuse("This response_mode is unknown.")
	}
}
