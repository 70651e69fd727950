// Package scale measures the desk of the staff beside a million people, ten thousand applications
// and ten million lines of the audit log, on both databases, while people sign in. All of it is
// tests. Without flags they fill a small database, and test that what measures works; with
//
//	go test ./provider/internal/lab/scale -count=1 -timeout 2h -v -args \
//		-people 1000000 -applications 10000 -lines 10000000 -time 60s
//
// as make benchdesk does, they report figures. No test fails for a figure: those of one run on one
// machine compare.
package scale
