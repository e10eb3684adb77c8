package analyst

import (
	"context"

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
	k, known, unknown, err := a.among(ctx, u.userID, in.TaskIDs, 2)
	if err != nil {
		return nil, err
	}
	vectors, err := a.library.Vectors(ctx, u.userID, known)
	if err != nil {
		return nil, err
	}
	out := clusterOutput{
		Clusters: []cluster{}, Ungrouped: []shownTask{}, WithoutVector: []string{}, UnknownTaskIDs: unknown, ThresholdUsed: threshold,
	}
	var ids []string
	for _, id := range known {
		if vectors[id] == nil {
			out.WithoutVector = append(out.WithoutVector, id)
			continue
		}
		ids = append(ids, id)
	}
	groups, alone := vector.Cluster(len(ids), edges(ids, vectors), threshold)
	for _, g := range groups {
		c := cluster{Size: len(g.Points), AverageSimilarity: rounded(g.AverageSimilarity)}
		for _, i := range g.Points {
			c.Tasks = append(c.Tasks, shown(k.Task(ids[i])))
		}
		out.Clusters = append(out.Clusters, c)
	}
	for _, i := range alone {
		out.Ungrouped = append(out.Ungrouped, shown(k.Task(ids[i])))
	}
	return out, nil
}

// edges says how similar each two are.
func edges(ids []string, vectors map[string][]float32) (all []vector.Edge) {
	for i := range ids {
		for j := range i {
			all = append(all, vector.Edge{A: j, B: i, Similarity: float64(vector.Dot(vectors[ids[i]], vectors[ids[j]]))})
		}
	}
	return all
}
