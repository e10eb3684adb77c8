package runs

import (
	"strconv"
	"strings"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/domain/runs/view"
	"github.com/nestorhq/nestor/internal/httpapi"
	"github.com/nestorhq/nestor/internal/module"
	"github.com/nestorhq/nestor/internal/store"
)

var (
	rowParameter = httpapi.RequiredParameter("row", "The id of a row of the run's tree.", "orch-chats/c1/messages/m1")

	treeParameters = func() []httpapi.Parameter {
		since := httpapi.TextParameter("since", "Only rows that are new or other since this position of the log: the seq of a tree that was read before.", "0")
		return []httpapi.Parameter{httpapi.Paging()[1], since}
	}()
)

func viewRoutes() []module.Route[*Runs] {
	type route = httpapi.Route
	const run = "/api/v1/runs/{id}"
	list := []module.Route[*Runs]{
		{Do: (*Runs).tree, Route: route{
			Pattern: "GET " + run + "/tree", ID: "getRunTree", Summary: "Everything that happened in a run, as rows of a tree",
			Description: "A run of many agents comes in pages, and since asks for the rows that changed since a tree was read.",
			Answer:      view.RunTree{}, Query: treeParameters,
		}},
		{Do: (*Runs).step, Route: route{
			Pattern: "GET " + run + "/step", ID: "getRunStep", Summary: "What there is to know of a row of a run",
			Description: "It has the texts, arguments and results that the row of the tree leaves out.",
			Answer:      view.RunStep{}, Query: []httpapi.Parameter{rowParameter},
		}},
		{Do: (*Runs).asked, Route: route{
			Pattern: "GET " + run + "/prompt", ID: "getRunPrompt", Summary: "What a model was asked for a row of a run, made again from the documents of then",
			Description: "It is not stored: instructions that were changed since are told as they are now.",
			Answer:      view.RunPrompt{},
			Query:       []httpapi.Parameter{rowParameter},
		}},
	}
	for i := range list {
		list[i].Query = append(list[i].Query, httpapi.UserParameter)
	}
	return list
}

// visible is the run that a request names, if the caller may read it or the chat in which
// it happened. They see of it what they may read.
func (r *Runs) visible(req *httpapi.Request) (p nestor.Path, run nestor.Run, err error) {
	if p, err = at(req); err != nil {
		return p, run, err
	}
	found, err := store.Load[nestor.Run](req.Context(), r.store, p)
	if err != nil {
		return p, run, err
	}
	if found != nil {
		run = *found
	}
	return p, run, req.View(func(docs store.Reader) error { return sees(docs, p, &run) })
}

// sees reports why a reader does not show a run: neither the run nor its chat is shown.
func sees(docs store.Reader, p nestor.Path, run *nestor.Run) error {
	_, err := docs.Get(p)
	if nestor.CodeOf(err) != nestor.CodeNotFound || run.ChatID == "" {
		return err
	}
	if chat, of := store.FindDocument(docs, chatOf(run)); of != nil || chat != nil {
		return of
	}
	return err
}

// chatOf is the chat in which a run happened.
func chatOf(run *nestor.Run) nestor.Path {
	return run.Of(nestor.Path("orch-chats/" + run.ChatID))
}

func (r *Runs) tree(req *httpapi.Request) (any, error) {
	_, run, err := r.visible(req)
	if err != nil {
		return nil, err
	}
	part, err := partOf(req)
	if err != nil {
		return nil, err
	}
	var tree view.RunTree
	err = req.View(func(docs store.Reader) (err error) {
		tree, err = view.Read(docs, &run, part)
		return err
	})
	return tree, err
}

// partOf is the part of a tree that a request asks for.
func partOf(req *httpapi.Request) (part view.Asked, err error) {
	_, part.Cursor, err = req.Page()
	if text := req.URL.Query().Get("since"); err == nil && text != "" {
		if part.Since, err = strconv.ParseInt(text, 10, 64); err != nil || part.Since < 0 {
			return part, nestor.Errorf(nestor.CodeInvalid, "since is a position of the log, not %q", text).With("field", "since")
		}
	}
	return part, err
}

func (r *Runs) step(req *httpapi.Request) (any, error) {
	_, run, err := r.visible(req)
	if err != nil {
		return nil, err
	}
	var step view.RunStep
	err = req.View(func(docs store.Reader) (err error) {
		step, err = view.Step(docs, &run, req.URL.Query().Get("row"))
		return err
	})
	return step, err
}

// asked is what a model was asked. A prompt tells much of a chat, so its documents are read
// as the caller may read them.
func (r *Runs) asked(req *httpapi.Request) (any, error) {
	_, run, err := r.visible(req)
	if err != nil {
		return nil, err
	}
	row := req.URL.Query().Get("row")
	var prompt view.RunPrompt
	err = req.View(func(docs store.Reader) error {
		if _, err := view.Step(docs, &run, row); err != nil {
			return err
		}
		asked, err := r.prompt(docs, run.Of(nestor.Path(strings.TrimSuffix(row, "#question"))))
		if err == nil {
			prompt = view.Prompt(row, asked)
		}
		return err
	})
	return prompt, err
}
