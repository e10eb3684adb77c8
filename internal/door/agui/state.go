package agui

import (
	"encoding/json"
	"strconv"

	"github.com/nestorhq/nestor"
)

// state is what the client's state says of the run. Other fields of the state are the
// client's own and stay as they are.
type state struct {
	Run        runState      `json:"run"`
	Agents     []agentState  `json:"agents"`
	Usage      *nestor.Usage `json:"usage"`
	CostMicros int64         `json:"costMicros"`
}

type runState struct {
	ID     string           `json:"id"`
	Status nestor.RunStatus `json:"status"`
}

type agentState struct {
	ID       string `json:"id"`
	Role     string `json:"role"`
	Status   string `json:"status"`
	ParentID string `json:"parentId,omitempty"`
}

// operation is one of a JSON patch (RFC 6902).
type operation struct {
	Op    string `json:"op"`
	Path  string `json:"path"`
	Value any    `json:"value"`
}

// snapshot is the whole state.
func (s *state) snapshot(own json.RawMessage) map[string]any {
	all := map[string]any{}
	_ = json.Unmarshal(own, &all) // a state that is no object has no fields to keep
	if all == nil {
		all = map[string]any{}
	}
	agents := s.Agents
	if agents == nil {
		agents = []agentState{}
	}
	all["run"], all["agents"], all["usage"], all["costMicros"] = s.Run, agents, s.Usage, s.CostMicros
	return all
}

// setRun notes where the run stands.
func (s *state) setRun(run *nestor.Run) (changes []operation) {
	if now := (runState{run.ID, run.Status}); now != s.Run {
		s.Run = now
		changes = append(changes, operation{"replace", "/run", now})
	}
	if run.Usage != nil && (s.Usage == nil || *s.Usage != *run.Usage) {
		s.Usage, s.CostMicros = run.Usage, run.CostMicros
		changes = append(changes, operation{"replace", "/usage", run.Usage}, operation{"replace", "/costMicros", run.CostMicros})
	}
	return changes
}

// setAgent notes where an agent stands.
func (s *state) setAgent(a agentState) []operation {
	for i := range s.Agents {
		if s.Agents[i].ID != a.ID {
			continue
		}
		if s.Agents[i].Status == a.Status {
			return nil
		}
		s.Agents[i].Status = a.Status
		return []operation{{"replace", "/agents/" + strconv.Itoa(i) + "/status", a.Status}}
	}
	s.Agents = append(s.Agents, a)
	return []operation{{"add", "/agents/-", a}}
}
