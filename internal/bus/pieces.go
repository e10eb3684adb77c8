package bus

import (
	"encoding/binary"
	"math/rand/v2"
)

// head is how many bytes each piece begins with: which message it is of, its
// number and how many there are.
const head = 16

// MaxMessage bounds a message in bytes. It bounds what a receiver keeps of one
// whose other pieces do not come.
const MaxMessage = 16 << 20

// Splitter cuts messages into pieces that a bus can carry.
type Splitter struct {
	// Limit is how many bytes a piece has at most.
	Limit int
}

// Split returns the pieces of a message, at least one.
func (s Splitter) Split(data []byte) [][]byte {
	room := s.Limit - head
	n := max(1, (len(data)+room-1)/room)
	id := rand.Uint64()
	pieces := make([][]byte, 0, n)
	for i := range n {
		part := data[:min(room, len(data))]
		data = data[len(part):]
		piece := make([]byte, head, head+len(part))
		binary.BigEndian.PutUint64(piece, id)
		binary.BigEndian.PutUint32(piece[8:], uint32(i))
		binary.BigEndian.PutUint32(piece[12:], uint32(n))
		pieces = append(pieces, append(piece, part...))
	}
	return pieces
}

// maxOpen is how many messages a joiner waits for the rest of. The senders of
// pieces send those of a message together, so there are as many as senders.
const maxOpen = 256

// Joiner puts messages together again. A message of which a piece is missing, or
// does not come in order, is lost; so are the oldest when too many are
// incomplete. It is for one goroutine.
type Joiner struct {
	open  map[uint64]*joined
	order []uint64 // of those that began, the oldest first
	bytes int
}

type joined struct {
	data []byte
	next uint32
}

// Add takes a piece and returns the message that it completes, nil for none.
func (j *Joiner) Add(piece []byte) []byte {
	if len(piece) < head {
		return nil
	}
	id := binary.BigEndian.Uint64(piece)
	i, n := binary.BigEndian.Uint32(piece[8:]), binary.BigEndian.Uint32(piece[12:])
	part := piece[head:]
	if i == 0 && n == 1 {
		return append([]byte{}, part...)
	}
	m := j.open[id]
	switch {
	case m == nil && i == 0:
		m = j.begin(id)
	case m == nil:
		return nil
	case i < m.next:
		return nil // it came before
	case i > m.next:
		j.drop(id)
		return nil
	}
	m.data, m.next = append(m.data, part...), m.next+1
	j.bytes += len(part)
	if m.next == n {
		j.drop(id)
		return m.data
	}
	for j.bytes > MaxMessage {
		j.drop(j.order[0])
	}
	return nil
}

func (j *Joiner) begin(id uint64) *joined {
	if j.open == nil {
		j.open = map[uint64]*joined{}
	}
	if len(j.order) == maxOpen {
		j.drop(j.order[0])
	}
	m := &joined{}
	j.open[id] = m
	j.order = append(j.order, id)
	return m
}

func (j *Joiner) drop(id uint64) {
	j.bytes -= len(j.open[id].data)
	delete(j.open, id)
	for i := range j.order {
		if j.order[i] == id {
			j.order = append(j.order[:i], j.order[i+1:]...)
			return
		}
	}
}
