package wording

import (
	"errors"
	"fmt"
	"testing"

	"github.com/nestorhq/nestor"
)

func TestOnlyWhatPeopleMayKnowIsTheReasonOfAFailure(t *testing.T) {
	const plain = "something went wrong inside Nestor; its log says what (reference j1)"
	driver := errors.New("UNIQUE constraint failed: sub_agents.task_id (2067)")
	for _, tt := range []struct {
		name string
		err  error
		want string
	}{
		{"a text for people", nestor.Errorf(nestor.CodeUnavailable, "the model is overloaded"), "the model is overloaded"},
		{"with a Go name around it", fmt.Errorf("agent.loop: %w", nestor.Errorf(nestor.CodeUnavailable, "the model is overloaded")), "the model is overloaded"},
		{"a driver's text below it", nestor.Hide(nestor.CodeUnavailable, "the database is busy", driver), "the database is busy"},
		{"and below that", nestor.Errorf(nestor.CodeUnavailable, "later: %w", nestor.Hide(nestor.CodeUnavailable, "the database is busy", driver)), "later: the database is busy"},
		{"a constraint", nestor.Hide(nestor.CodeExists, "another document has that value", driver), plain},
		{"no code", driver, plain},
		{"a defect", nestor.Errorf(nestor.CodeInternal, "nil map"), plain},
		{"the path of a document", nestor.Errorf(nestor.CodeNotFound, "there is no document users/u1/orch-chats/c"), plain},
		{"a character that cannot be stored", nestor.Errorf(nestor.CodeInvalid, "no \x00"), "no \uFFFD"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := Reason(&nestor.Job{ID: "j1"}, tt.err); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}
