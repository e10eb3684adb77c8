// Package accounts is the domain of accounts, their members and their projects:
// its access rules and its part of the API. What accounts are is in package
// account, which others use, too, who ask about members.
package accounts

import (
	"context"
	_ "embed"
	"reflect"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/nestorhq/nestor/internal/account"
	"github.com/nestorhq/nestor/internal/httpapi"
	"github.com/nestorhq/nestor/internal/httpapi/openapi"
	"github.com/nestorhq/nestor/internal/module"
	"github.com/nestorhq/nestor/internal/store"
)

//go:embed rules.json
var rules []byte

// Module is the domain of accounts.
var Module = module.Of[*Accounts]{
	Name:   "accounts",
	Rules:  rules,
	Tag:    httpapi.Tag{Name: "Accounts", Description: "Accounts share chats among their members and pay for them; projects group the chats of an account."},
	Routes: routes(),
	Schemas: openapi.Schemas{
		Documents: map[string]reflect.Type{
			"Account":    reflect.TypeFor[account.Account](),
			"Project":    reflect.TypeFor[account.Project](),
			"Invitation": reflect.TypeFor[account.Invitation](),

			"AccountLimit": reflect.TypeFor[store.AccountLimit](),
		},
		Special: map[reflect.Type]*jsonschema.Schema{
			reflect.TypeFor[account.Role](): openapi.Enum(account.Owner, account.Member, account.Viewer),
		},
	},
	Open: func(_ context.Context, host module.Host) (*Accounts, error) { return &Accounts{store: host.Store}, nil },
}

// Accounts has the routes of the module as its methods.
type Accounts struct{ store store.Documents }
