// Package throttle limits how often someone may guess, and finds out who that is.
//
// An attempt is counted in up to three buckets of [storage.Attempts], each of which
// holds a burst of attempts and gains one more at an interval:
//
//   - one of the network address, against someone who tries one password on many
//     accounts. All addresses of an IPv6 network of 64 bits count as one, because
//     a single subscriber has as many.
//   - one of the account, against many machines that guess at one password. It
//     counts whether or not the account exists, so that it does not tell.
//   - one of the device, when the browser has proved that this account has signed in
//     from it before. Such an attempt is counted there and nowhere else: whoever
//     uses up the bucket of an account or of an address makes strangers wait, never
//     the owner at a known device.
//
// What is limited to how much:
//
//	action      account          device           address           account at address
//	SignIn      10, 1 a minute   10, 2 a minute   50, 20 a minute
//	SignUp                                        10, 1 in 2 min
//	SendMail    5, 1 in 10 min                    20, 1 a minute
//	EnterCode   5, 1 a day                        30, 6 a minute
//	ClientAuth                                                      20, 20 a minute
//
// Names and addresses are not in the store: a bucket is an HMAC under the host's
// secret. A change of that secret starts all buckets anew.
package throttle
