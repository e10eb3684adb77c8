package records_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/nestorhq/nestor/internal/servertest"
	"github.com/nestorhq/nestor/server"
)

type text struct {
	ID, Title, Content, FirstID string
	PreviousID, NextID          *string
	Number                      int
}

// history is the versions of a document, as ids, checked to be linked both ways.
func (p *person) history(id string) (ids []string) {
	p.Helper()
	var list struct{ Items []text }
	p.into(&list, 200, "GET", "records/text_documents/"+id+"/versions?limit=1000", "")
	link := func(i int) string {
		if i < 0 || i >= len(list.Items) {
			return "-"
		}
		return list.Items[i].ID
	}
	has := func(id *string) string {
		if id == nil {
			return "-"
		}
		return *id
	}
	for i, v := range list.Items {
		if has(v.PreviousID) != link(i-1) || has(v.NextID) != link(i+1) || v.FirstID != list.Items[0].FirstID {
			p.Errorf("version %d is %+v, between %s and %s", i, v, link(i-1), link(i+1))
		}
		ids = append(ids, v.ID)
	}
	return ids
}

func TestVersionsOfATextDocument(t *testing.T) {
	servertest.Each(t, func(t *testing.T, cfg server.Config) {
		p := start(t, cfg)
		const at = "records/text_documents"
		first := p.creates("text_documents", `{"title":"Plan","content":"a\nb\nc\n"}`)
		second := p.creates("text_documents/"+first+"/versions", `{"content":"a\nB\nc\n"}`)
		third := p.creates("text_documents/"+second+"/versions", `{"title":"The plan","content":""}`)
		p.wants(200, "GET", at+"/"+second, "", `"title":"Plan"`, `"number":2`, `"previousId":"`+first, `"nextId":"`+third)
		p.wants(400, "POST", at+"/"+third+"/versions", `{"title":"","content":"x"}`)
		for _, lacking := range []string{`{"title":"Renamed"}`, `{"title":"Renamed","content":null}`, `{}`} {
			p.wants(400, "POST", at+"/"+third+"/versions", lacking, `"field":"content"`)
		}
		for _, any := range []string{first, second, third} {
			if got := p.history(any); fmt.Sprint(got) != fmt.Sprint([]string{first, second, third}) {
				t.Errorf("the history is %v", got)
			}
		}
		p.wants(200, "GET", at+"?current=true", "", third)
		if all := p.wants(200, "GET", at+"/count?current=true", "", `{"count":1}`); all == "" {
			t.Error("nothing was counted")
		}
		p.wants(200, "GET", at+"/count", "", `{"count":3}`)
		p.wants(400, "GET", at+"?current=maybe", "", `"field":"current"`)

		t.Run("keep their content when they are renamed", func(t *testing.T) {
			named := p.creates("text_documents", `{"title":"Draft","content":"a\n"}`)
			p.wants(200, "PATCH", at+"/"+named, `{"title":"Final"}`, `"title":"Final"`, `"content":"a\n"`, `"number":1`)
			p.wants(200, "PATCH", at+"/"+named, `{"title":"Last","content":null}`, `"title":"Last"`, `"content":"a\n"`)
			p.wants(204, "DELETE", at+"/"+named, "")
		})
		t.Run("differ as the difference says", func(t *testing.T) {
			p.wants(200, "GET", at+"/"+first+"/diff?to="+second, "", `"unified":"@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n"`)
			p.wants(200, "GET", at+"/"+first+"/diff?to="+first, "", `"unified":""`)
			p.wants(400, "GET", at+"/"+first+"/diff", "", `"field":"to"`)
			p.wants(404, "GET", at+"/"+first+"/diff?to=none", "")
		})
		t.Run("do not change once they are old, through any door", func(t *testing.T) {
			newest := []string{`"newestId":"` + third + `"`, `"reason":"NOT_LAST"`}
			p.wants(409, "POST", at+"/"+first+"/versions", `{"content":"x"}`, newest...)
			p.wants(409, "PATCH", at+"/"+second, `{"content":"x"}`, newest...)
			p.wants(409, "DELETE", at+"/"+second, "", newest...)
			path := "users/local/text-documents/" + second
			p.wants(403, "PATCH", "docs/"+path, `{"content":"x"}`)
			p.wants(403, "PUT", "docs/"+path, `{"title":"x","content":"x","previousId":null,"nextId":null,"firstId":"x","number":1}`)
			p.wants(403, "POST", "batch", `{"operations":[{"op":"patch","path":"`+path+`","body":{"content":"x"}}]}`)
			p.send("POST", "replication/text_documents/push", `[{"newDocumentState":{"id":"`+second+`","userId":"local","content":"x","_deleted":false}}]`)
			p.wants(200, "GET", at+"/"+second, "", `"content":"a\nB\nc\n"`, `"version":2`)
		})
		t.Run("can be restored", func(t *testing.T) {
			fourth := p.creates("text_documents/"+first+"/restore", "")
			p.wants(200, "GET", at+"/"+fourth, "", `"title":"Plan"`, `"content":"a\nb\nc\n"`, `"previousId":"`+third, `"nextId":null`, `"number":4`)
			p.wants(404, "POST", at+"/none/restore", "")
			p.wants(200, "PATCH", at+"/"+fourth, `{"content":"changed"}`, `"content":"changed"`)
			copied := p.creates("text_documents/"+fourth+"/clone", "")
			if got := p.history(copied); len(got) != 1 {
				t.Errorf("the copy has the history %v", got)
			}
			p.wants(204, "DELETE", at+"/"+fourth, "")
			p.wants(200, "GET", at+"/count", "", `{"count":1}`)
		})
	})
}

// Each round all save after the same version: one wins, and the others are told its
// id, after which they go on.
func TestOfManySaversOneWins(t *testing.T) {
	servertest.Each(t, func(t *testing.T, cfg server.Config) {
		p := start(t, cfg)
		const savers, rounds = 16, 3
		last := p.creates("text_documents", `{"title":"Plan","content":"0"}`)
		for round := range rounds {
			var mu sync.Mutex
			var won, told []string
			var all sync.WaitGroup
			for i := range savers {
				r := p.request("POST", "records/text_documents/"+last+"/versions", fmt.Sprintf(`{"content":"%d of %d"}`, i, round))
				all.Go(func() {
					res, body, err := p.try(r)
					var answer struct {
						ID    string
						Error struct{ Details struct{ NewestID string } }
					}
					if err == nil {
						err = json.Unmarshal([]byte(body), &answer)
					}
					mu.Lock()
					defer mu.Unlock()
					switch {
					case err != nil:
						t.Error(err)
					case res.StatusCode == 201:
						won = append(won, answer.ID)
					case res.StatusCode == 409:
						told = append(told, answer.Error.Details.NewestID)
					default:
						t.Errorf("%d %s", res.StatusCode, body)
					}
				})
			}
			all.Wait()
			if len(won) != 1 || len(told) != savers-1 {
				t.Fatalf("%d of %d saved, %d were refused", len(won), savers, len(told))
			}
			for _, id := range told {
				if id != won[0] {
					t.Errorf("the newest is %s, and somebody was told %q", won[0], id)
				}
			}
			last = won[0]
		}
		if got := p.history(last); len(got) != rounds+1 {
			t.Errorf("the history is %v", got)
		}
		t.Run("and all restore", func(t *testing.T) {
			var all sync.WaitGroup
			for range savers {
				r := p.request("POST", "records/text_documents/"+last+"/restore", "")
				all.Go(func() {
					if res, body, err := p.try(r); err != nil || res.StatusCode != 201 {
						t.Errorf("%v %s", err, body)
					}
				})
			}
			all.Wait()
			if got := p.history(last); len(got) != rounds+1+savers {
				t.Errorf("there are %d versions", len(got))
			}
		})
	})
}

func TestVersionsDeletedAsAnyDocumentsLeaveTheOthersLinked(t *testing.T) {
	servertest.Each(t, func(t *testing.T, cfg server.Config) {
		p := start(t, cfg)
		ids := []string{p.creates("text_documents", `{"title":"Plan","content":"0"}`)}
		for i := range 6 {
			ids = append(ids, p.creates("text_documents/"+ids[i]+"/versions", fmt.Sprintf(`{"content":"%d"}`, i+1)))
		}
		for _, gone := range []int{0, 2, 3, 6} {
			p.wants(204, "DELETE", "docs/users/local/text-documents/"+ids[gone], "")
		}
		p.settled()
		want := []string{ids[1], ids[4], ids[5]}
		if got := p.history(ids[4]); strings.Join(got, " ") != strings.Join(want, " ") {
			t.Errorf("the history is %v, not %v", got, want)
		}
		p.wants(201, "POST", "records/text_documents/"+ids[5]+"/versions", `{"content":"more"}`)
	})
}
