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

// outcomeSchema needs the sentence that says where the reason stands.
const outcomeSchema = `{"type":"string","enum":["` + done + `","` + couldNot + `"],"description":"could_not if the task was not done: `

var answerSchema = json.RawMessage(`{"type":"object","properties":{` +
	`"answer":{"type":"string","description":"The complete result in Markdown, for a reader who saw none of the steps."},` +
	`"outcome":` + outcomeSchema + `the answer then says why. Defaults to done."}},` +
	`"required":["answer"],"additionalProperties":false}`)

// ReadAnswer reads the arguments of final_answer. The error is for the model.
func ReadAnswer(arguments string) (Answer, error) {
	in, err := Decode(arguments, "answer")
	if err != nil {
		return Answer{}, err
	}
	failed, err := isCouldNot(in["outcome"])
	return Answer{Text: in["answer"], CouldNot: failed}, err
}

func isCouldNot(outcome string) (bool, error) {
	switch strings.ToLower(strings.NewReplacer("_", "", "-", "", " ", "").Replace(outcome)) {
	case "", done:
		return false, nil
	case "couldnot":
		return true, nil
	}
	return false, nestor.Errorf(nestor.CodeInvalid, "outcome is %s or %s, not %.50q: give the answer again", done, couldNot, outcome)
}
