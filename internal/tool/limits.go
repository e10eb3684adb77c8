package tool

import (
	"encoding/json"
	"strings"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/jsonvalue"
	"github.com/nestorhq/nestor/internal/llm"
)

// MaxNesting bounds the nesting of arguments, in levels. It leaves room for the documents
// that calls are recorded in, which may be nested [jsonvalue.MaxDepth] levels.
const MaxNesting = 48

// Recorded returns the arguments of a call as a JSON object for a document: unchanged if
// they are an object that a document holds, else wrapped. [llm.UnwrapArguments] is
// its inverse.
func Recorded(arguments string) json.RawMessage {
	if json.Valid([]byte(arguments)) && checkLimits(arguments) != nil {
		return llm.WrapArguments(arguments)
	}
	return llm.ArgumentsObject(arguments)
}

// checkLimits refuses numbers and nesting in valid JSON that documents cannot hold.
func checkLimits(arguments string) error {
	dec := json.NewDecoder(strings.NewReader(arguments))
	dec.UseNumber()
	for depth := 0; ; {
		token, err := dec.Token()
		if err != nil {
			return nil // the end
		}
		switch token := token.(type) {
		case json.Number:
			if _, err := jsonvalue.Number(token); err != nil {
				return err
			}
		case json.Delim:
			if token == '{' || token == '[' {
				depth++
			} else {
				depth--
			}
			if depth > MaxNesting {
				return nestor.Errorf(nestor.CodeInvalid, "they are nested more than %d levels deep", MaxNesting)
			}
		}
	}
}
