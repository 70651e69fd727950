package reference

// streams are there where the provider transmits Shared Signals.
func streams() []Endpoint {
	token := Parameter{Name: "Authorization", Header: true, Needed: Always, Meaning: "`Bearer` and an access token of the application itself, with the scope `ssf.read`, or `ssf.manage` for what changes something."}
	stream := Parameter{Name: "stream_id", Needed: Always, Meaning: "The stream."}
	sent, named := Pair{"Authorization", "Bearer {access_token_of_itself}"}, Pair{"stream_id", `"ssf_receiver"`}
	return []Endpoint{
		{
			ID: "stream", Title: "Stream configuration endpoint", Path: "/ssf/stream", Methods: []string{"POST", "GET", "PATCH", "PUT", "DELETE"}, JSON: true,
			Standard: "OpenID Shared Signals Framework 1.0 section 8.1.1",
			Text: []string{
				"`POST` makes the one stream of the application, which then gets events about its users. `GET` reads it with `stream_id` in the query, or lists it without; `DELETE` removes that one. `PATCH` changes members, and `PUT` replaces all that are the application's to say: both send `stream_id` beside them.",
				"The metadata of the transmitter, which libraries find by the issuer, name these endpoints (section 7).",
			},
			Auth: BearerAuth, Origins: NoOrigin,
			Parameters: []Parameter{
				token,
				{Name: "delivery", Object: true, Meaning: "An object with `method`: `urn:ietf:rfc:8935` for a push to `endpoint_url`, with `authorization_header` if you like; `urn:ietf:rfc:8936` for a poll, which is the default."},
				{Name: "events_requested", Strings: true, Meaning: "The types of events."},
				{Name: "description", Meaning: "A text of your own."},
			},
			Answers: []Answer{
				{201, mediaJSON, "", "by `POST`: the configuration, with `stream_id` and `events_delivered`"},
				{200, mediaJSON, "", "by `GET`, `PATCH` and `PUT`"}, {204, "", "", "by `DELETE`"},
			},
			Errors: append(receiverErrors(), noStream(), malformedMembers(),
				Error{Status: 400, Code: "invalid_request", Text: "The parameter stream_id is missing.", Remedy: "`DELETE` names the stream in the query.", Example: []Change{method("DELETE")}},
				Error{Status: 400, Code: "invalid_request", Text: "The address names no stream, or several.", Remedy: "Name it once in the query.", Example: []Change{method("DELETE"), query("stream_id", "a&stream_id=b")}},
				Error{Status: 409, Code: "invalid_request", Text: "The application has a stream.", Remedy: "Read it, and change that."},
				Error{Status: 403, Code: "access_denied", Text: "The operator of this service has to agree to the host of endpoint_url first. Try again later, or poll.", Remedy: "Where applications are reviewed: or use the host of a redirect URI."},
				stoppedStream(), racedStream(), largeStream(),
			),
			Example: []Pair{sent, {"delivery", `{"method": "urn:ietf:rfc:8936"}`}},
		},
		{
			ID: "streamStatus", Title: "Stream status endpoint", Path: "/ssf/status", Methods: []string{"POST", "GET"},
			Standard: "OpenID Shared Signals Framework 1.0 section 8.1.2",
			Text:     []string{"`POST` says whether events are sent, and `GET` reads that, with `stream_id` in the query."},
			Auth:     BearerAuth, Origins: NoOrigin, JSON: true,
			Parameters: []Parameter{
				token, stream,
				{Name: "status", Needed: "by `POST`", Values: []string{"enabled", "paused", "disabled"}, Meaning: "Whether events are sent, wait, or are dropped."},
				{Name: "reason", Meaning: "A text of your own."},
			},
			Answers: []Answer{{200, mediaJSON, "", "`stream_id`, `status` and `reason`"}},
			Errors: append(receiverErrors(), noStream(), malformedMembers(),
				Error{Status: 400, Code: "invalid_request", Text: "The parameter stream_id is missing.", Remedy: "`GET` names the stream in the query.", Example: []Change{method("GET"), without("stream_id")}},
				Error{Status: 400, Code: "invalid_request", Text: "The address names no stream, or several.", Remedy: "Name it once.", Example: []Change{method("GET"), query("stream_id", "x")}},
				stoppedStream(), racedStream(), largeStream(),
			),
			Example: []Pair{sent, named, {"status", `"enabled"`}},
		},
		{
			ID: "streamVerification", Title: "Stream verification endpoint", Path: "/ssf/verify", Methods: []string{"POST"}, JSON: true,
			Standard: "OpenID Shared Signals Framework 1.0 section 8.1.4",
			Text:     []string{"Has a verification event sent, so that you see whether the stream works."},
			Auth:     BearerAuth, Origins: NoOrigin,
			Parameters: []Parameter{token, stream, {Name: "state", Meaning: "Comes back in the event; 1 KiB at most."}},
			Answers:    []Answer{{204, "", "", ""}},
			Errors: append(receiverErrors(), noStream(), malformedMembers(),
				Error{Status: 400, Code: "invalid_request", Text: "The stream is disabled.", Remedy: "Enable it at the stream status endpoint."},
				Error{Status: 429, Code: "invalid_request", Text: "A verification was asked for a moment ago.", Remedy: "Wait for `Retry-After`."},
				racedStream(), largeStream(),
			),
			Example: []Pair{sent, named},
		},
		{
			ID: "streamPoll", Title: "Poll endpoint of a stream", Path: "/ssf/poll", Methods: []string{"POST"}, JSON: true,
			Standard: "RFC 8936 section 2",
			Text:     []string{"Gets what waits in the stream of the application, each a signed JWT by its ID, and takes what you acknowledge."},
			Auth:     BearerAuth, Origins: NoOrigin,
			Parameters: []Parameter{
				token,
				{Name: "ack", Strings: true, Meaning: "The IDs of what has arrived: it is not sent again."},
				{Name: "setErrs", Object: true, Meaning: "By the ID of what you refuse, an object with `err` and `description`."},
				{Name: "maxEvents", Integer: true, Meaning: "How many at most; with `0` you only acknowledge."},
			},
			Answers: []Answer{{200, mediaJSON, "", "`sets`, by their IDs, and `moreAvailable`"}},
			Errors:  append(receiverErrors(), noStream(), malformedMembers(), largeStream()),
			Example: []Pair{sent, {"maxEvents", "10"}},
		},
	}
}

// receiverErrors are those of an application that shows no access token of its own.
func receiverErrors() []Error {
	return []Error{
		{Status: 401, Code: "invalid_request", Text: "A bearer token is missing.", Remedy: "Send one. The header `WWW-Authenticate` names no error then.", Example: []Change{header("")}},
		{Status: 401, Code: "invalid_token", Text: "The access token is unknown, expired or revoked.", Remedy: "Ask for another one.", Example: []Change{header("Bearer nonsense")}},
		{Status: 401, Code: "invalid_token", Text: "The access token is of a user, or for another API.", Remedy: "Ask with `client_credentials`, without `resource`.", Example: []Change{header("Bearer {access_token}")}},
		{Status: 403, Code: "insufficient_scope", Text: "The access token lacks the scope …", Remedy: "Ask for `ssf.read` to read, and for `ssf.manage` to change."},
		{Status: 429, Code: "invalid_request", Text: "Too many requests. Please wait.", Remedy: "Wait for `Retry-After`."},
	}
}

func noStream() Error {
	return Error{Status: 404, Code: "invalid_request", Text: "There is no such stream.", Remedy: "It is not there, not yours, or not for this method."}
}

func stoppedStream() Error {
	return Error{Status: 403, Code: "access_denied", Text: "The operator of this service has switched the stream off.", Remedy: "Ask them."}
}

func malformedMembers() Error {
	return Error{Status: 400, Code: "invalid_request", Text: "In the request …", Remedy: "The description names the member, and what is wrong with it."}
}

func racedStream() Error {
	return Error{Status: 409, Code: "invalid_request", Text: "The stream was changed meanwhile.", Remedy: "Read it, and change that."}
}

func largeStream() Error {
	return Error{Status: 413, Code: "invalid_request", Text: "The body is too large.", Remedy: "64 KiB at most."}
}
