// Package input reads the parameters of requests from forms and JSON objects, within
// bounds. It refuses input that two readers could understand in two ways, and knows nothing
// about the meaning of a parameter.
package input
