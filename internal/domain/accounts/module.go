// Package accounts is the domain of accounts, who takes part in them, and their
// projects. What they are is in package account.
package accounts

import (
	_ "embed"

	"github.com/nestorhq/nestor/internal/module"
)

//go:embed rules.json
var rules []byte

// Module is the domain of accounts.
var Module = module.Of[struct{}]{
	Name:  "accounts",
	Rules: rules,
}
