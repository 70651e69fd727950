// Package person has what the staff does to people: the actions of the table whose target is a
// person, for the embedded accounts, or for users of the host as far as the functions of the
// host go. What cannot be done here is not in the book of actions, so that no page offers it.
package person
