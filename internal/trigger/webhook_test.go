package trigger_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"reflect"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/trigger"
)

const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"

// received is a request as the receiver saw it.
type received struct {
	header http.Header
	body   []byte
	uri    string
}

// receiver answers with handle after noting the request.
func receiver(t *testing.T, handle http.HandlerFunc) (*httptest.Server, func() []received) {
	t.Helper()
	var mu sync.Mutex
	var got []received
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		mu.Lock()
		got = append(got, received{r.Header.Clone(), body, r.Method + " " + r.URL.RequestURI()})
		mu.Unlock()
		handle(w, r)
	}))
	t.Cleanup(server.Close)
	return server, func() []received {
		mu.Lock()
		defer mu.Unlock()
		return got
	}
}

// hook makes a webhook for one trigger and a job of it.
func hook(t *testing.T, tr nestor.Trigger, o trigger.WebhookOptions) (*trigger.Webhook, nestor.Job) {
	t.Helper()
	tr.ID, tr.Collection = "notify", "users/*/notes"
	set := newSet(t, tr)
	w := trigger.NewWebhook(set, o)
	t.Cleanup(w.Close)
	jobs := set.Plan(event("users/u1/notes/n1", `{"status":"open"}`, `{"status":"closed"}`))
	if len(jobs) != 1 {
		t.Fatalf("%d jobs", len(jobs))
	}
	return w, jobs[0]
}

func TestADeliveryIsSignedAndComplete(t *testing.T) {
	server, got := receiver(t, func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(http.StatusNoContent) })
	var asked []string
	w, job := hook(t, nestor.Trigger{
		Action: "POST " + server.URL + "/hook?x=1", Secret: secret, IncludeBefore: true,
		Headers: map[string]string{"Authorization": "Bearer hunter2", "X-Team": "blue"},
	}, trigger.WebhookOptions{
		AllowPrivate: true,
		Token: func(_ context.Context, user string, c *nestor.Change) (string, error) {
			asked = append(asked, user+" "+string(c.Path))
			return "tok-1", nil
		},
	})
	for range 2 { // a redelivery
		if err := w.Deliver(t.Context(), &job); err != nil {
			t.Fatal(err)
		}
	}
	verifier, err := standardwebhooks.NewWebhook(secret)
	if err != nil {
		t.Fatal(err)
	}
	requests := got()
	if len(requests) != 2 {
		t.Fatalf("%d requests", len(requests))
	}
	const want = `{"triggerId":"notify","event":"update","path":"users/u1/notes/n1","collection":"users/u1/notes","documentId":"n1","seq":107,` +
		`"before":{"id":"n1","status":"open","version":6,"seq":106,"createdSeq":0,"createdAt":1700000000000,"updatedAt":1700000000006},` +
		`"after":{"id":"n1","status":"closed","version":7,"seq":107,"createdSeq":0,"createdAt":1700000000000,"updatedAt":1700000000007},` +
		`"ts":1700000000500,"token":"tok-1"}`
	for _, r := range requests {
		if string(r.body) != want {
			t.Errorf("got  %s\nwant %s", r.body, want)
		}
		if err := verifier.Verify(r.body, r.header); err != nil {
			t.Error(err)
		}
		if err := verifier.Verify(append(r.body, ' '), r.header); err == nil {
			t.Error("the signature does not depend on the body")
		}
		for _, name := range []string{"webhook-id", "webhook-timestamp"} { // what a receiver tells a replay by
			forged := r.header.Clone()
			forged.Set(name, "1"+forged.Get(name)[1:len(forged.Get(name))-1]+"0")
			if forged.Get(name) != r.header.Get(name) && verifier.Verify(r.body, forged) == nil {
				t.Errorf("the signature does not depend on %s", name)
			}
		}
		if r.uri != "POST /hook?x=1" || r.header.Get("Content-Type") != "application/json" ||
			r.header.Get("Authorization") != "Bearer hunter2" || r.header.Get("X-Team") != "blue" || r.header.Get("User-Agent") != "nestor" {
			t.Errorf("%s with %v", r.uri, r.header)
		}
		if id := r.header.Get("webhook-id"); id != job.ID || id == "" {
			t.Errorf("webhook-id is %q, the job is %q", id, job.ID)
		}
	}
	if want := []string{"u1 users/u1/notes/n1", "u1 users/u1/notes/n1"}; !reflect.DeepEqual(asked, want) {
		t.Errorf("tokens were asked for %v", asked)
	}
}

func TestADeliveryWithoutSecretIsUnsigned(t *testing.T) {
	server, got := receiver(t, func(w http.ResponseWriter, r *http.Request) {})
	w, job := hook(t, nestor.Trigger{Action: server.URL}, trigger.WebhookOptions{AllowPrivate: true})
	if err := w.Deliver(t.Context(), &job); err != nil {
		t.Fatal(err)
	}
	r := got()[0]
	if r.header.Get("webhook-id") != job.ID || r.header.Get("webhook-timestamp") == "" || r.header.Get("webhook-signature") != "" {
		t.Errorf("the headers are %v", r.header)
	}
	var body map[string]any
	if err := json.Unmarshal(r.body, &body); err != nil {
		t.Fatal(err)
	}
	before, ok := body["before"]
	if _, token := body["token"]; !ok || before != nil || token {
		t.Errorf("the body is %s", r.body)
	}
}

func TestAnAnswerDecidesWhetherToTryAgain(t *testing.T) {
	for name, test := range map[string]struct {
		status     int
		retryAfter string
		code       nestor.Code // "" for done
		waitMS     int64
	}{
		"200 is done":        {200, "", "", 0},
		"202 is done":        {202, "", "", 0},
		"204 is done":        {204, "", "", 0},
		"301 is final":       {301, "", nestor.CodeInvalid, 0},
		"304 is final":       {304, "", nestor.CodeInvalid, 0},
		"400 is final":       {400, "", nestor.CodeInvalid, 0},
		"401 is final":       {401, "", nestor.CodeInvalid, 0},
		"404 is tried again": {404, "", nestor.CodeUnavailable, 0},
		"425 is tried again": {425, "", nestor.CodeUnavailable, 0},
		"410 is final":       {410, "", nestor.CodeInvalid, 0},
		"408 is tried again": {408, "", nestor.CodeUnavailable, 0},
		"429 is tried again": {429, "", nestor.CodeRateLimited, 0},
		"429 is tried again after the time asked":   {429, "7", nestor.CodeRateLimited, 7000},
		"500 is tried again":                        {500, "7", nestor.CodeUnavailable, 0},
		"503 is tried again after the time asked":   {503, "120", nestor.CodeUnavailable, 120_000},
		"a time that is no time is passed over":     {503, "soon", nestor.CodeUnavailable, 0},
		"a date in the past is passed over":         {503, "Mon, 02 Jan 2006 15:04:05 GMT", nestor.CodeUnavailable, 0},
		"a time below zero is passed over":          {503, "-5", nestor.CodeUnavailable, 0},
		"nobody can ask for more than a day":        {503, "9223372036854775807", nestor.CodeUnavailable, 86_400_000},
		"nor by a date":                             {503, "Mon, 02 Jan 2406 15:04:05 GMT", nestor.CodeUnavailable, 86_400_000},
		"a status that nobody knows is tried again": {599, "", nestor.CodeUnavailable, 0},
	} {
		t.Run(name, func(t *testing.T) {
			server, got := receiver(t, func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path != "/hook" {
					t.Errorf("followed to %s", r.URL)
				}
				w.Header().Set("Location", "/elsewhere")
				if test.retryAfter != "" {
					w.Header().Set("Retry-After", test.retryAfter)
				}
				w.WriteHeader(test.status)
				if test.status >= 200 && test.status != 204 && test.status != 304 {
					io.WriteString(w, "because\n\tof \x00 this")
				}
			})
			w, job := hook(t, nestor.Trigger{Action: server.URL + "/hook"}, trigger.WebhookOptions{AllowPrivate: true})
			err := w.Deliver(t.Context(), &job)
			if code := nestor.CodeOf(err); code != test.code {
				t.Fatalf("the code is %q: %v", code, err)
			}
			if len(got()) != 1 {
				t.Errorf("%d requests", len(got()))
			}
			if err == nil {
				return
			}
			var failure *nestor.Error
			errors.As(err, &failure)
			wait, _ := nestor.WaitOf(err)
			if wait.Milliseconds() != test.waitMS || failure.Details["status"] != test.status {
				t.Errorf("the details are %v", failure.Details)
			}
			if test.status != 304 && !strings.HasSuffix(err.Error(), ": because of this") {
				t.Errorf("the message is %q", err)
			}
		})
	}
}

func TestARedirectIsNotFollowed(t *testing.T) {
	other, visits := receiver(t, func(w http.ResponseWriter, r *http.Request) {})
	server, _ := receiver(t, func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, other.URL+"/stolen", http.StatusTemporaryRedirect)
	})
	w, job := hook(t, nestor.Trigger{Action: server.URL}, trigger.WebhookOptions{AllowPrivate: true})
	err := w.Deliver(t.Context(), &job)
	if nestor.CodeOf(err) != nestor.CodeInvalid || !strings.Contains(err.Error(), "status 307 (redirects are not followed)") {
		t.Errorf("the error is %v", err)
	}
	if n := len(visits()); n != 0 {
		t.Errorf("the other server had %d visits", n)
	}
}

func TestAReceiverThatDoesNotAnswerIsTriedAgain(t *testing.T) {
	release := make(chan struct{})
	server, _ := receiver(t, func(w http.ResponseWriter, r *http.Request) { <-release })
	defer close(release)
	w, job := hook(t, nestor.Trigger{Action: server.URL, Timeout: nestor.Duration(100 * time.Millisecond)},
		trigger.WebhookOptions{AllowPrivate: true})
	err := w.Deliver(t.Context(), &job)
	if nestor.CodeOf(err) != nestor.CodeTimeout || !strings.Contains(err.Error(), "there was no answer in 100ms") {
		t.Errorf("the error is %v", err)
	}
}

func TestAReceiverThatIsGoneIsTriedAgain(t *testing.T) {
	server := httptest.NewServer(nil)
	address := server.URL
	server.Close()
	w, job := hook(t, nestor.Trigger{Action: address + "/path-with-secret"}, trigger.WebhookOptions{AllowPrivate: true})
	err := w.Deliver(t.Context(), &job)
	if nestor.CodeOf(err) != nestor.CodeUnavailable || strings.Contains(err.Error(), "path-with-secret") {
		t.Errorf("the error is %v", err)
	}
}

func TestAStoppedDeliveryKeepsItsCause(t *testing.T) {
	entered := make(chan struct{})
	server, _ := receiver(t, func(w http.ResponseWriter, r *http.Request) {
		close(entered)
		<-r.Context().Done()
	})
	w, job := hook(t, nestor.Trigger{Action: server.URL}, trigger.WebhookOptions{AllowPrivate: true})
	ctx, cancel := context.WithCancelCause(t.Context())
	go func() {
		<-entered
		cancel(nestor.Errorf(nestor.CodeLeaseLost, "the lease is gone"))
	}()
	err := w.Deliver(ctx, &job)
	if !errors.Is(err, nestor.ErrLeaseLost) {
		t.Errorf("the error is %v", err)
	}
}

func TestPrivateTargetsAreRefused(t *testing.T) {
	server, got := receiver(t, func(w http.ResponseWriter, r *http.Request) {})
	u, err := url.Parse(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	for name, host := range map[string]string{
		"a loopback address":       "127.0.0.1",
		"a name for loopback":      "localhost",
		"an address in disguise":   "[::ffff:127.0.0.1]",
		"a link-local address":     "169.254.169.254",
		"an address of the office": "10.0.0.1",
	} {
		t.Run(name, func(t *testing.T) {
			w, job := hook(t, nestor.Trigger{Action: "http://" + host + ":" + u.Port()}, trigger.WebhookOptions{})
			if err := w.Deliver(t.Context(), &job); nestor.CodeOf(err) != nestor.CodeForbidden {
				t.Errorf("the error is %v", err)
			}
		})
	}
	if n := len(got()); n != 0 {
		t.Errorf("%d requests arrived", n)
	}
}

func TestAnErrorNeverShowsASecret(t *testing.T) {
	for name, handle := range map[string]http.HandlerFunc{
		"when the receiver echoes the headers": func(w http.ResponseWriter, r *http.Request) {
			http.Error(w, "bad token "+r.Header.Get("Authorization")+" / "+strings.Fields(r.Header.Get("Authorization"))[1], http.StatusUnauthorized)
		},
		"when the receiver echoes the body": func(w http.ResponseWriter, r *http.Request) {
			http.Error(w, `{"error":"cannot use token tok-hunter2"}`, 400)
		},
		"when the receiver knows the secret": func(w http.ResponseWriter, r *http.Request) {
			http.Error(w, "signature mismatch for "+secret+" and "+strings.TrimPrefix(secret, "whsec_"), 400)
		},
		"when the connection breaks": func(w http.ResponseWriter, r *http.Request) { panic(http.ErrAbortHandler) },
	} {
		t.Run(name, func(t *testing.T) {
			server, _ := receiver(t, handle)
			w, job := hook(t, nestor.Trigger{
				Action: server.URL + "/hook?key=hunter2", Secret: secret, Headers: map[string]string{"Authorization": "Bearer hunter2"},
			}, trigger.WebhookOptions{AllowPrivate: true, Token: func(context.Context, string, *nestor.Change) (string, error) { return "tok-hunter2", nil }})
			err := w.Deliver(t.Context(), &job)
			if err == nil {
				t.Fatal("it was delivered")
			}
			for e := err; e != nil; e = errors.Unwrap(e) {
				if strings.Contains(e.Error(), "hunter2") || strings.Contains(e.Error(), secret[len("whsec_"):]) {
					t.Errorf("it shows a secret: %v", e)
				}
			}
		})
	}
}

func TestALongAnswerIsCutShort(t *testing.T) {
	server, _ := receiver(t, func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(400)
		for range 10_000 {
			if _, err := io.WriteString(w, "äöü "+strings.Repeat("x", 1000)); err != nil {
				return
			}
		}
	})
	w, job := hook(t, nestor.Trigger{Action: server.URL}, trigger.WebhookOptions{AllowPrivate: true})
	err := w.Deliver(t.Context(), &job)
	if nestor.CodeOf(err) != nestor.CodeInvalid || len(err.Error()) > 300 || !strings.Contains(err.Error(), ": äöü xxx") {
		t.Errorf("the error is %v", err)
	}
}

func TestATriggerThatIsGoneIsNotTriedAgain(t *testing.T) {
	w, job := hook(t, nestor.Trigger{Action: "https://example.com/"}, trigger.WebhookOptions{})
	job.Trigger = "gone"
	if err := w.Deliver(t.Context(), &job); nestor.CodeOf(err) != nestor.CodeNotFound {
		t.Errorf("the error is %v", err)
	}
}

func TestDeliveriesToOneHostAreLimited(t *testing.T) {
	const limit, all = 3, 12
	var inside, most atomic.Int64
	arrived, release := make(chan struct{}), make(chan struct{})
	server, got := receiver(t, func(w http.ResponseWriter, r *http.Request) {
		if n := inside.Add(1); n > most.Load() {
			most.Store(n)
		}
		arrived <- struct{}{}
		<-release
		inside.Add(-1)
	})
	w, job := hook(t, nestor.Trigger{Action: server.URL}, trigger.WebhookOptions{AllowPrivate: true, PerHost: limit})
	var deliveries sync.WaitGroup
	for range all {
		deliveries.Go(func() {
			if err := w.Deliver(t.Context(), &job); err != nil {
				t.Error(err)
			}
		})
	}
	for range limit {
		<-arrived
	}
	for range all - limit { // one leaves, one comes
		release <- struct{}{}
		<-arrived
	}
	for range limit {
		release <- struct{}{}
	}
	deliveries.Wait()
	if most.Load() > limit || len(got()) != all {
		t.Errorf("at most %d at a time, %d in all", most.Load(), len(got()))
	}
}
