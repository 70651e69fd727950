package reference

// Endpoint is one address that applications ask, or send a browser to.
type Endpoint struct {
	// ID is its name within the documents, in lowerCamelCase.
	ID    string
	Title string

	// Path is relative to the base URL.
	Path    string
	Methods []string

	// Aliases are other paths of the same, which Text names.
	Aliases []string

	// Standard says where it is defined.
	Standard string

	// Text is what it is for, a paragraph each.
	Text []string

	Auth    Auth
	Origins Origins

	// JSON marks a request whose parameters are the members of a JSON object, and whose
	// example has values of JSON.
	JSON bool

	Parameters []Parameter
	Answers    []Answer
	Errors     []Error

	// Example is a request that gets the first of Answers.
	Example []Pair
}

// Auth is how a request shows who sends it.
type Auth string

// The ways to show who sends a request.
const (
	NoAuth           Auth = ""
	ClientAuth       Auth = "client"       // credentials of the application; a public client names itself
	ConfidentialAuth Auth = "confidential" // credentials of the application, with a secret
	BearerAuth       Auth = "bearer"       // an access token
	RegistrationAuth Auth = "registration" // a token for registrations
)

// Origins says which web pages may read an answer by a script (CORS).
type Origins string

// Whose scripts may read an answer.
const (
	NoOrigin          Origins = "none"
	RegisteredOrigins Origins = "those that the application has registered"
	EveryOrigin       Origins = "all"
)

// Pair is a parameter of an example. A value in braces stands for what the application
// has at hand, such as {code}.
type Pair struct{ Name, Value string }

// Parameter is what a request may send: in the query by GET, in a form by POST.
type Parameter struct {
	Name string

	// Needed says when it must be sent: Always, or a condition; empty for never.
	Needed  string
	Meaning string

	// Values are the only ones that are accepted; empty for any.
	Values []string

	// List marks several values, separated by spaces.
	List bool

	// Strings marks a list of strings, Integer a whole number and Object an object, in JSON.
	Strings, Integer, Object bool

	// Header marks one that is sent as a header, Path one that is within the path.
	Header, Path bool
}

// Always needed is a parameter without which the request is refused.
const Always = "yes"

// Answer is one that is no error.
type Answer struct {
	Status int

	// Type is the media type; empty for no body.
	Type string

	// Payload is the name of the payload in the body, or empty.
	Payload string

	// When says which request gets it.
	When string
}

// Audience says which applications an error is for.
type Audience string

// The audiences of errors.
const (
	Everyone          Audience = ""
	InV3              Audience = "dialect `v3`"
	InStandard        Audience = "dialect `standard`"
	ForPublic         Audience = "public clients"
	WithoutRefresh    Audience = "applications without the grant `refresh_token`"
	RequiringVerified Audience = "applications that require a verified group"
	InSandbox         Audience = "the sandbox"
	WithCodeOnly      Audience = "applications with the response type `code` only"
)

// Error is an error response of the protocol.
type Error struct {
	// Status is 0 for one that reaches the redirect URI.
	Status int

	// Code is the value of error, and Text that of error_description.
	Code, Text string

	// Remedy is what the application does about it.
	Remedy string

	For Audience

	// Example is how the example of the endpoint is changed to get it. None when no
	// request alone can bring it about.
	Example []Change

	// Refresh marks the example as one of the grant refresh_token, Itself as one of
	// client_credentials, and SignedIn as one of a browser in which somebody is signed
	// in.
	Refresh, Itself, SignedIn bool
}

// PageError is an error page of the provider.
type PageError struct {
	Status  int
	Heading string
	Cause   string

	// Example is how the example of the authorization endpoint is changed to get it.
	Example []Change
}

// Limit is a bound.
type Limit struct{ What, Bound string }

// Difference is one between the dialects.
type Difference struct{ What, Standard, V3 string }

// endpoint returns the endpoint with this ID.
func (d *Document) endpoint(id string) Endpoint {
	for _, e := range d.Endpoints {
		if e.ID == id {
			return e
		}
	}
	return Endpoint{}
}

// errorsOf returns the errors of an endpoint with those that are everywhere, but for the
// ones that reach the redirect URI.
func (d *Document) errorsOf(e Endpoint) []Error {
	if !e.isForPrograms() {
		return nil
	}
	return append(append([]Error{}, e.Errors...), d.Everywhere...)
}

// isForPrograms reports whether the endpoint answers with JSON.
func (e Endpoint) isForPrograms() bool {
	return len(e.Answers) > 0 && e.Answers[0].Type == mediaJSON || e.Auth != NoAuth
}

const (
	mediaJSON = "application/json"
	mediaJWT  = "application/jwt"
	mediaHTML = "text/html"
	mediaJS   = "text/javascript"
)
