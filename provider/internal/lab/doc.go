// Package lab starts a provider for tests that speak HTTP with it: a real server on a
// real SQLite file with a clock that tests move (New, Fixture), browsers that visit it
// (Browser, Page), and what stands beside it: mailboxes, applications, hosts, stores
// that fail. Only tests import it: it makes passwords cheap.
//
// The tests are the packages below: attacks/pages, attacks/tokens and attacks/desk hold one test
// for each attack; accounts, flows and grants hold what users and clients see; operations holds
// what operators do. Tests that share a helper share a package; a helper that two packages use is
// here.
package lab
