package priority_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/nestorhq/nestor/internal/servertest"
	"github.com/nestorhq/nestor/server"
)

func TestTwoUsersNeverSeeEachOthersAnything(t *testing.T) {
	servertest.Each(t, func(t *testing.T, cfg server.Config) {
		p := start(t, cfg)
		ann, bob := p.signIn("ann"), p.signIn("bob")
		outcome := ann.creates("outcomes", signups)
		document := ann.creates("documents", `{"title":"Secret plan","content":"- Write the secret\n- Print the secret"}`)
		reflection := ann.creates("reflections", `{"text":"a secret"}`)
		p.settled()
		tasks := ann.tasks("")
		write, printIt := tasks["Write the secret"].ID, tasks["Print the secret"].ID
		depends := fmt.Sprintf(`{"source_task_id":%q,"target_task_id":%q,"type":"blocks"}`, printIt, write)
		relationship := ann.creates("relationships", depends)

		for _, stranger := range []*person{bob, bob.withKey("write")} {
			for _, list := range []string{"outcomes", "documents", "tasks", "relationships", "reflections", "relationships?task_id=" + write} {
				if text := stranger.wants(200, "GET", list, ""); text != "{\"items\":[]}\n" {
					t.Errorf("bob sees %s: %s", list, text)
				}
			}
			stranger.wants(404, "GET", "outcomes/active", "")
			for _, one := range []string{"outcomes/" + outcome, "documents/" + document, "relationships/" + relationship, "reflections/" + reflection} {
				if !strings.HasPrefix(one, "re") {
					stranger.wants(404, "GET", one, "")
					stranger.wants(404, "PATCH", one, `{}`)
				}
				stranger.wants(404, "DELETE", one, "")
			}
			stranger.wants(404, "PUT", "documents/"+document, `{"title":"x","content":"x"}`)
			stranger.wants(404, "GET", "tasks?document_id="+document, "")
			stranger.wants(400, "POST", "relationships", depends, `"field":"source_task_id"`)
			for _, at := range []string{"outcomes/" + outcome, "processed-documents/" + document, "task-relationships/" + relationship, "reflections/" + reflection} {
				stranger.wants(404, "GET", "docs/users/ann/"+at, "")
				stranger.wants(404, "DELETE", "docs/users/ann/"+at, "")
			}
			for _, kind := range []string{"user_outcomes", "processed_documents", "task_relationships", "reflections", "agent_sessions", "reasoning_traces"} {
				if text := stranger.wants(200, "POST", "query", `{"flat":"`+kind+`"}`); strings.Contains(text, "ann") {
					t.Errorf("bob finds %s", text)
				}
			}
		}
		if n := len(ann.tasks("")); n != 2 {
			t.Errorf("ann has %d tasks", n)
		}
		ann.wants(200, "GET", "relationships", "", relationship)
	})
}

func TestNobodyMakesUpWhatTheServerWrites(t *testing.T) {
	servertest.Each(t, func(t *testing.T, cfg server.Config) {
		p := start(t, cfg)
		ann := p.signIn("ann")
		outcome := ann.creates("outcomes", signups)
		document := ann.creates("documents", `{"title":"Plan","content":"- Write the report"}`)
		p.settled()
		const session = `{"outcome_id":"o","status":"completed","slot":"current","execution_metadata":{"steps_taken":1,"tool_call_count":{},"thinking_time_ms":0,"tool_execution_time_ms":0,"total_time_ms":0,"error_count":0,"success_rate":1}}`
		for _, forger := range []*person{ann, ann.withKey("write"), p} {
			for at, body := range map[string]string{
				"agent-sessions/s1":                                      session,
				"agent-sessions/s1/reasoning-traces/r":                   `{"steps":[],"total_duration_ms":0,"total_steps":0,"tools_used_count":{}}`,
				"processed-documents/" + document + "/task-embeddings/t": `{"model":"m","vector":""}`,
				"processed-documents/" + document + "/task-states/t":     `{"done":true}`,
				"processed-documents/d2":                                 `{"title":"x","content":"x","source_type":"text","status":"completed"}`,
				"outcomes/o2":                                            signups[:len(signups)-1] + `,"assembled_text":"x","slot":"active"}`,
				"task-relationships/r":                                   `{"source_task_id":"a","target_task_id":"b","type":"blocks","confidence":1,"detection_method":"ai_inference","origin":"manual"}`,
				"reflections/r":                                          `{"text":"x"}`,
			} {
				path := "users/ann/" + at
				forger.wants(403, "PUT", "docs/"+path, body)
				forger.wants(403, "POST", "batch", `{"operations":[{"op":"create","path":"`+path+`","body":`+body+`}]}`)
			}
			forger.wants(403, "PATCH", "docs/users/ann/outcomes/"+outcome, `{"slot":null}`)
			forger.wants(403, "PATCH", "docs/users/ann/processed-documents/"+document, `{"status":"failed"}`)
			forger.wants(403, "POST", "batch", `{"operations":[{"op":"patch","path":"users/ann/outcomes/`+outcome+`","body":{"slot":null}}]}`)
			// Sync answers with what there is instead: nothing.
			if text := forger.wants(200, "POST", "replication/agent_sessions/push",
				`[{"newDocumentState":{"id":"s1","userId":"ann","_deleted":false,`+session[1:]+`}]`, `"id":"s1"`, `"_deleted":true`); strings.Contains(text, "current") {
				t.Errorf("what was made up came back: %s", text)
			}
			forger.wants(404, "GET", "docs/users/ann/agent-sessions/s1", "")
		}
		ann.wants(200, "GET", "outcomes/active", "", outcome)
		ann.wants(200, "GET", "documents/"+document, "", `"status":"completed"`)
	})
}
