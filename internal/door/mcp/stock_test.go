package mcp_test

import (
	"testing"

	"github.com/nestorhq/nestor/internal/servertest"
)

// These tests run the client of the public TypeScript SDK against the server, by HTTP and
// over stdio through the built program. What it checks stands in testdata/client.mjs.

// everywhere runs a scenario over both transports and on both engines. With
// meanwhile the model is held until that returns.
func everywhere(t *testing.T, scenario string, meanwhile func(w *world, s *script)) {
	t.Helper()
	each(t, func(w *world) {
		for _, transport := range []string{"http", "stdio"} {
			w.T.Run(transport, func(t *testing.T) {
				if meanwhile == nil {
					play(t, w.URL(), servertest.Token, scenario, transport).ends()
					return
				}
				release := w.model.hold()
				defer release()
				s := play(t, w.URL(), servertest.Token, scenario, transport)
				meanwhile(&world{w.In(t), w.model}, s)
				release()
				s.ends()
			})
		}
	})
}

func TestAStockClientTalksWithParticipantsAndReadsWhatThereIs(t *testing.T) {
	everywhere(t, "talk", nil)
}

func TestTheUserOfAClientIsAskedWhatARunAsks(t *testing.T) { everywhere(t, "elicit", nil) }

func TestAClientThatCannotBeAskedAnswersWithATool(t *testing.T) { everywhere(t, "answer", nil) }

func TestAQuestionThatSomebodyElseAnswersIsTakenBack(t *testing.T) {
	everywhere(t, "elsewhere", nil)
}

func TestACallThatIsCancelledCancelsItsRun(t *testing.T) {
	everywhere(t, "cancel", func(w *world, s *script) {
		if got := s.hears(); got != "cancelled" {
			w.Fatalf("the client said %q", got)
		}
	})
}

func TestAClientThatGoesAwayLeavesItsRunAsItIs(t *testing.T) {
	everywhere(t, "leave", func(w *world, s *script) {
		if got := s.hears(); got != "left" {
			w.Fatalf("the client said %q", got)
		}
		s.tells("go on")
	})
}
