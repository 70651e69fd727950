// Package signed verifies what applications sign with keys of their own: assertions and
// request objects. What may be presented once is spent here, over all processes.
package signed
