//go:build unix

package bench

import (
	"context"
	"fmt"
	"io"
	"iter"
	"log/slog"
	"syscall"
	"testing"
	"time"

	"github.com/nestorhq/nestor/client"
	"github.com/nestorhq/nestor/internal/llm"
	"github.com/nestorhq/nestor/internal/servertest"
	"github.com/nestorhq/nestor/server"
)

const (
	stepTasks = 32 // agents at once
	stepCalls = 20 // steps of each that call a tool
)

// BenchmarkStepsWithMetrics measures what recording metrics costs agents: the same tasks are done by turns by a server
// that records and by one that does not. with-metrics is the ratio of their times, 1.00 if it costs nothing, and
// cpu-with-metrics that of the processor's, which others on the machine change less.
func BenchmarkStepsWithMetrics(b *testing.B) {
	for _, engine := range []string{"sqlite", "postgres"} {
		b.Run(engine, func(b *testing.B) {
			var servers [2]*server.Server
			for i := range servers {
				cfg := server.Config{
					Data: b.TempDir(), NoMetrics: i == 0, Model: busy{}, Env: func(string) string { return "" }, Token: "a-token-of-at-least-thirty-two-characters",
					Logger: slog.New(slog.NewTextHandler(io.Discard, nil)),
				}
				if engine == "postgres" {
					cfg.DB = servertest.Postgres(b)
				}
				s, err := server.Start(context.Background(), cfg)
				if err != nil {
					b.Fatal(err)
				}
				defer s.Close()
				servers[i] = s
			}
			var took, cpu [2]time.Duration
			for n := 0; b.Loop(); n++ {
				for turn := range servers {
					which := (turn + n) % 2 // neither is always the first
					began, busy := time.Now(), processor(b)
					steps(b, servers[which])
					took[which] += time.Since(began)
					cpu[which] += processor(b) - busy
				}
			}
			done := float64(b.N * stepTasks * (stepCalls + 1))
			b.ReportMetric(done/took[0].Seconds(), "steps/s-without")
			b.ReportMetric(done/took[1].Seconds(), "steps/s-with")
			b.ReportMetric(took[1].Seconds()/took[0].Seconds(), "with-metrics")
			b.ReportMetric(cpu[1].Seconds()/cpu[0].Seconds(), "cpu-with-metrics")
		})
	}
}

// processor is how long this process has had a processor.
func processor(b *testing.B) time.Duration {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		b.Fatal(err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

// steps has agents do their tasks, each in a chat of its own.
func steps(b *testing.B, s *server.Server) {
	c := s.Client()
	for range stepTasks {
		chat, err := c.CreateChat(b.Context(), client.NewChat{})
		if err != nil {
			b.Fatal(err)
		}
		if _, err := c.StartTask(b.Context(), chat.ID, "general", "Count."); err != nil {
			b.Fatal(err)
		}
	}
	if err := s.Wait(b.Context()); err != nil {
		b.Fatal(err)
	}
}

// busy calls the calculator, again and again, and then is done.
type busy struct{}

func (busy) Name() string { return "busy" }

func (busy) Generate(_ context.Context, req *llm.Request) iter.Seq2[llm.Event, error] {
	return func(yield func(llm.Event, error) bool) {
		calls := 0
		for _, m := range req.Messages {
			if m.Role == llm.RoleTool {
				calls++
			}
		}
		var what llm.Event = llm.Text{Text: "Done."}
		reason := llm.ReasonStop
		if calls < stepCalls && len(req.Tools) > 0 {
			what = llm.ToolCall{ID: fmt.Sprint("call-", calls), Name: "calculator", Arguments: `{"expression":"6*7"}`}
			reason = llm.ReasonToolCalls
		}
		for _, e := range []llm.Event{what, llm.Usage{Input: 100, Output: 10}, llm.Finish{Reason: reason}} {
			if !yield(e, nil) {
				return
			}
		}
	}
}
