package server_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/client"
	"github.com/nestorhq/nestor/server"
)

// A test of an agent: the model says what a script tells it to, and the clock is
// the test's own, so what takes half a minute is over at once.
func TestAnAgentWaitsForABusyProvider(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		model := script(`
-- reply busy --
error rate_limited retry_after=10s the provider is busy
-- reply compute --
call calculator {"expression": "6*7"}
-- reply answer --
when last tool contains 42
wait 20s
text: It is 42.
`)
		s, err := server.Start(t.Context(), server.Config{Model: model, Logger: quiet})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		c, began := s.Client(), time.Now()
		chat, err := c.CreateChat(t.Context(), client.NewChat{Title: "Sums"})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.StartTask(t.Context(), chat.ID, "general", "What is 6*7?"); err != nil {
			t.Fatal(err)
		}
		if err := s.Wait(t.Context()); err != nil {
			t.Fatal(err)
		}
		for task, err := range c.Tasks(t.Context(), chat.ID) {
			if err != nil || task.Status != nestor.TaskSuccess || task.Result != "It is 42." {
				t.Errorf("the task is %+v: %v", task, err)
			}
		}
		if err := model.Finished(); err != nil { // a reply that nobody asked for
			t.Error(err)
		}
		if took := time.Since(began); took < 30*time.Second {
			t.Errorf("it took %v by the test's clock", took)
		}
	})
}
