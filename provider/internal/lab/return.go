package lab

import "regexp"

// ReturnLink matches the link in a mail that takes a change of address back.
var ReturnLink = regexp.MustCompile(`http\S+/email/return\?\S+`)
