package graph_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/nestorhq/nestor/internal/domain/graphs/graph"
)

var checked = func() *graph.Catalogue {
	c, err := graph.NewCatalogue(
		graph.Type{
			ID: "text", Static: true, Outputs: []graph.Port{{ID: "value", Type: graph.String}},
			Parameters: json.RawMessage(`{"type":"object","required":["value"],"properties":{"value":{"type":"string"}}}`),
		},
		graph.Type{ID: "begin", Start: true, Outputs: []graph.Port{{ID: "signal", Type: graph.Signal}}},
		graph.Type{
			ID: "say", Inputs: []graph.Port{{ID: "run", Type: graph.Signal}, {ID: "text", Type: graph.String, Required: true}, {ID: "more", Type: graph.JSON}},
			Parameters: json.RawMessage(`{"type":"object"}`),
			Check: func(p map[string]any) error {
				if p["text"] == "" {
					return errors.New("the text is empty")
				}
				return nil
			},
		},
	)
	if err != nil {
		panic(err)
	}
	return c
}()

func TestAllThatIsWrongWithAGraphIsFoundAtOnce(t *testing.T) {
	const nodes = `{"id":"t","nodeId":"text","parameters":{"value":"x"}},{"id":"b","nodeId":"begin"}`
	tests := map[string]struct {
		graph string
		want  []string // node, code
	}{
		"nothing is wrong": {`{"nodes":[` + nodes + `,{"id":"s","nodeId":"say"}],"edges":[
			{"sourceNodeId":"t","sourcePortId":"value","targetNodeId":"s","targetPortId":"text"},
			{"sourceNodeId":"t","sourcePortId":"value","targetNodeId":"s","targetPortId":"more"},
			{"sourceNodeId":"b","sourcePortId":"signal","targetNodeId":"s","targetPortId":"run"}]}`, nil},
		"a parameter is an input": {`{"nodes":[` + nodes + `,{"id":"s","nodeId":"say","parameters":{"text":"x"}}],"edges":[
			{"sourceNodeId":"t","sourcePortId":"value","targetNodeId":"s","targetPortId":"more"},
			{"sourceNodeId":"s","sourcePortId":"onError","targetNodeId":"s","targetPortId":"run"}]}`, []string{"warning s unreachable"}},
		"what one of two static nodes says is lost": {`{"nodes":[` + nodes + `,{"id":"u","nodeId":"text","parameters":{"value":"y"}},{"id":"s","nodeId":"say","retry":{"attempts":2}}],"edges":[
			{"sourceNodeId":"t","sourcePortId":"value","targetNodeId":"s","targetPortId":"text"},
			{"sourceNodeId":"u","sourcePortId":"value","targetNodeId":"s","targetPortId":"text"},
			{"sourceNodeId":"b","sourcePortId":"signal","targetNodeId":"s","targetPortId":"run"}]}`, []string{"warning s overridden-input"}},
		"what a node that nobody knows leads to may be reached": {`{"nodes":[{"id":"u","nodeId":"nonsense"},{"id":"s","nodeId":"say","parameters":{"text":"x"}},{"id":"r","nodeId":"say","parameters":{"text":"x"}}],"edges":[
			{"sourceNodeId":"u","sourcePortId":"x","targetNodeId":"s","targetPortId":"run"}]}`, []string{"u unknown-node-type", "warning r unreachable"}},
		"nothing begins": {`{"nodes":[{"id":"t","nodeId":"text","parameters":{"value":"x"}}],"edges":[]}`, []string{"warning  no-start", "warning t unused-static"}},
		"edges with ids": {`{"nodes":[` + nodes + `,{"id":"s","nodeId":"say"}],"edges":[
			{"id":"x","sourceNodeId":"t","sourcePortId":"value","targetNodeId":"s","targetPortId":"text"},
			{"id":"x","sourceNodeId":"t","sourcePortId":"value","targetNodeId":"s","targetPortId":"more"},
			{"id":"a/b","sourceNodeId":"b","sourcePortId":"signal","targetNodeId":"s","targetPortId":"run"}]}`, []string{"s bad-id", "s bad-id"}},
		"everything": {`{"nodes":[
				{"id":"t","nodeId":"text"},{"id":"u","nodeId":"nonsense"},{"id":"s","nodeId":"say","retry":{"attempts":11}},{"id":"s","nodeId":"begin"},
				{"id":"","nodeId":"begin"},{"id":"e","nodeId":"say","parameters":{"text":""}}],
			"edges":[
				{"sourceNodeId":"t","sourcePortId":"value","targetNodeId":"gone","targetPortId":"x"},
				{"sourceNodeId":"gone","sourcePortId":"x","targetNodeId":"e","targetPortId":"text"},
				{"sourceNodeId":"t","sourcePortId":"value","targetNodeId":"e","targetPortId":"run"},
				{"sourceNodeId":"t","sourcePortId":"nothing","targetNodeId":"e","targetPortId":"nowhere"},
				{"sourceNodeId":"t","sourcePortId":"value","targetNodeId":"e","targetPortId":"text"},
				{"sourceNodeId":"t","sourcePortId":"value","targetNodeId":"e","targetPortId":"text"}]}`, []string{
			"t bad-parameters", "u unknown-node-type", "s bad-retry", "s bad-id", " bad-id", "e bad-parameters",
			"t dangling-edge", "e dangling-edge", "e port-type-mismatch", "t unknown-port", "e unknown-port", "e duplicate-edge", "s missing-input", "warning e unreachable",
		}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			var g graph.Graph
			if err := json.Unmarshal([]byte(tt.graph), &g); err != nil {
				t.Fatal(err)
			}
			report := checked.Validate(&g)
			var got []string
			for _, p := range report.Errors {
				got = append(got, p.NodeID+" "+p.Code)
			}
			for _, p := range report.Warnings {
				got = append(got, "warning "+p.NodeID+" "+p.Code)
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("found\n%s\nnot\n%s", strings.Join(got, "\n"), strings.Join(tt.want, "\n"))
			}
		})
	}
}

func TestAGraphIsNotTooLarge(t *testing.T) {
	g := graph.Graph{}
	for i := range graph.MaxNodes + 1 {
		g.Nodes = append(g.Nodes, graph.Node{ID: fmt.Sprint(i), NodeID: "begin"})
	}
	if report := checked.Validate(&g); len(report.Errors) != 1 || report.Errors[0].Code != graph.TooLarge {
		t.Errorf("found %v", report.Errors)
	}
}

func TestNodeTypesThatMakeNoSense(t *testing.T) {
	for name, bad := range map[string][]graph.Type{
		"no id":                    {{}},
		"two of one id":            {{ID: "x"}, {ID: "x"}},
		"a static one with inputs": {{ID: "x", Static: true, Inputs: []graph.Port{{ID: "a", Type: graph.String}}}},
		"an effect that is none":   {{ID: "x", Effect: "much"}},
		"two ports of one id":      {{ID: "x", Inputs: []graph.Port{{ID: "a", Type: graph.String}, {ID: "a", Type: graph.String}}}},
		"a schema that is none":    {{ID: "x", Parameters: json.RawMessage(`[]`)}},
	} {
		if _, err := graph.NewCatalogue(bad...); err == nil {
			t.Errorf("%s: it was taken", name)
		}
	}
}
