package e2e

import (
	"errors"
	"io"
	"net"
	"sync"
	"testing"

	"k8s.io/client-go/rest"
)

// A proxy passes connections on to a server, until they are cut.
type proxy struct {
	address, server string

	mu       sync.Mutex
	listener net.Listener // nil while connections are refused
	open     map[net.Conn]bool
	passing  sync.WaitGroup
}

// newProxy returns a proxy on a port of its own, and how to reach the server through it.
func newProxy(t *testing.T, s *server) (*proxy, *rest.Config) {
	t.Helper()
	config, err := s.config()
	must(t, err)
	p := &proxy{server: net.JoinHostPort("127.0.0.1", s.port), address: "127.0.0.1:0", open: map[net.Conn]bool{}}
	p.listen(t)
	t.Cleanup(func() {
		p.cut()
		p.passing.Wait()
	})
	config.Host = "https://" + p.address // the certificate is for 127.0.0.1, on any port
	return p, config
}

// listen lets connections through, again at the same address.
func (p *proxy) listen(t *testing.T) {
	t.Helper()
	listener, err := net.Listen("tcp", p.address)
	if err != nil {
		t.Fatal(err)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.listener, p.address = listener, listener.Addr().String()
	p.passing.Go(func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return // it was closed
			}
			server, err := net.Dial("tcp", p.server)
			if err != nil {
				client.Close()
				continue
			}
			p.pass(client, server)
		}
	})
}

func (p *proxy) pass(client, server net.Conn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.listener == nil {
		client.Close()
		server.Close()
		return
	}
	p.open[client], p.open[server] = true, true
	for _, direction := range [][2]net.Conn{{client, server}, {server, client}} {
		p.passing.Go(func() {
			_, _ = io.Copy(direction[0], direction[1])
			direction[0].Close()
			direction[1].Close()
		})
	}
}

// cut breaks all connections and refuses new ones until listen is called.
func (p *proxy) cut() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.listener != nil {
		p.listener.Close()
		p.listener = nil
	}
	for conn := range p.open {
		if err := conn.Close(); err != nil && !errors.Is(err, net.ErrClosed) {
			panic(err)
		}
	}
	clear(p.open)
}
