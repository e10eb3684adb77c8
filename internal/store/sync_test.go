package store

import (
	"testing"

	"github.com/nestorhq/nestor"
)

func TestAPositionIsWhatALateEntryCannotComeBefore(t *testing.T) {
	docs := func(seqs ...int64) (ds []*nestor.Document) {
		for _, s := range seqs {
			ds = append(ds, &nestor.Document{Seq: s})
		}
		return ds
	}
	const limit = 2
	for name, c := range map[string]struct {
		after Position
		docs  []*nestor.Document
		gone  []Latest
		upTo  int64
		next  Position
		more  bool
	}{
		"an empty database":                         {Position{}, nil, nil, 0, Position{}, false},
		"the last page is complete up to the log":   {At(3), docs(5), nil, 9, At(9), false},
		"what is not complete is not relied on":     {At(3), docs(12), nil, 9, At(9), false},
		"another node knew of more":                 {At(10), docs(12), nil, 9, At(10), false},
		"the first page of many":                    {Position{}, docs(1, 2), nil, 9, Position{9, 2}, true},
		"a page in the middle keeps what was":       {Position{9, 2}, docs(5, 7), nil, 20, Position{9, 7}, true},
		"a page beyond what is complete":            {At(3), docs(10, 12), nil, 9, Position{9, 12}, true},
		"after that page the reading ends where it": {Position{9, 12}, docs(13), nil, 20, At(9), false},
		"tombstones stand between documents":        {At(3), docs(4, 6), []Latest{{Seq: 5}, {Seq: 7}}, 9, Position{9, 5}, true},
	} {
		if d := NewDelta(c.after, &Written{Docs: c.docs}, c.gone, limit, c.upTo); d.Next != c.next || d.More != c.more {
			t.Errorf("%s: the next position is %+v, more %v", name, d.Next, d.More)
		}
	}
}

func TestAPositionIsTooOldWhenDeletesAfterItAreForgotten(t *testing.T) {
	const swept, last = 10, 20
	for p, ok := range map[Position]bool{
		{}:       true, // nothing can be missing
		At(9):    false,
		At(10):   true,
		At(20):   true,
		At(21):   false,
		{15, 3}:  true, // a reading that began at 15
		{9, 3}:   false,
		{9, 15}:  false,
		{15, 21}: false,
	} {
		if err := p.Check(swept, last); (err == nil) != ok || err != nil && nestor.CodeOf(err) != nestor.CodeTooOld {
			t.Errorf("%+v: %v", p, err)
		}
	}
}
