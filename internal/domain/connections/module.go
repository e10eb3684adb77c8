// Package connections is the domain of model connections: its part of the API.
// What connections are and how they are opened is in package connection, which
// is for all who call models.
package connections

import (
	"context"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/connection"
	"github.com/nestorhq/nestor/internal/module"
)

// Module is the domain of the connections that models returns once the module is
// opened.
func Module(models func() *connection.Connections) module.Of[*Connections] {
	return module.Of[*Connections]{
		Name:    "connections",
		Routes:  routes(),
		Schemas: schemas(),
		Participants: func(c *Connections) []module.Participants {
			return []module.Participants{{Kind: nestor.KindModel, List: c.participants}}
		},
		Open: func(context.Context, module.Host) (*Connections, error) { return &Connections{models()}, nil },
	}
}

// participants are the models that a user's chats can talk to.
func (c *Connections) participants(ctx context.Context, userID string) ([]nestor.Participant, error) {
	list, err := c.models.List(ctx, userID)
	var all []nestor.Participant
	for _, known := range list {
		p := nestor.Participant{ID: known.ID, Name: known.Name, Description: known.Description}
		if p.Description == "" {
			p.Description = known.ModelID
		}
		if !known.ReadOnly {
			p.Path = connection.PathOf(userID, known.ID)
		}
		all = append(all, p)
	}
	return all, err
}
