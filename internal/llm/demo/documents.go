package demo

import (
	"fmt"
	"regexp"
	"strings"
)

// The rules about text documents: one is written, one is read, or something is added
// to one, which takes both.

var (
	writeAsked = regexp.MustCompile(`(?i)\bwrite\s+(?:me\s+)?an?\s+(?:\w+\s+)?document\s+(?:about|on|titled|called|named)\s+([^\n:]+)(?::\s*([^\n]+))?`)
	readAsked  = regexp.MustCompile(`(?i)\b(?:summari[sz]e|read|show)\s+(?:me\s+)?(?:my|our|the)\s+document\s+(?:about\s+|titled\s+|called\s+|named\s+)?([^\n]+)`)
	addAsked   = regexp.MustCompile(`(?i)\b(?:add|append)\s+([^\n]+?)\s+to\s+(?:my|our|the)\s+document\s+(?:about\s+|titled\s+|called\s+|named\s+)?([^\n]+)`)
)

// aboutDocument reports whether a text is about one document, which the rules for
// searching among all do not help with.
func aboutDocument(text string) bool {
	return writeAsked.MatchString(text) || readAsked.MatchString(text) || addAsked.MatchString(text)
}

// titleIn is a title as a request has it, without quotes and the mark at the end.
func titleIn(text string) string { return strings.Trim(text, " \t\"“”'‘’.?!") }

func documentCalls(text string) []call {
	if m := writeAsked.FindStringSubmatch(text); m != nil {
		title := capitalize(titleIn(m[1]))
		return []call{{writeDocument, map[string]any{"title": title, "content": newDocument(title, m[2])}}}
	}
	title := ""
	if m := addAsked.FindStringSubmatch(text); m != nil {
		title = titleIn(m[2])
	} else if m := readAsked.FindStringSubmatch(text); m != nil {
		title = titleIn(m[1])
	}
	return each(readDocument, "title", []string{title})
}

func newDocument(title, said string) string {
	if said == "" {
		said = fmt.Sprintf("The demo model knows nothing about %s by itself. It wrote this so that you see how agents write documents.\n\n"+
			"## What to do with it\n\n- Change it: every save is a version.\n- Compare versions, and restore one.\n- Say “add … to the document %s” in a chat.", title, title)
	}
	return "# " + title + "\n\n" + said + "\n"
}

// noteBooking writes down what is to be booked. Nobody is called.
func noteBooking(text string) []call {
	what, when, _ := strings.Cut(strings.TrimSpace(text), "\n")
	what = capitalize(strings.TrimRight(what, ".!"))
	content := "# " + what + "\n\n"
	if when = strings.TrimSpace(when); when != "" {
		content += "- When: " + strings.ReplaceAll(when, "\n", ", ") + "\n"
	}
	content += "- Status: to be booked\n\nThe demo model cannot call anybody, so it wrote down what you asked for.\n"
	return []call{{writeDocument, map[string]any{"title": what, "content": content}}}
}

// readText is what read_document returned of a whole document.
type readText struct{ title, version, id, content string }

var readHead = regexp.MustCompile(`^Document "([^\n]*)", version (\d+), id (\S+), [^\n]*\nAll of its lines \(\d+\):\n\n`)

func parseRead(r result) (readText, bool) {
	m := readHead.FindStringSubmatch(r.content)
	if m == nil || r.failed || r.tool != readDocument {
		return readText{}, false
	}
	return readText{m[1], m[2], m[3], strings.TrimPrefix(r.content, m[0])}, true
}

var newerVersion = regexp.MustCompile(`read it with read_document \(id (\w+)\)`)

// nextForAddition is what is done next to add something to a document: it is written
// once it has been read, and read again if somebody saved it meanwhile.
func nextForAddition(sc *scene) (next call, ok bool) {
	m := addAsked.FindStringSubmatch(head(sc.work.text()))
	n := len(sc.work.results)
	if m == nil || n == 0 || n >= maxCalls {
		return call{}, false
	}
	last := sc.work.results[n-1]
	if newer := newerVersion.FindStringSubmatch(last.content); last.tool == writeDocument && last.failed && newer != nil {
		return call{readDocument, map[string]any{"id": newer[1]}}, true
	}
	read, ok := parseRead(last)
	content := strings.TrimRight(read.content, "\n") + "\n\n" + capitalize(strings.TrimSpace(m[1])) + "\n"
	return call{writeDocument, map[string]any{"content": content, "based_on": read.id}}, ok
}

func addsToDocument(sc *scene) bool {
	next, ok := nextForAddition(sc)
	_, offered := sc.tools[next.tool]
	return ok && offered
}

func addToDocument(sc *scene) reply {
	next, _ := nextForAddition(sc)
	return reply{calls: []call{next}}
}

// outline is a document in few words: its headings, and how it begins.
func outline(r readText) string {
	var headings []string
	begins := ""
	for line := range strings.Lines(r.content) {
		line = strings.TrimSpace(line)
		if name := strings.TrimLeft(line, "#"); name != line {
			headings = append(headings, strings.TrimSpace(name))
		} else if begins == "" {
			begins = line
		}
	}
	text := fmt.Sprintf("The document **%s** has version %s", r.title, r.version)
	if headings != nil {
		text += ", with the headings " + strings.Join(headings[:min(len(headings), 10)], ", ")
	}
	if begins != "" {
		text += ". It begins: “" + excerpt(begins, 300) + "”"
	}
	return text
}

// wroteDocument words what write_document returned.
func wroteDocument(content string) string {
	object, _ := parseObject(content)
	return fmt.Sprintf("I wrote version %v of the document [%v](%v).", object["version"], object["title"], object["link"])
}
