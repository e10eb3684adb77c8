package nestor

import "encoding/json"

// ClientTool is a tool that a client of a chat brings along and runs itself. The agents of
// the chat can call it; a call waits until the client gives its result.
type ClientTool struct {
	// Name is what models call it by: letters, digits, _ and -, at most 64.
	Name        string `json:"name"`
	Description string `json:"description,omitempty"`
	// Parameters is a JSON Schema of type object. Defaults to one without properties.
	Parameters json.RawMessage `json:"parameters,omitempty"`
}
