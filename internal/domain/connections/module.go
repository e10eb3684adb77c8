// Package connections is the domain of model connections: its part of the API.
// What connections are and how they are opened is in package connection, which
// is for all who call models.
package connections

import (
	"cmp"
	"context"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/connection"
	"github.com/nestorhq/nestor/internal/httpapi"
	"github.com/nestorhq/nestor/internal/module"
	"github.com/nestorhq/nestor/internal/store"
)

// Module is the domain of the connections that models returns once the module is
// opened.
func Module(models func() *connection.Connections) module.Of[*Connections] {
	return module.Of[*Connections]{
		Name:    "connections",
		Tag:     httpapi.Tag{Name: "Models", Description: "Connections to language models, with the secrets that are never shown again."},
		Routes:  routes(),
		Schemas: schemas(),
		Participants: func(c *Connections) []module.Participants {
			return []module.Participants{{Kind: nestor.KindModel, List: c.participants, Find: c.participant}}
		},
		Open: func(context.Context, module.Host) (*Connections, error) { return &Connections{models()}, nil },
	}
}

// participants are the models that a user's chats can talk to.
func (c *Connections) participants(ctx context.Context, userID string) ([]nestor.Participant, error) {
	list, err := c.models.List(ctx, userID)
	var all []nestor.Participant
	for i := range list {
		all = append(all, participantOf(userID, &list[i]))
	}
	return all, err
}

func (c *Connections) participant(r store.Reader, userID, id string) (*nestor.Participant, error) {
	known, err := c.models.Find(r, userID, id)
	if known == nil || err != nil {
		return nil, err
	}
	p := participantOf(userID, known)
	p.ID, p.Kind = nestor.KindModel+":"+id, nestor.KindModel
	return &p, nil
}

func participantOf(userID string, known *connection.Connection) nestor.Participant {
	p := nestor.Participant{ID: known.ID, Name: known.Name, Description: cmp.Or(known.Description, known.ModelID)}
	if !known.ReadOnly {
		p.Path = connection.PathOf(userID, known.ID)
	}
	return p
}
