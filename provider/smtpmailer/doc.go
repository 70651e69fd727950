// Package smtpmailer is a provider.Mailer that delivers mails to an SMTP server (RFC
// 5321), as every mail service and every mail host offers one:
//
//	mailer, err := smtpmailer.New(smtpmailer.Config{
//		Host:     "smtp.example.com",
//		Username: "id@example.com",
//		Password: password,
//		From:     "Example ID <id@example.com>",
//	})
//
// # What is sent where
//
// The server is asked for its certificate before it gets a password or a mail, and
// both go over TLS: a server that does not offer STARTTLS, or whose offer somebody on
// the way has taken out, gets neither. Only InsecureNoTLS, for a server on the same
// machine, does without, and then without a password.
//
// # No queue
//
// Send makes a connection for each mail and returns once the server has taken the mail
// over (RFC 5321 section 6.1). Nothing waits in memory: a mail that waited would be
// lost when the process ends, though the page asks the user to look into the
// mailbox. The queue that survives a restart, and tries again for days, is the
// server's. Nor is a connection kept for the next mail: it may be hours away, servers
// hang up on those that say nothing, and the first mail after it would fail.
//
// # What is read
//
// Of a conversation no more than 128 KB are read, TLS included: a line without an end,
// from the server or from anybody on the way before TLS has begun, takes no memory.
//
// # Errors
//
// They say which step failed and what to change, with the code that the server
// replied (RFC 5321 section 4.2), and tell a refusal from an answer that did not come in
// time. They hold no password, no line of the mail, and no
// address of its reader.
package smtpmailer
