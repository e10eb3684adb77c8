package a2a

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"

	"github.com/a2aproject/a2a-go/a2a"
	"github.com/a2aproject/a2a-go/a2asrv"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/door/turn"
	"github.com/nestorhq/nestor/internal/httpapi"
	"github.com/nestorhq/nestor/internal/sse"
)

// call is what this package reads of a request before the SDK does.
type call struct {
	JSONRPC string          `json:"jsonrpc"`
	Method  string          `json:"method"`
	ID      json.RawMessage `json:"id"`
	Params  json.RawMessage `json:"params"`
}

// paramsOf are what the methods of the protocol take.
var paramsOf = map[string]func() any{
	"message/send":                        func() any { return new(a2a.MessageSendParams) },
	"message/stream":                      func() any { return new(a2a.MessageSendParams) },
	"tasks/get":                           func() any { return new(a2a.TaskQueryParams) },
	"tasks/cancel":                        func() any { return new(a2a.TaskIDParams) },
	"tasks/resubscribe":                   func() any { return new(a2a.TaskIDParams) },
	"tasks/pushNotificationConfig/set":    func() any { return new(a2a.TaskPushConfig) },
	"tasks/pushNotificationConfig/get":    func() any { return new(a2a.GetTaskPushConfigParams) },
	"tasks/pushNotificationConfig/list":   func() any { return new(a2a.ListTaskPushConfigParams) },
	"tasks/pushNotificationConfig/delete": func() any { return new(a2a.DeleteTaskPushConfigParams) },
}

// understand reads a request. Its error is in words for clients: the SDK would name its
// types to them. What the call says is there with an error, too, as far as it makes sense.
func understand(body []byte) (called call, err error) {
	if err := turn.Decode(body, &called, "the request body"); err != nil {
		return called, err
	}
	if len(called.ID) > 0 && json.Unmarshal(called.ID, new(any)) != nil {
		called.ID = nil
		return called, nestor.Errorf(nestor.CodeInvalid, "id must be a string or a number of 64 bits")
	}
	if params := paramsOf[called.Method]; params != nil && len(called.Params) > 0 {
		return called, turn.Decode(called.Params, params(), "params")
	}
	return called, nil
}

// answer answers a call of the protocol.
func (d *Door) answer(r *httpapi.Request, w http.ResponseWriter) error {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return err
	}
	called, err := understand(body)
	if err != nil {
		w.Header().Set("Content-Type", "application/json")
		return json.NewEncoder(w).Encode(map[string]any{"jsonrpc": "2.0", "id": called.ID, "error": map[string]any{
			"code": parseError, "message": a2a.ErrParseError.Error(), "data": map[string]any{"error": err.Error()},
		}})
	}
	r.Request.Body = io.NopCloser(bytes.NewReader(body))
	rpc := a2asrv.NewJSONRPCHandler(&handler{door: d, r: r})
	if called.Method == "message/stream" || called.Method == "tasks/resubscribe" {
		ctx, out, done, err := r.OpenStream(w)
		if err != nil {
			return err
		}
		defer done()
		defer out.Close()
		rpc.ServeHTTP(&stream{w, out}, r.Request.WithContext(ctx))
		return nil
	}
	if called.Method == "message/send" { // it may wait for the end of a run
		done, err := r.Hold()
		if err != nil {
			return err
		}
		defer done()
	}
	ctx, stop := r.Watch()
	defer stop()
	w.Header().Set("Content-Type", "application/json")
	answered := &watched{ResponseWriter: w}
	rpc.ServeHTTP(answered, r.Request.WithContext(ctx))
	if !answered.wrote {
		// The SDK leaves out an answer that has no result; clients wait for one.
		return json.NewEncoder(w).Encode(map[string]any{"jsonrpc": "2.0", "id": called.ID, "result": nil})
	}
	return nil
}

// stream has the SDK write events to a client that may be slow.
type stream struct {
	http.ResponseWriter
	out *sse.Writer
}

func (s *stream) Write(p []byte) (int, error) {
	s.out.Put(string(p))
	return len(p), nil
}

// Flush implements [http.Flusher]. An error is that of all later writes; the client is
// gone then, which ends the context of the stream.
func (s *stream) Flush() { _ = s.out.Flush() }

// watched knows whether something was written.
type watched struct {
	http.ResponseWriter
	wrote bool
}

func (w *watched) Write(p []byte) (int, error) {
	w.wrote = true
	return w.ResponseWriter.Write(p)
}
