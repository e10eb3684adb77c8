package priority

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/client"
	"github.com/nestorhq/nestor/internal/domain/priority/record"
)

var errNoPlan = nestor.Errorf(nestor.CodeNotFound, "there is no plan yet: nestor plan run makes one")

// latest is the session whose plan is current, or what there is instead.
func (s shell) latest(ctx context.Context) (*LatestAnalysis, error) {
	a, err := call[LatestAnalysis](ctx, s, http.MethodGet, "/agent/sessions/latest", nil)
	if nestor.CodeOf(err) == nestor.CodeNotFound {
		return nil, errNoPlan
	}
	return a, err
}

// show prints the current plan.
func (s shell) show(ctx context.Context, asJSON bool) error {
	if err := s.none(); err != nil {
		return err
	}
	a, err := s.latest(ctx)
	switch {
	case err != nil:
		return err
	case asJSON:
		return s.printJSON(a)
	case a.PrioritizedPlan != nil:
		if err := s.printAnalysis(ctx, &a.Analysis); err != nil {
			return err
		}
		if a.RunningSessionID != nil {
			fmt.Fprintln(s.Out)
			s.say("A new analysis is under way: nestor plan run follows it.")
		}
		return nil
	case a.Status == record.SessionFailed:
		return failedAnalysis(a.Error)
	}
	return nestor.Errorf(nestor.CodeNotFound, "there is no plan yet: an analysis is under way, nestor plan run follows it")
}

// printAnalysis prints a plan, and what is to be known about it.
func (s shell) printAnalysis(ctx context.Context, a *Analysis) error {
	tasks, err := s.allTasks(ctx)
	if err != nil {
		return err
	}
	if a.PrioritizedPlan == nil {
		return nestor.Errorf(nestor.CodeInternal, "the analysis %s has no plan", a.ID)
	}
	names := newTaskNames(a.PrioritizedPlan.OrderedTaskIDs, tasks)
	if err := s.printOutcome(ctx, a.OutcomeID); err != nil {
		return err
	}
	s.printPlan(a.PrioritizedPlan, names)
	if a.Partial {
		fmt.Fprintln(s.Out)
		s.say("Partial: without %s.", strings.Join(a.FailedTools, ", "))
	}
	s.printNotices(a.Notices)
	return nil
}

// printNotices prints what a person should know about a plan.
func (s shell) printNotices(notices []string) {
	for i, notice := range notices {
		if i == 0 {
			fmt.Fprintln(s.Out)
		}
		s.say("! %s", notice)
	}
}

// printOutcome prints what a plan is for, if that is still there.
func (s shell) printOutcome(ctx context.Context, id string) error {
	o, err := call[UserOutcome](ctx, s, http.MethodGet, outcomeRoute(id), nil)
	if nestor.CodeOf(err) == nestor.CodeNotFound {
		return nil
	}
	if err != nil {
		return err
	}
	s.say("%s", o.AssembledText)
	fmt.Fprintln(s.Out)
	return nil
}

// maxOther is how many characters of a task are printed where it is not the point.
const maxOther = 60

// printPlan prints the waves.
func (s shell) printPlan(p *record.PrioritizedTaskPlan, names *taskNames) {
	waitsFor := map[string][]string{}
	for _, d := range p.Dependencies {
		if d.RelationshipType.Orders() && !slices.Contains(p.Done, d.TargetTaskID) {
			waitsFor[d.SourceTaskID] = append(waitsFor[d.SourceTaskID], d.TargetTaskID)
		}
	}
	for i, w := range p.ExecutionWaves {
		if i > 0 {
			fmt.Fprintln(s.Out)
		}
		head := fmt.Sprintf("Wave %d · %s", w.WaveNumber, count(len(w.TaskIDs), "task"))
		if w.EstimatedDurationHours != nil {
			head += fmt.Sprintf(" · %gh", *w.EstimatedDurationHours)
		}
		s.say("%s", head)
		for _, id := range w.TaskIDs {
			pin := ""
			if p.Pinned[id] != 0 {
				pin = " (pinned)"
			}
			s.say("  %s  %5s  %3.0f%%  %s%s", names.short(id), names.effort(id), 100*p.ConfidenceScores[id], names.text(id), pin+names.days(id)+names.status(id))
			for _, other := range waitsFor[id] {
				s.say("  %*s  waits for %s  %s", len(names.short(id))+13, "", names.short(other), cut(names.text(other), maxOther))
			}
		}
	}
	if n := len(p.Done); n > 0 {
		fmt.Fprintln(s.Out)
		s.say("Done: %s.", count(n, "task"))
	}
	for _, d := range p.BrokenCycles {
		fmt.Fprintln(s.Out)
		s.say("A circle was opened: “%s” would also have to come before “%s”.", cut(names.text(d.TargetTaskID), maxOther), cut(names.text(d.SourceTaskID), maxOther))
	}
	if p.SynthesisSummary != "" {
		fmt.Fprintln(s.Out)
		s.say("Why: %s", p.SynthesisSummary)
	}
}

func (s shell) allTasks(ctx context.Context) ([]PlannableTask, error) {
	all, err := call[struct{ Items []PlannableTask }](ctx, s, http.MethodGet, "/tasks", nil)
	if err != nil {
		return nil, err
	}
	return all.Items, nil
}

// tasks lists all tasks under the titles of their documents.
func (s shell) tasks(ctx context.Context, asJSON bool) error {
	if err := s.none(); err != nil {
		return err
	}
	tasks, err := s.allTasks(ctx)
	if err != nil {
		return err
	}
	if asJSON {
		return s.printJSON(tasks)
	}
	names, document := newTaskNames(nil, tasks), ""
	for i, t := range tasks {
		if t.DocumentID != document {
			if document = t.DocumentID; i > 0 {
				fmt.Fprintln(s.Out)
			}
			s.say("%s", t.DocumentTitle)
		}
		box := " "
		if t.Done {
			box = "x"
		}
		s.say("  [%s] %s  %5s  %s%s", box, names.short(t.ID), names.effort(t.ID), t.Text, names.days(t.ID)+names.status(t.ID))
	}
	if len(tasks) == 0 {
		return s.noTasks(ctx)
	}
	return nil
}

// noTasks says why there are none.
func (s shell) noTasks(ctx context.Context) error {
	for _, err := range client.List[DocumentSummary](ctx, s.Client, "/documents") {
		if err != nil {
			return err
		}
		s.say("No tasks were found in your documents.")
		return nil
	}
	s.say("There are no documents yet: nestor plan add takes some.")
	return nil
}

// why prints how a session reasoned.
func (s shell) why(ctx context.Context, asJSON bool) error {
	id := ""
	switch len(s.Args) {
	case 0:
		a, err := s.latest(ctx)
		if err != nil {
			return err
		}
		id = a.ID
	case 1:
		id = s.Args[0]
	default:
		return nestor.Errorf(nestor.CodeInvalid, "one analysis can be told at a time")
	}
	t, err := call[Trace](ctx, s, http.MethodGet, sessionRoute(id)+"/trace", nil)
	if err != nil {
		return err
	}
	if asJSON {
		return s.printJSON(t)
	}
	s.say("%s in %s.", count(len(t.Steps), "step"), took(t.TotalDurationMS))
	for i := range t.Steps {
		step := &t.Steps[i]
		thought := ""
		if step.Thought != nil {
			thought = *step.Thought
		}
		fmt.Fprintln(s.Out)
		s.say("%2d  %s", step.StepNumber, thought)
		s.say("    %s", ended(step))
		for _, said := range []struct {
			sign string
			what json.RawMessage
		}{{"‹", step.ToolInput}, {"›", step.ToolOutput}} {
			if len(said.what) > 0 && string(said.what) != "null" {
				s.say("    %s %s", said.sign, brief(said.what))
			}
		}
	}
	return nil
}

// maxBrief is how many characters of what a tool got or gave are printed.
const maxBrief = 200

// brief is JSON as a line that is not too long.
func brief(value json.RawMessage) string {
	var line bytes.Buffer
	if err := json.Compact(&line, value); err != nil {
		line.Reset()
		line.Write(value)
	}
	return cut(line.String(), maxBrief)
}

// cut is a text of at most so many characters.
func cut(text string, most int) string {
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most-1]) + "…"
	}
	return text
}
