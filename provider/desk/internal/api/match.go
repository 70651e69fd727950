package api

import "strings"

// etag is the entity tag of a revision of what an address shows. What it is made of nobody
// learns: it is part of what factors are bound to.
func (c *call) etag(revision string) string {
	return `"` + c.api.Provider.Rooms().Keys.Pseudonym("desk revision", c.target()+"\x00"+revision) + `"`
}

// target is the path of what an act is done to: what shows it and each of its acts have the same
// entity tag for one revision.
func (c *call) target() string {
	parts := strings.SplitN(strings.TrimPrefix(c.below(), "/"), "/", 3)
	if len(parts) > 2 {
		parts = parts[:2]
	}
	return strings.Join(parts, "/")
}

// ifMatch returns the entity tag that an act rests on.
func (c *call) ifMatch() (string, error) {
	values := c.Header.Values("If-Match")
	if len(values) == 0 {
		return "", fail(kindNoRevision, "")
	}
	tag := values[0]
	if len(values) > 1 || len(tag) < 3 || tag[0] != '"' || tag[len(tag)-1] != '"' || strings.Contains(tag[1:len(tag)-1], `"`) {
		return "", fail(kindRequest, `Send one header If-Match with one entity tag as it came in ETag: "0123".`)
	}
	return tag, nil
}
