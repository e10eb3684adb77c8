package crashtest

import (
	"fmt"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/store"
)

// letterClaimed is the transaction after which the letter may have been sent.
const letterClaimed = writeLetter + " running"

// transactionName names a transaction of the conversation by the first thing in
// it that a person would notice. One that only ends a job or keeps accounts has
// no name.
func transactionName(c store.Commit) string {
	for i := range c.Changes {
		if name := changeName(&c.Changes[i]); name != "" {
			return name
		}
	}
	return ""
}

func changeName(c *nestor.Change) string {
	var is, was struct{ Role, Content, Title, Instruction, ToolName, Status string }
	kind := store.DefaultCatalogue.Of(c.Path)
	if kind == store.UserDocuments || c.After == nil || c.After.Decode(&is) != nil {
		return ""
	}
	if c.Before != nil && c.Before.Decode(&was) != nil {
		return ""
	}
	switch {
	case c.Type == nestor.Create:
		name := kind.Name + ":"
		for _, text := range []string{is.Role, is.Instruction, is.ToolName, is.Content} {
			if text != "" {
				name += fmt.Sprintf(" %.30s", text)
			}
		}
		return name
	case is.Title != was.Title:
		return "titled " + is.Title
	case kind == store.SubAgentToolCalls:
		return is.ToolName + " " + is.Status
	}
	return ""
}
