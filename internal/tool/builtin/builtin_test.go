package builtin

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/testmain"
	"github.com/nestorhq/nestor/internal/tool"
)

func TestMain(m *testing.M) { testmain.Run(m) }

func find(t *testing.T, o Options, name string) *tool.Tool {
	t.Helper()
	for _, made := range Tools(o) {
		if made.Name == name {
			return made
		}
	}
	t.Fatalf("there is no tool %s", name)
	return nil
}

func run(t *testing.T, made *tool.Tool, arguments string) tool.Result {
	t.Helper()
	call := tool.Call{Arguments: arguments, Scope: tool.Scope{UserID: "u1", ChatID: "c1", SubAgentID: "s1"}}
	return tool.Execute(t.Context(), made, call, tool.Options{})
}

func TestToolsAreOfferedInOrderWithDescriptions(t *testing.T) {
	var names []string
	for _, made := range Tools(Options{}) {
		names = append(names, made.Name)
		if len(made.Description) < 60 || made.Effect != tool.Pure || !strings.Contains(string(made.Parameters), `"description"`) {
			t.Errorf("%s: %+v", made.Name, made.Spec)
		}
	}
	want := []string{"calculator", "current_time", "web_fetch", "tavily_search", "search_documents", "read_result"}
	if !slices.Equal(names, want) {
		t.Errorf("got %q, want %q", names, want)
	}
}

func TestWithoutStorageItsToolsSaySo(t *testing.T) {
	for name, arguments := range map[string]string{"search_documents": `{"query":"x"}`, "read_result": `{"id":"x"}`} {
		r := run(t, find(t, Options{}, name), arguments)
		if r.Code != nestor.CodeUnavailable || !strings.HasPrefix(r.Error, "there is no store of ") {
			t.Errorf("%s: got %+v", name, r)
		}
	}
}

func TestCalculator(t *testing.T) {
	made := find(t, Options{}, "calculator")
	if r := run(t, made, `{"expression":"round((1200 * 1.19 - 50) / 3, 2)"}`); r.Output != "459.33" {
		t.Errorf("got %+v", r)
	}
	r := run(t, made, `{"expression":"1 / 0"}`)
	if r.Code != nestor.CodeInvalid || r.Error != "at position 3: division by zero" {
		t.Errorf("got %+v", r)
	}
}

func TestCurrentTime(t *testing.T) {
	now := func() time.Time { return time.Date(2026, 1, 1, 23, 30, 0, 0, time.UTC) }
	made := find(t, Options{Now: now}, "current_time")
	tests := []struct{ name, arguments, want string }{
		{"UTC by default", `{}`, "2026-01-01T23:30:00Z (Thursday, week 1, UTC, UTC+00:00)"},
		{"a zone east, where it is tomorrow", `{"timeZone":"Asia/Kolkata"}`, "2026-01-02T05:00:00+05:30 (Friday, week 1, Asia/Kolkata, UTC+05:30)"},
		{"a zone west", `{"timeZone":"America/New_York"}`, "2026-01-01T18:30:00-05:00 (Thursday, week 1, America/New_York, UTC-05:00)"},
		{"an unknown zone", `{"timeZone":"Mars/Olympus"}`, `"Mars/Olympus" is not an IANA time zone; give a name such as Europe/Berlin, Asia/Tokyo or UTC`},
		{"not where the server stands", `{"timeZone":"Local"}`, `"Local" is not an IANA time zone; give a name such as Europe/Berlin, Asia/Tokyo or UTC`},
		{"not a file", `{"timeZone":"../../etc/passwd"}`, `"../../etc/passwd" is not an IANA time zone; give a name such as Europe/Berlin, Asia/Tokyo or UTC`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if r := run(t, made, tt.arguments); r.Output+r.Error != tt.want {
				t.Errorf("got %q, want %q", r.Output+r.Error, tt.want)
			}
		})
	}
}

type documents struct {
	hits []Hit
	err  error
	seen *[]any
}

func (d documents) Search(_ context.Context, scope tool.Scope, query string, limit int) ([]Hit, error) {
	if d.seen != nil {
		*d.seen = []any{scope.UserID, query, limit}
	}
	return d.hits, d.err
}

func TestSearchDocuments(t *testing.T) {
	var seen []any
	found := documents{seen: &seen, hits: []Hit{
		{Path: "users/u1/notes/n1", Title: "Trip", Snippet: "to\n  Rome"}, {Path: "users/u1/notes/n2", Title: "List", Snippet: "milk"},
	}}
	r := run(t, find(t, Options{Documents: found}, "search_documents"), `{"query":"rome"}`)
	if want := "1. Trip (users/u1/notes/n1)\n   to Rome\n2. List (users/u1/notes/n2)\n   milk"; r.Output != want {
		t.Errorf("got %q, want %q", r.Output+r.Error, want)
	}
	if want := []any{"u1", "rome", 5}; !slices.Equal(seen, want) {
		t.Errorf("searched %v, want %v", seen, want)
	}
	tests := []struct {
		name, arguments string
		documents       documents
		want            string
	}{
		{"nothing found", `{"query":"x"}`, documents{}, "No documents match."},
		{"an empty query", `{"query":" "}`, documents{}, "query is empty"},
		{"a limit out of range", `{"query":"x","limit":21}`, documents{}, "limit is 21; give 1 to 20"},
		{"a failing store", `{"query":"x"}`, documents{err: nestor.Errorf(nestor.CodeUnavailable, "the store is busy")}, "the store is busy"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if r := run(t, find(t, Options{Documents: tt.documents}, "search_documents"), tt.arguments); r.Output+r.Error != tt.want {
				t.Errorf("got %q, want %q", r.Output+r.Error, tt.want)
			}
		})
	}
	r = tool.Execute(t.Context(), find(t, Options{Documents: found}, "search_documents"), tool.Call{Arguments: `{"query":"x"}`}, tool.Options{})
	if r.Code != nestor.CodeForbidden {
		t.Errorf("without a user: got %+v", r)
	}
}

type results map[string]string

func (m results) ReadResult(_ context.Context, scope tool.Scope, id string, offset, limit int) (string, int, error) {
	text, ok := m[scope.UserID+"/"+scope.ChatID+"/"+scope.SubAgentID+"/"+id]
	if !ok {
		return "", 0, nestor.Errorf(nestor.CodeNotFound, "there is no result %s", id)
	}
	runes := []rune(text)
	start := min(offset, len(runes))
	return string(runes[start:min(start+limit, len(runes))]), len(runes), nil
}

func TestReadResult(t *testing.T) {
	made := find(t, Options{Results: results{"u1/c1/s1/r1": "äbcdefghij", "u2/c1/s1/r2": "not yours"}}, "read_result")
	tests := []struct{ name, arguments, want string }{
		{"the beginning", `{"id":"r1","limit":4}`, "[characters 0 to 4 of 10; go on with offset 4]\näbcd"},
		{"the end", `{"id":"r1","offset":4}`, "[characters 4 to 10 of 10; this is the end]\nefghij"},
		{"beyond the end", `{"id":"r1","offset":10}`, "[there is nothing at offset 10: the result has 10 characters]"},
		{"another user's", `{"id":"r2"}`, "there is no result r2"},
		{"a negative offset", `{"id":"r1","offset":-1}`, "offset is negative"},
		{"a limit out of range", `{"id":"r1","limit":40001}`, "limit is 40001; give 1 to 40000"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if r := run(t, made, tt.arguments); r.Output+r.Error != tt.want {
				t.Errorf("got %q, want %q", r.Output+r.Error, tt.want)
			}
		})
	}
	long := results{"u1/c1/s1/r1": strings.Repeat("€", maxPiece)}
	if r := run(t, find(t, Options{Results: long}, "read_result"), `{"id":"r1","limit":40000}`); r.Truncated {
		t.Error("the largest piece is cut")
	}
}
