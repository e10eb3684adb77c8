// Package tool is what models can call: tools, how one call is carried out,
// and the registry that offers a set of them to a model.
//
// A [Tool] is defined in Go by a typed function ([Func]), or by the
// sub-packages httptool (an HTTP endpoint or an OpenAPI document) and mcptool
// (an MCP server). Package toolset reads tools.json and puts them together.
//
//	add := tool.Func(tool.Spec{Name: "add", Description: "Adds two numbers.", Effect: tool.Pure},
//		func(ctx context.Context, call tool.Call, in struct {
//			A float64 `json:"a" jsonschema:"first summand"`
//			B float64 `json:"b" jsonschema:"second summand"`
//		}) (float64, error) {
//			return in.A + in.B, nil
//		})
//
// [Execute] is the one place that runs a call. Whatever goes wrong in it,
// from malformed arguments to a panic, is a failed [Result] whose text helps
// the model to go on; a call never takes its siblings or its worker down.
package tool
