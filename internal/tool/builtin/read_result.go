package builtin

import (
	"context"
	"fmt"
	"unicode/utf8"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/tool"
)

const readResultDescription = `Reads back, piece by piece, an earlier result that a note with its id stands for now.`

const (
	defaultPiece = 8_000
	maxPiece     = 40_000
)

func readResult(results Results) *tool.Tool {
	type input struct {
		ID     string `json:"id" jsonschema:"that the note gives"`
		Offset int    `json:"offset,omitempty" jsonschema:"first character; 0 if left out"`
		Limit  int    `json:"limit,omitempty" jsonschema:"characters, up to 40000; 8000 if left out"`
	}
	// Every character may take four bytes, and the first line some more.
	spec := tool.Spec{
		Name: "read_result", Description: readResultDescription, Effect: tool.Pure, ReadsBack: true,
		OutputLimit: utf8.UTFMax*maxPiece + 200,
	}
	return tool.Func(spec, func(ctx context.Context, call tool.Call, in input) (string, error) {
		if in.Limit == 0 {
			in.Limit = defaultPiece
		}
		switch {
		case results == nil:
			return "", nestor.Errorf(nestor.CodeUnavailable, "there is no store of results to read here")
		case in.Offset < 0:
			return "", nestor.Errorf(nestor.CodeInvalid, "offset is negative")
		case in.Limit < 1 || in.Limit > maxPiece:
			return "", nestor.Errorf(nestor.CodeInvalid, "limit is %d; give 1 to %d", in.Limit, maxPiece)
		}
		text, total, err := results.ReadResult(ctx, call.Scope, in.ID, in.Offset, in.Limit)
		if err != nil {
			return "", err
		}
		end := in.Offset + utf8.RuneCountInString(text)
		switch {
		case in.Offset >= total:
			return fmt.Sprintf("[there is nothing at offset %d: the result has %d characters]", in.Offset, total), nil
		case end < total:
			return fmt.Sprintf("[characters %d to %d of %d; go on with offset %d]\n%s", in.Offset, end, total, end, text), nil
		default:
			return fmt.Sprintf("[characters %d to %d of %d; this is the end]\n%s", in.Offset, end, total, text), nil
		}
	})
}
