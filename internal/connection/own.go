package connection

import (
	"maps"
	"slices"

	"github.com/nestorhq/nestor"
)

// Program is the access format of models that the Go program around the server
// brings. Nobody can save such a connection.
const Program = "program"

// own are the connections to the program's own models, the default one first.
func (o *Options) own() []Connection {
	var list []Connection
	for _, id := range slices.Sorted(maps.Keys(o.Models)) {
		c := Connection{
			Meta: nestor.Meta{ID: id}, Name: id, Description: "A model of the program that runs the server",
			AccessFormat: Program, ModelID: o.Models[id].Name(), ReadOnly: true,
		}
		if id == Default {
			list = slices.Insert(list, 0, c)
		} else {
			list = append(list, c)
		}
	}
	return list
}

// given finds a connection that nobody saved: the environment's, or one of the
// program's own.
func (s *Connections) given(id string) (Connection, bool) {
	i := slices.IndexFunc(s.fixed, func(c Connection) bool { return c.ID == id })
	if i < 0 {
		return Connection{}, false
	}
	return s.fixed[i], true
}
