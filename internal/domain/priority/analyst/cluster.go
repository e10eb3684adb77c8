package analyst

import (
	"cmp"
	"context"
	"slices"

	"github.com/nestorhq/nestor/internal/domain/priority/vector"
)

type clusterInput struct {
	TaskIDs   []string `json:"task_ids"`
	Threshold *float64 `json:"threshold"`
}

type clusterOutput struct {
	Clusters  []cluster   `json:"clusters"`
	Ungrouped []shownTask `json:"ungrouped"`
	// WithoutVector are tasks that cannot be compared yet.
	WithoutVector  []string `json:"without_vector"`
	UnknownTaskIDs []string `json:"unknown_task_ids"`
	ThresholdUsed  float64  `json:"threshold_used"`
}

type cluster struct {
	Tasks             []shownTask `json:"tasks"`
	Size              int         `json:"size"`
	AverageSimilarity float64     `json:"average_similarity"`
}

func (a *Analyst) cluster(ctx context.Context, u *use, in clusterInput) (any, error) {
	threshold := 0.75
	if in.Threshold != nil {
		threshold = *in.Threshold
	}
	k, tasks, unknown, err := a.among(ctx, u.userID, in.TaskIDs, 2)
	if err != nil {
		return nil, err
	}
	vectors, err := a.library.Vectors(ctx, u.userID, tasks)
	if err != nil {
		return nil, err
	}
	out := clusterOutput{
		Clusters: []cluster{}, Ungrouped: []shownTask{}, WithoutVector: []string{}, UnknownTaskIDs: unknown, ThresholdUsed: threshold,
	}
	var ids []string
	for _, id := range tasks {
		if vectors[id] == nil {
			out.WithoutVector = append(out.WithoutVector, id)
			continue
		}
		ids = append(ids, id)
	}
	similar := func(i, j int) float64 { return float64(vector.Dot(vectors[ids[i]], vectors[ids[j]])) }
	for _, group := range linked(len(ids), threshold, similar) {
		if len(group) == 1 {
			out.Ungrouped = append(out.Ungrouped, shown(k.task(ids[group[0]])))
			continue
		}
		c := cluster{Size: len(group)}
		sum, pairs := 0.0, 0
		for x, i := range group {
			c.Tasks = append(c.Tasks, shown(k.task(ids[i])))
			for _, j := range group[:x] {
				sum += similar(i, j)
				pairs++
			}
		}
		c.AverageSimilarity = rounded(sum / float64(pairs))
		out.Clusters = append(out.Clusters, c)
	}
	slices.SortStableFunc(out.Clusters, func(a, b cluster) int {
		return cmp.Or(cmp.Compare(b.Size, a.Size), cmp.Compare(b.AverageSimilarity, a.AverageSimilarity))
	})
	return out, nil
}

// linked groups n things by average linkage: the two groups whose members are most
// similar on average become one, as long as that is at least the threshold.
func linked(n int, threshold float64, similar func(i, j int) float64) [][]int {
	groups := make([][]int, n)
	sums := make([][]float64, n) // of the similarities of all pairs of two groups
	for i := range n {
		groups[i], sums[i] = []int{i}, make([]float64, n)
		for j := range i {
			sums[i][j] = similar(i, j)
			sums[j][i] = sums[i][j]
		}
	}
	for {
		best, x, y := threshold, -1, -1
		for i := range groups {
			for j := range i {
				if len(groups[i]) == 0 || len(groups[j]) == 0 {
					continue
				}
				if s := sums[i][j] / float64(len(groups[i])*len(groups[j])); s >= best && (x < 0 || s > best) {
					best, x, y = s, i, j
				}
			}
		}
		if x < 0 {
			break
		}
		groups[y] = append(groups[y], groups[x]...)
		groups[x] = nil
		for j := range groups {
			sums[y][j] += sums[x][j]
			sums[j][y] = sums[y][j]
		}
	}
	return slices.DeleteFunc(groups, func(g []int) bool { return len(g) == 0 })
}
