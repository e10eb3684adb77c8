package remote

import (
	"strings"

	"github.com/a2aproject/a2a-go/a2a"

	"github.com/nestorhq/nestor"
)

// heard is what a remote agent has said so far.
type heard struct {
	state a2a.TaskState
	// status is the text of the latest status.
	status string
	// order are the artifacts as they came, and texts what is in them.
	order []a2a.ArtifactID
	texts map[a2a.ArtifactID]string
}

// take takes in what an event tells.
func (h *heard) take(e a2a.Event) {
	switch e := e.(type) {
	case *a2a.Message: // an answer without a task
		h.state = a2a.TaskStateCompleted
		h.put(a2a.ArtifactID(e.ID), textOf(e.Parts), false)
	case *a2a.Task:
		h.note(e.Status)
		for _, artifact := range e.Artifacts {
			h.put(artifact.ID, textOf(artifact.Parts), false)
		}
	case *a2a.TaskStatusUpdateEvent:
		h.note(e.Status)
	case *a2a.TaskArtifactUpdateEvent:
		if e.Artifact != nil {
			h.put(e.Artifact.ID, textOf(e.Artifact.Parts), e.Append)
		}
	}
}

func (h *heard) note(s a2a.TaskStatus) {
	h.state, h.status = s.State, ""
	if s.Message != nil {
		h.status = textOf(s.Message.Parts)
	}
}

func (h *heard) put(id a2a.ArtifactID, text string, more bool) {
	before, known := h.texts[id]
	if !known {
		if h.texts == nil {
			h.texts = map[a2a.ArtifactID]string{}
		}
		h.order = append(h.order, id)
	}
	if more {
		text = before + text
	}
	h.texts[id] = text
}

// text is all that was said, artifact by artifact.
func (h *heard) text() string {
	var parts []string
	for _, id := range h.order {
		if h.texts[id] != "" {
			parts = append(parts, h.texts[id])
		}
	}
	return strings.Join(parts, "\n\n")
}

// rests reports whether the remote agent does nothing more by itself.
func (h *heard) rests() bool {
	return h.state.Terminal() || h.state == a2a.TaskStateInputRequired || h.state == a2a.TaskStateAuthRequired
}

// failure is why the remote agent gives no answer, nil if it gave one or asks.
func (h *heard) failure() error {
	var what string
	switch h.state {
	case a2a.TaskStateFailed:
		what = "the remote agent failed"
	case a2a.TaskStateRejected:
		what = "the remote agent declined the task"
	case a2a.TaskStateCanceled:
		what = "the task was cancelled at the remote agent"
	case a2a.TaskStateAuthRequired:
		what = "the remote agent wants to be authorised"
	default:
		return nil
	}
	if h.status != "" {
		what += ": " + h.status
	}
	return nestor.Errorf(nestor.CodeInvalid, "%s", what)
}

// textOf is the text of parts.
func textOf(parts a2a.ContentParts) string {
	var texts []string
	for _, part := range parts {
		if text, ok := part.(a2a.TextPart); ok {
			texts = append(texts, text.Text)
		}
	}
	return strings.Join(texts, "\n")
}
