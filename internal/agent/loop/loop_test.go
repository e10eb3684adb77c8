package loop

import (
	"maps"
	"slices"
	"testing"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/agent/billing"
	"github.com/nestorhq/nestor/internal/agent/chatdoc"
	"github.com/nestorhq/nestor/internal/agent/memory"
	"github.com/nestorhq/nestor/internal/agent/role"
	"github.com/nestorhq/nestor/internal/store"
	"github.com/nestorhq/nestor/internal/store/engines"
)

const (
	someChat  nestor.Path = "users/ann/orch-chats/c"
	someAgent             = someChat + "/sub-agents/a"
)

func TestAResultFromAnotherNodeIsNotOverlooked(t *testing.T) {
	engines.Each(t, func(t *testing.T, open engines.Database) {
		s, elsewhere := open(t, store.Options{}), open(t, store.Options{})
		a := &Loop{Store: s, Roles: role.Default(), Billing: &billing.Billing{}, Memory: memory.New(s)}
		s.Observe(store.MemoryTurn, a.Memory.Follow)
		write := func(s store.Documents, docs map[nestor.Path]any) {
			t.Helper()
			if err := s.Update(t.Context(), func(tx store.Tx) error {
				for _, p := range slices.Sorted(maps.Keys(docs)) {
					if err := chatdoc.Save(tx, p, docs[p]); err != nil {
						return err
					}
				}
				return nil
			}); err != nil {
				t.Fatal(err)
			}
		}
		steps := func() bool {
			t.Helper()
			next, err := a.nextStep(t.Context(), &nestor.Job{ID: "j"}, someAgent)
			if err != nil {
				t.Fatal(err)
			}
			return next != nil
		}
		write(s, map[nestor.Path]any{
			someChat: nestor.Chat{}, someAgent: nestor.SubAgent{TaskID: "t", Role: "general", Status: nestor.SubAgentActive},
			someChat.Child("tasks", "t"): nestor.Task{Type: nestor.TaskAgent, Name: "agent:general", Status: nestor.TaskRunning},
		})
		write(s, map[nestor.Path]any{someAgent.Child("messages", "m1"): nestor.SubAgentMessage{Role: nestor.RoleUser, Content: "Work."}})
		if !steps() {
			t.Fatal("there is no first step")
		}
		write(s, map[nestor.Path]any{someAgent.Child("messages", "m2"): nestor.SubAgentMessage{
			Role: nestor.RoleAssistant, RepliesTo: "m1", ToolCalls: []nestor.ToolRequest{{ID: "c"}},
		}})
		if steps() {
			t.Fatal("there is a step although a call is open")
		}
		write(elsewhere, map[nestor.Path]any{someAgent.Child("messages", "m3"): nestor.SubAgentMessage{
			Role: nestor.RoleTool, ToolCallID: "c", Content: "42",
		}})
		write(s, map[nestor.Path]any{someChat.Child("messages", "x"): nestor.Message{Role: nestor.RoleUser, Content: "Hello"}})
		if !steps() {
			t.Error("there is no step after the result")
		}
	})
}
