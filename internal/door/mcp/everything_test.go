//lint:file-ignore SA1019 the suite tests sampling and logging, which the versions that we speak have

package mcp_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// everything offers what the scenarios of the conformance suite ask for. The suite says
// in the descriptions of its scenarios what that is.
func everything() *sdk.Server {
	server := sdk.NewServer(&sdk.Implementation{Name: "everything", Version: "1.0.0"}, &sdk.ServerOptions{
		CompletionHandler: func(context.Context, *sdk.CompleteRequest) (*sdk.CompleteResult, error) {
			return &sdk.CompleteResult{Completion: sdk.CompletionResultDetails{Values: []string{}}}, nil
		},
		SubscribeHandler:   func(context.Context, *sdk.SubscribeRequest) error { return nil },
		UnsubscribeHandler: func(context.Context, *sdk.UnsubscribeRequest) error { return nil },
	})
	for name, answer := range toolsOfSuite {
		server.AddTool(&sdk.Tool{Name: name, Description: "of the conformance suite", InputSchema: schemaOf(name)}, answer)
	}
	addResources(server)
	addPrompts(server)
	return server
}

var (
	picture = decoded("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==")
	sound   = decoded("UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA=")

	image = &sdk.ImageContent{Data: picture, MIMEType: "image/png"}
)

func decoded(text string) []byte {
	data, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		panic(err)
	}
	return data
}

func embedded(uri string) *sdk.EmbeddedResource {
	return &sdk.EmbeddedResource{Resource: &sdk.ResourceContents{URI: uri, MIMEType: "text/plain", Text: "This is an embedded resource content."}}
}

// schemaOf is the schema of a tool's arguments.
func schemaOf(name string) json.RawMessage {
	switch name {
	case "json_schema_2020_12_tool":
		return json.RawMessage(`{"$schema": "https://json-schema.org/draft/2020-12/schema", "type": "object",
  "$defs": {"address": {"type": "object", "properties": {"street": {"type": "string"}, "city": {"type": "string"}}}},
  "properties": {"name": {"type": "string"}, "address": {"$ref": "#/$defs/address"}}, "additionalProperties": false}`)
	case "test_sampling":
		return json.RawMessage(`{"type": "object", "properties": {"prompt": {"type": "string"}}, "required": ["prompt"]}`)
	case "test_elicitation":
		return json.RawMessage(`{"type": "object", "properties": {"message": {"type": "string"}}, "required": ["message"]}`)
	}
	return json.RawMessage(`{"type": "object"}`)
}

// says is a tool that always says the same.
func says(content ...sdk.Content) sdk.ToolHandler {
	return func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		return &sdk.CallToolResult{Content: content}, nil
	}
}

// elicits is a tool that asks for something.
func elicits(schema string) sdk.ToolHandler {
	return func(ctx context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		var args struct{ Message string }
		if err := json.Unmarshal(r.Params.Arguments, &args); err != nil {
			return nil, err
		}
		if args.Message == "" {
			args.Message = "Please"
		}
		res, err := r.Session.Elicit(ctx, &sdk.ElicitParams{Message: args.Message, RequestedSchema: json.RawMessage(schema)})
		if err != nil {
			return nil, err
		}
		return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: fmt.Sprintf("Elicitation completed: action=%s, content=%v", res.Action, res.Content)}}}, nil
	}
}

var toolsOfSuite = map[string]sdk.ToolHandler{
	"test_simple_text":            says(&sdk.TextContent{Text: "This is a simple text response for testing."}),
	"test_image_content":          says(image),
	"test_audio_content":          says(&sdk.AudioContent{Data: sound, MIMEType: "audio/wav"}),
	"test_embedded_resource":      says(embedded("test://embedded-resource")),
	"test_multiple_content_types": says(&sdk.TextContent{Text: "Multiple content types test:"}, image, embedded("test://mixed-content-resource")),
	"json_schema_2020_12_tool":    says(&sdk.TextContent{Text: "done"}),
	"test_tool_with_logging": func(ctx context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		for _, text := range []string{"Tool execution started", "Tool processing data", "Tool execution completed"} {
			if err := r.Session.Log(ctx, &sdk.LoggingMessageParams{Level: "info", Data: text}); err != nil {
				return nil, err
			}
		}
		return says(&sdk.TextContent{Text: "logged"})(ctx, r)
	},
	"test_tool_with_progress": func(ctx context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		for _, n := range []float64{0, 50, 100} {
			if err := r.Session.NotifyProgress(ctx, &sdk.ProgressNotificationParams{ProgressToken: r.Params.GetProgressToken(), Progress: n, Total: 100}); err != nil {
				return nil, err
			}
		}
		return says(&sdk.TextContent{Text: "progressed"})(ctx, r)
	},
	"test_error_handling": func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		res := &sdk.CallToolResult{}
		res.SetError(errors.New("This tool intentionally returns an error for testing"))
		return res, nil
	},
	"test_sampling": func(ctx context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		var args struct{ Prompt string }
		if err := json.Unmarshal(r.Params.Arguments, &args); err != nil {
			return nil, err
		}
		res, err := r.Session.CreateMessage(ctx, &sdk.CreateMessageParams{
			MaxTokens: 100, Messages: []*sdk.SamplingMessage{{Role: "user", Content: &sdk.TextContent{Text: args.Prompt}}},
		})
		if err != nil {
			return nil, err
		}
		text, ok := res.Content.(*sdk.TextContent)
		if !ok {
			return nil, errors.New("the client sampled no text")
		}
		return says(&sdk.TextContent{Text: "LLM response: " + text.Text})(ctx, r)
	},
	"test_elicitation": elicits(`{"type": "object", "properties": {"username": {"type": "string"}, "email": {"type": "string"}}, "required": ["username", "email"]}`),
	"test_elicitation_sep1034_defaults": elicits(`{"type": "object", "properties": {
  "name": {"type": "string", "default": "John Doe"},
  "age": {"type": "integer", "default": 30},
  "score": {"type": "number", "default": 95.5},
  "status": {"type": "string", "enum": ["active", "inactive", "pending"], "default": "active"},
  "verified": {"type": "boolean", "default": true}
}}`),
	"test_elicitation_sep1330_enums": elicits(`{"type": "object", "properties": {
  "untitledSingle": {"type": "string", "enum": ["option1", "option2", "option3"]},
  "titledSingle": {"type": "string", "oneOf": [{"const": "value1", "title": "First Option"}, {"const": "value2", "title": "Second Option"}, {"const": "value3", "title": "Third Option"}]},
  "legacyEnum": {"type": "string", "enum": ["opt1", "opt2", "opt3"], "enumNames": ["Option One", "Option Two", "Option Three"]},
  "untitledMulti": {"type": "array", "items": {"type": "string", "enum": ["option1", "option2", "option3"]}},
  "titledMulti": {"type": "array", "items": {"anyOf": [{"const": "value1", "title": "First Choice"}, {"const": "value2", "title": "Second Choice"}, {"const": "value3", "title": "Third Choice"}]}}
}}`),
}

func addResources(server *sdk.Server) {
	resource := func(content sdk.ResourceContents) sdk.ResourceHandler {
		return func(_ context.Context, r *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
			content.URI = r.Params.URI
			id := strings.TrimSuffix(strings.TrimPrefix(r.Params.URI, "test://template/"), "/data")
			content.Text = strings.ReplaceAll(content.Text, "{id}", id)
			return &sdk.ReadResourceResult{Contents: []*sdk.ResourceContents{&content}}, nil
		}
	}
	text := resource(sdk.ResourceContents{MIMEType: "text/plain", Text: "This is the content of the static text resource."})
	server.AddResource(&sdk.Resource{Name: "static-text", URI: "test://static-text", MIMEType: "text/plain"}, text)
	server.AddResource(&sdk.Resource{Name: "watched", URI: "test://watched-resource", MIMEType: "text/plain"}, text)
	server.AddResource(&sdk.Resource{Name: "static-binary", URI: "test://static-binary", MIMEType: "image/png"},
		resource(sdk.ResourceContents{MIMEType: "image/png", Blob: picture}))
	server.AddResourceTemplate(&sdk.ResourceTemplate{Name: "template", URITemplate: "test://template/{id}/data", MIMEType: "application/json"},
		resource(sdk.ResourceContents{MIMEType: "application/json", Text: `{"id": "{id}", "templateTest": true, "data": "Data for ID: {id}"}`}))
}

func addPrompts(server *sdk.Server) {
	add := func(name string, arguments []string, answer func(args map[string]string) []sdk.Content) {
		prompt := &sdk.Prompt{Name: name, Description: "of the conformance suite"}
		for _, a := range arguments {
			prompt.Arguments = append(prompt.Arguments, &sdk.PromptArgument{Name: a, Description: a, Required: true})
		}
		server.AddPrompt(prompt, func(_ context.Context, r *sdk.GetPromptRequest) (*sdk.GetPromptResult, error) {
			res := &sdk.GetPromptResult{}
			for _, content := range answer(r.Params.Arguments) {
				res.Messages = append(res.Messages, &sdk.PromptMessage{Role: "user", Content: content})
			}
			return res, nil
		})
	}
	add("test_simple_prompt", nil, func(map[string]string) []sdk.Content {
		return []sdk.Content{&sdk.TextContent{Text: "This is a simple prompt for testing."}}
	})
	add("test_prompt_with_arguments", []string{"arg1", "arg2"}, func(args map[string]string) []sdk.Content {
		return []sdk.Content{&sdk.TextContent{Text: fmt.Sprintf("Prompt with arguments: arg1='%s', arg2='%s'", args["arg1"], args["arg2"])}}
	})
	add("test_prompt_with_embedded_resource", []string{"resourceUri"}, func(args map[string]string) []sdk.Content {
		return []sdk.Content{embedded(args["resourceUri"]), &sdk.TextContent{Text: "Please process the embedded resource above."}}
	})
	add("test_prompt_with_image", nil, func(map[string]string) []sdk.Content {
		return []sdk.Content{image, &sdk.TextContent{Text: "Please analyze the image above."}}
	})
}
