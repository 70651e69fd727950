// Package applications is the room of the desk for applications, the organizations that
// answer for them, and the hosts of those that nobody has registered: lists, pages, and what an
// operator does to them. What a decision does is
// the dashboard's; an application that only the provider knows has a registration and nobody
// who answers for it.
package applications
