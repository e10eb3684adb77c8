package crashtest

import (
	"context"
	"strings"
	"testing"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/store"
)

// A reservation is a task that the person gives to the booker itself, whose question
// they answer directly: nobody routes the answer.
var reservation = play{last: booked.text, act: func(ctx context.Context, m *member, now situation) error {
	task := chatPath.Child("tasks", "t1")
	switch {
	case !now.opened:
		return m.write(ctx, chatPath, nestor.Chat{Title: "Friday", Budget: budget})
	case !now.said[howMany] && now.letter.ID == "":
		return m.write(ctx, task, nestor.Task{
			Type: nestor.TaskAgent, Name: "agent:booker", Instruction: "Book a table for Friday.", Status: nestor.TaskPending,
		})
	case now.said[howMany] && !now.said[guests]:
		return m.answer(ctx, task, "a1", guests)
	}
	return errStuck
}}

var guests = "Four guests." + filler

// answer answers what the agent of a task asks.
func (m *member) answer(ctx context.Context, task nestor.Path, id, content string) error {
	var t *nestor.Task
	if err := m.store.View(ctx, func(r store.Reader) (err error) {
		t, err = store.Find[nestor.Task](r, task)
		return err
	}); err != nil || t == nil {
		return err
	}
	_, _, err := m.agents.AnswerQuestion(ctx, task, nestor.Answer{ID: id, QuestionID: t.QuestionID, By: person, Content: content})
	return err
}

var reservationMatrix = matrix{
	name: "reserve", program: reservation.program, kinds: []kind{afterCommit, inEffect},
	whole: func(t *trial, l *life) {
		if end := strings.Join(l.end, "\n"); strings.Count(end, `"content":"Four guests.`) != 2 {
			t.Errorf("the answer stands not at two places, the chat and the agent:\n%s", end)
		}
	},
}

func TestAnAnswerToAnAgentIsGivenOnceWhereverTheServerIsKilled(t *testing.T) {
	reservationMatrix.test(t)
}
