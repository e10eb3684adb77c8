package turn

import (
	"github.com/nestorhq/nestor/internal/module"
	"github.com/nestorhq/nestor/internal/store"
)

// Module is what doors with threads store.
var Module = module.Of[struct{}]{Name: "door-threads", Collections: []*store.Collection{Branches}}
