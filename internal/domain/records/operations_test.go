package records_test

import (
	"bufio"
	"fmt"
	"strings"
	"testing"

	"github.com/nestorhq/nestor/internal/servertest"
	"github.com/nestorhq/nestor/server"
)

// kinds are what tests say about records of each kind: the fields of one, and a change
// and what is to be seen of it.
var kinds = []struct{ flat, folder, fields, wrong, change, changed string }{
	{"text_documents", "text-documents", `"title":"Plan","content":"# Plan"`, `"title":"","content":"x"`, `{"content":"new"}`, `"content":"new"`},
	{"message_threads", "message-threads", `"turns":[{"senderId":"ada","partials":[{"type":"text","payload":{"content":"Hello"}}]}]`, `"turns":[{"senderId":"ada","partials":[]}]`, "", ""},
	{"chat_threads", "chat-threads", `"name":"First","threadId":"secret","participantId":"agent:general"`, `"name":"First","threadId":"","participantId":"orchestrator"`, `{"name":"Second"}`, `"name":"Second"`},
	{"settings", "settings", `"lastPage":"/chats","theme":"dark"`, `"theme":"` + strings.Repeat("x", 101) + `"`, `{"theme":"light"}`, `"theme":"light"`},
	{"metrics", "metrics", `"name":"shop.order","dimensions":{"country":"pt"},"value":12.5`, `"name":"shop.order","dimensions":{"country":""},"value":1`, "", ""},
}

func TestEveryKindHasEveryOperation(t *testing.T) {
	servertest.Each(t, func(t *testing.T, cfg server.Config) {
		p := start(t, cfg)
		for _, k := range kinds {
			t.Run(k.flat, func(t *testing.T) {
				p := p.in(t)
				at := "records/" + k.flat
				if k.flat == "chat_threads" { // which is about a thread that is there
					p.wants(400, "POST", at, `{`+k.fields+`}`, `"field":"threadId"`)
					p.wants(201, "POST", "records/message_threads", `{"id":"secret"}`)
				}
				p.wants(201, "POST", at, `{"id":"one",`+k.fields+`}`, `"id":"one"`, `"version":1`, `"createdAt":`, `"updatedAt":`)
				p.wants(409, "POST", at, `{"id":"one",`+k.fields+`}`, `already_exists`)
				p.wants(400, "POST", at, `{`+k.wrong+`}`)
				p.wants(400, "POST", at, `{"id":"a/b",`+k.fields+`}`)
				p.wants(400, "POST", at, `{"id":"count",`+k.fields+`}`, `"field":"id"`)
				p.wants(400, "POST", at, `{"nonsense":1,`+k.fields+`}`)
				p.wants(200, "GET", "docs/users/local/"+k.folder+"/one", "", `"id":"one"`)
				p.wants(200, "GET", at+"/one", "", `"id":"one"`, k.fields[1:strings.Index(k.fields, `":`)])
				for path, status := range map[string]int{"one": 200, "none": 404} {
					if res, _ := p.send("HEAD", at+"/"+path, ""); res.StatusCode != status {
						t.Errorf("HEAD %s: %d", path, res.StatusCode)
					}
				}
				p.wants(404, "GET", at+"/none", "")
				p.wants(400, "GET", at+"/a%2Fb%2Fc", "")

				p.wants(409, "POST", at+"/batch", `{"records":[{"id":"two",`+k.fields+`},{"id":"one",`+k.fields+`}]}`, `"index":1`)
				p.wants(400, "POST", at+"/batch", `{"records":[{"id":"two",`+k.fields+`},{`+k.wrong+`}]}`, `"index":1`)
				p.wants(409, "POST", at+"/batch", `{"records":[{"id":"two",`+k.fields+`},{"id":"two",`+k.fields+`}]}`, `"index":1`)
				p.wants(400, "POST", at+"/batch", `{"records":[]}`, `"field":"records"`)
				p.wants(404, "GET", at+"/two", "")
				p.wants(201, "POST", at+"/batch", `{"records":[{"id":"two",`+k.fields+`},{"id":"three",`+k.fields+`}]}`, `"id":"two"`, `"id":"three"`)
				p.wants(200, "GET", at+"/count", "", `{"count":3}`)

				var page struct {
					Items []struct{ ID string }
					Next  string
				}
				var ids []string
				for cursor := "?limit=2"; cursor != ""; {
					page.Next = ""
					p.into(&page, 200, "GET", at+cursor, "")
					for _, one := range page.Items {
						ids = append(ids, one.ID)
					}
					if cursor = ""; page.Next != "" {
						cursor = "?limit=2&cursor=" + page.Next
					}
				}
				if fmt.Sprint(ids) != "[one two three]" {
					t.Errorf("the list has %v", ids)
				}
				p.wants(400, "GET", at+"?limit=0", "")
				p.wants(200, "GET", "replication/"+k.flat+"/pull?userId=local", "", `"id":"one"`, `"id":"three"`)

				p.wants(201, "POST", at+"/one/clone", `{"id":"copy"}`, `"id":"copy"`)
				p.wants(409, "POST", at+"/one/clone", `{"id":"copy"}`)
				p.wants(201, "POST", at+"/one/clone", "", `"version":1`)
				p.wants(404, "POST", at+"/none/clone", "")
				if k.flat == "chat_threads" {
					p.wants(400, "PATCH", at+"/copy", `{"threadId":"none"}`, `"field":"threadId"`)
				}
				if k.change != "" {
					p.wants(200, "PATCH", at+"/copy", k.change, k.changed, `"version":2`)
					p.wants(404, "PATCH", at+"/none", k.change)
					p.wants(400, "PATCH", at+"/copy", `{"nonsense":1}`)
					stale := p.request("PATCH", at+"/copy", k.change)
					stale.Header.Set("If-Match", `"1"`)
					if res, text, err := p.try(stale); err != nil || res.StatusCode != 412 {
						t.Errorf("a stale change: %v %v %s", err, res, text)
					}
				} else {
					p.wants(405, "PATCH", at+"/copy", `{}`)
				}
				p.wants(204, "DELETE", at+"/copy", "")
				p.wants(404, "DELETE", at+"/copy", "")
				p.wants(200, "GET", at+"/one", "", `"id":"one"`)
			})
		}
	})
}

func TestTheStreamTellsOfEachRecord(t *testing.T) {
	servertest.Each(t, func(t *testing.T, cfg server.Config) {
		p := start(t, cfg)
		p.wants(201, "POST", "records/message_threads", `{"id":"secret"}`)
		for _, k := range kinds {
			t.Run(k.flat, func(t *testing.T) {
				p := p.in(t)
				res, err := p.Client().HTTP.Do(p.request("GET", "records/"+k.flat+"/stream", ""))
				if err != nil {
					t.Fatal(err)
				}
				defer res.Body.Close()
				p.wants(201, "POST", "records/"+otherThan(k.flat), `{"id":"`+k.flat+`",`+fieldsOf(otherThan(k.flat))+`}`)
				p.wants(201, "POST", "records/"+k.flat, `{"id":"one",`+k.fields+`}`)
				want := []string{"created one"}
				if k.change != "" {
					p.wants(200, "PATCH", "records/"+k.flat+"/one", k.change)
					want = append(want, "updated one")
				}
				p.wants(204, "DELETE", "records/"+k.flat+"/one", "")
				want = append(want, "deleted one")
				lines := bufio.NewScanner(res.Body)
				event := ""
				for len(want) > 0 && lines.Scan() {
					name, isName := strings.CutPrefix(lines.Text(), "event: ")
					data, isData := strings.CutPrefix(lines.Text(), "data: ")
					switch {
					case isName:
						event = name
					case isData && (event == "created" || event == "updated" || event == "deleted"):
						if strings.Contains(data, `"id":"`+k.flat+`"`) {
							t.Errorf("%s %s came of another kind", event, data)
						}
						if !strings.Contains(data, `"id":"one"`) {
							continue // of the moment before the stream began
						}
						if got := event + " one"; got != want[0] {
							t.Errorf("%s came instead of %s", got, want[0])
						}
						want = want[1:]
					}
				}
				if len(want) > 0 {
					t.Errorf("the stream ended before %v: %v", want, lines.Err())
				}
			})
		}
	})
}

func otherThan(flat string) string {
	if flat == "settings" {
		return "chat_threads"
	}
	return "settings"
}

func fieldsOf(flat string) string {
	for _, k := range kinds {
		if k.flat == flat {
			return k.fields
		}
	}
	return ""
}

func TestTwoUsersNeverSeeEachOthersRecords(t *testing.T) {
	servertest.Each(t, func(t *testing.T, cfg server.Config) {
		p := start(t, cfg)
		ann, bob := p.signIn("ann"), p.signIn("bob")
		for _, k := range kinds {
			ann.wants(201, "POST", "records/"+k.flat, `{"id":"secret",`+k.fields+`}`)
		}
		for _, stranger := range []*person{bob, bob.withKey()} {
			for _, k := range kinds {
				at := "records/" + k.flat
				stranger.wants(200, "GET", at, "", `{"items":[]}`)
				stranger.wants(200, "GET", at+"/count", "", `{"count":0}`)
				stranger.wants(404, "GET", at+"/secret", "")
				stranger.wants(404, "DELETE", at+"/secret", "")
				stranger.wants(404, "POST", at+"/secret/clone", "")
				if k.change != "" {
					stranger.wants(404, "PATCH", at+"/secret", k.change)
				}
				stranger.wants(404, "GET", "docs/users/ann/"+k.folder+"/secret", "")
				stranger.wants(404, "DELETE", "docs/users/ann/"+k.folder+"/secret", "")
				if text := stranger.wants(200, "POST", "query", `{"flat":"`+k.flat+`"}`); strings.Contains(text, "ann") {
					t.Errorf("bob finds %s", text)
				}
			}
			stranger.wants(404, "POST", "records/text_documents/secret/versions", `{"content":"mine"}`)
			stranger.wants(404, "GET", "records/text_documents/secret/versions", "")
			stranger.wants(404, "POST", "records/text_documents/secret/restore", "")
			stranger.wants(404, "GET", "records/text_documents/secret/diff?to=secret", "")
			stranger.wants(404, "POST", "records/message_threads/secret/partials", `{"senderId":"bob","partial":{"type":"text","payload":{"content":"x"}}}`)
		}
		for _, k := range kinds {
			ann.wants(200, "GET", "records/"+k.flat+"/count", "", `{"count":1}`)
		}
	})
}

// A key for one record does not read others by having them copied or continued.
func TestAKeyForOneRecordCopiesNoOther(t *testing.T) {
	servertest.Each(t, func(t *testing.T, cfg server.Config) {
		p := start(t, cfg)
		p.wants(201, "POST", "records/message_threads", `{"id":"secret"}`)
		for _, k := range kinds {
			p.wants(201, "POST", "records/"+k.flat, `{"id":"other",`+k.fields+`}`)
			key := &person{p.WithKey("write", "users/local/"+k.folder+"/mine"), p.id}
			key.wants(404, "POST", "records/"+k.flat+"/other/clone", `{"id":"mine"}`)
			p.wants(404, "GET", "records/"+k.flat+"/mine", "")
			p.wants(201, "POST", "records/"+k.flat+"/other/clone", `{"id":"mine"}`)
			if k.flat != "message_threads" { // whose copy is a fork, and reads what it shares
				key.wants(200, "GET", "records/"+k.flat+"/mine", "")
			}
			key.wants(404, "GET", "records/"+k.flat+"/other", "")
		}
		key := p.WithKey("write", "users/local/message-threads/mine")
		key.Wants(404, "POST", "records/message_threads/other/partials", `{"senderId":"x","partial":{"type":"text","payload":{"content":"x"}}}`)
	})
}
