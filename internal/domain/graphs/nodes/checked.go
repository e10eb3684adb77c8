package nodes

import "sync"

// checked remembers expressions that were found right, so that a graph which is checked
// whenever somebody draws a line does not have all of them compiled again. With more than
// maxChecked all are forgotten.
var checked struct {
	sync.Mutex
	right map[string]bool
}

const maxChecked = 10_000

func checkExpression(parameters map[string]any) error {
	source := text(parameters, "expression")
	checked.Lock()
	right := checked.right[source]
	checked.Unlock()
	if right {
		return nil
	}
	if _, err := compile(source); err != nil {
		return err
	}
	checked.Lock()
	defer checked.Unlock()
	if checked.right == nil || len(checked.right) >= maxChecked {
		checked.right = map[string]bool{}
	}
	checked.right[source] = true
	return nil
}
