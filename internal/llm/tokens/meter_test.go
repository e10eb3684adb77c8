package tokens

import (
	"encoding/json"
	"fmt"
	"hash/maphash"
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"github.com/nestorhq/nestor/internal/llm"
)

// prose has 16 tokens per repetition for gpt-5.
func prose(tokens int) string {
	return strings.Repeat("A crash, a restart or a lost node never loses or doubles a step.\n", tokens/16)
}

func ask(text string) *llm.Request {
	return &llm.Request{Messages: []llm.Message{{Role: llm.RoleUser, Parts: []llm.Part{llm.Text{Text: text}}}}}
}

func TestARequestIsMeasuredWithAllItHolds(t *testing.T) {
	base := ask("Hello")
	long := prose(800)
	with := func(change func(*llm.Request)) *llm.Request {
		req := *base
		req.Messages = append([]llm.Message{}, base.Messages...)
		change(&req)
		return &req
	}
	say := func(role llm.Role, p llm.Part) func(*llm.Request) {
		return func(req *llm.Request) {
			req.Messages = append(req.Messages, llm.Message{Role: role, Parts: []llm.Part{p}})
		}
	}
	for _, tt := range []struct {
		name     string
		change   func(*llm.Request)
		min, max int // more than the request without it
	}{
		{"the instruction", func(r *llm.Request) { r.System = long }, 800, 800},
		{"a tool's description", func(r *llm.Request) { r.Tools = []llm.Tool{{Name: "x", Description: long}} }, 801, 820},
		{"a tool's schema", func(r *llm.Request) {
			r.Tools = []llm.Tool{{Name: "x", Parameters: json.RawMessage(`{"description":"` + prose(800) + `"}`)}}
		}, 801, 830},
		{"a text", say(llm.RoleUser, llm.Text{Text: long}), 801, 810},
		{"an empty message", say(llm.RoleUser, llm.Text{}), 1, 10},
		{"reasoning", say(llm.RoleAssistant, llm.Reasoning{Text: long}), 801, 810},
		{"hidden reasoning", say(llm.RoleAssistant, llm.Reasoning{Redacted: strings.Repeat("x", 4000)}), 1000, 1010},
		{"a call", say(llm.RoleAssistant, llm.ToolCall{ID: "c1", Name: "x", Arguments: long}), 810, 830},
		{"a result", say(llm.RoleTool, llm.ToolResult{CallID: "c1", Name: "x", Content: long}), 810, 830},
		{"an image", say(llm.RoleUser, llm.Media{MIMEType: "image/png", Data: make([]byte, 1<<20)}), 1600, 1610},
		{"an image elsewhere", say(llm.RoleUser, llm.Media{MIMEType: "image/png", URL: "https://example.com/a.png"}), 1600, 1610},
		{"a file", say(llm.RoleUser, llm.Media{MIMEType: "application/pdf", Data: make([]byte, 500_000)}), 20_000, 20_010},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var m Meter
			if more := m.Request("gpt-5", with(tt.change)) - m.Request("gpt-5", base); more < tt.min || more > tt.max {
				t.Errorf("counts %d, want %d to %d", more, tt.min, tt.max)
			}
		})
	}
}

func TestAMessageAndATextAreMeasuredAsInARequest(t *testing.T) {
	var m Meter
	req := ask(prose(320))
	all, message, text := m.Request("gpt-5", req), m.Message("gpt-5", req.Messages[0]), m.Text("gpt-5", prose(320))
	if text != 320 || message != text+perMessage || all != message+perRequest {
		t.Errorf("request %d, message %d, text %d", all, message, text)
	}
}

func TestOver(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var m Meter
		model := rapid.SampledFrom([]string{"gpt-5", "claude-opus-5"}).Draw(t, "model")
		if reported := rapid.Int64Range(0, 10_000).Draw(t, "reported"); reported > 0 {
			m.Learn(model, ask(prose(1_600)), reported)
		}
		req := ask(rapid.String().Draw(t, "text"))
		req.System = rapid.String().Draw(t, "system")
		if rapid.Bool().Draw(t, "tools") {
			req.Tools = []llm.Tool{{Name: "x", Description: "d", Parameters: json.RawMessage(`{"type":"object"}`)}}
		}
		if rapid.Bool().Draw(t, "media") {
			req.Messages[0].Parts = append(req.Messages[0].Parts, llm.Media{MIMEType: "image/png", URL: "u"})
		}
		limit := m.Request(model, req) + rapid.IntRange(-5, 5).Draw(t, "limit")
		if got, want := m.Over(model, req, limit), m.Request(model, req) > limit; got != want {
			t.Fatalf("Over %d is %t, and the request takes %d", limit, got, m.Request(model, req))
		}
	})
}

func TestARequestFarBelowTheLimitIsNotCounted(t *testing.T) {
	var m Meter
	if m.Over("gpt-5", ask(prose(1_600)), 10_000) {
		t.Error("a request of 1,600 tokens is over 10,000")
	}
	if len(m.counts.young) != 0 {
		t.Error("it was counted")
	}
}

func TestAMeterLearnsFromReports(t *testing.T) {
	req := ask(prose(16_000))
	var fresh Meter
	counted := fresh.Request("claude-opus-5", req)
	small := ask(prose(320))
	picture := ask(prose(16_000))
	picture.Messages[0].Parts = append(picture.Messages[0].Parts, llm.Media{MIMEType: "image/png", URL: "u"})
	times := func(x float64, n int) []int64 {
		reports := make([]int64, n)
		for i := range reports {
			reports[i] = int64(x * float64(counted))
		}
		return reports
	}
	for _, tt := range []struct {
		name     string
		req      *llm.Request
		reports  []int64
		min, max float64 // later estimates, as multiples of the first
	}{
		{"more was used", req, times(1.4, 16), 1.35, 1.4},
		{"less was used", req, times(0.9, 16), 0.9, 0.91},
		{"one report is no proof", req, times(1.4, 1), 1.05, 1.1},
		{"one odd report", req, append(times(1.1, 12), 1_000_000_000), 1.1, 1.3},
		{"one odd report is forgotten", req, append([]int64{1_000_000_000}, times(1.1, 12)...), 1.1, 1.12},
		{"absurdly many", req, times(1000, 16), 1.9, 2},
		{"absurdly few", req, times(0.001, 16), 0.8, 0.81},
		{"nothing was reported", req, times(0, 16), 1, 1},
		{"the request was too small", small, times(1.4, 16), 1, 1},
		{"the request held media", picture, times(1.4, 16), 1, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var m Meter
			for _, reported := range tt.reports {
				m.Learn("claude-opus-5", tt.req, reported)
			}
			if got := float64(m.Request("claude-opus-5", req)) / float64(counted); got < tt.min-0.001 || got > tt.max+0.001 {
				t.Errorf("estimates %.3f of what it did, want %.2f to %.2f", got, tt.min, tt.max)
			}
			if m.Request("claude-sonnet-5", req) != counted {
				t.Error("another model is estimated differently, too")
			}
		})
	}
}

// A thousand calls that began before the first report came in all know nothing
// of it; if each corrected its own estimate, the sum would overshoot.
func TestManyCallsAtOnceTeachTheSameAsOneAfterTheOther(t *testing.T) {
	req := ask(prose(16_000))
	var m Meter
	before := m.Request("claude-opus-5", req)
	var wg sync.WaitGroup
	for range 1000 {
		wg.Go(func() {
			m.Request("claude-opus-5", req)
			m.Learn("claude-opus-5", req, int64(before)*13/10)
		})
	}
	wg.Wait()
	if got := float64(m.Request("claude-opus-5", req)) / float64(before); got < 1.28 || got > 1.3001 {
		t.Errorf("estimates %.3f of what it did, want 1.3", got)
	}
}

func TestALessonIsTakenNowAndThenForGood(t *testing.T) {
	var m Meter
	learned := 0
	for range 100 * everyLesson {
		if m.wants("gpt-5") {
			learned++
		}
	}
	if want := everyLesson - 1 + 100; learned != want {
		t.Errorf("%d lessons, want %d", learned, want)
	}
}

func TestOneMeterCountsForSeveralModels(t *testing.T) {
	var m Meter
	req := ask("Größere Unternehmen müssen künftig ausführlichere Berichte vorlegen.")
	for range 2 {
		for _, model := range []string{"gpt-4", "gpt-5", "claude-opus-5"} {
			var fresh Meter
			if got, want := m.Request(model, req), fresh.Request(model, req); got != want {
				t.Errorf("%s: %d tokens, want %d", model, got, want)
			}
		}
	}
}

func TestTheCacheForgetsWhatIsNoLongerAskedFor(t *testing.T) {
	var c cache
	holds := func(s string) bool {
		key := text{maphash.String(seed, s), len(s), estimated}
		_, young := c.young[key]
		_, old := c.old[key]
		return young || old
	}
	for round := range 3 {
		if c.count(estimated, "in use"); round == 0 {
			c.count(estimated, "used once")
		}
		for i := range generation {
			c.count(estimated, fmt.Sprint(round, " ", i))
		}
		if !holds("in use") {
			t.Errorf("round %d: it forgot a text that is in use", round)
		}
	}
	if size := len(c.young) + len(c.old); size > 2*generation || holds("used once") {
		t.Errorf("it holds %d texts", size)
	}
}
