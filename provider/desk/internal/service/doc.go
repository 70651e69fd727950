// Package service is the room of the desk for the service itself: signing keys, health, who is
// told of changes, and what the audit log counts.
package service
