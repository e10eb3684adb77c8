package httpapi_test

import (
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/nestorhq/nestor/internal/store/engines"
)

// found is a page of a search.
type found struct {
	Items []struct {
		Kind, Path, ChatID, UserID, ChatTitle, Field, Role, SubAgentID string
		At                                                             int
		Snippet                                                        []struct {
			Text  string
			Found bool
		}
	}
	Next       string
	SearchedTo int64
}

func (w *world) search(bearer, query string) (int, found, string) {
	w.Helper()
	status, text := w.call("GET", "/search?"+query, "", "Authorization", bearer)
	var page found
	if err := json.Unmarshal([]byte(text), &page); err != nil {
		w.Fatalf("%s: %v", text, err)
	}
	return status, page, text
}

// paths are those below orch-chats of what was found.
func (f found) paths() []string {
	paths := []string{}
	for _, item := range f.Items {
		_, below, _ := strings.Cut(item.Path, "/orch-chats/")
		paths = append(paths, item.UserID+":"+below)
	}
	return paths
}

func TestASearchFindsWhatOneMayRead(t *testing.T) {
	t.Parallel()
	engines.Each(t, func(t *testing.T, open engines.Database) {
		w := newWorld(t, open)
		const chat = "users/olga/orch-chats/c1"
		w.write(
			"users/mia/orch-chats/own", `{"title":"Nothing"}`,
			"users/mia/orch-chats/own/messages/said", `{"role":"user","type":"text","content":"Where is the Größte Apfel?"}`,
			"users/mia/orch-chats/own/messages/summary", `{"role":"assistant","type":"summary","content":"apfel"}`,
			chat+"/messages/told", `{"role":"assistant","type":"text","content":"An apfel, and another APFEL"}`,
			chat+"/tasks/done", `{"type":"agent","name":"agent:general","instruction":"Find it","result":"The apfel is red","status":"success","subAgentId":"a9"}`,
			"users/olga/orch-chats/c3/messages/secret", `{"role":"user","type":"text","content":"apfel"}`,
			"users/olga/orch-chats/c4", `{"title":"About the Apfel","accountId":"team"}`,
		)
		mia, olga, otto := w.session("mia"), w.session("olga"), w.session("otto")
		for _, c := range []struct {
			name, bearer, query string
			want                []string
		}{
			{"own and shared chats, newest first", mia, "q=apfel", []string{"olga:c4", "olga:c1/tasks/done", "olga:c1/messages/told", "mia:own/messages/said"}},
			{"all words, in any case", mia, "q=" + url.QueryEscape("gRÖẞTE APFEL"), []string{"mia:own/messages/said"}},
			{"one's own chats alone", mia, "q=apfel&user=mia", []string{"mia:own/messages/said"}},
			{"those of somebody else", mia, "q=apfel&user=olga", []string{"olga:c4", "olga:c1/tasks/done", "olga:c1/messages/told"}},
			{"one chat", mia, "q=apfel&user=olga&chatId=c1", []string{"olga:c1/tasks/done", "olga:c1/messages/told"}},
			{"who owns them finds more", olga, "q=apfel", []string{"olga:c4", "olga:c3/messages/secret", "olga:c1/tasks/done", "olga:c1/messages/told"}},
			{"who has none", otto, "q=apfel", []string{}},
			{"what is nowhere", mia, "q=birne", []string{}},
		} {
			status, page, text := w.search(c.bearer, c.query)
			if got := page.paths(); status != 200 || !slices.Equal(got, c.want) || page.Next != "" {
				t.Errorf("%s: %d %v, want %v: %s", c.name, status, got, c.want, text)
			}
			// The same in small pages.
			all := []string{}
			for cursor := ""; ; {
				_, page, text := w.search(c.bearer, c.query+"&limit=1&cursor="+url.QueryEscape(cursor))
				all = append(all, page.paths()...)
				if len(page.Items) > 1 || page.Next != "" && page.SearchedTo == 0 {
					t.Errorf("%s: a page of %s", c.name, text)
				}
				if cursor = page.Next; cursor == "" {
					break
				}
			}
			if !slices.Equal(all, c.want) {
				t.Errorf("%s, in pages: %v, want %v", c.name, all, c.want)
			}
		}
		_, page, text := w.search(mia, "q=apfel&user=olga&chatId=c1")
		if told := page.Items[1]; told.At != 3 || told.Field != "content" || told.ChatTitle != inSharedChat || told.Kind != "message" || told.Role != "assistant" ||
			fmt.Sprint(told.Snippet) != "[{An  false} {apfel true} {, and another  false} {APFEL true}]" {
			t.Errorf("it tells %s", text)
		}
		if task := page.Items[0]; task.Field != "result" || task.SubAgentID != "a9" || task.Kind != "task" {
			t.Errorf("of a task it tells %s", text)
		}
	})
}

func TestWhatCannotBeLookedForIsRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t, engines.SQLite(t))
	mia := w.session("mia")
	for query, want := range map[string]int{
		"":                                     400,
		"q=":                                   400,
		"q=+%09":                               400,
		"q=%ff":                                400,
		"q=%00":                                400,
		"q=a+b+c+d+e+f+g+h+i+j+k":              400,
		"q=" + strings.Repeat("x", 301):        400,
		"q=" + strings.Repeat("x", 101):        400,
		"q=x&limit=0":                          400,
		"q=x&limit=101":                        400,
		"q=x&limit=many":                       400,
		"q=x&cursor=made-up":                   400,
		"q=x&cursor=sealed%3Av1%3AAAAAAAAAAAA": 400,
		"q=x&chatId=a/b":                       400,
		"q=x&chatId=gone":                      404,
		"q=x&chatId=c3&user=olga":              404,
		"q=x&user=a&user=b":                    400,
	} {
		status, text := w.call("GET", "/search?"+query, "", "Authorization", mia)
		if status != want || !strings.Contains(text, `"code"`) {
			t.Errorf("%s: %d %s, want %d", query, status, text, want)
		}
	}
	// A cursor of a list is none of a search.
	may, err := builtInRules()
	if err != nil {
		t.Fatal(err)
	}
	status, text := w.call("GET", "/search?q=x&cursor="+url.QueryEscape(may.SealCursor("[1]")), "", "Authorization", mia)
	if status != 400 {
		t.Errorf("a cursor of something else: %d %s", status, text)
	}
}
