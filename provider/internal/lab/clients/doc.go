// Package clients signs in with clients that others wrote, as programs or libraries, on a
// fresh installation with the default catalogue. All that a client is told is the issuer
// and its registration. Its tests are the package, in a module of their own.
package clients
