// Package records is the room of the desk for the audit log: search, export, and what the
// staff looked at.
package records
