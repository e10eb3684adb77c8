package demo

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// understood are the tools whose results the rules can word.
var understood = []string{calculator, currentTime, readDocument, writeDocument}

// summary puts the results into Markdown.
func summary(w work) string {
	var b strings.Builder
	if w.goal != "" {
		fmt.Fprintf(&b, "**%s**\n\n", verbatim(strings.TrimRight(excerpt(firstLine(w.goal), 200), ":")))
	}
	searched := false
	var known []string
	for _, r := range w.results {
		// The demo model's own words say more than what it found and cannot read.
		if said := notesOn(r); said != nil && r.tool == searchDocuments {
			known = append(known, said...)
			continue
		}
		fmt.Fprintf(&b, "- %s\n", bullet(r))
		searched = searched || !slices.Contains(understood, r.tool)
	}
	if known != nil {
		b.WriteString("\n" + strings.Join(known, "\n\n") + "\n\n*These are notes of the demo model, which has a few. What your documents say is in the steps of the agent.*\n")
	}
	if len(w.answers) > 0 {
		b.WriteString("\nYou told me:\n\n")
		for _, a := range w.answers {
			fmt.Fprintf(&b, "- %s — %s\n", a.question, a.text)
		}
	}
	if searched {
		b.WriteString("\n*This is what the tools returned. The demo model cannot interpret it.*\n")
	}
	return strings.TrimSpace(b.String())
}

// bullet words one result.
func bullet(r result) string {
	arg := func(name string) string { s, _ := r.args[name].(string); return s }
	content := contentOf(r.content)
	if read, ok := parseRead(r); ok {
		return outline(read)
	}
	if r.failed {
		return fmt.Sprintf("**%s** failed: %s", r.tool, indent(excerpt(content, 300)))
	}
	content = indent(excerpt(content, 600))
	switch r.tool {
	case calculator:
		return fmt.Sprintf("`%s` = **%s**", arg("expression"), content)
	case currentTime:
		return fmt.Sprintf("**%s**: %s", townOf(arg("timeZone")), content)
	case webFetch:
		return fmt.Sprintf("<%s>:\n  %s", arg("url"), content)
	case searchDocuments:
		return fmt.Sprintf("Your documents on “%s”:\n  %s", arg("query"), content)
	case writeDocument:
		return wroteDocument(r.content)
	case tavilySearch:
		return fmt.Sprintf("The web on “%s”:\n  %s", arg("query"), content)
	}
	return fmt.Sprintf("**%s**: %s", r.tool, content)
}

// contentOf makes a tool's result readable: the main field of a JSON object, or
// all its plain ones, or the text as it is.
func contentOf(content string) string {
	content = strings.TrimSpace(content)
	var text string
	if json.Unmarshal([]byte(content), &text) == nil {
		return text
	}
	object, ok := parseObject(content)
	if !ok {
		return cmp.Or(content, "(nothing)")
	}
	for _, main := range []string{"result", "value", "answer", "text", "content", "time"} {
		if v, ok := object[main]; ok && plainValue(v) {
			return fmt.Sprint(v)
		}
	}
	var fields []string
	for _, k := range slices.Sorted(maps.Keys(object)) {
		if plainValue(object[k]) {
			fields = append(fields, fmt.Sprintf("%s: %v", k, object[k]))
		}
	}
	if fields == nil {
		return content
	}
	return strings.Join(fields, ", ")
}

func plainValue(v any) bool {
	switch v.(type) {
	case string, json.Number, bool:
		return true
	}
	return false
}

// excerpt is the beginning of a text, cut between words if it is too long.
func excerpt(text string, limit int) string {
	text = strings.TrimSpace(text)
	runes := []rune(text)
	if len(runes) <= limit {
		return text
	}
	text = string(runes[:limit])
	if i := strings.LastIndexAny(text, " \n"); i > len(text)/2 {
		text = text[:i]
	}
	return strings.TrimSpace(text) + " …"
}

// indent keeps further lines inside the list item.
func indent(text string) string { return strings.ReplaceAll(text, "\n", "\n  ") }

func townOf(zone string) string {
	for _, p := range towns {
		if p.zone == zone {
			return fmt.Sprintf("%s (%s)", p.name, zone)
		}
	}
	return zone
}

// verbatim is a person's text in Markdown, so that 1*2*3 reads as it was written. A mark that
// stands alone means nothing there, and stays.
func verbatim(text string) string {
	for _, mark := range []string{"*", "_", "`", "~"} {
		if strings.Count(text, mark) > 1 {
			text = strings.ReplaceAll(text, mark, `\`+mark)
		}
	}
	return text
}
