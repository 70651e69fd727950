// Package ratelimit limits how often somebody may guess, and says whose address that is.
//
// An attempt is counted in buckets of [storage.Attempts], each of which holds a burst
// of attempts and drains one at an interval:
//
//   - of the network address, against someone who tries one password on many
//     accounts. All addresses of an IPv6 network of 64 bits count as one, because
//     a single subscriber has as many; and all of one of 48 bits count together,
//     with ten times the limit, because some have that.
//   - of the account, against many machines that guess at one password. It
//     counts whether or not the account exists, so that it does not show which.
//   - of the device, when the browser has proved that this account has signed in
//     from it before. Such an attempt is counted there and not by address: whoever
//     fills the bucket of an account or of an address makes unknown browsers wait,
//     never the owner at a known device.
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
// A correct password or code is given back to the bucket of the address, so
// these bound mistakes: a campus behind one address signs in as it likes. A mail that was
// not sent is given back to its reader, and not to the address. The account
// of SendMail is the recipient, of EnterCode the code, of ClientAuth and Push the
// client.
//
// The clocks of machines that share a store must agree within a minute: a bucket that
// was filled by one that is further ahead counts as full once, and as empty to that
// one again.
//
// Names and addresses are not in the store: a bucket is an HMAC under the host's
// secret. A change of that secret starts all buckets anew.
package ratelimit
