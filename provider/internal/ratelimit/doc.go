// Package ratelimit limits attempts per account, device and network address, and finds the
// address of a client behind proxies.
//
// An attempt counts in buckets of [storage.Attempts]. A bucket holds a burst of attempts
// and drains one per interval:
//
//   - of the network address, against one password tried on many accounts. The
//     addresses of an IPv6 network of 64 bits count as one, because one subscriber has
//     them all; those of a network of 48 bits also count together, with ten times the
//     limit.
//   - of the account, against many machines that guess one password. An attempt counts
//     whether or not the account exists, so that the limit does not reveal it.
//   - of the device, if this account has signed in from this browser before. Such an
//     attempt counts there only: an attacker who fills the bucket of an account or an
//     address delays unknown browsers, never the owner on a known device.
//
// The default limits (the host may set those of addresses, and that of SignIn for an
// account):
//
//	action      account          device           address           account at address
//	SignIn      10, 1 a minute   10, 2 a minute   100, 20 a minute
//	SignUp                                        100, 2 a minute
//	SendMail    4, 1 in 90 min   4, 1 in 90 min   200, 4 a minute
//	EnterCode   5, 1 a day       as account       100, 6 a minute
//	ClientAuth                                                      20, 20 a minute
//	Push                                                            120, 120 a minute
//
// A correct password or code is given back to the bucket of the address, which so limits
// mistakes: a campus behind one address signs in without limit. A mail that was not sent
// is given back to the recipient, and not to the address. The account of SendMail is the
// recipient, of EnterCode the code, of ClientAuth and Push the client.
//
// The clocks of machines that share a store must agree within a minute: after an attempt
// by a clock that is ahead, a bucket counts as full once for the others.
//
// The store has no names and addresses: the key of a bucket is an HMAC under the host's
// secret. A new secret empties all buckets.
package ratelimit
