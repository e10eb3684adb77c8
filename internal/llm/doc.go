// Package llm is how the runtime talks to language models: one streaming
// interface, [Model], with the providers' own types hidden behind it.
//
// A model call is an iterator of typed events. The caller ranges over it,
// forwards text and reasoning as they come, and gets each tool call once, when
// it is complete. Breaking out of the loop or cancelling the context ends the
// HTTP request at once.
//
//	for ev, err := range model.Generate(ctx, req) {
//		if err != nil {
//			return err // a *nestor.Error: its code says whether to retry
//		}
//		switch ev := ev.(type) {
//		case llm.Text: ...
//		case llm.ToolCall: ...
//		case llm.Finish: ...
//		}
//	}
//
// A provider that makes vectors of texts, too, is an [Embedder].
//
// The providers live in sub-packages: openai (and every server compatible with
// it), anthropic, gemini, demo (no AI, no key) and scripted (for tests).
package llm
