//go:build cgo && !race

package counts

// figures are what each operation takes. A change that costs changes them here, where who
// reads the change sees it; CONTRIBUTING.md says how. Beside each stands what it took in
// fc1aa5f, the first build with all endpoints, in the same program.
//
// A flow is authorization with a session and a consent, the exchange of the code with
// PKCE for an access, an ID and a refresh token, and userinfo. What is cold has been seen
// by no request of the last second.
var figures = []figure{
	// name, allocations, bytes, calls into C    // fc1aa5f
	{"flow", count{308, 34568, 52}},                // 460, 37968, 104
	{"flow, cold", count{601, 67976, 102}},         // 574, 48000, 129
	{"refresh", count{165, 19720, 25}},             // 190, 20240, 42
	{"introspection", count{16, 2312, 0}},          // 30, 3128, 0
	{"introspection, cold", count{128, 12952, 16}}, // 135, 10640, 16; a client has addresses of its own for starts and request objects
	{"userinfo", count{2, 736, 0}},                 // 8, 624, 0; what is kept of a request has its language
	{"userinfo, cold", count{201, 23920, 33}},      // 199, 16504, 33
	{"discovery", count{0, 0, 0}},                  // 3, 448, 0
	{"key set", count{0, 0, 0}},                    // 3, 448, 0
}
