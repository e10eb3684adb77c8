package trigger_test

import (
	"fmt"
	"runtime"
	"testing"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/store"
)

// BenchmarkPlan shows that triggers which do not match cost nothing: beside
// the built-in triggers there are others on the same collection that wait for
// other values of the same field.
func BenchmarkPlan(b *testing.B) {
	const path = "users/u1/orch-chats/c1/messages/m1"
	for _, others := range []int{0, 10, 10_000} {
		triggers := builtIn.Defaults()
		for i := range others {
			triggers = append(triggers, nestor.Trigger{
				ID: fmt.Sprintf("other-%d", i), Collection: "users/*/orch-chats/*/messages", Action: "POST /webhook/x",
				Condition: fmt.Sprintf("event.document.data.role == 'role-%d' && event.document.data.content != ''", i),
			})
		}
		set := newSet(b, triggers...)
		runtime.GC() // what compiling left behind
		for _, role := range []string{"assistant", "user"} {
			b.Run(fmt.Sprintf("role=%s/others=%d", role, others), func(b *testing.B) {
				e := event(path, "", `{"role":"`+role+`","content":"hello","userId":"u1","chatId":"c1"}`)
				e.AfterBody() // the store has it at hand
				b.ReportAllocs()
				for b.Loop() {
					set.Plan(e)
				}
			})
		}
	}
}

// BenchmarkPlanCollections is the same for triggers on other collections.
func BenchmarkPlanCollections(b *testing.B) {
	for _, others := range []int{10, 10_000} {
		var triggers []nestor.Trigger
		for i := range others {
			triggers = append(triggers, nestor.Trigger{
				ID: fmt.Sprintf("other-%d", i), Collection: nestor.Glob(fmt.Sprintf("users/*/notes-%d", i)), Action: "POST /webhook/x",
			})
		}
		set := newSet(b, triggers...)
		runtime.GC()
		b.Run(fmt.Sprintf("others=%d", others), func(b *testing.B) {
			e := store.NewEvent(nestor.Change{Type: nestor.Create, Path: "users/u1/todos/t1", After: document("users/u1/todos/t1", 1, `{}`)})
			b.ReportAllocs()
			for b.Loop() {
				set.Plan(e)
			}
		})
	}
}
