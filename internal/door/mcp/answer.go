package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/domain/runs/need"
	"github.com/nestorhq/nestor/internal/feed"
	"github.com/nestorhq/nestor/internal/recovery"
	"github.com/nestorhq/nestor/internal/store"
	"github.com/nestorhq/nestor/internal/tool"
)

// ofRun are the arguments of the tools about runs.
type ofRun struct {
	RunID    string                `json:"runId"`
	Wait     *int                  `json:"wait"`
	ID       string                `json:"id"`
	Answer   string                `json:"answer"`
	Decision nestor.DecisionAction `json:"decision"`
}

// read decodes the arguments of a tool and reads the run that they name, if the caller may.
func (c *call) read(of *tool.Tool, args json.RawMessage) (a ofRun, at nestor.Path, run nestor.Run, err error) {
	if a, err = decode[ofRun](of, args); err != nil {
		return a, "", run, err
	}
	if err := nestor.CheckID(a.RunID); err != nil {
		return a, "", run, nestor.Errorf(nestor.CodeInvalid, "runId: %w", err).With("field", "runId")
	}
	at = nestor.Path("users/"+c.req.UserID()).Child("runs", a.RunID)
	c.req.Tells(at)
	d, err := c.req.Get(at)
	if errors.Is(err, nestor.ErrNotFound) {
		return a, at, run, nestor.Errorf(nestor.CodeNotFound, "there is no run %s", a.RunID)
	}
	if err == nil {
		run, err = nestor.As[nestor.Run](d)
	}
	return a, at, run, err
}

// status is the tool run_status.
func (c *call) status(args json.RawMessage) (*sdk.CallToolResult, error) {
	a, at, _, err := c.read(statusArguments, args)
	if err != nil {
		return nil, err
	}
	if a.Wait == nil {
		a.Wait = new(int)
	}
	result, err := c.door.opts.Runs().Result(c.req.Context(), at, bounded(a.Wait))
	if err != nil {
		return nil, err
	}
	_, waits, err := c.waits(&result.Run)
	if err != nil {
		return nil, err
	}
	res := outcome(&result, waits)
	res.IsError = false // it is no failure to tell of one
	return res, nil
}

// cancel is the tool run_cancel.
func (c *call) cancel(args json.RawMessage) (*sdk.CallToolResult, error) {
	_, at, run, err := c.read(cancelArguments, args)
	if err != nil {
		return nil, err
	}
	req := c.certain()
	if err := req.MayAct(about(at, run.ChatID)); err != nil {
		return nil, err
	}
	if err := c.door.opts.Runs().Cancel(store.Ending(store.FromOutside(req.Context())), at, req.UserID()); err != nil {
		return nil, err
	}
	// What is under way notices soon.
	ctx, stop := context.WithTimeoutCause(c.req.Context(), untold, errWaited)
	defer stop()
	for _, err := range c.door.opts.Runs().Follow(ctx, at, "") {
		if err != nil {
			break // the result tells how it stands
		}
	}
	result, err := c.door.opts.Runs().Result(c.req.Context(), at, 0)
	if err != nil {
		return nil, err
	}
	res := outcome(&result, nil)
	res.IsError = false
	return res, nil
}

// answer is the tool of the same name.
func (c *call) answer(args json.RawMessage) (*sdk.CallToolResult, error) {
	a, at, run, err := c.read(answerArguments, args)
	if err != nil {
		return nil, err
	}
	waiting, waits, err := c.waits(&run)
	if err != nil {
		return nil, err
	}
	w, err := choose(waits, &a)
	if err != nil {
		return nil, err
	}
	if err := c.give(w, a.Answer, a.Decision); err != nil {
		return nil, err
	}
	c.handled = waiting.Seq
	return c.follow(at, feed.Position{Seq: waiting.Seq}.String(), bounded(a.Wait))
}

// choose is the one of what a run waits for that arguments are about.
func choose(waits []wait, a *ofRun) (w wait, err error) {
	if a.ID != "" {
		waits = slices.DeleteFunc(waits, func(w wait) bool { return w.ID != a.ID })
	}
	switch len(waits) {
	case 0:
		if a.ID != "" {
			return w, nestor.Errorf(nestor.CodeInvalid, "the run %s does not wait for %s", a.RunID, a.ID).With("field", "id")
		}
		return w, nestor.Errorf(nestor.CodeInvalid, "the run %s does not wait for anything that can be answered", a.RunID).With("field", "runId")
	case 1:
		return waits[0], nil
	}
	var ids []string
	for _, w := range waits {
		ids = append(ids, fmt.Sprintf("%s (%s)", w.ID, w.Kind))
	}
	return w, nestor.Errorf(nestor.CodeInvalid, "the run %s waits for several things; say in id which: %v", a.RunID, ids).With("field", "id")
}

// give gives a run what it waits for.
func (c *call) give(w wait, text string, decision nestor.DecisionAction) error {
	req := c.certain()
	switch w.Kind {
	case need.Answer:
		switch {
		case text == "" || decision != "":
			return nestor.Errorf(nestor.CodeInvalid, "a question wants an answer, and no decision").With("field", "answer")
		case w.standing:
			_, err := req.Say(w.at.Parent(), "", text)
			return err
		}
		return req.Steer(w.at, text)
	case need.Approval, need.Result, need.Unknown:
		if !slices.Contains(w.Kind.Decisions(), decision) {
			return nestor.Errorf(nestor.CodeInvalid, "the call %s wants one of the decisions %v", w.ID, w.Kind.Decisions()).With("field", "decision")
		}
		return req.Decide(w.at, nestor.Decision{Action: decision, Reason: text})
	}
	return nestor.Errorf(nestor.CodeInvalid, "the run waits for something that cannot be given here: %s", w.Text)
}

// elicit asks the client's user what a run waits for, and gives the run the answers. It
// reports whether the run goes on. Somebody else may answer meanwhile: then the question is
// taken back.
func (c *call) elicit(ctx context.Context, run *nestor.Run, waits []wait) bool {
	c.handled = run.Seq
	goesOn := false
	for _, w := range waits {
		params := form(w)
		if params == nil {
			continue
		}
		asking, cancel := context.WithCancelCause(c.ctx)
		stop := context.AfterFunc(ctx, func() { cancel(context.Cause(ctx)) })
		watched := make(chan struct{})
		go func() {
			defer close(watched)
			recovery.Logged(c.door.log, "a question is not taken back", func() { c.untilMoved(asking, run, func() { cancel(errMoved) }) })
		}()
		res, err := c.client.Elicit(asking, params)
		moved := errors.Is(context.Cause(asking), errMoved)
		stop()
		cancel(nil)
		<-watched
		switch {
		case moved:
			return true
		case err != nil || res.Action != "accept":
			return goesOn
		}
		if err := c.give(w, text(res.Content, "answer"), nestor.DecisionAction(text(res.Content, "decision"))); err != nil {
			return goesOn
		}
		goesOn = true
	}
	return goesOn
}

// errMoved: the run goes on without the client.
var errMoved = errors.New("the run goes on")

// untilMoved calls moved when the run is written after it was read.
func (c *call) untilMoved(ctx context.Context, run *nestor.Run, moved func()) {
	at := nestor.Path("users/"+run.UserID).Child("runs", run.ID)
	for e, err := range c.door.feed.Follow(ctx, run.Seq, 0, nestor.Glob(at)) {
		if err != nil {
			return
		}
		if e.Change != nil {
			moved()
			return
		}
	}
}

// form is what the client's user is asked, nil for what cannot be asked.
func form(w wait) *sdk.ElicitParams {
	switch w.Kind {
	case need.Answer:
		return &sdk.ElicitParams{Message: w.Text, RequestedSchema: json.RawMessage(
			`{"type":"object","properties":{"answer":{"type":"string","title":"Answer","minLength":1}},"required":["answer"]}`)}
	case need.Approval, need.Result, need.Unknown:
		options, _ := json.Marshal(w.Kind.Decisions()) // of texts
		return &sdk.ElicitParams{Message: w.Text, RequestedSchema: json.RawMessage(
			`{"type":"object","properties":{"decision":{"type":"string","title":"Decision","enum":` + string(options) +
				`},"answer":{"type":"string","title":"Reason"}},"required":["decision"]}`)}
	}
	return nil
}

func text(content map[string]any, field string) string {
	s, _ := content[field].(string)
	return s
}
