package graphs_test

import (
	"slices"
	"testing"

	"github.com/nestorhq/nestor/internal/servertest"
	"github.com/nestorhq/nestor/server"
)

func TestWhoFollowsAnExecutionMissesNothingAndHearsNothingTwice(t *testing.T) {
	servertest.Each(t, func(t *testing.T, cfg server.Config) {
		p := start(t, cfg)
		nodes, edges := []string{"s on-start", "first invoke-language-model"}, []string{"s.signal>first.run", "s.text>first.prompt"}
		last := "first"
		for _, id := range []string{"a", "b"} {
			nodes = append(nodes, id+" invoke-language-model")
			edges = append(edges, last+".done>"+id+".run", last+".text>"+id+".prompt")
			last = id
		}
		p.draws("g", nodes, edges...)
		x := p.runs("g", `"hello"`)
		// Several clients come at several moments, and one goes away.
		gone := p.request("GET", executions+"/"+x+"/events", "")
		_ = gone.Body.Close()
		var live []<-chan []event
		for range 2 {
			live = append(live, p.follows(x, ""))
		}
		p.ends(x, `"status":"completed"`)
		want := told(<-p.follows(x, ""))
		for _, client := range live {
			all := <-client
			if got := told(all); !same(got, want) {
				t.Errorf("a client heard %q, not %q", got, want)
			}
			// Whoever comes back after any event hears the rest, and that once.
			// The first event with a position ends what was told of the past.
			past := slices.IndexFunc(all, func(e event) bool { return e.id != "" })
			for i, e := range all {
				if i <= past || e.id == "" || e.name == "execution_completed" {
					continue
				}
				if got, rest := told(<-p.follows(x, e.id)), told(all[i+1:]); !slices.Equal(got, rest) {
					t.Errorf("who came back after %s %s heard %q, not %q", e.name, e.id, got, rest)
				}
			}
		}
	})
}

// same compares what was told, in whatever order.
func same(a, b []string) bool {
	a, b = slices.Clone(a), slices.Clone(b)
	slices.Sort(a)
	slices.Sort(b)
	return slices.Equal(a, b)
}
