package password

// Cheapen makes every hash of this process cost next to nothing until restore is
// called: the tests of packages above this one sign in some thousand times. Nothing but
// a test may call it, and a test of package provider sees to that. It is not safe beside
// hashing.
func Cheapen() (restore func()) {
	dear := current
	set := func(p params) { current, dummy.params = p, p }
	set(params{memory: 8, time: 1, lanes: 1})
	return func() { set(dear) }
}
