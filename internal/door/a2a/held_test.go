package a2a_test

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/nestorhq/nestor/internal/servertest"
	"github.com/nestorhq/nestor/model/modeltest"
	"github.com/nestorhq/nestor/server"
)

// approvals are the arguments of the calls that a task says it needs a decision about.
func approvals(t *testing.T, answer string) (task string, cents []int) {
	t.Helper()
	var got struct {
		Result struct {
			ID     string `json:"id"`
			Status struct {
				State   string `json:"state"`
				Message struct {
					Parts []struct {
						Data struct {
							Nestor struct {
								Approvals []struct {
									Args struct {
										Cents int `json:"cents"`
									} `json:"args"`
								} `json:"approvals"`
							} `json:"nestor"`
						} `json:"data"`
					} `json:"parts"`
				} `json:"message"`
			} `json:"status"`
		} `json:"result"`
	}
	if err := json.Unmarshal([]byte(answer), &got); err != nil || got.Result.Status.State != "input-required" {
		t.Fatalf("the task does not wait for anybody: %s", answer)
	}
	for _, part := range got.Result.Status.Message.Parts {
		for _, a := range part.Data.Nestor.Approvals {
			cents = append(cents, a.Args.Cents)
		}
	}
	return got.Result.ID, cents
}

// A call that waits for the one before it is not offered: a decision about it would be
// refused.
func TestACallIsOfferedWhenItsTurnHasCome(t *testing.T) {
	servertest.Each(t, func(t *testing.T, cfg server.Config) {
		script, err := modeltest.Parse(`
-- reply delegate --
when tools contains create_agent
call create_agent {"type": "careful", "instruction": "Pay both bills"}
-- reply pay --
when last user contains Pay both
call pay {"cents": 1}
call pay {"cents": 2}
`)
		if err != nil {
			t.Fatal(err)
		}
		cfg = listening(cfg)
		cfg.Model = script
		cfg.Roles = map[string]server.Role{"careful": {
			Description: "Pays one bill after the other.", Instructions: "Pay.", Tools: []string{"pay"}, Sequential: true,
		}}
		p := servertest.Enter(t, cfg)
		task, first := approvals(t, rpc(t, p.URL(), p.Token, "message/send", says("", "m1", "Pay my bills")))
		if !slices.Equal(first, []int{1}) {
			t.Errorf("offered are the calls that pay %v, want the first", first)
		}
		_, second := approvals(t, rpc(t, p.URL(), p.Token, "message/send", says(task, "m2", "approve")))
		if !slices.Equal(second, []int{2}) {
			t.Errorf("after the first, offered are the calls that pay %v, want the second", second)
		}
	})
}

// says are the parameters of a message, in a task if one is given.
func says(task, id, text string) map[string]any {
	m := map[string]any{"kind": "message", "messageId": id, "role": "user", "parts": []any{map[string]any{"kind": "text", "text": text}}}
	if task != "" {
		m["taskId"] = task
	}
	return map[string]any{"message": m}
}
