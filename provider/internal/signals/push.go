package signals

import (
	"encoding/json"
	"net/http"
)

// mediaSET is the media type of a SET that is pushed (RFC 8935 section 2).
const mediaSET = "application/secevent+jwt"

// refused reports whether a receiver says that it will never take a SET (RFC 8935 section 2.3): the same
// one is refused again, so that another attempt is of no use. An answer of another form is judged by
// its status, as that of a webhook.
func refused(status int, body []byte) bool {
	var said pollError
	return status == http.StatusBadRequest && json.Unmarshal(body, &said) == nil && said.Code != ""
}
