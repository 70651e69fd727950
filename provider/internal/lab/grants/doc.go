// Package grants tests how clients authenticate and what they get for each grant, with clients that
// others wrote. All of it is tests.
package grants
