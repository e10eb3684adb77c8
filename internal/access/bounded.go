package access

import "container/list"

// bounded is a map that forgets what was not used for longest when it is full.
// Its owner locks.
type bounded[V any] struct {
	max   int
	order list.List // of *slot[V], the latest used first
	slots map[string]*list.Element
}

type slot[V any] struct {
	key   string
	value V
}

func newBounded[V any](size int) *bounded[V] {
	return &bounded[V]{max: size, slots: map[string]*list.Element{}}
}

// get returns the value of key to read or change, nil if there is none.
func (b *bounded[V]) get(key string) *V {
	e := b.slots[key]
	if e == nil {
		return nil
	}
	b.order.MoveToFront(e)
	return &e.Value.(*slot[V]).value
}

// add makes a zero value for a key that has none.
func (b *bounded[V]) add(key string) *V {
	if len(b.slots) >= b.max {
		oldest := b.order.Back()
		delete(b.slots, oldest.Value.(*slot[V]).key)
		b.order.Remove(oldest)
	}
	s := &slot[V]{key: key}
	b.slots[key] = b.order.PushFront(s)
	return &s.value
}

func (b *bounded[V]) remove(key string) {
	if e := b.slots[key]; e != nil {
		b.order.Remove(e)
		delete(b.slots, key)
	}
}

func (b *bounded[V]) clear() {
	b.order.Init()
	clear(b.slots)
}
