package controltool

import (
	"encoding/json"
	"strings"

	"github.com/nestorhq/nestor"
)

// Answer is how an agent ends its task by final_answer.
type Answer struct {
	Text string
	// CouldNot: the task was not done, and the text says why.
	CouldNot bool
}

// The outcomes that final_answer takes.
const (
	done     = "done"
	couldNot = string(nestor.TaskCouldNot)
)

var answerSchema = json.RawMessage(`{"type":"object","properties":{` +
	`"answer":{"type":"string","description":"The complete result in Markdown, for a reader who saw none of the steps."},` +
	`"outcome":{"type":"string","enum":["` + done + `","` + couldNot + `"],"description":"could_not if the task was not done: the answer then says why. Defaults to done."}},` +
	`"required":["answer"],"additionalProperties":false}`)

// ReadAnswer reads the arguments of final_answer. The error is for the model.
func ReadAnswer(arguments string) (Answer, error) {
	in, err := Decode(arguments, "answer")
	if err != nil {
		return Answer{}, err
	}
	a := Answer{Text: in["answer"]}
	switch outcome := strings.ToLower(strings.NewReplacer("_", "", "-", "", " ", "").Replace(in["outcome"])); outcome {
	case "", done:
	case "couldnot":
		a.CouldNot = true
	default:
		return Answer{}, nestor.Errorf(nestor.CodeInvalid, "outcome is %s or %s, not %.50q: give the answer again", done, couldNot, in["outcome"])
	}
	return a, nil
}
