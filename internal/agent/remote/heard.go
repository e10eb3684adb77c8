package remote

import (
	"strings"

	"github.com/a2aproject/a2a-go/a2a"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/llm"
	"github.com/nestorhq/nestor/internal/tool/secret"
)

// heard is what a remote agent has said so far.
type heard struct {
	// mask hides what the headers hold.
	mask  *secret.Mask
	state a2a.TaskState
	// status is the text of the latest status.
	status string
	// order are the artifacts as they came, and texts what is in them.
	order []a2a.ArtifactID
	texts map[a2a.ArtifactID][]byte
	size  int // bytes of texts and ids
	// more is what the latest event added to the end of the text, if that is all it did.
	more     string
	appended bool
	// changes counts the events that did anything else to the text. Each has the whole
	// text looked at.
	changes int
}

// The bounds of what a remote agent may say in one answer.
const (
	maxArtifacts = 1_000
	maxChanges   = 10_000
	maxID        = 512
)

// take takes in what an event tells.
func (h *heard) take(e a2a.Event) {
	h.more, h.appended = "", true
	switch e := e.(type) {
	case *a2a.Message: // an answer without a task
		h.state = a2a.TaskStateCompleted
		h.put(a2a.ArtifactID(e.ID), h.textOf(e.Parts), false)
	case *a2a.Task:
		h.note(e.Status)
		for _, artifact := range e.Artifacts {
			h.put(artifact.ID, h.textOf(artifact.Parts), false)
		}
	case *a2a.TaskStatusUpdateEvent:
		h.note(e.Status)
	case *a2a.TaskArtifactUpdateEvent:
		if e.Artifact != nil {
			h.put(e.Artifact.ID, h.textOf(e.Artifact.Parts), e.Append)
		}
	}
}

func (h *heard) note(s a2a.TaskStatus) {
	h.state, h.status = s.State, ""
	if s.Message != nil {
		h.status = h.textOf(s.Message.Parts)
	}
}

func (h *heard) put(id a2a.ArtifactID, text string, more bool) {
	before, known := h.texts[id]
	if !known {
		if h.texts == nil {
			h.texts = map[a2a.ArtifactID][]byte{}
		}
		h.order = append(h.order, id)
		h.size += len(id)
	}
	if more && len(before) > 0 && h.order[len(h.order)-1] == id {
		h.more += text
	} else if h.appended {
		h.appended = false
		h.changes++
	}
	if !more {
		h.size -= len(before)
		before = nil
	}
	h.texts[id] = append(before, text...)
	h.size += len(text)
}

// tooMuch is why nothing more of a remote agent is taken in, nil if it kept to the bounds.
func (h *heard) tooMuch() error {
	switch {
	case h.size > llm.MaxReply || len(h.status) > llm.MaxReply:
		return nestor.Errorf(nestor.CodeTooLarge, "the remote agent says more than %d bytes", llm.MaxReply)
	case len(h.order) > maxArtifacts:
		return nestor.Errorf(nestor.CodeTooLarge, "the remote agent makes more than %d artifacts", maxArtifacts)
	case h.changes > maxChanges:
		return nestor.Errorf(nestor.CodeTooLarge, "the remote agent takes back what it said more than %d times", maxChanges)
	}
	return nil
}

// text is all that was said, artifact by artifact.
func (h *heard) text() string {
	var parts []string
	for _, id := range h.order {
		if len(h.texts[id]) > 0 {
			parts = append(parts, string(h.texts[id]))
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
		what += ": " + brief(h.status)
	}
	return nestor.Errorf(nestor.CodeInvalid, "%s", what)
}

// brief is the beginning of a text that is told as an error.
func brief(text string) string {
	const most = 2 << 10
	if len(text) > most {
		return strings.ToValidUTF8(text[:most], "") + "…"
	}
	return text
}

// textOf is the text of parts.
func (h *heard) textOf(parts a2a.ContentParts) string {
	var texts []string
	for _, part := range parts {
		if text, ok := part.(a2a.TextPart); ok {
			texts = append(texts, text.Text)
		}
	}
	return h.mask.Hide(strings.Join(texts, "\n"))
}
