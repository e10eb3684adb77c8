package module

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/httpapi"
	"github.com/nestorhq/nestor/internal/httpapi/openapi"
	"github.com/nestorhq/nestor/internal/interrupt"
	"github.com/nestorhq/nestor/internal/store"
	"github.com/nestorhq/nestor/internal/trigger"
	"github.com/nestorhq/nestor/internal/worker"
)

// List is the modules of a program, in the order in which they are opened.
type List []Module

// Catalogue has the collections of all modules.
func (l List) Catalogue() (*store.Catalogue, error) {
	var all []*store.Collection
	for _, m := range l {
		all = append(all, m.Describe().Collections...)
	}
	return store.NewCatalogue(all...)
}

// Schemas are the tables that modules add to those of the store itself.
func (l List) Schemas() []store.Schema {
	var all []store.Schema
	for _, m := range l {
		if d := m.Describe(); !d.OldTables {
			all = append(all, store.Schema{Module: d.Name, Collections: d.Collections, Files: d.Migrations})
		}
	}
	return all
}

// Keep is how long documents are kept, by collection.
func (l List) Keep() map[string]time.Duration {
	all := map[string]time.Duration{}
	for _, m := range l {
		maps.Copy(all, m.Describe().Keep)
	}
	return all
}

// Triggers are those of all modules.
func (l List) Triggers() trigger.BuiltIn {
	var all []trigger.BuiltIn
	for _, m := range l {
		all = append(all, m.Describe().Triggers)
	}
	return trigger.Join(all...)
}

// Rules are the access rules files of the modules that have one, by module.
func (l List) Rules() map[string][]byte {
	all := map[string][]byte{}
	for _, m := range l {
		if d := m.Describe(); d.Rules != nil {
			all[d.Name] = d.Rules
		}
	}
	return all
}

// Description is the API in OpenAPI, with what the modules add to it.
func (l List) Description() ([]byte, error) {
	kinds, err := l.Catalogue()
	if err != nil {
		return nil, err
	}
	return httpapi.Description(kinds, l.Routes(), l.APISchemas()), nil
}

// Routes are those of all modules, as described: they have no handlers yet.
func (l List) Routes() (all []httpapi.Route) {
	for _, m := range l {
		all = append(all, m.Describe().Routes...)
	}
	return all
}

// APISchemas are the schemas that the routes of all modules refer to.
func (l List) APISchemas() openapi.Schemas {
	all := make([]openapi.Schemas, len(l))
	for i, m := range l {
		all[i] = m.Describe().Schemas
	}
	return openapi.Join(all...)
}

// Interrupts are those of all modules.
func (l List) Interrupts() (all []interrupt.Rule) {
	for _, m := range l {
		all = append(all, m.Describe().Interrupts...)
	}
	return all
}

// Start opens the modules.
func (l List) Start(ctx context.Context, host Host) ([]*Running, error) {
	var all []*Running
	for _, m := range l {
		r, err := m.Start(ctx, host)
		if err != nil {
			return nil, fmt.Errorf("module %s: %w", m.Describe().Name, err)
		}
		all = append(all, r)
		host.NodeTypes = append(host.NodeTypes, r.NodeTypes...)
	}
	return all, nil
}

// AllHandlers are the handlers of modules that were opened, by name.
func AllHandlers(parts []*Running) map[string]worker.Handler {
	all := map[string]worker.Handler{}
	for _, part := range parts {
		maps.Copy(all, part.Handlers)
	}
	return all
}

// Check refuses modules that cannot live together.
func (l List) Check() error {
	var names, handlers []string
	for _, m := range l {
		d := m.Describe()
		if err := nestor.CheckID(d.Name); err != nil || slices.Contains(names, d.Name) {
			return nestor.Errorf(nestor.CodeInvalid, "the module %q has no name, or that of another", d.Name)
		}
		names = append(names, d.Name)
		for _, s := range d.Triggers.Stages {
			if slices.Contains(handlers, s.Name) {
				return nestor.Errorf(nestor.CodeInvalid, "the module %s has a handler %q, as another has", d.Name, s.Name)
			}
			handlers = append(handlers, s.Name)
		}
	}
	return nil
}
