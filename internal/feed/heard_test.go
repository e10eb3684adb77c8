package feed

import (
	"testing"

	"github.com/nestorhq/nestor"
)

// A gap before what was heard is read from the log, and no more than that.
func TestWhatWasHeardIsNotReadFromTheLog(t *testing.T) {
	var h heard
	if got := h.missing(10); got != page {
		t.Errorf("with nothing heard %d changes are read, not a page", got)
	}
	h.add([]nestor.Change{{Seq: 16}, {Seq: 14}, {Seq: 15}})
	if got := h.following(10); len(got) > 0 {
		t.Errorf("after 10 follow %v", got)
	}
	if got := h.missing(10); got != 3 {
		t.Errorf("%d changes are read between 10 and 14, not 3", got)
	}
	if got := h.missing(13); got != 1 {
		t.Errorf("%d changes are read where nothing is missing, not 1", got)
	}
	if got := h.following(13); len(got) != 3 || got[0].Seq != 14 || got[2].Seq != 16 {
		t.Errorf("after 13 follow %v", got)
	}
}
