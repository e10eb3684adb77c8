package gemini_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/llm"
	"github.com/nestorhq/nestor/internal/llm/gemini"
)

// list asks a server for its models.
func list(t *testing.T, answer http.HandlerFunc) ([]llm.ModelInfo, error) {
	t.Helper()
	server := httptest.NewServer(answer)
	t.Cleanup(server.Close)
	m, err := gemini.New(llm.Target{Model: "any", APIKey: "sk-listed", BaseURL: server.URL, HTTPClient: server.Client()}, gemini.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return m.Models(t.Context())
}

func TestModelsAreListedPageByPage(t *testing.T) {
	pages := map[string]string{
		"": `{"models":[
			{"name":"models/one","displayName":"One","inputTokenLimit":1000,"supportedGenerationMethods":["generateContent"]},
			{"name":"models/vectors","supportedGenerationMethods":["embedContent"]}],"nextPageToken":"p 2"}`,
		"p 2": `{"models":[{"name":"models/two"}]}`,
	}
	got, err := list(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet || r.URL.Path != "/v1beta/models" || r.Header.Get("X-Goog-Api-Key") != "sk-listed" {
			t.Errorf("%s %s with %v", r.Method, r.URL, r.Header)
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = fmt.Fprint(w, pages[r.URL.Query().Get("pageToken")])
	})
	want := []llm.ModelInfo{{ID: "one", Name: "One", ContextTokens: 1000}, {ID: "two"}}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("got %+v, %v, want %+v", got, err, want)
	}
}

func TestAListOfModelsHasAnEnd(t *testing.T) {
	for name, page := range map[string]string{
		"pages of nothing":  `{"models":[],"nextPageToken":"again"}`,
		"pages without end": `{"models":[{"name":"models/one"},{"name":"models/one"},{"name":"models/one"}],"nextPageToken":"again"}`,
	} {
		t.Run(name, func(t *testing.T) {
			got, err := list(t, func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", "application/json")
				_, _ = fmt.Fprint(w, page)
			})
			if err != nil || len(got) > llm.MaxListed {
				t.Errorf("%d models, %v", len(got), err)
			}
		})
	}
}

func TestARefusedListIsExplained(t *testing.T) {
	_, err := list(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusForbidden)
		_, _ = fmt.Fprint(w, `{"error":{"code":403,"message":"Not for you.","status":"PERMISSION_DENIED"}}`)
	})
	if nestor.CodeOf(err) != nestor.CodeUnauthenticated {
		t.Errorf("error %v, want code %q", err, nestor.CodeUnauthenticated)
	}
}
