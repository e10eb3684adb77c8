package priority

import (
	"context"
	"net/http"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/domain/priority/analyst"
	"github.com/nestorhq/nestor/internal/domain/priority/record"
	"github.com/nestorhq/nestor/internal/httpapi"
	"github.com/nestorhq/nestor/internal/module"
	"github.com/nestorhq/nestor/internal/store"
	"github.com/nestorhq/nestor/internal/trigger"
	"github.com/nestorhq/nestor/internal/worker"
)

// sessionHandlers have sessions go on.
var sessionHandlers = []module.Handler[*Priority]{{
	Stage: trigger.Stage{Name: analyst.Stage, Key: analyst.StageKey, Coalesce: true},
	Run:   (*Priority).prioritizeNext, Exhausted: (*Priority).prioritizeFailed,
}}

// sessionRoutes are those of analyses.
func sessionRoutes() []module.Route[*Priority] {
	type route = httpapi.Route
	const sessions = "/api/v1/agent/sessions"
	follow := httpapi.TextParameter("follow", "1: stay open after the end, for later changes of the plan and of what becomes of its tasks.", "1")
	return []module.Route[*Priority]{
		{Do: (*Priority).prioritize, Route: route{
			Pattern: "POST /api/v1/agent/prioritize", ID: "prioritize", Summary: "Begin to order the caller's tasks",
			Description: "The answer comes before the plan, which the session's events tell. One analysis of a user runs at a time.",
			Status:      http.StatusAccepted,
			Body:        AnalysisRequest{}, Example: `{}`, Answer: BegunAnalysis{},
			Fails: []httpapi.Failure{
				{Status: http.StatusForbidden, Reason: analyst.ReasonNoOutcome, When: "No outcome is active."},
				{Status: http.StatusBadRequest, Reason: analyst.ReasonNoTasks, When: "No open tasks are in the documents."},
				{Status: http.StatusConflict, Reason: analyst.ReasonRunning, When: "An analysis is under way: details.session_id names it."},
			},
		}},
		{Do: (*Priority).listSessions, Route: route{
			Pattern: "GET " + sessions, ID: "listAnalyses", Summary: "The caller's analyses of the last 7 days, newest first, without their plans",
			Description: "An analysis is deleted 7 days after its last change.",
			Answer:      AnalysisSummary{}, Lists: true, Query: httpapi.Paging(),
		}},
		{Do: (*Priority).latestSession, Route: route{
			Pattern: "GET " + sessions + "/latest", ID: "latestAnalysis", Answer: LatestAnalysis{},
			Summary:     "The analysis whose plan is current; without one, the one under way, or the last that failed",
			Description: "Another one that runs is named by running_session_id.",
			Fails:       []httpapi.Failure{{Status: http.StatusNotFound, When: "There was no analysis in the last 7 days, or the tasks of its plan are gone."}},
		}},
		{Do: (*Priority).getSession, Route: route{
			Pattern: "GET " + sessions + "/{session}", ID: "getAnalysis", Summary: "An analysis with its plan",
			Description: "While it runs, doing is the step that was decided on and has not ended.",
			Answer:      Analysis{},
		}},
		{Do: (*Priority).getTrace, Route: route{
			Pattern: "GET " + sessions + "/{session}/trace", ID: "getReasoningTrace", Summary: "How an analysis reasoned, step by step",
			Description: "Each step has its thought, the tool with input and output, its duration and its status.",
			Answer:      Trace{},
		}},
		{Do: (*Priority).sessionEvents, Route: route{
			Pattern: "GET " + sessions + "/{session}/events", ID: "followAnalysis", Summary: "What an analysis does, as it does it",
			Description: "It begins with what there is: steps that have ended, the plan, the status. With follow it stays open after the end.",
			Query:       []httpapi.Parameter{follow},
			Events:      map[string]any{"status": AnalysisStatus{}, "step_began": record.ReasoningStep{}, "step_ended": record.ReasoningStep{}, "plan": record.PrioritizedTaskPlan{}, "task": TaskProgress{}},
		}},
		{Do: (*Priority).cancelSession, Route: route{
			Pattern: "POST " + sessions + "/{session}/cancel", ID: "cancelAnalysis", Summary: "Stop an analysis",
			Description: "The model call under way is stopped, on whichever node. The analysis is failed, and the current plan stays.",
			Answer:      Analysis{},
		}},
	}
}

// AnalysisRequest asks for an analysis. There is nothing to say yet.
type AnalysisRequest struct{}

// BegunAnalysis is the answer to who asks for an analysis.
type BegunAnalysis struct {
	SessionID         string                      `json:"session_id"`
	Status            record.SessionStatus        `json:"status"`
	PrioritizedPlan   *record.PrioritizedTaskPlan `json:"prioritized_plan"`
	ExecutionMetadata record.ExecutionMetadata    `json:"execution_metadata"`
}

// AnalysisSummary is a session as lists show it.
type AnalysisSummary struct {
	ID          string               `json:"id"`
	UserID      string               `json:"user_id"`
	OutcomeID   string               `json:"outcome_id"`
	Status      record.SessionStatus `json:"status"`
	IsCurrent   bool                 `json:"is_current"`
	Partial     bool                 `json:"partial"`
	FailedTools []string             `json:"failed_tools"`
	Error       *string              `json:"error"`
	// Notices tell what was wrong with the model's plan and was repaired.
	Notices           []string                 `json:"notices"`
	ExecutionMetadata record.ExecutionMetadata `json:"execution_metadata"`
	CreatedAt         string                   `json:"created_at"`
	UpdatedAt         string                   `json:"updated_at"`
}

// Analysis is a session as the API shows it.
type Analysis struct {
	AnalysisSummary
	// Doing is the step that was decided on and has not ended.
	Doing           *record.ReasoningStep       `json:"doing"`
	PrioritizedPlan *record.PrioritizedTaskPlan `json:"prioritized_plan"`
}

// LatestAnalysis is a session, and the one that may replace it.
type LatestAnalysis struct {
	Analysis
	RunningSessionID *string `json:"running_session_id"`
}

// Trace is how a session reasoned.
type Trace struct {
	SessionID       string                 `json:"session_id"`
	Steps           []record.ReasoningStep `json:"steps"`
	TotalDurationMS int64                  `json:"total_duration_ms"`
	TotalSteps      int                    `json:"total_steps"`
	ToolsUsedCount  map[string]int         `json:"tools_used_count"`
	CreatedAt       string                 `json:"created_at"`
}

func showSummary(s *record.AgentSession) AnalysisSummary {
	shown := AnalysisSummary{
		ID: s.ID, UserID: s.UserID, OutcomeID: s.OutcomeID, Status: s.Status, IsCurrent: s.Slot == record.SlotCurrent, Partial: s.Partial,
		FailedTools: append([]string{}, s.FailedTools...), Notices: append([]string{}, s.Notices...),
		ExecutionMetadata: s.ExecutionMetadata, CreatedAt: iso(s.CreatedAt), UpdatedAt: iso(s.UpdatedAt),
	}
	if s.Error != "" {
		shown.Error = &s.Error
	}
	return shown
}

func showSession(s *record.AgentSession) Analysis {
	return Analysis{showSummary(s), s.Doing, s.PrioritizedPlan}
}

func showTrace(t *record.ReasoningTrace) Trace {
	return Trace{
		SessionID: t.SessionID, Steps: append([]record.ReasoningStep{}, t.Steps...), TotalDurationMS: t.TotalDurationMS, TotalSteps: t.TotalSteps,
		ToolsUsedCount: t.ToolsUsedCount, CreatedAt: iso(t.CreatedAt),
	}
}

const sessionCollection = "agent-sessions"

// sessionAt is the session that a request names.
func sessionAt(r *httpapi.Request) nestor.Path {
	return ownOf(r).Child(sessionCollection, r.PathValue("session"))
}

func (p *Priority) prioritize(r *httpapi.Request) (any, error) {
	if r.ContentLength != 0 {
		if err := decode(r, &AnalysisRequest{}); err != nil {
			return nil, err
		}
	}
	if err := reachesBasis(r); err != nil {
		return nil, err
	}
	at := analyst.NewSession(r.UserID())
	err := r.Act(at, func(tx store.Tx) error { return analyst.Start(tx, at) })
	if err != nil {
		// Another request may have come first, by a moment.
		return nil, r.View(func(docs store.Reader) error { return analyst.Refused(docs, r.UserID(), err) })
	}
	return get(r, at, func(s *record.AgentSession) BegunAnalysis {
		return BegunAnalysis{SessionID: s.ID, Status: s.Status, PrioritizedPlan: s.PrioritizedPlan, ExecutionMetadata: s.ExecutionMetadata}
	})
}

// reachesBasis refuses a credential that is not for all that a plan is made from.
func reachesBasis(r *httpapi.Request) error {
	for _, at := range record.Basis(r.UserID()) {
		if err := r.Reaches(at); err != nil {
			return err
		}
	}
	return nil
}

func (p *Priority) listSessions(r *httpapi.Request) (any, error) {
	return list(r, sessionCollection, showSummary)
}

func (p *Priority) getSession(r *httpapi.Request) (any, error) {
	return get(r, sessionAt(r), showSession)
}

func (p *Priority) getTrace(r *httpapi.Request) (any, error) {
	return get(r, analyst.TraceOf(sessionAt(r)), showTrace)
}

// latestSession prefers the session whose plan is current to the one under way, and
// that to the newest one that failed. A plan that was replaced is not brought back when
// the one after it is gone: nobody keeps it up to date.
func (p *Priority) latestSession(r *httpapi.Request) (any, error) {
	var answer LatestAnalysis
	return &answer, r.View(func(docs store.Reader) error {
		all := store.Query{Collection: string(ownOf(r)) + "/" + sessionCollection, OrderBy: []store.Order{{Field: "createdAt", Desc: true}}, Limit: 1}
		for _, where := range []*store.Filter{
			store.Where("slot", store.Eq, record.SlotCurrent), store.Where("slot", store.Eq, record.SlotRunning),
			store.Where("status", store.Eq, record.SessionFailed),
		} {
			all.Where = where
			page, err := docs.Query(all)
			if err != nil {
				return err
			}
			if len(page.Items) == 0 {
				continue
			}
			s, err := nestor.As[record.AgentSession](page.Items[0])
			if err != nil {
				return err
			}
			answer = LatestAnalysis{Analysis: showSession(&s)}
			id, err := analyst.RunningID(docs, r.UserID())
			if id != "" {
				answer.RunningSessionID = &id
			}
			return err
		}
		return nestor.Errorf(nestor.CodeNotFound, "there is no analysis: POST /api/v1/agent/prioritize begins one")
	})
}

func (p *Priority) cancelSession(r *httpapi.Request) (any, error) {
	if err := r.Act(sessionAt(r), func(tx store.Tx) error { return analyst.Cancel(tx, sessionAt(r)) }); err != nil {
		return nil, err
	}
	return get(r, sessionAt(r), showSession)
}

// Cancel ends a session that has not ended.
func Cancel(tx store.Tx, session nestor.Path) error { return analyst.Cancel(tx, session) }

// prioritizeNext does the next half of a session's step.
func (p *Priority) prioritizeNext(ctx context.Context, job *nestor.Job) (worker.Effect, error) {
	return p.analyst.Prioritize(ctx, job)
}

func (p *Priority) prioritizeFailed(job *nestor.Job, cause error) worker.Effect {
	return p.analyst.GiveUp(job, cause)
}
