package natsbus_test

import (
	"bytes"
	"context"
	"log/slog"
	"strings"
	"sync"
	"testing"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/bus"
	"github.com/nestorhq/nestor/internal/bus/bustest"
	"github.com/nestorhq/nestor/internal/bus/natsbus"
	"github.com/nestorhq/nestor/internal/bus/natstest"
	"github.com/nestorhq/nestor/internal/testmain"
)

func TestMain(m *testing.M) { testmain.Run(m) }

// joins makes nodes of an installation.
func joins(url, prefix string) func(t *testing.T) bus.Bus {
	return func(t *testing.T) bus.Bus {
		t.Helper()
		b, err := natsbus.New(natsbus.Options{URLs: url, Prefix: prefix, Logger: slog.New(slog.NewTextHandler(t.Output(), nil))})
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
}

func TestContract(t *testing.T) {
	s := natstest.New(t)
	s.Start()
	bustest.Contract(t, joins(s.URL(), "one"), joins(s.URL(), "two"), func(*testing.T) {
		s.Stop()
		s.Start()
	})
}

func TestWhatIsNoAddressIsRefusedWithoutShowingThePassword(t *testing.T) {
	for name, opts := range map[string]natsbus.Options{
		"nothing":         {URLs: ""},
		"another scheme":  {URLs: "http://nestor:geheim@host"},
		"no host":         {URLs: "nats://nestor:geheim@"},
		"a bad port":      {URLs: "nats://nestor:geheim@host:port"},
		"a control sign":  {URLs: "nats://nestor:geheim\x7f@host"},
		"one bad of two":  {URLs: "nats://a:4222,:geheim"},
		"a missing file":  {URLs: "nats://nestor:geheim@host", Creds: t.TempDir() + "/none.creds"},
		"spaces for text": {URLs: "nestor geheim"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := natsbus.New(opts)
			if nestor.CodeOf(err) != nestor.CodeInvalid || strings.Contains(err.Error(), "geheim") {
				t.Errorf("got %v", err)
			}
		})
	}
}

// notes is a log that tests read.
type notes struct {
	mu sync.Mutex
	b  bytes.Buffer
	on chan struct{}
}

func (n *notes) Write(p []byte) (int, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	select {
	case n.on <- struct{}{}:
	default:
	}
	return n.b.Write(p)
}

func (n *notes) until(text string) string {
	for {
		n.mu.Lock()
		s := n.b.String()
		n.mu.Unlock()
		if strings.Contains(s, text) {
			return s
		}
		<-n.on
	}
}

func TestANATSThatIsAwayAtTheStartIsToldOfAndFound(t *testing.T) {
	s := natstest.New(t)
	log := &notes{on: make(chan struct{}, 1)}
	b, err := natsbus.New(natsbus.Options{URLs: s.URL(), Prefix: "p", Logger: slog.New(slog.NewTextHandler(log, nil))})
	if err != nil {
		t.Fatal(err)
	}
	connected := make(chan struct{}, 10)
	b.Connected(func() { connected <- struct{}{} })
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- b.Run(ctx) }()
	text := log.until("NATS cannot be reached")
	if b.State().Up || b.Publish(ctx, bus.Message{Subject: "all"}) == nil {
		t.Error("it says that it works")
	}
	s.Start()
	<-connected
	if text += log.until("NATS is there"); !b.State().Up {
		t.Error("it says that it does not work")
	}
	if err := b.Publish(ctx, bus.Message{Subject: "all"}); err != nil {
		t.Error(err)
	}
	s.Stop()
	for b.State().Up {
		<-log.on
	}
	if strings.Contains(text, natstest.Password) {
		t.Errorf("the log has the password: %s", text)
	}
	cancel()
	if err := <-done; err != nil {
		t.Error(err)
	}
}
