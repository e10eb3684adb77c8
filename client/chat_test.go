package client_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/client"
	"github.com/nestorhq/nestor/internal/servertest"
	"github.com/nestorhq/nestor/server"
)

func TestAnAnswerIsStreamed(t *testing.T) {
	servertest.Each(t, func(t *testing.T, cfg server.Config) {
		url, _ := start(t, cfg)
		c, ctx := connect(t, url), within(t)
		chat, err := c.CreateChat(ctx, client.NewChat{})
		if err != nil {
			t.Fatal(err)
		}
		var said *nestor.Message
		seen := drafts{}
		for e, err := range c.Events(ctx, chat.ID, client.Start) {
			if err != nil {
				t.Fatal(err)
			}
			if said == nil { // the stream is there
				if said, err = c.Say(ctx, chat.ID, "Hello, who are you?"); err != nil {
					t.Fatal(err)
				}
			}
			seen.take(t, e)
			if m := seen.message(t, e); m != nil && m.RepliesTo == said.ID {
				if m.Role != nestor.RoleAssistant || m.Content == "" {
					t.Errorf("the answer is %+v", m)
				}
				break
			}
		}
		if seen.compared == 0 {
			t.Error("no message was told in deltas")
		}
		var roles []nestor.Role
		for m, err := range c.Messages(ctx, chat.ID) {
			if err != nil {
				t.Fatal(err)
			}
			roles = append(roles, m.Role)
		}
		if fmt.Sprint(roles) != "[user assistant]" {
			t.Errorf("the messages are of %v", roles)
		}
	})
}

func TestAToolIsCalledWithoutAModel(t *testing.T) {
	servertest.Each(t, func(t *testing.T, cfg server.Config) {
		url, _ := start(t, cfg)
		c, ctx := connect(t, url), within(t)
		chat, err := c.CreateChat(ctx, client.NewChat{Title: "Sums"})
		if err != nil {
			t.Fatal(err)
		}
		task, err := c.Start(ctx, chat.ID, client.NewTask{
			ID: "t1", Name: "tool:calculator", Args: map[string]string{"expression": "6*7"}, Budget: &nestor.Budget{Tokens: 1},
		})
		if err != nil || task.ID != "t1" || task.Type != nestor.TaskTool {
			t.Fatalf("%+v: %v", task, err)
		}
		for e, err := range c.Events(ctx, chat.ID, client.After(chat.Seq)) {
			if err != nil {
				t.Fatal(err)
			}
			if e.Change != nil && e.Change.Collection == "tasks" {
				if decode(t, e.Change, task); task.Status.Ended() {
					break
				}
			}
		}
		if task.Status != nestor.TaskSuccess || task.Result != "42" || task.Steps != 0 {
			t.Errorf("the task is %+v", task)
		}
	})
}

func TestASubAgentIsWatched(t *testing.T) {
	servertest.Each(t, func(t *testing.T, cfg server.Config) {
		url, _ := start(t, cfg)
		c, ctx := connect(t, url), within(t)
		chat, err := c.CreateChat(ctx, client.NewChat{Title: "Sums"})
		if err != nil {
			t.Fatal(err)
		}
		task, err := c.StartTask(ctx, chat.ID, "general", "Compute 6*7")
		if err != nil {
			t.Fatal(err)
		}
		statuses, calls := map[nestor.TaskStatus]bool{}, map[string]nestor.ToolCallStatus{}
		var agent nestor.SubAgent
		for e, err := range c.Events(ctx, chat.ID, client.After(chat.Seq)) {
			if err != nil {
				t.Fatal(err)
			}
			if e.Change == nil {
				continue
			}
			switch e.Change.Collection {
			case "tasks":
				decode(t, e.Change, task)
				statuses[task.Status] = true
			case "sub_agents":
				decode(t, e.Change, &agent)
			case "sub_agent_tool_calls":
				var call nestor.ToolCall
				decode(t, e.Change, &call)
				calls[call.ToolName] = call.Status
			}
			if task.Status.Ended() {
				break
			}
		}
		if task.Status != nestor.TaskSuccess || !statuses[nestor.TaskPending] || !statuses[nestor.TaskRunning] {
			t.Errorf("the task is %+v after %v", task, statuses)
		}
		if agent.ID != task.SubAgentID || agent.Status != nestor.SubAgentCompleted || calls["calculator"] != nestor.ToolCallSuccess {
			t.Errorf("the agent is %+v, its calls %v", agent, calls)
		}
		inside := 0
		for m, err := range c.AgentMessages(ctx, chat.ID, agent.ID) {
			if err != nil {
				t.Fatal(err)
			}
			if m.SubAgentID == agent.ID {
				inside++
			}
		}
		var result string
		for call, err := range c.ToolCalls(ctx, chat.ID, agent.ID) {
			if err != nil {
				t.Fatal(err)
			}
			if call.ToolName == "calculator" {
				result = call.Result
			}
		}
		if inside < 3 || result != "42" {
			t.Errorf("%d messages inside, the calculator said %q", inside, result)
		}
		for a, err := range c.SubAgents(ctx, chat.ID) {
			if err != nil || a.ID != agent.ID || a.TaskID != task.ID {
				t.Errorf("listed %+v, %v", a, err)
			}
		}
		for l, err := range c.Tasks(ctx, chat.ID) {
			if err != nil || l.ID != task.ID {
				t.Errorf("listed %+v, %v", l, err)
			}
		}
	})
}

func TestListsGoOverAllPages(t *testing.T) {
	servertest.Each(t, func(t *testing.T, cfg server.Config) {
		url, _ := start(t, cfg)
		c, ctx := connect(t, url), within(t)
		const many = 450 // three pages
		for i := range many {
			if _, err := c.CreateChat(ctx, client.NewChat{ID: fmt.Sprintf("c%03d", i)}); err != nil {
				t.Fatal(err)
			}
		}
		i := 0
		for chat, err := range c.Chats(ctx) {
			if err != nil {
				t.Fatal(err)
			}
			if want := fmt.Sprintf("c%03d", i); chat.ID != want {
				t.Fatalf("at %d is %s", i, chat.ID)
			}
			i++
		}
		if i != many {
			t.Errorf("listed %d", i)
		}
		for range c.Chats(ctx) { // stopping early is fine
			break
		}
	})
}

func TestErrorsCarryTheServersCode(t *testing.T) {
	servertest.Each(t, func(t *testing.T, cfg server.Config) {
		url, stop := start(t, cfg)
		c, ctx := connect(t, url), within(t)
		chat, err := c.CreateChat(ctx, client.NewChat{ID: "c1", Title: "One"})
		if err != nil {
			t.Fatal(err)
		}
		if again, err := c.CreateChat(ctx, client.NewChat{ID: "c1", Title: "One"}); err != nil || again.Seq != chat.Seq {
			t.Errorf("created again: %+v, %v", again, err)
		}
		stranger := connect(t, url)
		*stranger = *client.New(url, "wrong")
		stranger.HTTP = c.HTTP
		for name, tt := range map[string]struct {
			code nestor.Code
			call func() error
		}{
			"a chat that is not there": {nestor.CodeNotFound, func() error { _, err := c.Chat(ctx, "none"); return err }},
			"an id that is taken":      {nestor.CodeExists, func() error { _, err := c.CreateChat(ctx, client.NewChat{ID: "c1", Title: "Two"}); return err }},
			"saying nothing":           {nestor.CodeInvalid, func() error { _, err := c.Say(ctx, "c1", " "); return err }},
			"a tool that nobody has": {nestor.CodeInvalid, func() error {
				_, err := c.Start(ctx, "c1", client.NewTask{Name: "tool:abacus"})
				return err
			}},
			"a role that nobody has":       {nestor.CodeInvalid, func() error { _, err := c.StartTask(ctx, "c1", "", "work"); return err }},
			"a wrong token":                {nestor.CodeUnauthenticated, func() error { _, err := stranger.Chat(ctx, "c1"); return err }},
			"a list that is not there":     {nestor.CodeNotFound, func() error { return firstError(c.Messages(ctx, "none")) }},
			"events of no chat":            {nestor.CodeNotFound, func() error { return firstError(c.Events(ctx, "none", client.Now)) }},
			"events from a wrong position": {nestor.CodeInvalid, func() error { return firstError(c.Events(ctx, "c1", "x")) }},
			"a task that is not there":     {nestor.CodeNotFound, func() error { return c.Cancel(ctx, "c1", "none") }},
			"a path inside an id":          {nestor.CodeInvalid, func() error { _, err := c.Chat(ctx, "c1/messages"); return err }},
		} {
			if err := tt.call(); nestor.CodeOf(err) != tt.code || err.Error() == "" {
				t.Errorf("%s: %v (%s), want %s", name, err, nestor.CodeOf(err), tt.code)
			}
		}
		if err := c.DeleteChat(ctx, "c1"); err != nil {
			t.Error(err)
		}
		stop()
		if _, err := c.Chat(ctx, "c1"); !errors.Is(err, nestor.ErrUnavailable) {
			t.Errorf("without a server: %v", err)
		}
	})
}

func TestAChatIsForked(t *testing.T) {
	servertest.Each(t, func(t *testing.T, cfg server.Config) {
		url, _ := start(t, cfg)
		c, ctx := connect(t, url), within(t)
		chat, err := c.CreateChat(ctx, client.NewChat{Title: "Sums"})
		if err != nil {
			t.Fatal(err)
		}
		said, err := c.Say(ctx, chat.ID, "Hello")
		if err != nil {
			t.Fatal(err)
		}
		fork, err := c.Fork(ctx, chat.ID, client.NewFork{At: said.ID, Title: "Other sums"})
		if err != nil || fork.Title != "Other sums" || fork.ForkedFrom == nil || fork.ForkedFrom.MessageID != said.ID {
			t.Fatalf("the fork is %+v, %v", fork, err)
		}
		var heard []string
		for m, err := range c.Messages(ctx, fork.ID) {
			if err != nil {
				t.Fatal(err)
			}
			heard = append(heard, m.Content)
		}
		if len(heard) != 1 || heard[0] != "Hello" {
			t.Errorf("the fork begins with %q", heard)
		}
		if _, err := c.Fork(ctx, "none", client.NewFork{}); !errors.Is(err, nestor.ErrNotFound) {
			t.Errorf("a chat that is not there: %v", err)
		}
	})
}
