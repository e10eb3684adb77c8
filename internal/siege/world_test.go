package siege

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/servertest"
)

const (
	// hung is when a request is taken for one that is never answered, and restLimit
	// when jobs are. Both are far beyond what a busy machine takes.
	hung      = time.Minute
	restLimit = 2 * time.Minute
)

// privateTitle is that of a text document that each of them has.
const privateTitle = "Plan"

// ghost is a member of the account who never does anything: whoever it is said to
// have written, asked for, decided or used has been forged.
const ghost = "ghost"

// person is somebody with a credential.
type person struct {
	name, user, bearer string
	// narrow: the credential reaches the chat of this letter, and nothing else.
	narrow string
	// asks are the chats in which the person may have work done, by their letters.
	// Work in a chat can put into it whatever who asked for it may read, so each
	// is left to people who share what is theirs on purpose.
	asks string
}

// world is a server with people in it, who are there for all sequences.
type world struct {
	testing.TB
	*besieged
	outside  *outside
	client   *http.Client
	people   map[string]*person
	canaries *canaries
	files    map[string]string // the id of the private file of each user
	round    int               // counts sequences
	statuses map[int]int       // how often a step was answered with each
}

// users in the order in which they are made.
var users = []string{"u1", "u2", "u3", "u4", "ex", ghost, "bystander", "adm"}

func newWorld(t testing.TB, postgres bool) *world {
	t.Helper()
	o := newOutside(t)
	transport := &http.Transport{MaxIdleConnsPerHost: 8}
	w := &world{
		TB: t, besieged: begin(t, postgres, o.URL), outside: o, client: &http.Client{Transport: transport, Timeout: hung},
		people: map[string]*person{}, canaries: newCanaries(), files: map[string]string{}, statuses: map[int]int{},
	}
	t.Cleanup(transport.CloseIdleConnections)
	o.mu.Lock()
	o.prompts = w.canaries.prompt
	o.mu.Unlock()
	local := w.add(&person{name: "local", user: "local", bearer: servertest.Token, asks: "cp"})
	w.add(&person{name: "anonymous"})
	for _, id := range users {
		admin := ""
		if id == "adm" {
			admin = `,"admin":true`
		}
		w.must(local, "POST", "users", `{"id":"`+id+`","password":"`+servertest.Password+`"`+admin+`}`)
		w.signIn(id)
		w.keep(id)
	}
	w.people["u1"].asks, w.people["u2"].asks, w.people["ex"].asks = "cp", "cq", "e"
	u1 := w.people["u1"]
	w.key(u1, "u1 reads", "", "read")
	w.key(u1, "u1 writes", "cp", "write")
	w.key(w.people["adm"], "admin key", "", "admin")
	var account struct{ ID string }
	w.into(&account, u1, "POST", "accounts", `{"name":"Team"}`)
	for id, role := range map[string]string{"u2": "member", "u3": "viewer", ghost: "member"} {
		w.join(account.ID, id, role)
	}
	w.canaries.account = account.ID
	return w
}

func (w *world) add(p *person) *person {
	w.people[p.name] = p
	return p
}

func (w *world) signIn(id string) {
	w.Helper()
	res, err := w.client.Post(w.URL+"/api/v1/login", "application/json", strings.NewReader(`{"login":"`+id+`","password":"`+servertest.Password+`"}`))
	if err != nil {
		w.Fatal(err)
	}
	defer res.Body.Close()
	var cookies []string
	for _, c := range res.Cookies() {
		cookies = append(cookies, c.Name+"="+c.Value)
	}
	if res.StatusCode != http.StatusOK {
		w.Fatalf("%s cannot log in: %s", id, res.Status)
	}
	w.add(&person{name: id, user: id, bearer: "cookie " + strings.Join(cookies, "; ")})
}

// key adds somebody who has an API key of a user.
func (w *world) key(of *person, name, asks string, scopes ...string) *person {
	w.Helper()
	var made struct{ Key string }
	list, err := json.Marshal(scopes)
	if err != nil {
		w.Fatal(err)
	}
	w.into(&made, of, "POST", "keys", `{"name":"k","scopes":`+string(list)+`}`)
	return w.add(&person{name: name, user: of.user, bearer: made.Key, asks: asks})
}

func (w *world) join(account, id, role string) {
	w.Helper()
	w.must(w.people["u1"], "PUT", "accounts/"+account+"/members/"+id, `{"role":"`+role+`"}`)
	w.must(w.people[id], "POST", "invitations/"+account+"/accept", "")
}

// keep gives a user what is theirs alone.
func (w *world) keep(id string) {
	w.Helper()
	p := w.people[id]
	own := w.canaries.add(id + "'s own")
	w.must(p, "POST", "records/text_documents", `{"id":"plan","title":"`+privateTitle+`","content":"canary `+own+`"}`)
	var file struct{ ID string }
	w.into(&file, p, "POST", "files?filename=plan.txt", "canary "+own)
	w.files[id] = file.ID
	secret := w.canaries.add("secret of " + id)
	w.must(p, "PUT", "models/own", `{"name":"own","accessFormat":"openai","modelId":"siege","baseUrl":"`+w.outside.URL+`/v1","secret":"`+secret+`"}`)
	w.must(p, "PUT", "secrets/word", `{"value":"`+secret+`"}`)
	w.must(p, "POST", "chats", `{"id":"s-`+id+`","title":"canary `+own+`","modelConnectionId":"own"}`)
	w.must(p, "PUT", "docs/users/"+id+"/orch-chats/s-"+id+"/messages/m0", note(own))
}

// note is a message that nobody answers.
func note(text string) string {
	return `{"role":"user","type":"text","content":"canary ` + text + `","isLlmMessage":false}`
}

// request sends one as somebody. A status of 0 says that there was no answer.
func (w *world) request(p *person, method, path, body string, headers ...string) (int, string, error) {
	if !strings.HasPrefix(path, "/") {
		path = "/api/v1/" + path
	}
	r, err := http.NewRequest(method, w.URL+path, bytes.NewReader([]byte(body)))
	if err != nil {
		return 0, "", err
	}
	p.sign(r)
	r.Header.Set("Content-Type", "application/json")
	if strings.HasPrefix(path, "/api/v1/files") {
		r.Header.Set("Content-Type", "text/plain")
	}
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	res, err := w.client.Do(r)
	if err != nil {
		return 0, "", err
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	return res.StatusCode, string(text), err
}

func (p *person) sign(r *http.Request) {
	if cookie, ok := strings.CutPrefix(p.bearer, "cookie "); ok {
		r.Header.Set("Cookie", cookie)
	} else if p.bearer != "" {
		r.Header.Set("Authorization", "Bearer "+p.bearer)
	}
	r.Header.Set("Sec-Fetch-Site", "same-origin")
}

// must sends a request that belongs to the stage and not to the fuzzer.
func (w *world) must(p *person, method, path, body string) string {
	w.Helper()
	status, text, err := w.request(p, method, path, body)
	if err != nil || status >= 300 {
		w.Fatalf("%s %s as %s: %d %s %v", method, path, p.name, status, text, err)
	}
	return text
}

func (w *world) into(v any, p *person, method, path, body string) {
	w.Helper()
	if text := w.must(p, method, path, body); json.Unmarshal([]byte(text), v) != nil {
		w.Fatalf("%s %s: %s", method, path, text)
	}
}

// scene is what one sequence is about: chats that are new, with people who reach
// them alone.
type scene struct {
	*world
	chats map[string]nestor.Path // by letter, see letters
	cast  map[string]*person
}

// letters are the kinds of chats:
//
//	c  of u1 in the account
//	p  of u1, in no account that others are in
//	k  of u1, where only a key that reaches nothing else has work done
//	w  of u1, where only a webhook has
//	s  of u1, where nobody has
//	q  of u2 alone
//	e  in the account, of somebody who has left it
const letters = "cpkwsqe"

func (w *world) newScene() *scene {
	w.Helper()
	w.round++
	s := &scene{world: w, chats: map[string]nestor.Path{}, cast: map[string]*person{}}
	for _, letter := range letters {
		s.open(string(letter))
	}
	maps.Copy(s.cast, w.people)
	delete(s.cast, ghost)
	delete(s.cast, "bystander")
	u1 := w.people["u1"]
	key := w.key(u1, "key for one chat", "k", "write", string(s.chats["k"])+"/**", string(s.chats["k"]))
	key.narrow = "k"
	delete(w.people, key.name)
	s.cast[key.name] = key
	hook := &person{name: "webhook", user: "u1", bearer: s.hookToken(), asks: "w", narrow: "w"}
	s.cast[hook.name] = hook
	return s
}

// names are those of the cast, in an order that is the same in every run.
func (s *scene) names() []string { return slices.Sorted(maps.Keys(s.cast)) }

// open makes a chat with a model connection of its own, whose secret tells
// prompts of different chats apart.
func (s *scene) open(letter string) {
	s.Helper()
	owner := map[string]string{"q": "u2", "e": "ex"}[letter]
	if owner == "" {
		owner = "u1"
	}
	p := s.people[owner]
	id := fmt.Sprintf("%s%d", letter, s.round)
	project := ""
	if letter == "c" || letter == "e" {
		if letter == "e" {
			s.join(s.canaries.account, "ex", "member")
		}
		var made struct{ ID string }
		s.into(&made, p, "POST", "accounts/"+s.canaries.account+"/projects", `{"name":"P"}`)
		project = `"projectId":"` + made.ID + `",`
	}
	secret := s.canaries.addConnection(letter, s.round)
	s.must(p, "PUT", "models/"+id, `{"name":"`+id+`","accessFormat":"openai","modelId":"siege","baseUrl":"`+s.outside.URL+`/v1","secret":"`+secret+`"}`)
	text := s.canaries.addChat(letter, s.round)
	s.must(p, "POST", "chats", `{"id":"`+id+`",`+project+`"title":"canary `+text+`","modelConnectionId":"`+id+`"}`)
	s.must(p, "PUT", "docs/users/"+owner+"/orch-chats/"+id+"/messages/m0", note(text))
	if letter == "e" {
		s.must(s.people["u1"], "DELETE", "accounts/"+s.canaries.account+"/members/ex", "")
	}
	s.chats[letter] = nestor.Path("users/" + owner + "/orch-chats/" + id)
}

// hookToken has the server call the webhook, and returns the token that it gives.
func (s *scene) hookToken() string {
	s.Helper()
	chat := s.chats["w"]
	s.must(s.people["u1 writes"], "PUT", "docs/"+string(chat)+"/hooks/h", `{}`)
	for end := time.Now().Add(hung); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		if token := s.outside.token(string(chat)); token != "" {
			return token
		}
	}
	s.Fatal("the webhook is not called")
	return ""
}
