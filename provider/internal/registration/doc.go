// Package registration reads the metadata with which a program registers an application that
// somebody answers for (RFC 7591 section 2, OpenID Connect Registration section 2), and writes
// what is registered. It compares the names and the hosts of applications, too. It is pure: what
// the application may have is decided by who lets it in.
package registration
