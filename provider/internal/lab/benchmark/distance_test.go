package main

import (
	"io"
	"net"
	"testing"
	"time"
)

func TestDistance(t *testing.T) {
	server, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	go func() {
		for {
			conn, err := server.Accept()
			if err != nil {
				return
			}
			go func() { defer conn.Close(); _, _ = io.Copy(conn, conn) }()
		}
	}()
	const late = 5 * time.Millisecond
	d, err := newDistance("tcp", server.Addr().String(), late)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	client, err := net.Dial("tcp", d.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	for _, sent := range []string{"one", "two", "three"} {
		begin := time.Now()
		if _, err := io.WriteString(client, sent); err != nil {
			t.Fatal(err)
		}
		got := make([]byte, len(sent))
		if _, err := io.ReadFull(client, got); err != nil || string(got) != sent {
			t.Errorf("got %q, %v; want %q", got, err, sent)
		}
		if took := time.Since(begin); took < late {
			t.Errorf("%s took %v, less than %v", sent, took, late)
		}
	}
}
