// Package connections is the domain of model connections: its part of the API.
// What connections are and how they are opened is in package connection, which
// is for all who call models.
package connections

import (
	"context"

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
		Open:    func(context.Context, module.Host) (*Connections, error) { return &Connections{models()}, nil },
	}
}
