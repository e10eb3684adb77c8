package httpapi

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"unicode/utf8"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/store"
	"github.com/nestorhq/nestor/internal/tool"
)

// Participants are whom chats can talk to.
type Participants interface {
	// List are those that a user can talk to.
	List(ctx context.Context, userID string) ([]nestor.Participant, error)
	// Find returns one by its name, nil if the user cannot talk to it.
	Find(r store.Reader, userID, participant string) (*nestor.Participant, error)
}

func (s *server) listParticipants(r *http.Request) (response, error) {
	items, err := s.participants(r)
	return response{body: map[string]any{"items": items}}, err
}

// participants are those that the caller can talk to, as far as their credential
// reaches.
func (s *server) participants(r *http.Request) ([]nestor.Participant, error) {
	items := []nestor.Participant{}
	if s.Participants == nil {
		return items, nil
	}
	all, err := s.Participants.List(r.Context(), callerOf(r).UserID)
	for _, p := range all {
		if p.Path == "" || checkReach(r, p.Path) == nil {
			items = append(items, p)
		}
	}
	return items, err
}

// The bounds of what a client says about a chat: characters of the system prompt,
// bytes of the metadata.
const (
	maxSystemPrompt = 32_000
	maxMetadata     = 16 << 10
)

// talk is what a client decides about who answers in a chat, and how.
type talk struct {
	Participant  string `json:"participant,omitempty"`
	SystemPrompt string `json:"systemPrompt,omitempty"`
	// ClientTools are what the client runs for the agents of the chat.
	ClientTools []nestor.ClientTool `json:"clientTools,omitempty"`
	Metadata    json.RawMessage     `json:"metadata,omitempty"`
}

// check refuses what makes no sense for a chat of a user.
func (t *talk) check(s *server, r *http.Request, userID string) error {
	if n := utf8.RuneCountInString(t.SystemPrompt); n > maxSystemPrompt {
		return nestor.Errorf(nestor.CodeInvalid, "the system prompt has %d characters, more than %d", n, maxSystemPrompt).With("field", "systemPrompt")
	}
	if err := checkMetadata(t.Metadata); err != nil {
		return err
	}
	if err := s.checkClientTools(t.ClientTools); err != nil {
		return err
	}
	if t.Participant == "" || s.Participants == nil || callerOf(r).UserID != userID {
		return nil // the rules let nobody else choose
	}
	var p *nestor.Participant
	err := s.Store.View(r.Context(), func(docs store.Reader) (err error) {
		p, err = s.Participants.Find(docs, userID, t.Participant)
		return err
	})
	if err != nil || p != nil && (p.Path == "" || checkReach(r, p.Path) == nil) {
		return err
	}
	list, err := s.participants(r)
	if err != nil {
		return err
	}
	var ids []string
	for _, p := range list {
		if ids = append(ids, p.ID); len(ids) == mostListed {
			break
		}
	}
	return nestor.Errorf(nestor.CodeInvalid, "there is no participant %q; there are: %s", t.Participant, strings.Join(ids, ", ")).With("field", "participant")
}

// maxClientTools bounds the bytes of the tools that a client brings along.
const maxClientTools = 128 << 10

func (s *server) checkClientTools(tools []nestor.ClientTool) error {
	size := 0
	for _, t := range tools {
		if s.Agents != nil && s.Agents.Reserves(t.Name) {
			return nestor.Errorf(nestor.CodeInvalid, "agents have a tool %s of their own: give yours another name", t.Name).With("field", "clientTools")
		}
		size += len(t.Name) + len(t.Description) + len(t.Parameters)
	}
	if size > maxClientTools {
		return nestor.Errorf(nestor.CodeInvalid, "the tools have %d bytes, more than %d", size, maxClientTools).With("field", "clientTools")
	}
	if err := tool.CheckClients(tools); err != nil {
		return nestor.Errorf(nestor.CodeInvalid, "clientTools: %w", err).With("field", "clientTools")
	}
	return nil
}

func checkMetadata(metadata json.RawMessage) error {
	if len(metadata) > maxMetadata {
		return nestor.Errorf(nestor.CodeInvalid, "the metadata has %d bytes, more than %d", len(metadata), maxMetadata).With("field", "metadata")
	}
	if trimmed := bytes.TrimSpace(metadata); len(trimmed) > 0 && trimmed[0] != '{' && !bytes.Equal(trimmed, []byte("null")) {
		return nestor.Errorf(nestor.CodeInvalid, "the metadata is an object").With("field", "metadata")
	}
	return nil
}

// mostListed is how many participants an error names.
const mostListed = 30

// checkTalk does the same for a patch of a chat.
func checkTalk(s *server, r *http.Request, userID string, patch map[string]json.RawMessage) error {
	var t talk
	for field, into := range map[string]any{"participant": &t.Participant, "systemPrompt": &t.SystemPrompt} {
		if value, ok := patch[field]; ok && json.Unmarshal(value, into) != nil {
			return nestor.Errorf(nestor.CodeInvalid, "%s is a text", field).With("field", field)
		}
	}
	if value, ok := patch["clientTools"]; ok && json.Unmarshal(value, &t.ClientTools) != nil {
		return nestor.Errorf(nestor.CodeInvalid, "clientTools is a list of tools, each with a name").With("field", "clientTools")
	}
	t.Metadata = patch["metadata"]
	return t.check(s, r, userID)
}
