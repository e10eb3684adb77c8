package graphs

import (
	"embed"
	"encoding/json"
	"fmt"
	"sync"

	"github.com/nestorhq/nestor/internal/domain/graphs/graph"
	"github.com/nestorhq/nestor/internal/httpapi"
)

// Template is a graph to begin with. It runs with the demo model as it is.
type Template struct {
	ID          string `json:"id"`
	Name        string `json:"name"`
	Description string `json:"description"`
	// Input is one that the graph can be tried with.
	Input any `json:"input"`
	graph.Graph
}

// templateIDs are in the order in which people read them.
var templateIDs = []string{"chat-answer", "research-fan-out", "approve-then-send", "summarise-document"}

//go:embed templates/*.json
var templateFiles embed.FS

// templates reads the files that are part of the program.
var templates = sync.OnceValues(func() (all []Template, err error) {
	for _, id := range templateIDs {
		text, err := templateFiles.ReadFile("templates/" + id + ".json")
		if err != nil {
			return nil, err
		}
		var t Template
		if err := json.Unmarshal(text, &t); err != nil {
			return nil, fmt.Errorf("the template %s: %w", id, err)
		}
		all = append(all, t)
	}
	return all, nil
})

func (g *Graphs) listTemplates(*httpapi.Request) (any, error) {
	all, err := templates()
	return httpapi.List[Template]{Items: all}, err
}
