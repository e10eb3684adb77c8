package bench

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/nestorhq/nestor/internal/domain/priority/plan"
	"github.com/nestorhq/nestor/internal/domain/priority/record"
	"github.com/nestorhq/nestor/internal/domain/priority/vector"
)

// BenchmarkPlan measures how circles are found and opened and waves are made, for 10,000 tasks and
// 50,000 dependencies, against a bare topological sort over the same edges without those
// that close circles. x-bare is the ratio.
func BenchmarkPlan(b *testing.B) {
	const tasks, edges = 10_000, 50_000
	for _, bm := range []struct {
		name     string
		backward int // one in so many dependencies is the wrong way round; 0: none
	}{
		{"no circles", 0},
		{"1 of 1000 backward", 1000},
		{"1 of 100 backward", 100},
		{"1 of 10 backward", 10},
		{"half backward", 2},
	} {
		b.Run(bm.name, func(b *testing.B) {
			all := randomEdges(tasks, edges, bm.backward)
			_, broken := plan.Arrange(tasks, all)
			var kept []plan.Edge
			for i, e := range all {
				if len(broken) > 0 && broken[0] == int32(i) {
					broken = broken[1:]
					continue
				}
				kept = append(kept, e)
			}
			var ours, bare time.Duration
			for b.Loop() {
				start := time.Now()
				plan.Arrange(tasks, all)
				middle := time.Now()
				if len(topologicalSort(tasks, kept)) != tasks {
					b.Fatal("there is a circle")
				}
				ours, bare = ours+middle.Sub(start), bare+time.Since(middle)
			}
			b.ReportMetric(float64(len(all)-len(kept)), "left-out")
			b.ReportMetric(float64(ours.Microseconds())/float64(b.N)/1000, "ms/plan")
			b.ReportMetric(float64(ours)/float64(bare), "x-bare")
		})
	}
}

// BenchmarkPlanFromProposal measures all of it: ids to numbers, a proposal verified, the plan with its notices.
func BenchmarkPlanFromProposal(b *testing.B) {
	const tasks, edges = 10_000, 50_000
	var (
		list = make([]plan.Task, tasks)
		p    = plan.Proposal{ConfidenceScores: map[string]float64{}, SynthesisSummary: "In order."}
	)
	for i := range list {
		id := fmt.Sprintf("task-%05d", i)
		list[i] = plan.Task{ID: id, EffortHours: float64(i%8) / 2}
		p.OrderedTaskIDs = append(p.OrderedTaskIDs, id)
		p.ConfidenceScores[id] = 0.5
	}
	for _, e := range randomEdges(tasks, edges, 1000) {
		p.Dependencies = append(p.Dependencies, record.TaskDependency{
			SourceTaskID: list[e.Source].ID, TargetTaskID: list[e.Target].ID, RelationshipType: record.Prerequisite, Confidence: e.Confidence,
		})
	}
	for b.Loop() {
		if _, _, err := plan.Verify(p, list, nil, plan.Limits{DailyCapacityHours: 8, LowEnergy: true}); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkCluster groups 10,000 tasks with 50,000 similarities: a thousand groups that are alike inside, and pairs anywhere.
func BenchmarkCluster(b *testing.B) {
	const points = 10_000
	r := rand.New(rand.NewPCG(1, 2))
	var list []vector.Edge
	for i := range 40_000 {
		group := i % 1000 * 10
		list = append(list, vector.Edge{A: group + r.IntN(10), B: group + r.IntN(10), Similarity: 0.7 + 0.3*r.Float64()})
	}
	for range 10_000 {
		list = append(list, vector.Edge{A: r.IntN(points), B: r.IntN(points), Similarity: r.Float64()})
	}
	groups := 0
	for b.Loop() {
		found, _ := vector.Cluster(points, list, 0.4)
		groups = len(found)
	}
	b.ReportMetric(float64(groups), "groups")
}

// randomEdges depend on tasks of lower numbers, or one in backward on tasks of higher numbers.
func randomEdges(tasks, edges, backward int) []plan.Edge {
	r := rand.New(rand.NewPCG(1, 2))
	list := make([]plan.Edge, edges)
	for i := range list {
		source, target := r.Int32N(int32(tasks)), r.Int32N(int32(tasks)-1)
		if target >= source {
			target++
		}
		if (source < target) != (backward > 0 && r.IntN(max(backward, 1)) == 0) {
			source, target = target, source
		}
		list[i] = plan.Edge{Source: source, Target: target, Confidence: float64(r.IntN(101)) / 100}
	}
	return list
}

// topologicalSort is Kahn's algorithm and nothing else.
func topologicalSort(tasks int, edges []plan.Edge) []int32 {
	start, open := make([]int32, tasks+2), make([]int32, tasks)
	for i := range edges {
		start[edges[i].Target+2]++
		open[edges[i].Source]++
	}
	for t := range tasks {
		start[t+2] += start[t+1]
	}
	to := make([]int32, len(edges))
	for i := range edges {
		at := &start[edges[i].Target+1]
		to[*at] = edges[i].Source
		*at++
	}
	order := make([]int32, 0, tasks)
	for t, waits := range open {
		if waits == 0 {
			order = append(order, int32(t))
		}
	}
	for i := 0; i < len(order); i++ {
		t := order[i]
		for _, next := range to[start[t]:start[t+1]] {
			if open[next]--; open[next] == 0 {
				order = append(order, next)
			}
		}
	}
	return order
}
