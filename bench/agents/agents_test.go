package main

import (
	"database/sql"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nestorhq/nestor/internal/llm"
	"github.com/nestorhq/nestor/internal/llm/openai"
)

func TestTheFloorTakesTheStepsItIsToldAndStoresThem(t *testing.T) {
	model := httptest.NewServer(newModel())
	defer model.Close()
	file := filepath.Join(t.TempDir(), "floor.db")
	r, err := openRows(t.Context(), file)
	if err != nil {
		t.Fatal(err)
	}
	floor := httptest.NewServer(newFloor(model.URL, r))
	defer floor.Close()

	const agents, steps = 3, 4
	var out outcome
	order := order{Agents: agents, Instruction: instruction(steps, instant), System: instructions, Tools: []byte("[]")}
	if err := call(t.Context(), http.MethodPost, floor.URL+"/run", order, &out); err != nil {
		t.Fatal(err)
	}
	if err := r.close(); err != nil {
		t.Fatal(err)
	}
	for _, ends := range out.Ends {
		if len(ends) != steps || !slices.IsSorted(ends) || ends[steps-1] > out.Elapsed {
			t.Errorf("steps ended at %v of %v, want %d steps one after the other", ends, out.Elapsed, steps)
		}
	}
	if disk, bodies, err := fileSize(t.Context(), file, []string{"messages"}); err != nil || bodies < agents*steps*1000 || disk < bodies {
		t.Errorf("the file has %v bytes, of which %v are messages, %v", disk, bodies, err)
	}
	// Instructions and task, two messages per step, and the answer.
	if got, want := count(t, file, "messages"), agents*(2+2*steps+1); got != want {
		t.Errorf("%d messages are stored, want %d", got, want)
	}
}

func count(t *testing.T, file, table string) (n int) {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+file)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if err := db.QueryRow("SELECT count(*) FROM " + table).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

func TestNestorUnderstandsTheModel(t *testing.T) {
	server := httptest.NewServer(newModel())
	defer server.Close()
	m, err := openai.New(llm.Target{Model: modelName, BaseURL: server.URL + "/v1", HTTPClient: server.Client()}, openai.Options{})
	if err != nil {
		t.Fatal(err)
	}
	calculation := llm.ToolCall{ID: "call_1", Name: "calculator", Arguments: `{"expression":"2^(3200+1)"}`}
	task := llm.Message{Role: llm.RoleUser, Parts: []llm.Part{llm.Text{Text: instruction(1, instant)}}}
	first := llm.Message{Role: llm.RoleAssistant, Parts: []llm.Part{llm.Text{Text: thought(1)}, calculation}}
	result := llm.Message{Role: llm.RoleTool, Parts: []llm.Part{llm.ToolResult{CallID: "call_1", Name: "calculator", Content: "8"}}}

	if got := replyTo(t, m, task); !slices.Equal(got, first.Parts) {
		t.Errorf("the model opens with %v, want %v", got, first.Parts)
	}
	slowly := llm.Message{Role: llm.RoleUser, Parts: []llm.Part{llm.Text{Text: instruction(1, manner{wait: 1, pace: 1})}}}
	if got := replyTo(t, m, slowly); !slices.Equal(got, first.Parts) {
		t.Errorf("token by token the model opens with %v, want %v", got, first.Parts)
	}
	if got := replyTo(t, m, task, first, result); len(got) != 1 || got[0].(llm.ToolCall).Name != "final_answer" {
		t.Errorf("the model ends with %v, want its final answer", got)
	}
	stranger := llm.Message{Role: llm.RoleUser, Parts: []llm.Part{llm.Text{Text: "Name this chat."}}}
	if got := replyTo(t, m, stranger); len(got) != 1 || got[0].(llm.Text).Text == "" {
		t.Errorf("the model tells somebody who is no agent %v, want a sentence", got)
	}
}

func TestAHostedModelSendsEachTokenInAChunkOfItsOwn(t *testing.T) {
	at := manner{wait: 40 * time.Millisecond, pace: time.Millisecond}
	began := time.Now()
	answer := httptest.NewRecorder()
	newModel().ServeHTTP(answer, httptest.NewRequest(http.MethodPost, "/v1/chat/completions",
		strings.NewReader(`{"messages":[{"role":"user","content":`+quote(instruction(1, at))+`}]}`)))
	chunks := strings.Count(answer.Body.String(), "data: ")
	if chunks < 55 || chunks > 75 || !answer.Flushed {
		t.Errorf("the reply came in %d chunks, want some 60", chunks)
	}
	if took, least := time.Since(began), at.wait+time.Duration(chunks-1)*at.pace; took < least {
		t.Errorf("%d chunks came in %v, want them to take at least %v", chunks, took, least)
	}
}

func replyTo(t *testing.T, m llm.Model, talk ...llm.Message) []llm.Part {
	t.Helper()
	r, err := llm.Collect(m.Generate(t.Context(), &llm.Request{Messages: talk}))
	if err != nil {
		t.Fatal(err)
	}
	return r.Message.Parts
}
