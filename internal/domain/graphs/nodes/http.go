package nodes

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/domain/graphs/engine"
	"github.com/nestorhq/nestor/internal/domain/graphs/graph"
	"github.com/nestorhq/nestor/internal/netguard"
	"github.com/nestorhq/nestor/internal/tool"
	"github.com/nestorhq/nestor/internal/usersecret"
)

// maxBody is how much of an answer is read. As JSON text it can be longer.
const maxBody = 64 << 10

// httpRequest calls a service. Its effect follows from the method unless the node
// says otherwise.
func httpRequest(opts Options) engine.NodeType {
	// A connection of its own for each request: over one that was used before Go's
	// client may send a request twice.
	client := netguard.Client(netguard.Options{AllowPrivate: opts.AllowPrivate, Single: true})
	return engine.NodeType{
		Type: graph.Type{
			ID: "http-request", Effect: tool.Once, EffectOf: effectOf, Check: checkRequest,
			Description: "Sends an HTTP request. A status of 400 or more is a failure. A request that changes something is never repeated by itself after it was interrupted.",
			Inputs:      []graph.Port{run, {ID: "url", Type: graph.String, Required: true}, {ID: "body", Type: graph.JSON}},
			Outputs:     []graph.Port{done, {ID: "status", Type: graph.Number}, {ID: "body", Type: graph.String}, {ID: "json", Type: graph.JSON}},
			Parameters: schema(`"url":{"type":"string"},"method":{"type":"string","enum":["GET","HEAD","POST","PUT","PATCH","DELETE"]},"body":{},` +
				`"headers":{"type":"object","additionalProperties":{"type":"string","maxLength":4000},"maxProperties":50},` +
				`"effect":{"type":"string","enum":["pure","idempotent","once"],"description":"What a request does to the world. By default GET and HEAD are pure, PUT and DELETE idempotent, others once."}`),
		},
		Run: func(ctx context.Context, c *engine.Call) (engine.Outputs, error) { return send(ctx, client, c) },
	}
}

func methodOf(parameters map[string]any) string {
	if m := text(parameters, "method"); m != "" {
		return m
	}
	return http.MethodGet
}

func effectOf(parameters map[string]any) tool.Effect {
	if said := tool.Effect(text(parameters, "effect")); said != "" {
		return said
	}
	switch methodOf(parameters) {
	case http.MethodGet, http.MethodHead:
		return tool.Pure
	case http.MethodPut, http.MethodDelete:
		return tool.Idempotent
	}
	return tool.Once
}

// onlySecret is what a secret header may be: a secret of the user, after a word such as
// Bearer or the name of a cookie.
var onlySecret = regexp.MustCompile(`^([A-Za-z0-9_.-]+[ =])?\{\{secret:[A-Za-z_][A-Za-z0-9_]{0,99}\}\}$`)

// secretHeaders carry what nobody but the service may see.
var secretHeaders = []string{"Authorization", "Proxy-Authorization", "Cookie", "X-Api-Key", "Api-Key", "X-Auth-Token"}

// checkRequest refuses secrets: a graph is read by all who may see it, is exported,
// and is recorded with each of its executions.
func checkRequest(parameters map[string]any) error {
	headers, _ := parameters["headers"].(map[string]any)
	for name, value := range headers {
		said, _ := value.(string)
		if slices.Contains(secretHeaders, http.CanonicalHeaderKey(name)) && !onlySecret.MatchString(said) {
			return nestor.Errorf(nestor.CodeInvalid, "the header %s is secret, and a graph can be read by others: give a secret a name and write {{secret:NAME}}, after a word such as Bearer", name)
		}
		if name == "" || strings.ContainsAny(name, " :\r\n") || strings.ContainsAny(said, "\r\n") {
			return nestor.Errorf(nestor.CodeInvalid, "%q cannot be a header", name)
		}
	}
	at := text(parameters, "url")
	if at == "" && len(secretsOf(parameters)) > 0 {
		return nestor.Errorf(nestor.CodeInvalid, "the request has a secret, so the url must be a parameter of the node: what comes to an input must not decide who gets the secret")
	}
	if at == "" {
		return nil
	}
	if before, _, _ := strings.Cut(at, "?"); len(usersecret.Names(before)) > 0 {
		return nestor.Errorf(nestor.CodeInvalid, "in a url a secret stands in the query, after the question mark: it must not decide which service is called")
	}
	return checkURL(at)
}

func checkURL(at string) error {
	u, err := url.Parse(at)
	switch {
	case err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https":
		return nestor.Errorf(nestor.CodeInvalid, "the url is not one that begins with http:// or https://")
	case u.User != nil:
		return nestor.Errorf(nestor.CodeInvalid, "the url must not hold a name or password")
	}
	return nil
}

func send(ctx context.Context, client *http.Client, c *engine.Call) (engine.Outputs, error) {
	var at string
	if err := read(c, "url", &at); err != nil {
		return nil, err
	}
	if err := checkURL(at); err != nil {
		return nil, err
	}
	secrets, err := reveal(ctx, c)
	if err != nil {
		return nil, err
	}
	body := bodyOf(c)
	if !c.Connected("body") {
		body = secrets.body(body)
	}
	var sent atomic.Bool
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{WroteHeaders: func() { sent.Store(true) }})
	req, err := http.NewRequestWithContext(ctx, methodOf(c.Node.Parameters), secrets.url(at), strings.NewReader(body))
	if err != nil {
		return nil, nestor.Errorf(nestor.CodeInvalid, "the request cannot be made: %v", err)
	}
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	req.Header.Set("Idempotency-Key", c.Key)
	headers, _ := c.Node.Parameters["headers"].(map[string]any)
	for name, value := range headers {
		said, _ := value.(string)
		req.Header.Set(name, usersecret.Fill(said, secrets))
	}
	status, answer, err := exchange(client, req, maxBody)
	if err != nil {
		if sent.Load() && effectOf(c.Node.Parameters) == tool.Once {
			return nil, engine.Interrupted{Err: err}
		}
		return nil, err
	}
	if status >= 400 {
		err := nestor.Errorf(codeOf(status), "the service answered with status %d: %.500s", status, c.Hide(string(answer)))
		if fromGateway(status) && effectOf(c.Node.Parameters) == tool.Once {
			return nil, engine.Interrupted{Err: err}
		}
		return nil, err
	}
	out := engine.Outputs{"done": true, "status": status, "body": strings.ToValidUTF8(string(answer), "\uFFFD")}
	if json.Valid(answer) {
		out["json"] = json.RawMessage(answer)
	}
	return out, nil
}

// bodyOf is what is sent: a text as it is, anything else as JSON.
func bodyOf(c *engine.Call) string {
	if c.Inputs["body"] == nil {
		return ""
	}
	return words(c.Inputs["body"])
}

// exchange sends a request and reads the whole answer.
func exchange(client *http.Client, req *http.Request, most int) (int, []byte, error) {
	res, err := client.Do(req)
	if err != nil {
		return 0, nil, nestor.Errorf(netguard.Code(err), "the request failed: %w", err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(io.LimitReader(res.Body, int64(most)+1))
	switch {
	case err != nil:
		return 0, nil, nestor.Errorf(netguard.Code(err), "the answer broke off: %w", err)
	case len(body) > most:
		return 0, nil, nestor.Errorf(nestor.CodeTooLarge, "the answer has more than %d bytes", most)
	}
	return res.StatusCode, body, nil
}

// codeOf says whether another try may succeed.
func codeOf(status int) nestor.Code {
	switch {
	case status == http.StatusTooManyRequests:
		return nestor.CodeRateLimited
	case status >= 500:
		return nestor.CodeUnavailable
	}
	return nestor.CodeInvalid
}
