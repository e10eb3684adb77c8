package anthropic

import "github.com/anthropics/anthropic-sdk-go"

// A breakpoint makes Anthropic keep what comes before it, and find it again if a
// request begins the same. There may be four in a request. One stands behind
// what never changes, the tools and the instruction; the others move along with
// the conversation.
const movingBreakpoints = 3

// mark sets the breakpoints of a request.
func mark(p *anthropic.MessageNewParams) {
	if n := len(p.System); n > 0 {
		p.System[n-1].CacheControl = anthropic.NewCacheControlEphemeralParam()
	} else if n := len(p.Tools); n > 0 {
		p.Tools[n-1].OfTool.CacheControl = anthropic.NewCacheControlEphemeralParam()
	}
	// A request without tools that no model has answered yet is made once, for a
	// title or a summary. Storing it would cost more than sending it.
	if len(p.Tools) == 0 && len(p.Messages) == 1 {
		return
	}
	// Each request ends with what is said to the model. The end of this one is
	// stored for the next; at the ends of those before it lies what was stored for
	// this one.
	left := movingBreakpoints
	for i := len(p.Messages) - 1; i >= 0 && left > 0; i-- {
		if p.Messages[i].Role == anthropic.MessageParamRoleUser && markLast(p.Messages[i].Content) {
			left--
		}
	}
}

// markLast marks the last block that can be marked.
func markLast(blocks []anthropic.ContentBlockParamUnion) bool {
	for i := len(blocks) - 1; i >= 0; i-- {
		if at := blocks[i].GetCacheControl(); at != nil {
			*at = anthropic.NewCacheControlEphemeralParam()
			return true
		}
	}
	return false
}
