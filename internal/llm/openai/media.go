package openai

import (
	"regexp"

	"github.com/nestorhq/nestor/internal/llm"
)

// blind are the models of OpenAI that are still called and take text alone.
var blind = regexp.MustCompile(`^(gpt-3\.5|gpt-35|gpt-4($|-0|-32k)|o1-mini|o1-preview|o3-mini)`)

// hearing are the models that take sound.
var hearing = regexp.MustCompile(`^gpt-.*audio`)

// TakesMedia implements [llm.MediaTaker]. Compatible servers are shown images
// alone, since hardly any takes files.
func (m *Model) TakesMedia(mimeType string) bool {
	switch mimeType {
	case "image/jpeg", "image/png", "image/gif", "image/webp":
		return !m.dialect.official || !blind.MatchString(m.name)
	case "application/pdf":
		return m.dialect.official && !blind.MatchString(m.name)
	case "audio/wav", "audio/mpeg":
		return hearing.MatchString(m.name)
	}
	return false
}

// spoken is a conversation in which the user says all media, as the format has
// no place for them in results. They follow the last of the results that belong
// together: nothing may come between these.
func spoken(messages []llm.Message) []llm.Message {
	if !haveMedia(messages) {
		return messages
	}
	var out []llm.Message
	var attached []llm.Part
	for i := range messages {
		msg := messages[i]
		if msg.Role != llm.RoleTool && len(attached) > 0 {
			if msg.Role == llm.RoleUser { // many servers want user and model to alternate
				msg = llm.Message{Role: llm.RoleUser, Parts: append(attached, msg.Parts...)}
			} else {
				out = append(out, llm.Message{Role: llm.RoleUser, Parts: attached})
			}
			attached = nil
		}
		out = append(out, msg)
		for _, p := range msg.Parts {
			if result, ok := p.(llm.ToolResult); ok && len(result.Media) > 0 {
				attached = append(attached, llm.Text{Text: "Attached to the result of " + result.Name + ":"})
				for _, m := range result.Media {
					attached = append(attached, m)
				}
			}
		}
	}
	if len(attached) > 0 {
		out = append(out, llm.Message{Role: llm.RoleUser, Parts: attached})
	}
	return out
}

func haveMedia(messages []llm.Message) bool {
	for i := range messages {
		for _, p := range messages[i].Parts {
			if result, ok := p.(llm.ToolResult); ok && len(result.Media) > 0 {
				return true
			}
		}
	}
	return false
}
