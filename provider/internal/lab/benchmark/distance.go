package main

import (
	"net"
	"time"
)

// distance is a proxy before a database that makes it as far away as a network does: each answer
// arrives so much later, and in order.
type distance struct {
	net.Listener
	network, address string
	late             time.Duration
}

func newDistance(network, address string, late time.Duration) (*distance, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	d := &distance{listener, network, address, late}
	go func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return
			}
			go d.serve(client)
		}
	}()
	return d, nil
}

func (d *distance) serve(client net.Conn) {
	server, err := net.Dial(d.network, d.address)
	if err != nil {
		_ = client.Close()
		return
	}
	go forward(server, client, 0)
	forward(client, server, d.late)
}

// forward copies what comes until either leaves.
func forward(to, from net.Conn, late time.Duration) {
	type packet struct {
		due  time.Time
		data []byte
	}
	way := make(chan packet, 64)
	go func() {
		defer close(way)
		for {
			data := make([]byte, 8<<10)
			n, err := from.Read(data)
			if err != nil {
				return
			}
			way <- packet{time.Now().Add(late), data[:n]}
		}
	}()
	for p := range way {
		time.Sleep(time.Until(p.due))
		if _, err := to.Write(p.data); err != nil {
			_ = from.Close() // which ends what reads from it
		}
	}
	_, _ = to.Close(), from.Close()
}
