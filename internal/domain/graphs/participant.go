package graphs

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"time"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/access"
	"github.com/nestorhq/nestor/internal/account"
	"github.com/nestorhq/nestor/internal/domain/graphs/record"
	"github.com/nestorhq/nestor/internal/module"
	"github.com/nestorhq/nestor/internal/store"
)

// kindGraph is the kind of participant that graphs are.
const kindGraph = "graph"

// mostOffered is how many graphs are listed as participants, the newest first.
const mostOffered = 200

// participants lets chats talk to the graphs of their users.
func (g *Graphs) participants() []module.Participants {
	return []module.Participants{{Kind: kindGraph, List: g.offered, Find: g.participant, Begin: g.answer, Stop: g.stopAnswer}}
}

func (g *Graphs) offered(ctx context.Context, userID string) (all []nestor.Participant, err error) {
	err = g.engine.Store.View(ctx, func(r store.Reader) error {
		page, err := r.Query(store.Query{Collection: string(record.Of(userID)) + "/agent-graphs", OrderBy: []store.Order{newestFirst}, Limit: mostOffered})
		if err != nil {
			return err
		}
		all = nil
		for _, d := range page.Items {
			drawn, err := nestor.As[record.AgentGraph](d)
			if err != nil {
				return err
			}
			all = append(all, nestor.Participant{ID: drawn.ID, Name: drawn.Name, Description: drawn.Description, Path: d.Path})
		}
		return nil
	})
	return all, err
}

func (g *Graphs) participant(r store.Reader, userID, id string) (*nestor.Participant, error) {
	if nestor.CheckID(id) != nil {
		return nil, nil
	}
	at := record.Of(userID).Child("agent-graphs", id)
	drawn, err := store.Find[record.AgentGraph](r, at)
	if drawn == nil || err != nil {
		return nil, err
	}
	return &nestor.Participant{ID: kindGraph + ":" + id, Kind: kindGraph, Name: drawn.Name, Description: drawn.Description, Path: at}, nil
}

// mostThread bounds what a graph is told of what was said before, in bytes.
const mostThread = 48 << 10

// answer begins an execution for a message of a chat that nobody but its user reads and
// writes. In others it begins none: the graph's tools, agents and secrets work with the
// rights of its user, whoever asks, and all members would read what they find.
func (g *Graphs) answer(tx store.Tx, said module.Said) (string, error) {
	userID := said.Chat.UserID()
	chat, err := store.Find[nestor.Chat](tx, said.Chat)
	if err != nil || chat == nil {
		return "", err
	}
	if personal, err := account.IsPersonal(tx, chat.AccountID); err != nil {
		return "", err
	} else if !personal {
		return "", nestor.Errorf(nestor.CodeInvalid, "a graph works with the rights of its user, so it answers only in chats that nobody else reads")
	}
	at := record.Of(userID).Child("agent-graph-executions", nestor.DeriveID("chat", string(said.Chat), said.Message.ID))
	of := record.Of(userID).Child("agent-graphs", said.ID)
	d, err := tx.Get(of)
	if errors.Is(err, nestor.ErrNotFound) {
		return "", nestor.Errorf(nestor.CodeNotFound, "there is no graph %q any more", said.ID)
	}
	if err != nil {
		return "", err
	}
	drawn, err := nestor.As[record.AgentGraph](d)
	if err != nil {
		return "", err
	}
	if err := g.valid(tx, of, &drawn.Graph); err != nil {
		return "", err
	}
	below, agents, err := g.uses(tx, userID, &drawn.Graph)
	if err != nil {
		return "", err
	}
	if agents {
		below = append(below, agentChats(userID))
	}
	if err := access.InReach(tx, store.RunAt(said.Chat, said.Message.RunID), time.Now(), append(below, of, at)...); err != nil {
		return "", err
	}
	input, err := json.Marshal(map[string]any{
		"text": said.Message.Content, "chatId": said.Chat.ID(), "messageId": said.Message.ID,
		"systemPrompt": said.SystemPrompt, "thread": map[string]any{"messages": turns(said.History)},
	})
	if err != nil {
		return "", err
	}
	return at.ID(), g.engine.StartIn(tx, at, &drawn, input, record.InChat{ChatID: said.Chat.ID(), MessageID: said.Message.ID})
}

// turns are the newest of what was said, oldest first.
func turns(history []nestor.Message) []map[string]string {
	all, size := []map[string]string{}, 0
	for _, m := range slices.Backward(history) {
		role := "user"
		if m.Role == nestor.RoleAssistant {
			role = "assistant"
		}
		if size += len(m.Content); size > mostThread {
			break
		}
		all = append(all, map[string]string{"role": role, "text": m.Content})
	}
	slices.Reverse(all)
	return all
}

// stopAnswer ends an execution that answers in a chat.
func (g *Graphs) stopAnswer(tx store.Tx, chat nestor.Path, executionID string) (bool, error) {
	return g.engine.Stop(tx, record.Of(chat.UserID()).Child("agent-graph-executions", executionID))
}
