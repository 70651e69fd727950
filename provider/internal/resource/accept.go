package resource

import (
	"mime"
	"net/http"
	"strconv"
	"strings"
)

const (
	mediaJSON = "application/json"
	mediaJWT  = "application/jwt"
)

// prefersJWT reports whether a request names application/jwt and prefers no JSON to it
// (RFC 9110 section 12.5.1). What takes anything has not asked for it.
func prefersJWT(r *http.Request) bool {
	weights := map[string]float64{}
	for _, header := range r.Header.Values("Accept") {
		for item := range strings.SplitSeq(header, ",") {
			mediaType, parameters, err := mime.ParseMediaType(item)
			if err != nil {
				continue
			}
			weight := 1.0
			if q, ok := parameters["q"]; ok {
				if weight, err = strconv.ParseFloat(q, 64); err != nil {
					continue
				}
			}
			weights[mediaType] = max(weights[mediaType], weight)
		}
	}
	return weights[mediaJWT] > 0 && weights[mediaJWT] >= weights[mediaJSON]
}
