package priority

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/domain/priority/analyst"
	"github.com/nestorhq/nestor/internal/domain/priority/record"
)

// run begins an analysis, or joins the one that runs, follows it and prints its plan.
func (s shell) run(ctx context.Context) error {
	if err := s.none(); err != nil {
		return err
	}
	id, err := s.begin(ctx)
	if err != nil {
		return err
	}
	if err := s.followed(ctx, id); err != nil {
		return err
	}
	a, err := call[Analysis](ctx, s, http.MethodGet, sessionRoute(id), nil)
	if err != nil {
		return err
	}
	return s.printAnalysis(ctx, a)
}

func sessionRoute(id string) string { return "/agent/sessions/" + url.PathEscape(id) }

// begin returns the id of the session to follow.
func (s shell) begin(ctx context.Context) (string, error) {
	begun, err := call[BegunAnalysis](ctx, s, http.MethodPost, "/agent/prioritize", AnalysisRequest{})
	switch {
	case err == nil:
		return begun.SessionID, nil
	case reason(err) == analyst.ReasonRunning:
		var e *nestor.Error
		if errors.As(err, &e) {
			if id, ok := e.Details["session_id"].(string); ok {
				fmt.Fprintln(s.Progress, "An analysis is under way already.")
				return id, nil
			}
		}
	case reason(err) == analyst.ReasonNoOutcome:
		return "", nestor.Errorf(nestor.CodeForbidden, "%w, with nestor plan outcome", err)
	}
	return "", err
}

// errLeft: the person does not want to wait.
var errLeft = errors.New("you stopped following the analysis. It goes on as long as a server runs; nestor plan run follows it again")

// followed shows the steps of a session until it has ended well.
func (s shell) followed(ctx context.Context, id string) error {
	show := progress{shell: s}
	defer show.end()
	for m, err := range s.Client.Follow(ctx, sessionRoute(id)+"/events") {
		if err != nil {
			return err
		}
		switch m.Name {
		case "step_began", "step_ended":
			var step record.ReasoningStep
			if err := json.Unmarshal(m.Data, &step); err != nil {
				return err
			}
			show.step(m.Name, &step)
		case "status":
			var now AnalysisStatus
			if err := json.Unmarshal(m.Data, &now); err != nil {
				return err
			}
			switch now.Status {
			case record.SessionCompleted:
				return nil
			case deleted:
				return nestor.Errorf(nestor.CodeNotFound, "the analysis was deleted")
			case record.SessionFailed:
				return failedAnalysis(now.Error)
			}
		}
	}
	return errLeft
}

func failedAnalysis(cause *string) error {
	if cause == nil {
		return nestor.Errorf(nestor.CodeInternal, "the analysis failed")
	}
	return nestor.Errorf(nestor.CodeInternal, "the analysis failed: %s", plain(*cause))
}

// progress shows the steps of a session.
type progress struct {
	shell
	began int // the step whose line is not complete, 0 if all are
}

func (p *progress) step(event string, step *record.ReasoningStep) {
	if p.began != step.StepNumber {
		p.end()
		if step.Thought != nil {
			fmt.Fprintf(p.Progress, "%2d  %s\n", step.StepNumber, plain(*step.Thought))
		} else {
			fmt.Fprintf(p.Progress, "%2d\n", step.StepNumber)
		}
	}
	if event == "step_began" {
		fmt.Fprintf(p.Progress, "    … %s", toolOf(step))
		p.began = step.StepNumber
		return
	}
	fmt.Fprintf(p.Progress, "%s    %s\n", replaceLine, ended(step))
	p.began = 0
}

// end completes the line of a step that did not end.
func (p *progress) end() {
	if p.began != 0 {
		fmt.Fprintln(p.Progress)
		p.began = 0
	}
}

// toolOf is what a step does.
func toolOf(step *record.ReasoningStep) string {
	if step.ToolName == nil {
		return "no tool"
	}
	return plain(*step.ToolName)
}

// ended is how a step went, in one line.
func ended(step *record.ReasoningStep) string {
	sign := "✓"
	if step.Status != record.StepSuccess {
		sign = "✗"
	}
	line := fmt.Sprintf("%s %s · %s", sign, toolOf(step), took(step.DurationMS))
	if step.Error != "" {
		line += " · " + plain(step.Error)
	}
	return line
}
