package nodes

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptrace"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/netguard"
	"github.com/nestorhq/nestor/internal/node"
	"github.com/nestorhq/nestor/internal/tool"
	"github.com/nestorhq/nestor/internal/tool/secret"
)

// Service describes a service, in whatever language, as a type of nodes: each turn of a
// node is a signed request to it, and its answer is what the node puts out.
type Service struct {
	Comment     string `json:"$comment,omitempty"`
	ID          string `json:"id"`
	Description string `json:"description,omitempty"`
	// URL and Headers may have variables of the environment, as ${NAME}.
	URL     string            `json:"url"`
	Headers map[string]string `json:"headers,omitempty"`
	// Secret signs requests by the Standard Webhooks convention. It may be ${NAME}.
	// Defaults to no signature.
	Secret string `json:"secret,omitempty"`
	// Effect defaults to once, the careful choice.
	Effect tool.Effect `json:"effect,omitempty"`
	// Timeout bounds one request. Defaults to 30 seconds.
	Timeout nestor.Duration `json:"timeout,omitempty"`
	// AllowPrivate permits an address that is not on the public internet.
	AllowPrivate bool        `json:"allowPrivate,omitempty"`
	Inputs       []node.Port `json:"inputs,omitempty"`
	Outputs      []node.Port `json:"outputs,omitempty"`
	// Parameters is a JSON Schema. Defaults to no parameters but the inputs.
	Parameters json.RawMessage `json:"parameters,omitempty"`
}

const (
	defaultServiceTimeout = 30 * time.Second
	maxServiceTimeout     = 10 * time.Minute
	// maxAnswer is how much of an answer of a service is read.
	maxAnswer = 512 << 10
)

// service calls one service.
type service struct {
	Service
	client *http.Client
	url    string
	header http.Header
	signer *standardwebhooks.Webhook
	// missing says which environment variables are not set.
	missing error
	mask    *secret.Mask
}

// Type makes the type. A variable of the environment that is not set is no error here:
// the nodes say which one they need.
func (s Service) Type(env secret.Env, allowPrivate bool) (*node.Type, error) {
	if s.Effect == "" {
		s.Effect = tool.Once
	}
	if s.Timeout == 0 {
		s.Timeout = nestor.Duration(defaultServiceTimeout)
	}
	if time.Duration(s.Timeout) > maxServiceTimeout {
		return nil, nestor.Errorf(nestor.CodeInvalid, "the timeout is longer than %s", maxServiceTimeout)
	}
	if s.URL == "" {
		return nil, nestor.Errorf(nestor.CodeInvalid, "the url is missing")
	}
	expander := &secret.Expander{Env: env}
	made := &service{Service: s, url: expander.ExpandURL(s.URL), header: http.Header{}}
	for name, value := range s.Headers {
		if slices.Contains(ownHeaders, http.CanonicalHeaderKey(name)) {
			return nil, nestor.Errorf(nestor.CodeInvalid, "the header %s is set by the request itself", name)
		}
		made.header.Set(name, expander.Expand(value))
	}
	key := expander.Expand(s.Secret)
	made.missing, made.mask = expander.Err(), expander.Mask()
	if made.missing == nil {
		if err := checkURL(made.url); err != nil {
			return nil, err
		}
		if key != "" {
			var err error
			if made.signer, err = standardwebhooks.NewWebhook(key); err != nil {
				return nil, nestor.Errorf(nestor.CodeInvalid, "the secret is not whsec_ and base64, as Standard Webhooks wants it")
			}
		}
	}
	// A connection of its own for each request: over one that was used before Go's
	// client may send a request twice.
	made.client = netguard.Client(netguard.Options{
		AllowPrivate: s.AllowPrivate || allowPrivate, Timeout: -1, Single: true, Permit: `set "allowPrivate": true for this node type`,
	})
	return &node.Type{
		ID: s.ID, Description: s.Description, Effect: s.Effect, Inputs: s.Inputs, Outputs: s.Outputs, Parameters: s.Parameters, Run: made.run,
	}, nil
}

// ownHeaders are set by the request.
var ownHeaders = []string{"Webhook-Id", "Webhook-Timestamp", "Webhook-Signature", "Content-Type", "Content-Length", "Host", "Idempotency-Key"}

// serviceRequest is what a service is sent.
type serviceRequest struct {
	NodeType       string                     `json:"nodeType"`
	NodeID         string                     `json:"nodeId"`
	ExecutionID    string                     `json:"executionId"`
	Resolution     int                        `json:"resolution"`
	UserID         string                     `json:"userId"`
	IdempotencyKey string                     `json:"idempotencyKey"`
	Inputs         map[string]json.RawMessage `json:"inputs"`
	Parameters     map[string]any             `json:"parameters"`
}

// serviceAnswer is what it answers with: outputs by port, or an error.
type serviceAnswer struct {
	Outputs map[string]json.RawMessage `json:"outputs"`
	Error   *serviceError              `json:"error"`
}

type serviceError struct {
	Code    nestor.Code `json:"code"`
	Message string      `json:"message"`
}

func (s *service) run(ctx context.Context, call *node.Call) (map[string]any, error) {
	if s.missing != nil {
		return nil, nestor.Errorf(nestor.CodeInvalid, "%s", s.missing)
	}
	timeout := time.Duration(s.Timeout)
	ctx, cancel := context.WithTimeoutCause(ctx, timeout, nestor.Errorf(nestor.CodeTimeout, "there was no answer in %s", timeout))
	defer cancel()
	var sent atomic.Bool
	req, err := s.request(httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{WroteHeaders: func() { sent.Store(true) }}), call)
	if err != nil {
		return nil, err
	}
	status, body, err := exchange(s.client, req, maxAnswer)
	lost := err != nil && sent.Load() || err == nil && fromGateway(status)
	if err != nil && ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	var out map[string]any
	if err == nil {
		out, err = s.understand(status, []byte(strings.ToValidUTF8(s.mask.Hide(string(body)), "\uFFFD")))
	}
	if err = s.mask.HideError(err); err != nil && lost && s.Effect == tool.Once {
		err = node.Interrupted{Err: err}
	}
	return out, err
}

func (s *service) request(ctx context.Context, call *node.Call) (*http.Request, error) {
	asked := serviceRequest{
		NodeType: s.ID, NodeID: call.NodeID, ExecutionID: call.ExecutionID, Resolution: call.Resolution, UserID: call.UserID, IdempotencyKey: call.IdempotencyKey,
		Inputs: call.Inputs, Parameters: call.Parameters,
	}
	if asked.Inputs == nil {
		asked.Inputs = map[string]json.RawMessage{}
	}
	if asked.Parameters == nil {
		asked.Parameters = map[string]any{}
	}
	body, err := json.Marshal(asked)
	if err != nil {
		return nil, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.url, bytes.NewReader(body))
	if err != nil {
		return nil, nestor.Errorf(nestor.CodeInvalid, "the request cannot be made")
	}
	req.Header = s.header.Clone()
	now := time.Now()
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Idempotency-Key", call.IdempotencyKey)
	req.Header.Set(standardwebhooks.HeaderWebhookID, call.IdempotencyKey)
	req.Header.Set(standardwebhooks.HeaderWebhookTimestamp, strconv.FormatInt(now.Unix(), 10))
	if s.signer != nil {
		signature, err := s.signer.Sign(call.IdempotencyKey, now, body)
		if err != nil {
			return nil, err
		}
		req.Header.Set(standardwebhooks.HeaderWebhookSignature, signature)
	}
	return req, nil
}

// codesOfServices are the codes with which a service can say what went wrong. Whether
// another try makes sense follows from them.
var codesOfServices = []nestor.Code{
	nestor.CodeInvalid, nestor.CodeForbidden, nestor.CodeNotFound, nestor.CodeConflict, nestor.CodeTooLarge, nestor.CodeRateLimited, nestor.CodeTimeout, nestor.CodeUnavailable,
}

// understand makes outputs of an answer, or an error.
func (s *service) understand(status int, body []byte) (map[string]any, error) {
	var answer serviceAnswer
	err := json.Unmarshal(body, &answer)
	switch {
	case err == nil && answer.Error != nil:
		code := codeOf(status)
		if slices.Contains(codesOfServices, answer.Error.Code) {
			code = answer.Error.Code
		}
		return nil, nestor.Errorf(code, "the service says: %.2000s", answer.Error.Message)
	case status < 200 || status > 299:
		return nil, nestor.Errorf(codeOf(status), "the service answered with status %d: %.500s", status, body)
	case err != nil:
		return nil, nestor.Errorf(nestor.CodeInvalid, "the answer of the service is not {\"outputs\": {…}} or {\"error\": {…}}: %v", err)
	}
	out := map[string]any{}
	for port, value := range answer.Outputs {
		i := slices.IndexFunc(s.Outputs, func(p node.Port) bool { return p.ID == port })
		if i >= 0 && s.Outputs[i].Type == node.Signal && string(value) != "true" {
			continue
		}
		out[port] = value
	}
	return out, nil
}

// fromGateway reports whether an answer is not that of the service but of somebody on the
// way, who does not know what the service did.
func fromGateway(status int) bool {
	return status == http.StatusBadGateway || status == http.StatusGatewayTimeout
}
