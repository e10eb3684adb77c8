package runtimedoc

import (
	"encoding/json"
	"slices"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/access"
	"github.com/nestorhq/nestor/internal/store"
)

// saneBudget refuses a negative budget.
func saneBudget(w *write) error {
	if _, ok := w.after["budget"]; !ok {
		return nil
	}
	text, err := json.Marshal(w.after["budget"])
	if err != nil {
		return err
	}
	var budget *nestor.Budget
	if json.Unmarshal(text, &budget) != nil {
		return nil // the schema says what is wrong
	}
	return budget.Check()
}

// ofReply are the fields of metadata that a stage tells for show. The others count what
// is charged.
var ofReply = []string{"model", "durationMs", "firstMs", "attempts", "finishReason", "reasoning"}

// unchargedMetadata refuses metadata that say what a reply used.
func unchargedMetadata(w *write) error {
	metadata, _ := w.after["metadata"].(map[string]any)
	for name := range metadata {
		if !slices.Contains(ofReply, name) {
			return w.refuse("metadata", "metadata.%s is not yours to set: a stage tells %s", name, list(ofReply))
		}
	}
	return nil
}

// failedOutcome refuses an outcome that a task does not end with.
func failedOutcome(w *write) error {
	switch outcome := w.text("outcome"); {
	case outcome == "" || outcome == string(nestor.TaskCouldNot) && w.text("status") == string(nestor.TaskFailed):
		return nil
	}
	return w.invalid("outcome", "the outcome of a task is %s, of one that failed, or none", nestor.TaskCouldNot)
}

// agreeingParts refuses a message whose content is not the text of its parts, and one
// that names a file which the caller may not read.
func agreeingParts(w *write) error {
	parts, _ := w.after["parts"].([]any)
	if len(parts) == 0 || !slices.Contains(w.changed, "parts") && !slices.Contains(w.changed, "content") {
		return nil
	}
	result := w.text("role") == string(nestor.RoleTool)
	said := make([]nestor.Part, len(parts))
	for i, one := range parts {
		part, ok := one.(map[string]any)
		if !ok {
			return nil // the schema says what is wrong
		}
		kind, _ := part["type"].(string)
		text, _ := part["text"].(string)
		name, _ := part["name"].(string)
		id, _ := part["fileId"].(string)
		if result && id == "" {
			return w.invalid("parts", "the parts of a message of role tool are files: its content is the text")
		}
		if id != "" {
			if len(id) != idLength {
				return nil // the collection of files says what is wrong
			}
			file, err := w.named(id)
			if err != nil {
				return err
			}
			if name == "" {
				name = file
			}
		}
		said[i] = nestor.Part{Type: nestor.PartType(kind), Text: text, Name: name}
	}
	if content := w.text("content"); !result && content != "" && content != nestor.TextOf(said) {
		return w.invalid("content", "content and parts say different things: leave content out, and it is the text of the parts")
	}
	return nil
}

// idLength is that of the id of a file: a SHA-256 in hexadecimal.
const idLength = 64

// named is the name of a file that the message names.
func (w *write) named(id string) (string, error) {
	author := w.path.UserID()
	if w.text("role") == string(nestor.RoleUser) {
		author = w.speaker()
	}
	return w.Named(w.chat(), author, id)
}

// speaker is whose words a message of a person are.
func (w *write) speaker() string { return Speaker(w.Caller) }

// Speaker is in whose name a caller speaks: a program in the place of a stage does it for
// the one who asked last.
func Speaker(c access.Caller) string {
	if c.Kind == access.AsWebhook && len(c.Grant.Asked) > 0 {
		return c.Grant.Asked.Payer()
	}
	return c.UserID
}

// Named is the name of a file that somebody names in a chat: one that the chat names
// already or, else, one of the author. The caller must be one who may read it. A file that
// they may not read is not there for them.
func (d Door) Named(chat nestor.Path, author, id string) (string, error) {
	none := nestor.Errorf(nestor.CodeInvalid, "there is no file %.64s: upload it first, or once more if that is long ago", id).With("field", "parts")
	if len(id) != idLength || nestor.CheckID(id) != nil || nestor.CheckID(author) != nil {
		return "", none
	}
	for _, p := range []nestor.Path{chat.Child("files", id), nestor.FilePath(author, id)} {
		file, err := store.Find[struct{ Name string }](d.Reader, p)
		switch {
		case err != nil:
			return "", err
		case file == nil:
			continue
		case d.MayRead(p) != nil:
			return "", none
		}
		return file.Name, nil
	}
	return "", none
}
