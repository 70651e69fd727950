package smtpmailer

import (
	"fmt"
	"net"
)

// mostHeard is how many bytes a server may say in one conversation, the certificates of
// TLS included; what one says is some 8 KB.
const mostHeard = 128 << 10

var errTooMuch = fmt.Errorf("it has said more than %d bytes", mostHeard)

// bounded is a connection of which no more than mostHeard bytes are read. A line of SMTP
// is kept until it ends, and a reply until its last line: without a bound a server, or
// anybody on the way to it before TLS has begun, would fill the memory of the process with
// a greeting that does not end.
type bounded struct {
	net.Conn
	left int
}

func (b *bounded) Read(p []byte) (int, error) {
	if b.left == 0 {
		return 0, errTooMuch
	}
	n, err := b.Conn.Read(p[:min(len(p), b.left)])
	b.left -= n
	return n, err //nolint:wrapcheck // io.EOF is compared by readers
}
