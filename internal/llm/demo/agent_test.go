package demo

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/nestorhq/nestor/internal/llm"
)

func TestAgent(t *testing.T) {
	const bees = "Document \"Bees\", version 2, id v2, saved by ada at noon.\nAll of its lines (3):\n\n# Bees\n\nThey make honey.\n"
	const book = "For which day and time should I book?"
	tests := []struct {
		name     string
		messages []llm.Message
		want     string
	}{
		{"a sum is calculated", []llm.Message{user("What is 6*7?")}, `calculator {"expression":"6*7"}`},
		{
			"several sums are calculated in parallel",
			[]llm.Message{user("Calculate 2+2, 3*3 and 10/4")},
			`calculator {"expression":"2+2"}` + "\n" + `calculator {"expression":"3*3"}` + "\n" + `calculator {"expression":"10/4"}`,
		},
		{
			"several zones are looked up in parallel",
			[]llm.Message{user("What time is it in Tokyo, London and New York?")},
			`current_time {"timeZone":"Asia/Tokyo"}` + "\n" + `current_time {"timeZone":"Europe/London"}` + "\n" + `current_time {"timeZone":"America/New_York"}`,
		},
		{
			"different tools are called in parallel",
			[]llm.Message{user("What is 15% of 80, and what time is it in Rome?")},
			`calculator {"expression":"(15/100*80)"}` + "\n" + `current_time {"timeZone":"Europe/Rome"}`,
		},
		{
			"what somebody wrote is no Markdown",
			[]llm.Message{user("What is 1*2*3?"), assistant("", called("1", "calculator", `{"expression":"1*2*3"}`)), returned("1", "6")},
			`final_answer …**What is 1\\*2\\*3?**…`,
		},
		{"no place means UTC", []llm.Message{user("What time is it?")}, `current_time {"timeZone":"UTC"}`},
		{"a page is fetched", []llm.Message{user("Summarize https://example.org/a, please.")}, `web_fetch {"url":"https://example.org/a"}`},
		{"documents are searched", []llm.Message{user("Search my documents for travel plans")}, `search_documents {"query":"travel plans"}`},
		{"a document is written", []llm.Message{user("Write a document about bees: They make honey.")}, `write_document {"content":"# Bees\n\nThey make honey.\n","title":"Bees"}`},
		{"a document is read", []llm.Message{user("Summarise the document “Bees”.")}, `read_document {"title":"Bees"}`},
		{
			"and told in few words",
			[]llm.Message{user("Summarise the document Bees"), assistant("", called("1", "read_document", `{"title":"Bees"}`)), returned("1", bees)},
			`final_answer …The document **Bees** has version 2, with the headings Bees. It begins: “They make honey.”"}`,
		},
		{
			"what is added to a document is added to what was read",
			[]llm.Message{user("Add wax to the document Bees"), assistant("", called("1", "read_document", `{"title":"Bees"}`)), returned("1", bees)},
			`write_document {"based_on":"v2","content":"# Bees\n\nThey make honey.\n\nWax\n"}`,
		},
		{
			"and to what somebody else saved meanwhile",
			[]llm.Message{
				user("Add wax to the document Bees"), assistant("", called("1", "read_document", `{"title":"Bees"}`)), returned("1", bees),
				assistant("", called("2", "write_document", `{}`)), failed("2", "somebody saved version v3 of this document after the one you read: read it with read_document (id v3), put"),
			},
			`read_document {"id":"v3"}`,
		},
		{
			"research searches everywhere",
			[]llm.Message{user("Research the history of bees.")},
			`tavily_search {"query":"the history of bees"}` + "\n" + `search_documents {"query":"the history of bees"}`,
		},
		{
			"a comparison looks at each thing",
			[]llm.Message{user("Compare Go and Rust")},
			`tavily_search {"query":"Go"}` + "\n" + `tavily_search {"query":"Rust"}` + "\n" + `search_documents {"query":"Go"}` + "\n" + `search_documents {"query":"Rust"}`,
		},
		{"a comparison may be a question", []llm.Message{user("Which is better, Go vs Rust?")}, `tavily_search {"query":"Go"}` + "\n" + `tavily_search {"query":"Rust"}` + "…"},
		{"a tool may be named", []llm.Message{user(`Use the echo tool with {"message": "hi", "times": 12345678901234567}`)}, `echo {"message":"hi","times":12345678901234567}`},
		{"a named tool gets the text otherwise", []llm.Message{user("Use echo")}, `echo {"message":"Use echo","times":1}`},

		{"a booking needs a date", []llm.Message{user("Book a table for two")}, `ask_user {"question":"` + book + `"}`},
		{"with a date it is complete", []llm.Message{user("Book a table for two tomorrow")}, "write_document …to be booked…"},
		{
			"the answer is used",
			[]llm.Message{user("Book a table for two"), assistant("", called("1", "ask_user", `{"question":"`+book+`"}`)), returned("1", "Asked."), user("Friday at 8")},
			"write_document …- When: Friday at 8…Book a table for two…",
		},
		{
			"the answer may be the tool's result",
			[]llm.Message{user("Book a table for two"), assistant("", called("1", "ask_user", `{"question":"`+book+`"}`)), returned("1", "Friday at 8")},
			"write_document …- When: Friday at 8…",
		},
		{
			"and what was written down is told",
			[]llm.Message{
				user("Book a table for two"), assistant("", called("1", "ask_user", `{"question":"`+book+`"}`)), user("Friday at 8"),
				assistant("", called("2", "write_document", `{"title":"Book a table for two","content":"x"}`)),
				returned("2", `{"id":"d1","title":"Book a table for two","version":1,"link":"/documents/d1"}`),
			},
			"final_answer …I wrote version 1 of the document [Book a table for two](/documents/d1)…" + book + " — Friday at 8…",
		},
		{
			"no question is asked twice",
			[]llm.Message{user("Book a table"), assistant("", called("1", "ask_user", `{"question":"`+book+`"}`)), user("whenever")},
			"write_document …- When: whenever…",
		},
		{"weather needs a place", []llm.Message{user("What will the weather be like?")}, `ask_user {"question":"Which place do you want the weather for?"}`},
		{
			"and is searched for with it",
			[]llm.Message{user("What will the weather be like?"), assistant("", called("1", "ask_user", `{"question":"Which place do you want the weather for?"}`)), user("Bonn")},
			"tavily_search …weather be like Bonn…",
		},
		{"a comparison needs two things", []llm.Message{user("Compare Go")}, `ask_user {"question":"What should I compare Go with?"}`},
		{"and things rather than pronouns", []llm.Message{user("Compare them")}, `ask_user {"question":"What should I compare?"}`},
		{
			"and takes the second from the answer",
			[]llm.Message{user("Compare Go"), assistant("", called("1", "ask_user", `{"question":"What should I compare Go with?"}`)), user("with Rust")},
			`tavily_search {"query":"Go"}` + "\n" + `tavily_search {"query":"Rust"}` + "…",
		},
		{
			"an unknown place needs a time zone",
			[]llm.Message{user("What time is it in Springfield?")},
			`ask_user {"question":"Which time zone is Springfield in? Please name it like Europe/Berlin."}`,
		},
		{
			"and takes it from the answer",
			[]llm.Message{user("What time is it in Springfield?"), assistant("", called("1", "ask_user", `{"question":"Which time zone is Springfield in? Please name it like Europe/Berlin."}`)), user("America/Chicago")},
			`current_time {"timeZone":"America/Chicago"}`,
		},
		{"it asks what it is told to ask", []llm.Message{user("Ask me which colour I like, then greet me")}, `ask_user {"question":"Which colour do you like?"}`},

		{
			"results are summed up in Markdown",
			[]llm.Message{
				user("What is 6*7, and what time is it in Rome?"),
				assistant("", called("1", "calculator", `{"expression":"6*7"}`), called("2", "current_time", `{"timeZone":"Europe/Rome"}`)),
				returned("1", "42"), returned("2", `{"time":"2026-01-31 12:00","offset":"+01:00"}`),
			},
			`final_answer {"answer":"**What is 6*7, and what time is it in Rome?**\n\n- ` + "`6*7`" + ` = **42**\n- **Rome (Europe/Rome)**: 2026-01-31 12:00"}`,
		},
		{
			"a failed tool is mentioned beside the others",
			[]llm.Message{
				user("Research bees"),
				assistant("", called("1", "tavily_search", `{"query":"bees"}`), called("2", "search_documents", `{"query":"bees"}`)),
				failed("1", "set TAVILY_API_KEY"), returned("2", "Bees.md\nhoney"),
			},
			`final_answer …**tavily_search** failed: set TAVILY_API_KEY…Your documents on “bees”:…honey…cannot interpret it…`,
		},
		{
			"notes tell of what was searched for",
			[]llm.Message{
				user("Compare Go and Zig"),
				assistant("", called("1", "search_documents", `{"query":"Go"}`), called("2", "search_documents", `{"query":"Zig"}`)),
				returned("1", "nothing"), returned("2", "nothing"),
			},
			`final_answer …**Go** came out of Google…**Zig** was begun…notes of the demo model…`,
		},
		{
			"a reactivated agent works on the new instruction",
			[]llm.Message{user("What is 6*7?"), assistant("", called("1", "calculator", `{"expression":"6*7"}`)), returned("1", "42"), assistant("42"), user("Now 7*8")},
			`calculator {"expression":"7*8"}`,
		},
		{"in the sense of the old one", []llm.Message{user("What time is it in Rome?"), assistant("12:00"), user("And in Tokyo?")}, `current_time {"timeZone":"Asia/Tokyo"}`},
		{"more detail searches for more", []llm.Message{user("Research bees"), assistant("Bees fly."), user("more about honey")}, `tavily_search {"query":"bees more about honey"}` + "…"},
		{"what no tool helps with is admitted", []llm.Message{user("Paint my house")}, "final_answer …I could not do this: “Paint my house”…"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := answerTo(t, &llm.Request{System: "You are an agent.", Messages: tt.messages, Tools: agentTools})
			if !like(got, tt.want) {
				t.Errorf("got\n%s\nwant\n%s", got, tt.want)
			}
		})
	}
}

func TestAgentMakesDoWithFewerTools(t *testing.T) {
	only := func(names ...string) []llm.Tool {
		return slices.DeleteFunc(slices.Clone(agentTools), func(t llm.Tool) bool { return !slices.Contains(names, t.Name) })
	}
	tests := []struct {
		name, said, choice, want string
		tools                    []llm.Tool
	}{
		{"without final_answer it answers in text", "Paint my house", "", "I could not do this: …", only("calculator")},
		{"without write_document it says what it was told", "Book a table on Friday", "", "final_answer …I could not do this…", only("final_answer")},
		{"without ask_user it says what is missing", "Book a table", "", "final_answer …cannot go on without an answer to this: For which day…", only("final_answer")},
		{"without web search it searches documents", "Research bees", "", `search_documents {"query":"bees"}`, only("final_answer", "search_documents")},
		{"a demanded tool is called", "What is 2+2? Time in Rome?", "current_time", `current_time {"timeZone":"Europe/Rome"}`, agentTools},
		{"a demanded tool that nothing suggests is called, too", "Paint my house", "echo", `echo {"message":"Paint my house","times":1}`, agentTools},
		{"no tool is called where none may be", "What is 2+2?", "none", "I have no rule for that…", agentTools},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := answerTo(t, &llm.Request{Messages: []llm.Message{user(tt.said)}, Tools: tt.tools, ToolChoice: tt.choice})
			if !like(got, tt.want) {
				t.Errorf("got\n%s\nwant\n%s", got, tt.want)
			}
		})
	}
}

func TestArgumentsFitWhateverSchemaIsOffered(t *testing.T) {
	tests := []struct{ name, tool, said, parameters, want string }{
		{"an agent type that does not exist", "create_agent", "Research bees", `{"type":"object","properties":{"type":{"enum":["analyst"]},"instruction":{"type":"string"}},"required":["type","instruction"]}`, `create_agent {"instruction":"Research bees","type":"analyst"}`},
		{
			"more required parameters", "calculator", "6*7", `{"type":"object","properties":{"expression":{"type":"string"},"digits":{"type":"integer","minimum":3},"round":{"type":"boolean"},"unit":{"enum":["m"]},"opts":{"type":"object","properties":{"a":{"type":"array"}},"required":["a"]}},"required":["expression","digits","round","unit","opts"]}`,
			`calculator {"digits":3,"expression":"6*7","opts":{"a":[]},"round":false,"unit":"m"}`,
		},
		{"a parameter of another name", "web_fetch", "https://example.org", `{"type":"object","properties":{"address":{"type":"string","default":"x"}},"required":["address"],"additionalProperties":false}`, `web_fetch {"address":"x"}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tools := []llm.Tool{{Name: tt.tool, Parameters: json.RawMessage(tt.parameters)}}
			got := answerTo(t, &llm.Request{Messages: []llm.Message{user(tt.said)}, Tools: tools})
			if !strings.HasSuffix(got, tt.want) {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}
