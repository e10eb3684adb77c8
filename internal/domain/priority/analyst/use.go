package analyst

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/domain/ask"
	"github.com/nestorhq/nestor/internal/domain/onbehalf"
	"github.com/nestorhq/nestor/internal/domain/priority/record"
	"github.com/nestorhq/nestor/internal/store"
	"github.com/nestorhq/nestor/internal/tool"
)

// use is one use of a tool for a user: what the tool wants to have written.
type use struct {
	userID string
	bill   *ask.Bill
	found  []record.TaskRelationship
}

// write writes it. The bill comes last.
func (u *use) write(tx store.Tx) error {
	if err := storeRelationships(tx, u.userID, u.found); err != nil {
		return err
	}
	return u.bill.Pay(tx)
}

// outcome is what came of a use.
type outcome struct {
	*use
	err error
}

// handover, in a context, takes the outcome of a use for somebody who commits it
// with something else.
type handover struct{}

// define makes a tool of a function that only reads. What it wants to have written is
// handed over, or else committed in a transaction of its own.
func define[In any](a *Analyst, spec tool.Spec, run func(ctx context.Context, u *use, in In) (any, error)) *tool.Tool {
	t, err := tool.New(spec, func(ctx context.Context, call tool.Call) (tool.Output, error) {
		person, err := onbehalf.Of(ctx, a.store, call.Scope)
		if err == nil {
			err = person.Needs(record.Basis(person.UserID)...)
		}
		if err != nil {
			return tool.Output{}, err
		}
		u := &use{userID: person.UserID, bill: a.asker.NewBill(call.IdempotencyKey, person.UserID)}
		var in In
		if err := json.Unmarshal([]byte(call.Arguments), &in); err != nil {
			return tool.Output{}, nestor.Errorf(nestor.CodeInvalid, "the input is not of the form that is described")
		}
		out, err := run(ctx, u, in)
		if err != nil {
			u.found = nil
		}
		if over, ok := ctx.Value(handover{}).(chan<- outcome); ok {
			over <- outcome{u, err}
		} else {
			err = errors.Join(err, a.store.Update(context.WithoutCancel(ctx), u.write))
		}
		if err != nil {
			return tool.Output{}, err
		}
		return tool.Output{Text: string(encode(out))}, nil
	})
	if err != nil {
		panic("tool " + spec.Name + ": " + err.Error()) // a defect of the program
	}
	return t
}

const (
	toolRetries = 2
	retryPause  = 2 * time.Second
)

// carryOut runs a tool, again if it failed for a reason that may pass. It returns
// what to write in any case, and the error of the last attempt. That the work is put
// off, or that its process ends, is an error of its own: then nothing was decided.
func (a *Analyst) carryOut(ctx context.Context, t *tool.Tool, call tool.Call) (output json.RawMessage, done *use, failure, err error) {
	done = &use{userID: call.UserID, bill: a.asker.NewBill(call.IdempotencyKey, call.UserID)}
	for attempt := 0; ; attempt++ {
		over := make(chan outcome, 1)
		result := tool.Execute(context.WithValue(ctx, handover{}, (chan<- outcome)(over)), t, call, tool.Options{Logger: a.log})
		if ctx.Err() != nil {
			return nil, nil, nil, context.Cause(ctx)
		}
		select {
		case o := <-over:
			if errors.As(o.err, new(nestor.PutOff)) {
				return nil, nil, nil, o.err
			}
			done.bill.Add(o.bill)
			done.found = o.found
		default: // it did not get so far, or is late
		}
		if result.Status == nestor.ToolCallSuccess {
			return json.RawMessage(result.Output), done, nil, nil
		}
		if attempt == toolRetries || !passing(result.Code) {
			return nil, done, nestor.Errorf(result.Code, "%s", result.Error), nil
		}
		if err := a.pause(ctx, retryPause); err != nil {
			return nil, nil, nil, err
		}
	}
}

// passing reports whether another attempt may succeed.
func passing(code nestor.Code) bool {
	switch code {
	case nestor.CodeInvalid, nestor.CodeNotFound, nestor.CodeForbidden, nestor.CodeUnauthenticated, nestor.CodeTooLarge, nestor.CodeOverBudget:
		return false
	}
	return true
}
