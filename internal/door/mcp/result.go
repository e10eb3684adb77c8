package mcp

import (
	"fmt"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/nestorhq/nestor"
)

// outcomes is the structured content of all tools; see outcomeSchema.
type outcomes struct {
	RunID        string           `json:"runId"`
	Thread       string           `json:"thread,omitempty"`
	Status       nestor.RunStatus `json:"status"`
	Text         string           `json:"text"`
	WaitingFor   []wait           `json:"waitingFor,omitempty"`
	Errors       []string         `json:"errors,omitempty"`
	InputTokens  int64            `json:"inputTokens,omitempty"`
	OutputTokens int64            `json:"outputTokens,omitempty"`
	CostMicros   int64            `json:"costMicros,omitempty"`
}

// outcome is what a tool returns about a run: the text first, and then the ids by which a
// model can go on, for clients that show it no structured content.
func outcome(result *nestor.RunResult, waits []wait) *sdk.CallToolResult {
	run := &result.Run
	o := outcomes{RunID: run.ID, Thread: run.ChatID, Status: run.Status, Text: result.Text, WaitingFor: waits, Errors: run.Errors, CostMicros: run.CostMicros}
	if run.Usage != nil {
		o.InputTokens, o.OutputTokens = run.Usage.InputTokens, run.Usage.OutputTokens
	}
	res := &sdk.CallToolResult{StructuredContent: o, IsError: run.Status == nestor.RunFailed || run.Status == nestor.RunCancelled}
	said := result.Text
	if said == "" {
		said = strings.Join(run.Errors, "\n")
	}
	if said != "" {
		res.Content = append(res.Content, &sdk.TextContent{Text: said})
	}
	res.Content = append(res.Content, &sdk.TextContent{Text: standing(run, waits)})
	return res
}

// standing says how a run stands, and what can be done about it.
func standing(run *nestor.Run, waits []wait) string {
	var b strings.Builder
	fmt.Fprintf(&b, "runId %s: %s", run.ID, run.Status)
	if run.ChatID != "" {
		fmt.Fprintf(&b, "; thread %s", run.ChatID)
	}
	if run.Status == nestor.RunRunning {
		b.WriteString(". It goes on: ask run_status for its end.")
	}
	for _, w := range waits {
		fmt.Fprintf(&b, "\n%s: %s", w.ID, w.Text)
	}
	if len(waits) > 0 {
		b.WriteString("\nCall answer with this runId to go on.")
	}
	return b.String()
}

// failed is the result of a call that was refused, or went wrong before there was a run.
func failed(text string, code nestor.Code) *sdk.CallToolResult {
	return &sdk.CallToolResult{
		IsError: true, Content: []sdk.Content{&sdk.TextContent{Text: text}},
		StructuredContent: map[string]any{"error": map[string]any{"code": code, "message": text}},
	}
}
