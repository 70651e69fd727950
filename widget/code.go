package widget

import (
	"fmt"
	"regexp"
	"strings"
)

// A code is a name of the provider's own for what pages call and listen to. The names of
// Bonafide go on working, so that no page breaks when a provider takes one.

var code = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9]{1,30}$`)

// isCode reports whether a text can be a code: letters and digits, and not the name that there is
// already.
func isCode(s string) bool { return code.MatchString(s) && !strings.EqualFold(s, "bonafide") }

// names is the statement that gives the functions of a script their other name, beside whatever
// a page has under it.
func (b Brand) names() []byte {
	if b.Code == "" {
		return nil
	}
	return fmt.Appendf(nil, "Object.assign(globalThis.%s??={},Bonafide);\n", b.Code)
}

// events is the statement that dispatches each event once more under its other name, to whoever
// the first one goes to and before that; either can be prevented. A second copy of the script
// finds that it is done.
func (b Brand) events() []byte {
	if b.Code == "" {
		return nil
	}
	return fmt.Appendf(nil, `if(!globalThis.%s?.signIn)for(const n of["ready","start","success","cancel","error"])`+
		`addEventListener("bonafide:"+n,e=>{e.composedPath()[0].dispatchEvent(new CustomEvent(%q+n,`+
		`{bubbles:true,composed:true,cancelable:true,detail:e.detail}))||e.preventDefault()},true);`+"\n", b.Code, strings.ToLower(b.Code)+":")
}
