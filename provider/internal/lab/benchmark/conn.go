package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"strconv"
	"time"
)

// conn is one keep-alive connection to a server. It speaks just the HTTP/1.1 that
// the servers under test answer with: a full client would use as much processor
// time as a fast server does, and blur every ratio towards one.
type conn struct {
	addr string
	net  net.Conn
	in   *bufio.Reader
	out  []byte
}

// request is what one call sends.
type request struct {
	method, path  string
	cookie        string
	authorization string
	form          string
}

// answer is what came back. Its body is valid until the next request.
type answer struct {
	status   int
	location string
	body     []byte
}

// answerTimeout ends a run against a server that hangs.
const answerTimeout = 10 * time.Second

// do sends a request and reads the whole answer. After an error the connection is
// made again by the next request.
func (c *conn) do(r request) (answer, error) {
	if c.net == nil {
		dialed, err := net.Dial("tcp", c.addr)
		if err != nil {
			return answer{}, err
		}
		c.net, c.in = dialed, bufio.NewReaderSize(dialed, 8<<10)
	}
	a, err := c.exchange(r)
	if err != nil {
		c.close()
		return a, fmt.Errorf("%s %s: %w", r.method, r.path, err)
	}
	return a, nil
}

func (c *conn) close() {
	if c.net != nil {
		_ = c.net.Close()
		c.net = nil
	}
}

func (c *conn) exchange(r request) (answer, error) {
	if err := c.net.SetDeadline(time.Now().Add(answerTimeout)); err != nil {
		return answer{}, err
	}
	if _, err := c.net.Write(c.encode(r)); err != nil {
		return answer{}, err
	}
	return c.read()
}

func (c *conn) encode(r request) []byte {
	b := append(c.out[:0], r.method...)
	b = append(append(append(b, ' '), r.path...), " HTTP/1.1\r\nHost: "...)
	b = append(append(b, c.addr...), "\r\n"...)
	header := func(name, value string) {
		if value != "" {
			b = append(append(append(append(b, name...), ": "...), value...), "\r\n"...)
		}
	}
	header("Cookie", r.cookie)
	header("Authorization", r.authorization)
	if r.method == "POST" {
		header("Content-Type", "application/x-www-form-urlencoded")
		header("Content-Length", strconv.Itoa(len(r.form)))
	}
	b = append(append(b, "\r\n"...), r.form...)
	c.out = b
	return b
}

func (c *conn) read() (a answer, err error) {
	line, err := c.line()
	if err != nil {
		return a, err
	}
	if len(line) < 12 {
		return a, errors.New("malformed status line")
	}
	if a.status, err = strconv.Atoi(string(line[9:12])); err != nil {
		return a, fmt.Errorf("malformed status line: %w", err)
	}
	length, chunked := 0, false
	for {
		if line, err = c.line(); err != nil {
			return a, err
		}
		if len(line) == 0 {
			break
		}
		name, value, _ := bytes.Cut(line, []byte(": "))
		switch {
		case bytes.EqualFold(name, []byte("Location")):
			a.location = string(value)
		case bytes.EqualFold(name, []byte("Transfer-Encoding")):
			chunked = true
		case bytes.EqualFold(name, []byte("Content-Length")):
			if length, err = strconv.Atoi(string(value)); err != nil {
				return a, fmt.Errorf("malformed length: %w", err)
			}
		}
	}
	if chunked {
		a.body, err = c.chunks()
		return a, err
	}
	a.body = make([]byte, length)
	_, err = io.ReadFull(c.in, a.body)
	return a, err
}

// line returns the next line without its end; it is valid until the next read.
func (c *conn) line() ([]byte, error) {
	line, err := c.in.ReadSlice('\n')
	return bytes.TrimRight(line, "\r\n"), err
}

func (c *conn) chunks() (body []byte, err error) {
	for {
		line, err := c.line()
		if err != nil {
			return nil, err
		}
		size, err := strconv.ParseUint(string(line), 16, 24)
		if err != nil {
			return nil, fmt.Errorf("malformed chunk: %w", err)
		}
		chunk := make([]byte, size+2) // with the line end after it
		if _, err := io.ReadFull(c.in, chunk); err != nil {
			return nil, err
		}
		if size == 0 {
			return body, nil
		}
		body = append(body, chunk[:size]...)
	}
}
