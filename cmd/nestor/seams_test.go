package main

import (
	"context"
	"sync"
	"testing"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/client"
	"github.com/nestorhq/nestor/internal/store/postgres/pgtest"
)

func TestAMessageIsWorkedOnWithTheTriggersOfTheFirstSchema(t *testing.T) {
	onEachEngine(t, func(t *testing.T, env []string) {
		ctx, cancel := context.WithTimeout(t.Context(), stayLimit)
		defer cancel()
		h := newHotel(t, env...)
		chat, task := h.stay(ctx)
		h.check(ctx, chat, task, "")
	})
}

// Whatever the server was waiting for when it was killed, the next one ends the
// work: no tool runs twice, and everything is told once.
func TestAServerThatIsKilledGoesOnWhereItWas(t *testing.T) {
	onEachEngine(t, func(t *testing.T, env []string) {
		for _, moment := range wholeStay {
			t.Run(moment, func(t *testing.T) {
				ctx, cancel := context.WithTimeout(t.Context(), stayLimit)
				defer cancel()
				h := newHotel(t, env...)
				held := h.hold(moment)
				var chat string
				var task nestor.Task
				var guest sync.WaitGroup
				guest.Go(func() { chat, task = h.stay(ctx) })
				h.wait(ctx, held)
				h.kill()
				guest.Wait()
				h.check(ctx, chat, task, moment)
			})
		}
	})
}

// Nothing is asked twice: a server that loses its connections is still there,
// and knows what it was doing.
func TestAServerWhoseConnectionsAreCutGoesOnWhereItWas(t *testing.T) {
	server := pgtest.Start(t)
	for _, moment := range wholeStay {
		t.Run(moment, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), stayLimit)
			defer cancel()
			url, err := server.Schema()
			if err != nil {
				t.Fatal(err)
			}
			h := newHotel(t, "NESTOR_DB="+url)
			held := h.hold(moment)
			var chat string
			var task nestor.Task
			var guest sync.WaitGroup
			guest.Go(func() { chat, task = h.stay(ctx) })
			h.wait(ctx, held)
			err = server.Terminate()
			close(held.over)
			guest.Wait()
			if err != nil {
				t.Fatal(err)
			}
			h.check(ctx, chat, task, "")
		})
	}
}

// A tool that runs once is called as a task, and nobody asks a model.
func TestAToolTaskRunsOnce(t *testing.T) {
	onEachEngine(t, func(t *testing.T, env []string) {
		ctx, cancel := context.WithTimeout(t.Context(), stayLimit)
		defer cancel()
		h := newHotel(t, env...)
		chat, err := h.client.CreateChat(ctx, client.NewChat{})
		if err != nil {
			t.Fatal(err)
		}
		want := map[string]string{"booking": "done: reserve", "sum": "42"}
		for range 2 { // to ask again with the same id gets the same task
			for _, task := range []client.NewTask{
				{ID: "booking", Name: "tool:reserve", Args: map[string]int{"room": 7}},
				{ID: "sum", Name: "tool:calculator", Instruction: "6*7"},
			} {
				if made, err := h.client.Start(ctx, chat.ID, task); err != nil || made.Type != nestor.TaskTool {
					t.Fatalf("%s: %+v %v", task.ID, made, err)
				}
			}
		}
		told := map[string]int{}
		for e, err := range h.client.Events(ctx, chat.ID, client.After(0)) {
			if err != nil {
				t.Fatal(err)
			}
			if e.Change == nil || e.Change.Collection != "messages" {
				continue
			}
			var m nestor.Message
			h.read(e.Change, &m)
			if told[m.TaskID]++; m.Content != want[m.TaskID] {
				t.Errorf("of %s the chat is told %q", m.TaskID, m.Content)
			}
			if len(told) == len(want) {
				break
			}
		}
		for task, err := range h.client.Tasks(ctx, chat.ID) {
			if err != nil || task.Status != nestor.TaskSuccess || task.Result != want[task.ID] || told[task.ID] != 1 {
				t.Errorf("%s is %s: %q, %v, and told %d times", task.ID, task.Status, task.Result, err, told[task.ID])
			}
		}
		if asked := h.counts(); len(asked) != 1 || asked[reserveCall] != 1 {
			t.Errorf("asked for %v", asked)
		}
	})
}
