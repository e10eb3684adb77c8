package server_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/client"
	"github.com/nestorhq/nestor/node"
	"github.com/nestorhq/nestor/server"
)

type order struct {
	Article string  `json:"article" jsonschema:"what is ordered"`
	Price   float64 `json:"price,omitempty"`
	Limit   float64 `json:"limit" node:"parameter" jsonschema:"the highest price"`
}

type ordered struct {
	Number    string      `json:"number,omitempty"`
	Expensive node.Signal `json:"expensive"`
}

var buy = node.New("buy", node.Options{Description: "Orders something, unless it is expensive."},
	func(ctx context.Context, in order) (ordered, error) {
		switch {
		case in.Price > in.Limit:
			return ordered{Expensive: true}, nil
		case in.Article == "ghost":
			return ordered{}, nestor.Errorf(nestor.CodeNotFound, "nobody sells a %s", in.Article)
		}
		return ordered{Number: strings.ToUpper(in.Article) + "-" + node.CallOf(ctx).NodeID}, nil
	})

// A Go function becomes a type of graph nodes: the fields of its argument are inputs
// and parameters, those of its result outputs and signals.
func Example_node() {
	ctx := context.Background()
	s, err := server.Start(ctx, server.Config{Nodes: []*node.Type{buy}, Env: noKeys, Logger: quiet})
	check(err)
	defer s.Close()

	c := s.Client()
	_, err = client.Call[any](ctx, c, "POST", "/records/agent_graphs", json.RawMessage(`{
		"id": "shop", "name": "Shop",
		"nodes": [
			{"id": "start", "nodeId": "on-start"},
			{"id": "article", "nodeId": "map", "parameters": {"expression": "value.article"}},
			{"id": "buy", "nodeId": "buy", "parameters": {"limit": 100, "price": 50}},
			{"id": "number", "nodeId": "output"},
			{"id": "failed", "nodeId": "output"}
		],
		"edges": [
			{"sourceNodeId": "start", "sourcePortId": "signal", "targetNodeId": "article", "targetPortId": "run"},
			{"sourceNodeId": "start", "sourcePortId": "input", "targetNodeId": "article", "targetPortId": "value"},
			{"sourceNodeId": "article", "sourcePortId": "done", "targetNodeId": "buy", "targetPortId": "run"},
			{"sourceNodeId": "article", "sourcePortId": "text", "targetNodeId": "buy", "targetPortId": "article"},
			{"sourceNodeId": "buy", "sourcePortId": "done", "targetNodeId": "number", "targetPortId": "run"},
			{"sourceNodeId": "buy", "sourcePortId": "number", "targetNodeId": "number", "targetPortId": "value"},
			{"sourceNodeId": "buy", "sourcePortId": "onError", "targetNodeId": "failed", "targetPortId": "run"},
			{"sourceNodeId": "buy", "sourcePortId": "error", "targetNodeId": "failed", "targetPortId": "value"}
		]}`))
	check(err)
	type execution struct {
		ID     string
		Status string
		Output json.RawMessage
	}
	for _, article := range []string{"lamp", "ghost"} {
		x, err := client.Call[execution](ctx, c, "POST", "/records/agent_graphs/shop/executions", map[string]any{"input": map[string]any{"article": article}})
		check(err)
		check(s.Wait(ctx))
		x, err = client.Call[execution](ctx, c, "GET", "/records/agent_graph_executions/"+x.ID, nil)
		check(err)
		fmt.Printf("%s: %s\n", x.Status, x.Output)
	}
	// Output:
	// completed: {"number":"LAMP-buy"}
	// completed: {"failed":{"code":"not_found","message":"nobody sells a ghost","nodeId":"buy"}}
}
