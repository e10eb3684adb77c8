package main

import (
	"context"
	"fmt"
	"os"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/tool"
)

// shop has the orders, and a ledger of what was paid back.
type shop struct{ ledger string }

type order struct {
	Item  string `json:"item"`
	Cents int    `json:"cents"`
	State string `json:"state"`
}

var orders = map[string]order{
	"A7": {"a teapot", 1200, "delivered"},
	"B2": {"two cups", 800, "on its way"},
}

type orderNumber struct {
	Order string `json:"order" jsonschema:"the number of the order, such as A7"`
}

func (s *shop) findOrder() *tool.Tool {
	return tool.New("find_order", tool.Options{Description: "What was ordered, for how much, and where it is.", Effect: tool.Pure},
		func(_ context.Context, in orderNumber) (order, error) {
			o, ok := orders[in.Order]
			if !ok {
				return o, nestor.Errorf(nestor.CodeNotFound, "there is no order %s", in.Order)
			}
			return o, nil
		})
}

type payment struct {
	Order string `json:"order" jsonschema:"the number of the order, such as A7"`
	Cents int    `json:"cents" jsonschema:"how much to pay back"`
}

// refund pays: it is run once, and only after a person has agreed. If the process
// dies in the middle, a person is asked whether it was paid.
func (s *shop) refund() *tool.Tool {
	return tool.New("refund", tool.Options{Description: "Pays a customer back.", Effect: tool.Once, NeedsApproval: true},
		func(ctx context.Context, in payment) (string, error) {
			if in.Cents > orders[in.Order].Cents {
				return "", nestor.Errorf(nestor.CodeInvalid, "that is more than was paid for %s", in.Order)
			}
			f, err := os.OpenFile(s.ledger, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
			if err != nil {
				return "", err
			}
			defer f.Close()
			_, err = fmt.Fprintf(f, "%s %d %s\n", in.Order, in.Cents, tool.CallOf(ctx).IdempotencyKey)
			return fmt.Sprintf("%d cents were paid back for %s", in.Cents, in.Order), err
		})
}
