package runs

import (
	"cmp"
	"slices"
	"strconv"
	"time"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/feed"
	"github.com/nestorhq/nestor/internal/httpapi"
	"github.com/nestorhq/nestor/internal/module"
	"github.com/nestorhq/nestor/internal/store"
)

func routes() []module.Route[*Runs] {
	type route = httpapi.Route
	const run = "/api/v1/runs/{id}"
	narrowed := narrowing()
	events := map[string]any{}
	for _, t := range []EventType{RunBegan, Text, Reasoning, Restarted, Said, AgentBegan, AgentEnded, ToolBegan, ToolEnded, Question, Approval, ClientCall, RunWaits, RunEnded} {
		events[string(t)] = Event{}
	}
	list := []module.Route[*Runs]{
		{Do: (*Runs).list, Route: route{
			Pattern: "GET /api/v1/runs", ID: "listRuns", Summary: "Runs, newest first",
			Description: "Each says in about what began it, as far as the caller may read that. A page may be empty and yet have a next one where role, model or tool narrow it.",
			Answer:      ListedRun{}, Lists: true,
			Query: append(httpapi.Paging(), narrowed...),
		}},
		{Do: (*Runs).get, Route: route{
			Pattern: "GET " + run, ID: "getRun", Summary: "A run and what came of it",
			Description: "The texts of its answers are in it as far as the caller may read them.",
			Answer:      nestor.RunResult{},
			Query:       []httpapi.Parameter{httpapi.WaitParameter("1: answer when the run has ended or waits for somebody, or after 30 seconds.")},
		}},
		{Do: (*Runs).events, Route: route{
			Pattern: "GET " + run + "/events", ID: "followRun", Summary: "What happens in a run, from its begin to its end",
			Description: "It begins with what happened until now, and ends with the run. After Last-Event-ID nothing is told twice.",
			Events:      events,
		}},
		{Do: (*Runs).waits, Route: route{
			Pattern: "GET " + run + "/waits", ID: "listWaits", Summary: "What a run waits for: a model, a worker, a person, a trigger that is switched off",
			Description: "Each has a code for programs and a text for people. It may be asked every few seconds.",
			Answer:      Waits{},
		}},
		{Do: (*Runs).postCancel, Route: route{
			Pattern: "POST " + run + "/cancel", ID: "cancelRun", Summary: "End everything that a run has under way",
			Description: "Its agents, tools and executions are stopped. What was said until then stays.",
			Answer:      nestor.RunResult{},
		}},
	}
	for i := range list {
		list[i].Query = append(list[i].Query, httpapi.UserParameter)
	}
	ofServer := slices.DeleteFunc(narrowing(), func(p httpapi.Parameter) bool { return p.Name == "chatId" })
	user := httpapi.TextParameter("userId", "Only runs of this user.", "")
	user.Example = nil
	return append(list, module.Route[*Runs]{Do: (*Runs).listOfServer, Route: route{
		Pattern: "GET /api/v1/server/runs", ID: "listServerRuns", Summary: "Runs of all users, newest first: how they went, and nothing of what was said",
		Description: "They tell status, times, models, roles, tools, usage and cost.",
		Needs:       httpapi.Administrator, Answer: ServerRun{}, Lists: true, Query: append(append(httpapi.Paging(), ofServer...), user),
	}})
}

// narrowing are the parameters that say which runs of a list are wanted.
func narrowing() (narrowed []httpapi.Parameter) {
	for _, p := range [][2]string{
		{"status", "Only runs with this status: running, waiting, success, failed or cancelled."},
		{"kind", "Only runs that this began: message, task, graph or prioritisation."},
		{"chatId", "Only runs in this chat."},
		{"by", "Only runs that this user began."},
		{"role", "Only runs in which an agent of this role took part."},
		{"model", "Only runs in which this model was asked."},
		{"tool", "Only runs in which this tool was called."},
		{"minCostMicros", "Only runs that cost at least so much, in millionths of a US dollar."},
		{"from", "Only runs that began at this time or later, in Unix milliseconds."},
		{"to", "Only runs that began before this time, in Unix milliseconds."},
	} {
		parameter := httpapi.TextParameter(p[0], p[1], "")
		parameter.Example = nil
		narrowed = append(narrowed, parameter)
	}
	return narrowed
}

// at is the run that a request names: the caller's, or that of the user in the URL.
func at(r *httpapi.Request) (nestor.Path, error) {
	user, err := r.Subject()
	if err != nil {
		return "", err
	}
	return nestor.ParsePath(user.Collection("runs") + "/" + r.PathValue("id"))
}

// readable is the run that a request names, if the caller may read it.
func readable(r *httpapi.Request) (p nestor.Path, run nestor.Run, err error) {
	if p, err = at(r); err != nil {
		return p, run, err
	}
	d, err := r.Get(p)
	if err != nil {
		return p, run, err
	}
	run, err = nestor.As[nestor.Run](d)
	return p, run, err
}

// maxPages is how many pages a list looks through for runs that a query cannot tell from
// others. A client goes on with the cursor.
const maxPages = 10

func (*Runs) list(r *httpapi.Request) (any, error) {
	limit, cursor, err := r.Page()
	if err != nil {
		return nil, err
	}
	user, err := r.Subject()
	if err != nil {
		return nil, err
	}
	where, err := filter(r, user.ID(), "status", "kind", "chatId", "by")
	if err != nil {
		return nil, err
	}
	answer := httpapi.List[ListedRun]{}
	err = r.View(func(docs store.Reader) error {
		answer = httpapi.List[ListedRun]{Items: []ListedRun{}}
		found, next, err := page(r, docs, store.Query{Collection: user.Collection("runs"), Where: where, Limit: limit, Cursor: cursor})
		if err != nil {
			return err
		}
		for _, run := range found {
			answer.Items = append(answer.Items, ListedRun{Run: run})
		}
		answer.Next = next
		return tellAbout(docs, user.ID(), answer.Items)
	})
	return answer, err
}

// page is the next runs, newest first, that a query finds and in which took part who was
// asked for.
func page(r *httpapi.Request, docs store.Reader, q store.Query) (found []nestor.Run, next string, err error) {
	q.OrderBy = []store.Order{{Field: "createdAt", Desc: true}}
	for range maxPages {
		page, err := docs.Query(q)
		if err != nil {
			return nil, "", err
		}
		for _, d := range page.Items {
			run, err := nestor.As[nestor.Run](d)
			if err != nil {
				return nil, "", err
			}
			if takesPart(r, &run) {
				found = append(found, run)
			}
		}
		if next, q.Cursor = page.Next, page.Next; next == "" || len(found) > 0 {
			break
		}
	}
	return found, next, nil
}

// filter is what a query can tell: the fields that a request names, and numbers.
func filter(r *httpapi.Request, user string, fields ...string) (*store.Filter, error) {
	asked := r.URL.Query()
	if status := asked.Get("status"); status != "" && !slices.Contains(statuses, nestor.RunStatus(status)) {
		return nil, nestor.Errorf(nestor.CodeInvalid, "status is running, waiting, success, failed or cancelled, not %q", status).With("field", "status")
	}
	var all []store.Filter
	for _, field := range fields {
		var value any = asked.Get(field)
		if field == "by" && user != "" && value == user {
			value = nil // as a run says it
		}
		if value != "" {
			all = append(all, *store.Where(field, store.Eq, value))
		}
	}
	for name, as := range map[string]store.Filter{
		"minCostMicros": {Field: "costMicros", Op: store.Ge}, "from": {Field: "beganAt", Op: store.Ge}, "to": {Field: "beganAt", Op: store.Lt},
	} {
		text := asked.Get(name)
		if text == "" {
			continue
		}
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			return nil, nestor.Errorf(nestor.CodeInvalid, "%s is a whole number, not %q", name, text).With("field", name)
		}
		as.Value = n
		all = append(all, as)
	}
	if len(all) == 0 {
		return nil, nil
	}
	return &store.Filter{And: all}, nil
}

// takesPart reports whether the role, model and tool that a request asks for took part.
func takesPart(r *httpapi.Request, run *nestor.Run) bool {
	asked := r.URL.Query()
	for name, has := range map[string][]string{"role": run.Roles, "model": run.Models, "tool": run.Tools} {
		if want := asked.Get(name); want != "" && !slices.Contains(has, want) {
			return false
		}
	}
	return true
}

func (r *Runs) get(req *httpapi.Request) (any, error) {
	p, err := at(req)
	if err != nil {
		return nil, err
	}
	wait, err := req.Wait()
	if err != nil {
		return nil, err
	}
	if wait > 0 {
		done, err := req.Hold()
		if err != nil {
			return nil, err
		}
		defer done()
	}
	return r.Shown(req, p, wait)
}

// Shown implements [httpapi.Runs]: the result of a run with those of its messages that the
// caller may read. A key for some documents may reach the run and not its chat. What they may
// is judged before they wait, and again after that.
func (r *Runs) Shown(req *httpapi.Request, p nestor.Path, wait time.Duration) (shown nestor.RunResult, err error) {
	if _, err := req.Get(p); err != nil {
		return shown, err
	}
	req.Tells(p)
	ctx, stop := req.Watch()
	result, err := r.Result(ctx, p, wait)
	stop()
	again, ended := req.Recheck()
	if ended != nil {
		return shown, ended // and whatever else went wrong because of it
	}
	if err != nil {
		return shown, err
	}
	req = again
	err = req.View(func(docs store.Reader) error {
		if _, err := docs.Get(p); err != nil {
			return err
		}
		shown = nestor.RunResult{Run: result.Run, Messages: []nestor.Message{}}
		for _, m := range result.Messages {
			_, err := docs.Get(nestor.Path(p.Tenant()).Child("orch-chats", m.ChatID).Child("messages", m.ID))
			switch nestor.CodeOf(err) {
			case nestor.CodeNotFound, nestor.CodeForbidden:
				continue
			}
			if err != nil {
				return err
			}
			shown.Messages = append(shown.Messages, m)
		}
		shown.Text = textOf(shown.Messages)
		return nil
	})
	return shown, err
}

func (r *Runs) postCancel(req *httpapi.Request) (any, error) {
	p, run, err := readable(req)
	if err != nil {
		return nil, err
	}
	if err := req.MayAct(about(p, &run)); err != nil {
		return nil, err
	}
	if err := r.Cancel(store.Ending(store.FromOutside(req.Context())), p, req.UserID()); err != nil {
		return nil, err
	}
	return r.Shown(req, p, 0)
}

// events tells what happens in a run, from its begin.
func (r *Runs) events(req *httpapi.Request) (any, error) {
	p, run, err := readable(req)
	if err != nil {
		return nil, err
	}
	t := newTeller(&run)
	told := func(events []Event) (all []httpapi.Event) {
		for _, e := range events {
			all = append(all, httpapi.Event{Name: string(e.Type), Data: e, Last: e.Type == RunEnded})
		}
		return all
	}
	return httpapi.Stream{
		Path: p, Also: globsOf(&run)[1:], From: cmp.Or(beginOf(&run), 1),
		Of: func(c *nestor.Change) ([]httpapi.Event, error) {
			events, err := t.change(c)
			return told(events), err
		},
		Said: func(d *feed.Delta) []httpapi.Event { return told(t.delta(d)) },
	}, nil
}
