package password

// Cheapen makes hashes of this process cheap until restore is called, for tests that sign in
// thousands of times. Only tests may call it, which a test of package provider checks. It
// must not run concurrently with a Hasher.
func Cheapen() (restore func()) {
	dear := current
	set := func(p params) { current, dummy.params = p, p }
	set(params{memory: 8, time: 1, lanes: 1})
	return func() { set(dear) }
}
