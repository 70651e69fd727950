// Package scale measures the desk of the staff beside a million people, ten thousand applications
// and ten million lines of the audit log, on both databases, while people sign in. All of it is
// tests. Without flags they fill a small database, and test that what measures works; with
//
//	go test ./provider/internal/lab/scale -count=1 -timeout 2h -v -args \
//		-people 1000000 -applications 10000 -lines 10000000 -time 60s
//
// as make benchdesk does, they report figures. With -dir both databases are kept, so that they are
// filled once and measured again in a quiet hour: TestFill alone fills them. Each run adds lines,
// of which it closes the blocks, and somebody whom it deletes. No test fails for a figure: those of
// one run on one machine compare, and the load of that machine is logged beside them.
package scale
