package worker

import (
	"testing"

	"github.com/nestorhq/nestor"
)

func TestAJobIsPassedToOneWhoEndsTheOneBefore(t *testing.T) {
	var r relay
	job := func(key string) *runner { return &runner{Job: nestor.Job{Key: key}} }
	first, second := job("a"), job("a")
	if r.pass(first) {
		t.Error("a job was passed to nobody")
	}
	if !r.open("a") || r.open("a") {
		t.Error("not exactly one may end a job of a key")
	}
	if r.pass(job("b")) {
		t.Error("a job was passed to one who ends another's")
	}
	if !r.pass(first) || r.pass(second) {
		t.Error("not exactly one job was passed")
	}
	if got := r.close("a"); got != first {
		t.Errorf("passed was %v", got)
	}
	if !r.open("a") {
		t.Error("the next may not end his job")
	}
	if got := r.close("a"); got != nil || r.pass(second) {
		t.Errorf("passed was %v, of which nobody knows", got)
	}
}
