// Package exchange has attacks on token exchange (RFC 8693): by APIs on the users whose tokens they
// were given, and by others who have found one.
package exchange
