package main

import (
	"context"
	"iter"

	"github.com/nestorhq/nestor/model"
)

// instant is a model that answers at once.
type instant struct{}

// Name implements [model.Model].
func (instant) Name() string { return "instant" }

// Generate implements [model.Model].
func (instant) Generate(context.Context, *model.Request) iter.Seq2[model.Event, error] {
	return func(yield func(model.Event, error) bool) {
		for _, e := range []model.Event{model.Text{Text: word}, model.Text{Text: ", it said."}, model.Finish{Reason: model.Stop}} {
			if !yield(e, nil) {
				return
			}
		}
	}
}
