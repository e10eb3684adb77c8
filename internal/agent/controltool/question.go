package controltool

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/nestorhq/nestor/internal/agent/chatdoc"
	"github.com/nestorhq/nestor/internal/agent/wording"
)

// Question is what an agent asks by ask_user.
type Question struct {
	Question string `json:"question"`
	// Choices are answers that people can give at a press; any other is welcome, too.
	Choices []string `json:"choices"`
}

// What is more or longer is no choice at a glance. Then there are none: a few of many
// would look like all.
const (
	maxChoices   = 8
	choiceLength = 120
)

// questionSchema is what ask_user takes.
func questionSchema() json.RawMessage {
	return chatdoc.Encode(map[string]any{
		"type": "object",
		"properties": map[string]any{
			"question": map[string]any{"type": "string", "description": "One short question, with what it is needed for."},
			"choices": map[string]any{
				"type": "array", "items": map[string]any{"type": "string"},
				"description": "The likely answers, if few and short.",
			},
		},
		"required": []string{"question"}, "additionalProperties": false,
	})
}

// ReadQuestion reads the arguments of ask_user. It is false if they ask nothing.
// Choices that make no sense are left out; the question counts.
func ReadQuestion(arguments string) (Question, bool) {
	var in struct {
		Question string          `json:"question"`
		Choices  json.RawMessage `json:"choices"`
	}
	if json.Unmarshal([]byte(arguments), &in) != nil || strings.TrimSpace(in.Question) == "" {
		return Question{}, false
	}
	q := Question{Question: wording.Storable(in.Question)}
	var choices []string
	if json.Unmarshal(in.Choices, &choices) != nil {
		return q, true
	}
	for _, c := range choices {
		c = wording.Storable(strings.TrimSpace(c))
		if c != "" && !slices.Contains(q.Choices, c) {
			q.Choices = append(q.Choices, c)
		}
	}
	long := slices.ContainsFunc(q.Choices, func(c string) bool { return len([]rune(c)) > choiceLength })
	if long || len(q.Choices) < 2 || len(q.Choices) > maxChoices {
		q.Choices = nil
	}
	return q, true
}
