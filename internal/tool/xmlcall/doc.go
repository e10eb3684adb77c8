// Package xmlcall lets a model without native tool calls call tools by writing
// XML into its reply.
//
// [Wrap] turns such a model into one that takes native-tool requests: the tools
// become a section of the system prompt, the calls in the reply become
// [llm.ToolCall] events, and the calls and results of the history become text
// again. [Parser] is the streaming half of that.
//
// # What counts as a call
//
// A registered tool's element, with each parameter in the place that its
// [llm.XMLForm] gives it:
//
//	<send-mail to="ada@example.org"><subject>Hello</subject>How are you?</send-mail>
//
// and, for every tool whatever its form, a block of invocations:
//
//	<function_calls>
//	<invoke name="send_mail">
//	<parameter name="to">ada@example.org</parameter>
//	</invoke>
//	</function_calls>
//
// Everything else is text. In particular:
//
//   - Only registered tags count, and they count whole: <ask> is not <asking>.
//   - An element ends where its own tag balances, so a value may contain the
//     same element again.
//   - Markdown code is text: a backtick span that closes on its own line, a
//     fenced block of ``` or ~~~, and everything after a fence that never closes.
//   - An element that is still open when the reply ends is text.
//
// # Values
//
// Entities (&lt; &gt; &amp; &quot; &apos; &#10; &#xA;) are unescaped. In elements
// and text, the line breaks and indentation next to the tags are layout, and a
// value of one line is trimmed; whitespace that matters there is written as
// entities. The text is then converted to the type the tool's JSON Schema
// names; arrays and objects are JSON. A call that lacks a required parameter or
// holds a value of the wrong type is still a call, with the reason in
// [Call].Err: the model must hear of it.
//
// # Guarantees
//
// The events do not depend on how the reply is cut into chunks, except for where
// one run of text is divided. Memory is bounded by Options.MaxCallBytes plus
// about a kilobyte. Work is linear in the length of the reply.
package xmlcall
