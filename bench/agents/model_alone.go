package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/tool/calc"
)

// modelAlone shows how many replies per second the model gives: far more than
// anybody here asks for, or it would be what is measured.
func (b *bench) modelAlone(ctx context.Context) error {
	fmt.Println("model alone")
	for _, step := range []int{1, usualSteps, b.steps} {
		body, err := conversation(step)
		if err != nil {
			return err
		}
		rate, err := b.replies(ctx, body)
		if err != nil {
			return err
		}
		fmt.Printf("  step %-4d %8.0f replies/s, requests of %d KB\n", step, rate, len(body)>>10)
	}
	return nil
}

// conversation is the request of an agent at a step.
func conversation(step int) ([]byte, error) {
	talk := []message{{Role: "system", Content: instructions}, {Role: "user", Content: instruction(step, instant)}}
	for i := 1; i < step; i++ {
		expression := fmt.Sprintf("2^(3200+%d)", i)
		value, err := calc.Eval(expression)
		if err != nil {
			return nil, err
		}
		call := nestor.ToolRequest{ID: nestor.NewID(), Type: "function", Function: nestor.FunctionCall{
			Name: "calculator", Arguments: `{"expression":` + quote(expression) + `}`,
		}}
		talk = append(talk, message{Role: "assistant", Content: thought(i), ToolCalls: []nestor.ToolRequest{call}},
			message{Role: "tool", Content: value, ToolCallID: call.ID})
	}
	return json.Marshal(map[string]any{"model": modelName, "messages": talk, "stream": true})
}

// replies asks for a second, as many at once as there are agents.
func (b *bench) replies(ctx context.Context, body []byte) (perSecond float64, err error) {
	const span = time.Second
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var count atomic.Int64
	var askers sync.WaitGroup
	began := time.Now()
	for range b.agents {
		askers.Go(func() {
			for ctx.Err() == nil && time.Since(began) < span {
				res, err := httpClient.Post(b.model.URL+"/v1/chat/completions", "application/json", bytes.NewReader(body))
				if err != nil {
					cancel(err)
					return
				}
				_, err = io.Copy(io.Discard, res.Body)
				res.Body.Close()
				if err != nil || res.StatusCode != http.StatusOK {
					cancel(fmt.Errorf("the model answered %s: %w", res.Status, err))
				}
				count.Add(1)
			}
		})
	}
	askers.Wait()
	return float64(count.Load()) / time.Since(began).Seconds(), context.Cause(ctx)
}
