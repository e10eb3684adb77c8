package bustest

import (
	"bytes"
	"context"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/nestorhq/nestor/internal/bus"
)

// Contract tests what nodes rely on. Join makes another node of one installation,
// and foreign one of another that shares the same server; interrupt breaks all
// connections for a moment.
func Contract(t *testing.T, join, foreign func(t *testing.T) bus.Bus, interrupt func(t *testing.T)) {
	a, b := newEnd(t, join(t)), newEnd(t, join(t))
	c, d := newEnd(t, foreign(t)), newEnd(t, foreign(t))
	for _, e := range []*end{a, b, c, d} {
		e.run(t)
	}

	t.Run("messages of any size and content arrive whole and in order", func(t *testing.T) {
		var want [][]byte
		var messages []bus.Message
		for _, size := range []int{0, 1, 5_883, 5_884, 5_885, 8_000, 8_001, 300_000, 2 << 20} {
			want = append(want, randomBytes(size))
		}
		for _, text := range []string{"Grüße 😀", "same", "same", "a\x00b\xff"} {
			want = append(want, []byte(text))
		}
		for _, data := range want {
			messages = append(messages, bus.Message{Subject: "node.b1", Data: data})
		}
		a.publish(t, messages...)
		for i, data := range want {
			if got := <-b.got; !bytes.Equal(got, data) {
				t.Fatalf("message %d of %d bytes came as %d bytes", i, len(data), len(got))
			}
		}
	})

	t.Run("nobody hears what is for others", func(t *testing.T) {
		a.publish(t, bus.Message{Subject: "nobody", Data: []byte("wrong")}, bus.Message{Subject: "node.b1", Data: []byte("right")})
		c.publish(t, bus.Message{Subject: "node.b1", Data: []byte("of the other installation")})
		if got := <-b.got; string(got) != "right" {
			t.Errorf("got %q", got)
		}
		if got := <-d.got; string(got) != "of the other installation" {
			t.Errorf("got %q", got)
		}
	})

	t.Run("many that publish at once disturb nobody", func(t *testing.T) {
		const each = 20
		var wg sync.WaitGroup
		for i := range 8 {
			wg.Go(func() {
				for range each {
					a.publish(t, bus.Message{Subject: "node.b1", Data: bytes.Repeat([]byte{byte(i)}, 20_000)})
				}
			})
		}
		count := map[byte]int{}
		for range 8 * each {
			got := <-b.got
			if len(got) != 20_000 || slices.Max(got) != slices.Min(got) {
				t.Fatal("a message is garbled")
			}
			count[got[0]]++
		}
		wg.Wait()
		for i, n := range count {
			if n != each {
				t.Errorf("of %d came %d", i, n)
			}
		}
	})

	t.Run("a bus comes back and says so", func(t *testing.T) {
		interrupt(t)
		<-a.connected
		<-b.connected
		// What is sent before the other one listens again is lost, as on any bus: it is sent
		// until it is heard.
		for heard := false; !heard; {
			a.publish(t, bus.Message{Subject: "node.b1", Data: []byte("again")})
			select {
			case got := <-b.got:
				heard = string(got) == "again"
			case <-time.After(10 * time.Millisecond):
			}
		}
		if s := a.State(); !s.Up || s.Sent == 0 || s.SentBytes == 0 || b.State().Received == 0 {
			t.Errorf("its state is %+v", s)
		}
	})
}

// end is a bus with what came to it.
type end struct {
	bus.Bus
	got       chan []byte
	connected chan struct{}
}

func newEnd(t *testing.T, b bus.Bus) *end {
	e := &end{b, make(chan []byte, 1000), make(chan struct{}, 10)}
	b.Connected(func() { e.connected <- struct{}{} })
	b.Subscribe("node.b1", func(data []byte) { e.got <- slices.Clone(data) })
	return e
}

// run runs the bus until the test ends, and waits until it works.
func (e *end) run(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- e.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
		if e.Publish(context.Background(), bus.Message{Subject: "node.b1"}) == nil {
			t.Error("a bus that has ended takes messages")
		}
	})
	<-e.connected
}

// publish insists: a connection may just have been cut.
func (e *end) publish(t *testing.T, messages ...bus.Message) {
	t.Helper()
	for {
		err := e.Publish(t.Context(), messages...)
		if err == nil {
			return
		}
		if t.Context().Err() != nil {
			t.Error(err)
			return
		}
	}
}

func randomBytes(n int) []byte {
	data := make([]byte, n)
	for i := range data {
		data[i] = byte(rand.IntN(256))
	}
	return data
}
