package billing

import (
	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/agent/chatdoc"
	"github.com/nestorhq/nestor/internal/store"
)

// AskersOf are those for whom the stage works that a change sets going. A program
// that takes the stage's place writes in their name. None means the user whose
// document it is.
func AskersOf(r store.Reader, c *nestor.Change) (nestor.Askers, error) {
	d := c.After
	if d == nil {
		d = c.Before
	}
	if d == nil {
		return nil, nil
	}
	switch {
	case store.Messages.Has(c.Path):
		m, err := nestor.As[nestor.Message](d)
		if err != nil || m.AuthorID != "" || m.RepliesTo == "" {
			return AuthorOf(&m), err
		}
		answered, err := store.Find[nestor.Message](r, chatdoc.ChatOf(c.Path).Child("messages", m.RepliesTo))
		return AuthorOf(answered), err
	case store.Tasks.Has(c.Path):
		t, err := nestor.As[nestor.Task](d)
		return t.AskedBy, err
	case store.SubAgents.Has(c.Path):
		return agentAskers(r, c.Path)
	case store.SubAgentMessages.Has(c.Path), store.SubAgentToolCalls.Has(c.Path):
		return agentAskers(r, c.Path.Parent())
	}
	return nil, nil
}

// agentAskers are those for whom an agent works now.
func agentAskers(r store.Reader, path nestor.Path) (nestor.Askers, error) {
	agent, err := store.Find[nestor.SubAgent](r, path)
	if err != nil || agent == nil {
		return nil, err
	}
	return agent.AskedBy, nil
}

// AuthorOf is who wrote a message, nobody if there is none.
func AuthorOf(m *nestor.Message) nestor.Askers {
	if m == nil || m.AuthorID == "" {
		return nil
	}
	return nestor.Askers{m.AuthorID}
}
