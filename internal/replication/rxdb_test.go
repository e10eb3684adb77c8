package replication_test

import (
	"fmt"
	"testing"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/store"
	"github.com/nestorhq/nestor/internal/store/engines"
)

// These tests run the real RxDB against the real server, on both engines.

func TestATabGetsWhatIsThereAndWhatHappensThen(t *testing.T) {
	engines.Each(t, func(t *testing.T, db engines.Database) {
		f := serve(t, db)
		chat := f.chat("u1", "c1")
		f.chat("u2", "not-mine")
		f.put(chat.Child("messages", "m1"), say("user", "hello"))
		b := f.browse("u1", chats, messages("c1"))
		if docs := b.docs("chats"); len(docs) != 1 || docs[0]["id"] != "c1" || docs[0]["userId"] != "u1" || docs[0]["title"] != "A chat" {
			t.Errorf("the chats are %v", docs)
		}
		if docs := b.docs("messages"); len(docs) != 1 || docs[0]["content"] != "hello" || docs[0]["chatId"] != "c1" {
			t.Errorf("the messages are %v", docs)
		}

		f.put(chat.Child("messages", "m2"), say("assistant", "hi"))
		f.put(chat, nestor.Chat{Title: "Greetings"})
		f.delete(chat.Child("messages", "m1"))
		b.until("messages", map[string]args{"m1": nil, "m2": {"content": "hi"}})
		b.until("chats", map[string]args{"c1": {"title": "Greetings"}})

		f.delete(chat)
		b.until("messages", map[string]args{"m2": nil})
		b.until("chats", map[string]args{"c1": nil})
		if s := b.stats(); s.Pushes != 0 || len(s.Errors) > 0 {
			t.Errorf("a tab that only listened did %+v", s)
		}
	})
}

func TestWhatIsWrittenOfflineArrivesOnReturn(t *testing.T) {
	engines.Each(t, func(t *testing.T, db engines.Database) {
		f := serve(t, db)
		chat, other := f.chat("u1", "c1"), f.chat("u1", "c2")
		f.put(other.Child("messages", "below"), say("user", "x"))
		b := f.browse("u1", chats, messages("c1"))

		b.do("offline", nil)
		b.do("insert", args{"flat": "messages", "doc": args{"id": "mine", "chatId": "c1", "role": "user", "content": "from the train"}})
		b.do("edit", args{"flat": "chats", "id": "c1", "patches": []args{{"title": "On the train"}}})
		b.do("remove", args{"flat": "chats", "id": "c2"})
		f.put(chat.Child("messages", "theirs"), say("assistant", "meanwhile"))
		b.do("online", nil)

		b.until("messages", map[string]args{"theirs": {"content": "meanwhile"}, "mine": {"content": "from the train", "version": 1}})
		b.until("chats", map[string]args{"c1": {"title": "On the train", "version": 2}, "c2": nil})
		b.do("idle", nil)
		m, err := nestor.As[nestor.Message](f.get(chat.Child("messages", "mine")))
		if err != nil || m.Content != "from the train" || m.ChatID != "c1" || m.Role != nestor.RoleUser {
			t.Errorf("the message is %+v, %v", m, err)
		}
		if f.get(other) != nil || f.get(other.Child("messages", "below")) != nil {
			t.Error("the chat that was deleted is still there")
		}
		if s := b.stats(); s.Conflicts != 0 {
			t.Errorf("there were conflicts: %+v", s)
		}
	})
}

func TestWhatIsInsertedNeedsNoStampsAndIsTheNewest(t *testing.T) {
	engines.Each(t, func(t *testing.T, db engines.Database) {
		f := serve(t, db)
		f.put(f.chat("u1", "c1").Child("messages", "there"), say("user", "hello"))
		b := f.browse("u1", chats, messages("c1"))
		b.do("offline", nil)
		b.do("insert", args{"flat": "messages", "doc": args{"id": "mine", "chatId": "c1", "role": "user", "content": "x"}})
		b.do("insert", args{"flat": "chats", "doc": args{"id": "c2"}})
		order := func(flat, stamp string) (ids []any) {
			var docs []map[string]any
			b.do("docs", args{"flat": flat, "sort": []string{stamp, "createdSeq"}}, &docs)
			for _, d := range docs {
				ids = append(ids, d["id"])
			}
			return ids
		}
		if got := fmt.Sprint(order("messages", "createdAt"), order("chats", "updatedAt")); got != "[there mine] [c1 c2]" {
			t.Errorf("in order they are %s", got)
		}
		b.do("online", nil)
		b.until("chats", map[string]args{"c2": {"version": 1}})
		b.until("messages", map[string]args{"mine": {"version": 1}})
		for flat, p := range map[string]nestor.Path{"chats": chatPath("u1", "c2"), "messages": chatPath("u1", "c1").Child("messages", "mine")} {
			d := f.get(p)
			b.until(flat, map[string]args{p.ID(): {"seq": d.Seq, "createdSeq": d.CreatedSeq, "createdAt": d.CreatedAt, "updatedAt": d.UpdatedAt}})
		}
		if s := b.stats(); s.Conflicts != 0 {
			t.Errorf("there were conflicts: %+v", s)
		}
	})
}

func TestInAConflictTheMasterStaysAndTheTabTakesIt(t *testing.T) {
	engines.Each(t, func(t *testing.T, db engines.Database) {
		f := serve(t, db)
		f.chat("u1", "edited")
		f.chat("u1", "deleted")
		f.chat("u1", "alike")
		one, two := f.browse("u1", chats), f.browse("u1", chats)
		one.do("offline", nil)
		for _, id := range []string{"edited", "deleted", "alike"} {
			one.do("edit", args{"flat": "chats", "id": id, "patches": []args{{"title": "one"}}})
		}
		two.do("edit", args{"flat": "chats", "id": "edited", "patches": []args{{"title": "two"}}})
		two.do("edit", args{"flat": "chats", "id": "alike", "patches": []args{{"title": "one"}}})
		two.do("remove", args{"flat": "chats", "id": "deleted"})
		two.do("idle", nil)
		one.do("online", nil)

		want := map[string]args{"edited": {"title": "two"}, "alike": {"title": "one"}, "deleted": nil}
		one.until("chats", want)
		one.do("idle", nil)
		if s := one.stats(); s.Conflicts != 2 {
			t.Errorf("there were %d conflicts, want those of what was edited and deleted", s.Conflicts)
		}
		two.until("chats", want)
		if d := f.get(chatPath("u1", "edited")); d.Version != 2 {
			t.Errorf("the master was written: version %d", d.Version)
		}
		if f.get(chatPath("u1", "deleted")) != nil {
			t.Error("what was deleted is back")
		}

		// The tab goes on from what it took.
		one.do("edit", args{"flat": "chats", "id": "edited", "patches": []args{{"title": "three"}}})
		two.until("chats", map[string]args{"edited": {"title": "three"}})
	})
}

func TestARejectedWriteIsTakenBack(t *testing.T) {
	engines.Each(t, func(t *testing.T, db engines.Database) {
		f := serve(t, db)
		chat := f.chat("u1", "c1")
		f.put(chat.Child("messages", "m1"), say("user", "as it was"))
		b := f.browse("u1", chats, messages("c1"))
		insert := func(doc args) {
			b.do("insert", args{"flat": "messages", "doc": doc})
		}
		insert(args{"id": "forged", "chatId": "c1", "role": "assistant", "content": "I am the assistant"})
		insert(args{"id": "bad id!", "chatId": "c1", "role": "user", "content": "x"})
		b.do("edit", args{"flat": "messages", "id": "m1", "patches": []args{{"content": "rewritten"}}})
		b.do("edit", args{"flat": "chats", "id": "c1", "patches": []args{{"title": string(make([]byte, 5)) + "no"}}}) // NUL cannot be stored
		b.until("messages", map[string]args{"forged": nil, "bad id!": nil, "m1": {"content": "as it was"}})
		b.until("chats", map[string]args{"c1": {"title": "A chat"}})
		b.do("idle", nil)
		if f.get(chat.Child("messages", "forged")) != nil || f.get(chat.Child("messages", "m1")).Version != 1 || f.get(chat).Version != 1 {
			t.Error("a rejected write was carried out")
		}
		if s := b.stats(); len(s.Errors) > 0 {
			t.Errorf("a rejection is not a failure: %v", s.Errors)
		}

		// The chat goes while the tab is away: what it says there has no place.
		b.do("offline", nil)
		f.delete(chat)
		insert(args{"id": "late", "chatId": "c1", "role": "user", "content": "x"})
		b.do("online", nil)
		b.until("messages", map[string]args{"late": nil})
	})
}

func TestQuickEditsEndWithTheLast(t *testing.T) {
	engines.Each(t, func(t *testing.T, db engines.Database) {
		f := serve(t, db)
		chat := f.chat("u1", "c1")
		b := f.browse("u1", chats)
		var patches []args
		for i := range 5 {
			patches = append(patches, args{"title": fmt.Sprint("edit ", i+1)})
		}
		b.do("edit", args{"flat": "chats", "id": "c1", "patches": patches})
		b.do("idle", nil)
		if c, err := nestor.As[nestor.Chat](f.get(chat)); err != nil || c.Title != "edit 5" {
			t.Errorf("the master is %+v, %v", c, err)
		}
		b.until("chats", map[string]args{"c1": {"title": "edit 5", "seq": f.get(chat).Seq}})
		if s := b.stats(); s.Conflicts != 0 || len(s.Errors) > 0 {
			t.Errorf("editing fast led to %+v", s)
		}
	})
}

func TestATabCatchesUpWhenTheServerComesBack(t *testing.T) {
	engines.Each(t, func(t *testing.T, db engines.Database) {
		f := serve(t, db)
		chat := f.chat("u1", "c1")
		for i := range 20 {
			f.put(chat.Child("messages", fmt.Sprint("m", i)), say("user", "x"))
		}
		f.logged(chat.Child("messages", "m19"))
		b := f.browse("u1", chats, messages("c1"))
		f.stop()
		b.do("insert", args{"flat": "messages", "doc": args{"id": "waiting", "chatId": "c1", "role": "user", "content": "are you there?"}})
		f.store = f.database(t, store.Options{}) // somebody else writes
		f.put(chat.Child("messages", "new"), say("assistant", "in between"))
		f.delete(chat.Child("messages", "m0"))
		f.store.Close()
		b.stats()
		f.start()
		b.until("messages", map[string]args{"m0": nil, "new": {"content": "in between"}, "waiting": {"version": 1}})
		b.do("idle", nil)
		if d := f.get(chat.Child("messages", "waiting")); d == nil || d.Version != 1 {
			t.Errorf("what was waiting is %+v", d)
		}
		if s := b.stats(); s.Pulled >= 20 {
			t.Errorf("the tab pulled %d documents: it did not go on where it was", s.Pulled)
		}
		f.put(chat, nestor.Chat{Title: "live again"})
		b.until("chats", map[string]args{"c1": {"title": "live again"}})
	})
}

func TestDocumentsOfOneMomentAllArrive(t *testing.T) {
	engines.Each(t, func(t *testing.T, db engines.Database) {
		const n = 250 // more than two pages, all of the same millisecond
		f := serve(t, db)
		chat := f.chat("u1", "c1")
		all := func(content string) {
			f.update(func(tx store.Tx) error {
				for i := range n {
					if _, err := tx.Put(chat.Child("messages", fmt.Sprintf("m%03d", i)), say("user", content), store.AnyVersion); err != nil {
						return err
					}
				}
				return nil
			})
		}
		all("first")
		b := f.browse("u1", messages("c1"))
		if docs := b.docs("messages"); len(docs) != n || docs[0]["createdAt"] != docs[n-1]["createdAt"] {
			t.Errorf("%d documents came, of %v to %v", len(docs), docs[0]["createdAt"], docs[n-1]["createdAt"])
		}
		b.do("offline", nil)
		all("second")
		b.do("online", nil)
		want := map[string]args{}
		for i := range n {
			want[fmt.Sprintf("m%03d", i)] = args{"content": "second"}
		}
		b.until("messages", want)
		all("third") // by the stream
		for id := range want {
			want[id] = args{"content": "third"}
		}
		b.until("messages", want)
	})
}

func TestScopesHoldTheirOwnAndShareOneStream(t *testing.T) {
	engines.Each(t, func(t *testing.T, db engines.Database) {
		f := serve(t, db)
		for _, id := range []string{"c1", "c2", "c3"} {
			chat := f.chat("u1", id)
			f.put(chat.Child("messages", "m-"+id), say("user", "x"))
			f.put(chat.Child("tasks", "t-"+id), nestor.Task{Type: "agent", Name: "agent:general", Status: "pending"})
			agent := chat.Child("sub-agents", "a-"+id)
			f.put(agent, nestor.SubAgent{TaskID: "t-" + id, Role: "general", Status: "active"})
			f.put(agent.Child("messages", "am-"+id), nestor.SubAgentMessage{Role: "user", Content: "x"})
			f.put(agent.Child("tool-calls", "k-"+id), nestor.ToolCall{ToolName: "calculator", Status: "pending"})
		}
		inside := func(flat string) follows {
			return follows{flat, flat + "/c1/a-c1", map[string]string{"chatId": "c1", "subAgentId": "a-c1"}}
		}
		b := f.browse("u1", tasks, messages("c1"), messages("c2"), inside("sub_agent_messages"), inside("sub_agent_tool_calls"),
			follows{"sub_agents", "sub_agents/c1", map[string]string{"chatId": "c1"}})
		has := func(flat string, want ...string) {
			t.Helper()
			var got []string
			for _, d := range b.docs(flat) {
				got = append(got, d["id"].(string))
			}
			if fmt.Sprint(got) != fmt.Sprint(want) {
				t.Errorf("%s has %v, want %v", flat, got, want)
			}
		}
		has("tasks", "t-c1", "t-c2", "t-c3")
		has("messages", "m-c1", "m-c2")
		has("sub_agents", "a-c1")
		has("sub_agent_messages", "am-c1")
		has("sub_agent_tool_calls", "k-c1")

		// What is sent in a scope of several goes where it belongs.
		b.do("insert", args{"flat": "messages", "doc": args{"id": "new", "chatId": "c2", "role": "user", "content": "x"}})
		b.until("messages", map[string]args{"new": {"version": 1}})
		if f.get(chatPath("u1", "c2").Child("messages", "new")) == nil {
			t.Error("the message is not in its chat")
		}
		f.put(chatPath("u1", "c3").Child("messages", "elsewhere"), say("user", "x"))
		f.put(chatPath("u1", "c3").Child("tasks", "t-c3"), nestor.Task{Type: "agent", Name: "agent:general", Status: "success"})
		f.delete(chatPath("u1", "c2"))
		b.until("tasks", map[string]args{"t-c3": {"status": "success"}, "t-c2": nil})
		b.do("until", args{"flat": "messages", "count": 1, "docs": map[string]args{"m-c1": {"content": "x"}}})
		if n := b.stats(); len(n.Errors) > 0 {
			t.Error(n.Errors)
		}
	})
}

func TestTenThousandDocuments(t *testing.T) {
	engines.Each(t, func(t *testing.T, db engines.Database) {
		const n = 10_000
		f := serve(t, db)
		chat := f.chat("u1", "c1")
		for i := 0; i < n; i += 1000 {
			f.update(func(tx store.Tx) error {
				for k := range 1000 {
					if _, err := tx.Create(chat.Child("messages", fmt.Sprintf("m%05d", i+k)), say("user", "one of many")); err != nil {
						return err
					}
				}
				return nil
			})
		}
		f.logged(chat.Child("messages", "m09999"))
		b := newTab(t)
		b.do("open", args{"url": f.url, "user": "u1", "scopes": []follows{messages("c1")}, "batchSize": 1000})
		b.do("until", args{"flat": "messages", "count": n})
		if s := b.stats(); s.Pulled != n {
			t.Errorf("%d documents were pulled for %d", s.Pulled, n)
		}
	})
}
