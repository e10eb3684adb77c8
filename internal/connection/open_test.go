package connection_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/connection"
	"github.com/nestorhq/nestor/internal/llm"
	"github.com/nestorhq/nestor/internal/llm/llmtest"
	"github.com/nestorhq/nestor/internal/store"
	"github.com/nestorhq/nestor/internal/store/engines"
)

func TestAConnectionCallsItsModelWithItsSecretAndSettings(t *testing.T) {
	for format, wire := range wires {
		t.Run(format, func(t *testing.T) {
			server := wire.Serve(t, says("Hi."), says("Hi again."))
			c := open(t)
			d := draft("one", format, server.URL)
			d.Data = json.RawMessage(`{"temperature":0.25,"maxTokens":77}`)
			save(t, c, d, " "+secret+"\n") // as people paste
			reply, err := ask(t, c, "one")
			if err != nil || len(reply.Message.Parts) != 1 || reply.Message.Parts[0] != (llm.Text{Text: "Hi."}) {
				t.Fatalf("got %+v, %v", reply, err)
			}
			req := server.Requests()[0]
			if !strings.Contains(string(req.Body), "0.25") || !strings.Contains(string(req.Body), "77") {
				t.Errorf("the settings are missing: %s", req.Body)
			}
			headers, err := json.Marshal(req.Header)
			if err != nil || !strings.Contains(string(headers), secret) {
				t.Errorf("the key is missing: %s, %v", headers, err)
			}
			m, err := c.Open(t.Context(), user, "one")
			if err != nil {
				t.Fatal(err)
			}
			own := question()
			own.MaxTokens = 99
			if _, err := llm.Collect(m.Generate(t.Context(), own)); err != nil {
				t.Fatal(err)
			}
			if body := string(server.Requests()[1].Body); !strings.Contains(body, "99") || strings.Contains(body, "77") {
				t.Errorf("the request's own limit does not win: %s", body)
			}
		})
	}
}

func TestTheEnvironmentIsTheDefault(t *testing.T) {
	c := open(t)
	for _, id := range []string{"", "default"} {
		m, err := c.Open(t.Context(), user, id)
		if err != nil || m.Name() != "demo" {
			t.Errorf("%q: %v, %v", id, m, err)
		}
	}
}

func TestAConnectionWithoutItsKeySaysSo(t *testing.T) {
	c := open(t)
	for format := range wires {
		save(t, c, draft(format, format, ""), "")
		_, err := c.Open(t.Context(), user, format)
		if nestor.CodeOf(err) != nestor.CodeUnauthenticated || !strings.Contains(err.Error(), "save it with a secret") {
			t.Errorf("%s: %v", format, err)
		}
	}
}

func TestTheFallbackAnswersWhileAConnectionIsDown(t *testing.T) {
	down := llmtest.OpenAI.Serve(t, llmtest.Turn{Status: 503, Message: "no"}, llmtest.Turn{Status: 503, Message: "no"})
	middle := llmtest.Anthropic.Serve(t, llmtest.Turn{Status: 529, Message: "no"})
	up := llmtest.Gemini.Serve(t, says("Here."))
	c := open(t)
	last := draft("last", "gemini", up.URL)
	last.ModelID = "last-model"
	save(t, c, last, secret)
	second := draft("second", "anthropic", middle.URL)
	second.FallbackID, second.RetryPolicy = "last", nestor.RetryPolicy{MaxAttempts: 1}
	save(t, c, second, secret)
	first := draft("first", "openai", down.URL)
	first.FallbackID, first.RetryPolicy = "second", nestor.RetryPolicy{MaxAttempts: 2, InitialBackoff: 1}
	save(t, c, first, secret)

	reply, err := ask(t, c, "first")
	if err != nil || reply.Model != "last-model" {
		t.Errorf("got %+v, %v", reply, err)
	}
	if n := len(down.Requests()); n != 2 {
		t.Errorf("the first was asked %d times", n)
	}
}

func TestFallbacksThatLeadNowhereAreExplained(t *testing.T) {
	s := engines.SQLite(t)(t, store.Options{})
	c := over(t, s, newKey(t))
	save(t, c, draft("b", "demo", ""), "")
	a := draft("a", "demo", "")
	a.FallbackID = "b"
	save(t, c, a, "")
	err := s.Update(t.Context(), func(tx store.Tx) error {
		_, err := tx.Patch("users/local/model-connections/b", map[string]any{"fallbackId": "a"}, store.AnyVersion)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Open(t.Context(), user, "a"); nestor.CodeOf(err) != nestor.CodeInvalid || !strings.Contains(err.Error(), "circle") {
		t.Errorf("a circle: %v", err)
	}
	if err := c.Delete(t.Context(), user, "b", store.AnyVersion); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Open(t.Context(), user, "a"); nestor.CodeOf(err) != nestor.CodeNotFound {
		t.Errorf("a fallback that is gone: %v", err)
	}
}

func TestTheConcurrencyLimitIsSharedByAllWhoOpenAConnection(t *testing.T) {
	server := llmtest.OpenAI.Serve(t, llmtest.Turn{Events: []llm.Event{llm.Text{Text: "Wait"}}, Ending: llmtest.Stall}, says("Mine."))
	c := open(t)
	d := draft("one", "openai", server.URL)
	d.Concurrency = 1
	save(t, c, d, "")
	holder, err := c.Open(t.Context(), user, "one")
	if err != nil {
		t.Fatal(err)
	}
	for _, err := range holder.Generate(t.Context(), question()) {
		if err != nil {
			t.Fatal(err)
		}
		// The one place is taken: this call does not reach the server.
		other, err := c.Open(t.Context(), user, "one")
		if err != nil {
			t.Fatal(err)
		}
		impatient, cancel := context.WithTimeout(t.Context(), 2*time.Second)
		defer cancel()
		if _, err := llm.Collect(other.Generate(impatient, question())); err == nil || !strings.Contains(err.Error(), "wait for a place") {
			t.Errorf("the second call: %v", err)
		}
		break
	}
	if n := len(server.Requests()); n != 1 {
		t.Errorf("%d calls reached the server", n)
	}
	if reply, err := ask(t, c, "one"); err != nil || reply.Reason != llm.ReasonStop {
		t.Errorf("after the place was given back: %+v, %v", reply, err)
	}
}

func TestASavedChangeHoldsForTheNextCall(t *testing.T) {
	old, fresh := llmtest.OpenAI.Serve(t, says("Old.")), llmtest.OpenAI.Serve(t, says("New."), says("New."))
	c := open(t)
	save(t, c, draft("one", "openai", old.URL), secret)
	if _, err := ask(t, c, "one"); err != nil {
		t.Fatal(err)
	}
	save(t, c, draft("one", "openai", fresh.URL), secret)
	if _, err := ask(t, c, "one"); err != nil {
		t.Fatal(err)
	}
	save(t, c, draft("one", "openai", fresh.URL), secret+"2")
	if _, err := ask(t, c, "one"); err != nil {
		t.Fatal(err)
	}
	if got := fresh.Requests()[1].Header.Get("Authorization"); got != "Bearer "+secret+"2" {
		t.Errorf("the old secret was sent: %s", got)
	}
}

func TestToolsAreCalledInXMLWhenTheConnectionSaysSo(t *testing.T) {
	server := llmtest.OpenAI.Serve(t, says(`<clock zone="UTC"></clock>`))
	c := open(t)
	d := draft("one", connection.OpenAI, server.URL)
	d.Data = json.RawMessage(`{"xmlTools":true}`)
	save(t, c, d, "")
	m, err := c.Open(t.Context(), user, "one")
	if err != nil {
		t.Fatal(err)
	}
	req := question()
	req.Tools = []llm.Tool{{
		Name: "clock", Description: "Tells the time.",
		Parameters: json.RawMessage(`{"type":"object","properties":{"zone":{"type":"string","enum":["UTC"]}}}`),
	}}
	reply, err := llm.Collect(m.Generate(t.Context(), req))
	if err != nil || len(reply.Message.Parts) != 1 {
		t.Fatalf("got %+v, %v", reply, err)
	}
	call, ok := reply.Message.Parts[0].(llm.ToolCall)
	if !ok || call.Name != "clock" || call.Arguments != `{"zone":"UTC"}` || reply.Reason != llm.ReasonToolCalls {
		t.Errorf("got %+v", reply)
	}
	if body := string(server.Requests()[0].Body); strings.Contains(body, `"tools"`) || !strings.Contains(body, "clock") {
		t.Errorf("sent %s", body)
	}
}

func TestCallsInXMLCountBesideNativeOnesAsFarAsTheConnectionSays(t *testing.T) {
	server := llmtest.OpenAI.Serve(t, says(`One: <clock/> two: <clock/> three: <clock/>`))
	c := open(t)
	d := draft("one", connection.OpenAI, server.URL)
	d.Data = json.RawMessage(`{"xmlTools":"also","maxXmlCalls":2}`)
	save(t, c, d, "")
	m, err := c.Open(t.Context(), user, "one")
	if err != nil {
		t.Fatal(err)
	}
	req := question()
	req.Tools = []llm.Tool{{Name: "clock", Parameters: json.RawMessage(`{"type":"object"}`)}}
	reply, err := llm.Collect(m.Generate(t.Context(), req))
	if err != nil {
		t.Fatal(err)
	}
	calls := 0
	for _, p := range reply.Message.Parts {
		if call, ok := p.(llm.ToolCall); ok && call.Name == "clock" {
			calls++
		}
	}
	if calls != 2 || reply.Reason != llm.ReasonToolCalls {
		t.Errorf("got %d calls and %q: %+v", calls, reply.Reason, reply.Message.Parts)
	}
	if body := string(server.Requests()[0].Body); !strings.Contains(body, `"tools"`) {
		t.Errorf("the model is not offered tools natively: %s", body)
	}
}
