package analyst

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/nestorhq/nestor/internal/domain/priority/record"
	"github.com/nestorhq/nestor/internal/llm"
)

//go:embed prompt.md
var promptText string

// What the prompt says of the way to a plan: where the first message has all there is, and
// where it has not.
const (
	shortWay = "The first message has all that is stored: the tasks, what is known about their order, and the documents. If that is enough, call " + submitPlan + " at once. The other tools are for what is not clear from it."
	longWay  = "Work in steps: say in a sentence what you want to find out, and call a tool. You have {{max}} steps in all, and the last one is for the plan. The first message has the tasks. " +
		semanticSearch + " finds those that the outcome is about, " + DocumentContext + " returns what the documents say, " + detectDependencies + " finds out what must come before what, and " + queryTaskGraph + " what is known of that."
)

func systemPrompt(small bool) string {
	way := longWay
	if small {
		way = shortWay
	}
	return strings.NewReplacer("{{way}}", strings.ReplaceAll(way, "{{max}}", strconv.Itoa(record.MaxSteps))).Replace(promptText)
}

// request is what the model sees before its next step. It is made from documents
// alone, so that it is the same after a crash.
func (a *Analyst) request(s *situation) *llm.Request {
	req := &llm.Request{System: systemPrompt(s.small()), Tools: a.offer(s.next() >= record.MaxSteps)}
	req.Messages = append(req.Messages, saysUser(s.assignment()))
	steps := s.visibleSteps()
	for i := range steps {
		req.Messages = append(req.Messages, s.names.retold(&steps[i])...)
	}
	if s.next() >= record.MaxSteps {
		last := "This is the last step. Call " + submitPlan + " now."
		if len(s.session.Skipped) > 0 {
			last = s.skipped() + " " + last
		}
		req.Messages = append(req.Messages, saysUser(last))
	}
	return req
}

// skipped tells of calls that were not carried out.
func (s *situation) skipped() string {
	return fmt.Sprintf("Calls that were skipped, since no step was left for them: %s.", excerpt(joined(s.session.Skipped), 500))
}

func saysUser(text string) llm.Message {
	return llm.Message{Role: llm.RoleUser, Parts: []llm.Part{llm.Text{Text: text}}}
}

// retold is a step as the model said and saw it.
func (n *names) retold(step *record.ReasoningStep) []llm.Message {
	said := llm.Message{Role: llm.RoleAssistant}
	if step.Thought != nil {
		said.Parts = append(said.Parts, llm.Text{Text: *step.Thought})
	}
	if step.ToolName == nil || !offerable(*step.ToolName) {
		if len(said.Parts) == 0 {
			said.Parts = []llm.Part{llm.Text{Text: "…"}}
		}
		return []llm.Message{said, saysUser(n.handlesIn(step.Error))}
	}
	id := "step-" + strconv.Itoa(step.StepNumber)
	arguments := "{}"
	if json.Unmarshal(step.ToolInput, &map[string]any{}) == nil {
		arguments = n.inputOf(step.ToolInput)
	}
	said.Parts = append(said.Parts, llm.ToolCall{ID: id, Name: *step.ToolName, Arguments: arguments})
	result := llm.ToolResult{CallID: id, Name: *step.ToolName, Content: n.handlesIn(string(step.ToolOutput))}
	if step.Status == record.StepFailed {
		result.Content, result.IsError = n.handlesIn(step.Error), true
	}
	return []llm.Message{said, {Role: llm.RoleTool, Parts: []llm.Part{result}}}
}

// offerable reports whether a provider takes a name of a tool back.
func offerable(name string) bool {
	ok := func(r rune) bool {
		return r == '_' || r == '-' || '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z'
	}
	return name != "" && len(name) <= 64 && strings.IndexFunc(name, func(r rune) bool { return !ok(r) }) < 0
}

// maxShown is how many bytes of inputs and outputs the model sees again: the newest.
const maxShown = 240 << 10

// visibleSteps are the steps, of which only the newest have all that they said.
func (s *situation) visibleSteps() []record.ReasoningStep {
	steps := make([]record.ReasoningStep, len(s.trace.Steps))
	size := 0
	for i := len(steps) - 1; i >= 0; i-- {
		steps[i] = s.trace.Steps[i]
		size += len(steps[i].ToolInput) + len(steps[i].ToolOutput)
		if size > maxShown && i < len(steps)-1 && len(steps[i].ToolOutput) > 1<<10 {
			steps[i].ToolOutput = leftOut(len(steps[i].ToolOutput))
		}
	}
	return steps
}

// listed is how many characters of tasks the model is shown at the beginning. It can
// search for the others.
const listed = 80_000

// assignment is the first message: the day, the outcome, the notes and the tasks, and of a small
// set all else that is stored.
func (s *situation) assignment() string {
	var b strings.Builder
	o := s.outcome
	fmt.Fprintf(&b, "%s# Outcome\n%s\n", today(s.began()), excerpt(o.AssembledText, 600))
	if o.StatePreference != "" {
		fmt.Fprintf(&b, "State: %s\n", o.StatePreference)
	}
	if o.DailyCapacityHours != nil {
		fmt.Fprintf(&b, "Hours a day: %g\n", *o.DailyCapacityHours)
	}
	if len(s.reflections) > 0 {
		b.WriteString("\n# Notes of the person, newest first\n")
		for _, n := range s.reflections {
			fmt.Fprintf(&b, "- (weight %g) %s\n", n.Weight(s.began()), excerpt(n.Text, 2000))
		}
	}
	b.WriteString("\n")
	open := s.tasks.Open()
	ids := make([]string, len(open))
	for i, t := range open {
		ids[i] = t.ID
	}
	all := s.names.list(s.tasks, ids)
	if len(all) > listed {
		at := strings.LastIndexByte(all[:listed], '\n') + 1
		shown := strings.Count(all[:at], "\n") - 1
		all = all[:at] + fmt.Sprintf("There are %d more tasks, which %s finds. Tasks that the plan leaves out are put last.\n", len(open)-shown, semanticSearch)
	}
	b.WriteString(all)
	if s.small() {
		b.WriteString(s.known())
		b.WriteString(s.texts())
	}
	return b.String()
}
