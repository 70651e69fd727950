package password

// Cheapen makes hashes of this process cheap until restore is called, for tests that sign in
// thousands of times. Only tests and package providertest may call it, which a test of package
// provider checks. It must not run concurrently with a Hasher.
func Cheapen() (restore func()) {
	dear, dearLight := current, light
	set := func(p, l params) { current, dummy.params, light = p, p, l }
	cheap := params{memory: 8, time: 1, lanes: 1}
	set(cheap, cheap)
	return func() { set(dear, dearLight) }
}
