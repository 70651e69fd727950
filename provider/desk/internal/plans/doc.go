// Package plans is what takes two at the desk. A plan is an action on a frozen list of targets
// with their revisions: one proposes it after a dry run, another operator approves exactly what
// was shown, and the background work carries it out target by target, each once, until it is done
// or stopped. What one does alone in place of that is a break: it is told at once, and waits until
// another has signed it off.
package plans
