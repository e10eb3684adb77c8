package app_test

import (
	"encoding/json"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/nestorhq/nestor/internal/servertest"
	nestord "github.com/nestorhq/nestor/server"
)

// described is what a description of the API says of requests and answers.
type described struct {
	Paths      map[string]map[string]operation
	Components struct {
		Schemas map[string]*jsonschema.Schema
	}
}

type operation struct {
	Parameters []struct {
		Name, In string
		Required bool
		Example  any
	}
	RequestBody struct {
		Content map[string]struct {
			Schema  *jsonschema.Schema
			Example json.RawMessage
		}
	}
	Responses map[string]struct {
		Content map[string]struct{ Schema *jsonschema.Schema }
	}
}

// named is a schema itself, or the one that it refers to.
func (d *described) named(s *jsonschema.Schema) *jsonschema.Schema {
	if name, ok := strings.CutPrefix(s.Ref, "#/components/schemas/"); ok {
		return d.Components.Schemas[name]
	}
	return s
}

// idField is how fields are called that hold an id. The rest of what clients call ids is
// nobody's path: that of a question, which a model made, and names that providers give.
var idField = regexp.MustCompile(`^id$|Id$|ID$|_id$`)

var noIDs = []string{"questionId", "modelId", "providerId"}

// noID are values that cannot be ids: they would name another document if they were put
// into a path.
var noID = []string{"a/b", "../x", "..", ".", "", strings.Repeat("x", 300), "ä☺", "a b", "a%2fb", "a\x00b", "a\nb"}

// Whatever a client sends in the field of an id that cannot be one is refused, or is as if
// nothing was sent if it is empty: every field of every request that the API describes.
func TestWhatCannotBeAnIDIsRefusedInEveryField(t *testing.T) {
	servertest.Each(t, func(t *testing.T, cfg nestord.Config) {
		p := servertest.Enter(t, cfg)
		var api described
		p.Into(&api, 200, "GET", "openapi.json", "")
		p.Wants(201, "POST", "chats", `{"id":"c1"}`)
		var account, project struct{ ID string }
		p.Into(&account, 201, "POST", "accounts", `{"name":"Team"}`)
		p.Into(&project, 201, "POST", "accounts/"+account.ID+"/projects", `{"name":"Work"}`)
		at := strings.NewReplacer("{chat}", "c1", "{account}", account.ID, "{project}", project.ID)
		fields := 0
		for _, path := range slices.Sorted(maps.Keys(api.Paths)) {
			for method, op := range api.Paths[path] {
				body := op.RequestBody.Content["application/json"]
				if body.Schema == nil {
					continue
				}
				to := regexp.MustCompile(`\{[^}]*\}`).ReplaceAllString(at.Replace(strings.TrimPrefix(path, "/api/v1/")), "none")
				for field := range api.named(body.Schema).Properties {
					if !idField.MatchString(field) || slices.Contains(noIDs, field) {
						continue
					}
					fields++
					for i := range 2 * len(noID) {
						value, alone := noID[i/2], i%2 == 0
						sent := map[string]any{}
						if len(body.Example) > 0 && json.Unmarshal(body.Example, &sent) != nil {
							t.Fatalf("the example of %s %s is no object", method, path)
						}
						delete(sent, "id") // what there is already is not made anew
						maps.DeleteFunc(sent, func(other string, _ any) bool { return alone && idField.MatchString(other) })
						sent[field] = value
						text, err := json.Marshal(sent)
						if err != nil {
							t.Fatal(err)
						}
						res, answer := p.Send(p.Request(strings.ToUpper(method), to, string(text)))
						if res.StatusCode >= http.StatusInternalServerError || value != "" && res.StatusCode < http.StatusBadRequest {
							t.Errorf("%s %s with %s: %.40q: %d %.300s", method, path, field, value, res.StatusCode, answer)
						}
					}
				}
			}
		}
		if fields < 20 {
			t.Errorf("there are %d fields with ids: the description is read wrongly", fields)
		}
		t.Logf("%d fields", fields)
	})
}
