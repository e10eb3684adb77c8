package priority_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/nestorhq/nestor/internal/servertest"
	"github.com/nestorhq/nestor/server"
)

const signups = `{"direction":"increase","object":"weekly signups","metric":"new accounts","clarifier":"20% more by June"}`

func TestOneOutcomeIsActive(t *testing.T) {
	servertest.Each(t, func(t *testing.T, cfg server.Config) {
		p := start(t, cfg)
		p.wants(404, "GET", "outcomes/active", "", `"reason":"NO_ACTIVE_OUTCOME"`)
		first := p.creates("outcomes", `{"direction":"ship","object":" the report ","metric":"pages read","clarifier":"before Friday!","state_preference":"Low energy","daily_capacity_hours":0.25}`)
		p.wants(200, "GET", "outcomes/active", "", `"id":"`+first, `"assembled_text":"Ship the report, measured by pages read: before Friday!"`,
			`"state_preference":"Low energy"`, `"daily_capacity_hours":0.25`, `"is_active":true`, `"user_id":"local"`)
		second := p.creates("outcomes", signups)
		text := p.wants(200, "GET", "outcomes/active", "", `"id":"`+second, `"assembled_text":"Increase weekly signups, measured by new accounts: 20% more by June."`, `"state_preference":null`)
		if !strings.Contains(text, `Z","updated_at":"20`) {
			t.Errorf("the times of %s are not in ISO 8601", text)
		}
		p.wants(200, "GET", "outcomes/"+first, "", `"is_active":false`)

		p.wants(200, "PATCH", "outcomes/"+first, `{"is_active":true,"metric":"pages written"}`, `"is_active":true`, "measured by pages written:", `"state_preference":"Low energy"`)
		p.wants(200, "GET", "outcomes/active", "", `"id":"`+first)
		p.wants(200, "PATCH", "outcomes/"+first, `{"is_active":true}`, `"is_active":true`)
		p.wants(200, "PATCH", "outcomes/"+second, `{"clarifier":"30% more"}`, `"is_active":false`)
		p.wants(200, "PATCH", "outcomes/"+first, `{"state_preference":"","daily_capacity_hours":0}`, `"state_preference":null`, `"daily_capacity_hours":null`)
		if text := p.wants(200, "GET", "outcomes", "", first, second); strings.Count(text, `"is_active":true`) != 1 {
			t.Errorf("the outcomes are %s", text)
		}
		p.wants(200, "GET", "outcomes?limit=1", "", `"next":"`)
		p.wants(200, "PATCH", "outcomes/"+first, `{"is_active":false}`, `"is_active":false`)
		p.wants(404, "GET", "outcomes/active", "")
		p.wants(204, "DELETE", "outcomes/"+first, "")
		p.wants(404, "DELETE", "outcomes/"+first, "")
		p.wants(404, "PATCH", "outcomes/"+first, `{"is_active":true}`)

		t.Run("however many become it at once", func(t *testing.T) {
			var all sync.WaitGroup
			for range 8 {
				all.Go(func() { p.wants(201, "POST", "outcomes", signups) })
			}
			all.Wait()
			if text := p.wants(200, "GET", "outcomes", ""); strings.Count(text, `"is_active":true`) != 1 || strings.Count(text, `"is_active":false`) != 8 {
				t.Errorf("the outcomes are %s", text)
			}
		})
	})
}

func TestErrorsNameTheField(t *testing.T) {
	p := start(t, server.Config{Data: t.TempDir()})
	outcome := p.creates("outcomes", signups)
	document := p.creates("documents", `{"title":"Plan","content":"- Write the report"}`)
	changed := func(field, value string) string {
		return `{"direction":"increase","object":"weekly signups","metric":"new accounts","clarifier":"more","` + field + `":` + value + `}`
	}
	long := func(n int) string { return `"` + strings.Repeat("ä", n) + `"` }
	for _, c := range []struct{ method, path, body, field string }{
		{"POST", "outcomes", `{}`, "direction"},
		{"POST", "outcomes", changed("direction", `"stop"`), "direction"},
		{"POST", "outcomes", changed("object", `"ab"`), "object"},
		{"POST", "outcomes", changed("object", `"  a  "`), "object"},
		{"POST", "outcomes", changed("object", long(101)), "object"},
		{"POST", "outcomes", changed("metric", long(101)), "metric"},
		{"POST", "outcomes", changed("clarifier", long(151)), "clarifier"},
		{"POST", "outcomes", changed("state_preference", `"tired"`), "state_preference"},
		{"POST", "outcomes", changed("daily_capacity_hours", "0.2"), "daily_capacity_hours"},
		{"POST", "outcomes", changed("daily_capacity_hours", "24.5"), "daily_capacity_hours"},
		{"PATCH", "outcomes/" + outcome, `{"metric":"x"}`, "metric"},
		{"POST", "outcomes", changed("objekt", `"x"`), "objekt"},
		{"PATCH", "outcomes/" + outcome, `{"metric":7}`, "metric"},
		{"POST", "agent/prioritize", `{"again":true}`, "again"},
		{"POST", "documents", `{"content":"x"}`, "title"},
		{"POST", "documents", `{"title":"x","content":["x"]}`, "content"},
		{"PATCH", "documents/" + document, `{"contents":"x"}`, "contents"},
		{"POST", "documents", `{"title":"x","content":" "}`, "content"},
		{"POST", "documents", `{"title":` + long(201) + `,"content":"x"}`, "title"},
		{"PATCH", "documents/" + document, `{"content":""}`, "content"},
		{"PUT", "documents/" + document, `{"title":"x","content":"a\u0000b"}`, "content"},
		{"POST", "relationships", `{"source_task_id":"a","target_task_id":"a","type":"blocks"}`, "target_task_id"},
		{"POST", "relationships", `{"source_task_id":"a","type":"blocks"}`, "target_task_id"},
		{"POST", "relationships", `{"target_task_id":"a","type":"blocks"}`, "source_task_id"},
		{"POST", "relationships", `{"source_task_id":"a","target_task_id":"b","type":"blocks"}`, "source_task_id"},
		{"POST", "relationships", `{"source_task_id":"a","target_task_id":"b","type":"needs"}`, "type"},
		{"POST", "relationships", `{"source_task_id":7}`, "source_task_id"},
		{"POST", "reflections", `{"text":""}`, "text"},
		{"POST", "reflections", `{"text":"x","mood":"good"}`, "mood"},
		{"POST", "reflections", `{"text":` + long(2001) + `}`, "text"},
	} {
		p.wants(400, c.method, c.path, c.body, `"reason":"VALIDATION_ERROR"`, `"field":"`+c.field+`"`, `"code":"invalid"`)
	}
	for _, body := range []string{changed("object", long(100)), changed("clarifier", long(150)), changed("object", `"abc"`), changed("daily_capacity_hours", "24")} {
		p.wants(201, "POST", "outcomes", body)
	}
	p.wants(413, "POST", "documents", `{"title":"x","content":`+long(300_000)+`}`, `"field":"content"`)
	p.wants(400, "GET", "tasks?document_id=a/b", "", `"field":"document_id"`)
	p.wants(404, "GET", "tasks?document_id=none", "")
}

func TestADocumentBecomesTasks(t *testing.T) {
	servertest.Each(t, func(t *testing.T, cfg server.Config) {
		p := start(t, cfg)
		id := p.creates("documents", `{"title":"Plan","content":"- [ ] Write the report (2h)\n- [x] Call the client"}`)
		p.settled()
		p.wants(200, "GET", "documents/"+id, "", `"status":"completed"`, `"extracted_by":"rules"`, `"source_type":"markdown"`, `"task_count":2`, "Call the client")
		if text := p.wants(200, "GET", "documents", "", `"title":"Plan"`, `"task_count":2`); strings.Contains(text, `"content"`) {
			t.Errorf("the list has contents: %s", text)
		}
		before := p.tasks("?document_id=" + id)
		var report task
		for text, found := range before {
			if strings.HasPrefix(text, "Write the report") {
				report = found
			}
		}
		if len(before) != 2 || report.EffortHours != 2 || report.Done || !before["Call the client"].Done || report.Document != id || report.DocumentName != "Plan" {
			t.Fatalf("the tasks are %+v", before)
		}

		// Whatever else changes, the same text has the same id.
		p.wants(200, "PATCH", "documents/"+id, `{"content":"# More\n\n- Buy paper\n- [ ] Write the report (2h)"}`, `"status":"queued"`, `"task_count":2`)
		p.settled()
		after := p.tasks("")
		if len(after) != 2 || after[report.Text].ID != report.ID || after["Buy paper"].ID == "" {
			t.Errorf("the tasks are %+v, and were %+v", after, before)
		}

		p.wants(200, "PUT", "documents/"+id, `{"title":"Nothing","content":"The weather was nice."}`)
		p.settled()
		p.wants(200, "GET", "documents/"+id, "", `"status":"completed"`, `"tasks":[]`, "No tasks were found in this document")

		p.wantsOf("text/plain", 200, "PUT", "documents/"+id+"?filename=list.txt", "TODO: water the plants", `"title":"list"`, `"source_type":"text"`)
		made := p.wantsOf("multipart/form-data; boundary=x", 201, "POST", "documents",
			"--x\r\nContent-Disposition: form-data; name=\"file\"; filename=\"Trip to Rome.md\"\r\n\r\n- Book the flight\r\n--x--\r\n", `"title":"Trip to Rome"`, `"source_type":"markdown"`)
		p.wantsOf("application/pdf", 400, "POST", "documents?filename=a.pdf", "no PDF", `"field":"file"`, `"reason":"VALIDATION_ERROR"`)
		p.settled()
		if all := p.tasks(""); all["Book the flight"].ID == "" || len(all) != 2 {
			t.Errorf("the tasks are %+v, of %s", all, made)
		}
	})
}

// A list that changes between two pages tells nothing twice and leaves nothing out.
func TestAPageOfTasksGoesOnAfterTheLast(t *testing.T) {
	servertest.Each(t, func(t *testing.T, cfg server.Config) {
		p := start(t, cfg)
		id := p.creates("documents", `{"title":"Plan","content":"- Write\n- Print\n- Send\n- Archive"}`)
		p.settled()
		next := ""
		page := func(want string) {
			t.Helper()
			var list struct {
				Items []task
				Next  string
			}
			p.into(&list, 200, "GET", "tasks?limit=1"+next, "")
			if len(list.Items) != 1 || list.Items[0].Text != want {
				t.Errorf("the page has %+v, not %s", list.Items, want)
			}
			next = "&cursor=" + list.Next
		}
		becomes := func(content string) {
			p.wants(200, "PATCH", "documents/"+id, fmt.Sprintf(`{"content":%q}`, content))
			p.settled()
		}
		page("Write")
		becomes("- Plan\n- Write\n- Print\n- Send\n- Archive")
		page("Print")
		becomes("- Plan\n- Write\n- Send\n- Archive")
		page("Send")
		becomes("- Send\n- Archive")
		page("Archive")
		if next != "&cursor=" {
			t.Errorf("after the last page there is %s", next)
		}
	})
}

func TestRelationships(t *testing.T) {
	servertest.Each(t, func(t *testing.T, cfg server.Config) {
		p := start(t, cfg)
		id := p.creates("documents", `{"title":"Plan","content":"- Write the report\n- Print the report"}`)
		other := p.creates("documents", `{"title":"Other","content":"- Buy paper"}`)
		p.settled()
		all := p.tasks("")
		write, printIt, buy := all["Write the report"].ID, all["Print the report"].ID, all["Buy paper"].ID
		depends := func(source, target string) string {
			return fmt.Sprintf(`{"source_task_id":%q,"target_task_id":%q,"type":"prerequisite"}`, source, target)
		}
		first := p.creates("relationships", depends(printIt, write))
		if again := p.creates("relationships", depends(printIt, write)); again != first {
			t.Errorf("the same relationship is there twice, as %s and %s", first, again)
		}
		second := p.creates("relationships", depends(printIt, buy))
		p.wants(200, "GET", "relationships", "", first, second, `"origin":"manual"`, `"confidence":1`)
		if text := p.wants(200, "GET", "relationships?task_id="+buy, "", second); strings.Contains(text, first) {
			t.Errorf("the relationships of a task are %s", text)
		}

		// They survive what is done to the document, and count while the text is there.
		p.wants(200, "PATCH", "documents/"+id, `{"content":"- Write the report"}`)
		p.settled()
		if text := p.wants(200, "GET", "relationships", ""); strings.Contains(text, first) {
			t.Errorf("a task that is not there has relationships: %s", text)
		}
		p.wants(200, "PATCH", "documents/"+id, `{"content":"- Print the report\n- Write the report"}`)
		p.settled()
		p.wants(200, "GET", "relationships", "", first, second)

		t.Run("go with their document, at once", func(t *testing.T) {
			p.wants(204, "DELETE", "documents/"+other, "")
			p.wants(404, "GET", "docs/users/local/task-relationships/"+second, "")
		})
		t.Run("and also if that is deleted as any document", func(t *testing.T) {
			p.wants(204, "DELETE", "docs/users/local/processed-documents/"+id, "")
			p.settled()
			p.wants(404, "GET", "docs/users/local/task-relationships/"+first, "")
		})
	})
}

func TestReflectionsCount(t *testing.T) {
	p := start(t, server.Config{Data: t.TempDir()})
	id := p.creates("reflections", `{"text":" Mornings are best. "}`)
	p.wants(200, "GET", "reflections", "", `"text":"Mornings are best."`, `"weight":1`, `"id":"`+id)
	p.wants(204, "DELETE", "reflections/"+id, "")
	p.wants(200, "GET", "reflections", "", `{"items":[]}`)
}

func TestTheDescriptionHasTheRoutes(t *testing.T) {
	p := start(t, server.Config{Data: t.TempDir()})
	var doc struct{ Paths map[string]map[string]any }
	if err := json.Unmarshal([]byte(p.wants(200, "GET", "openapi.json", "", "details.reason is VALIDATION_ERROR")), &doc); err != nil {
		t.Fatal(err)
	}
	for path, methods := range map[string]string{
		"outcomes": "get post", "outcomes/active": "get", "outcomes/{outcome}": "get patch delete", "documents": "get post", "documents/{document}": "get put patch delete",
		"tasks": "get", "relationships": "get post", "relationships/{relationship}": "delete", "reflections": "get post", "reflections/{reflection}": "delete",
	} {
		for method := range strings.FieldsSeq(methods) {
			if doc.Paths["/api/v1/"+path][method] == nil {
				t.Errorf("there is no %s %s", method, path)
			}
		}
	}
}
