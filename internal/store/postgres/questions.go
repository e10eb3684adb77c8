package postgres

import (
	"context"
	"sync"

	"github.com/jackc/pgx/v5"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/store"
)

// questions are reads that need no transaction. Every step of an agent asks some, so
// whoever asks while others are being answered is answered together with all who
// do, in one round trip with one statement for each kind of question.
type questions struct {
	mu      sync.Mutex
	waiting []*question
	busy    bool
}

type question struct {
	ctx   context.Context
	steps steps                       // can be repeated
	alone func(context.Context) error // asks it when nobody else asks; nil: by its steps
	done  chan error
}

// inquire asks and returns when the answer has arrived. What the steps read into must not
// be looked at after an error.
func (s *Store) inquire(q *question) error {
	q.done = make(chan error, 1)
	s.questions.mu.Lock()
	s.questions.waiting = append(s.questions.waiting, q)
	first := !s.questions.busy
	s.questions.busy = true
	s.questions.mu.Unlock()
	if first {
		go s.answerAll()
	}
	select {
	case err := <-q.done:
		return err
	case <-q.ctx.Done():
		return context.Cause(q.ctx)
	}
}

// answerAll answers as long as somebody asks.
func (s *Store) answerAll() {
	for {
		s.questions.mu.Lock()
		list := s.questions.waiting
		s.questions.waiting = nil
		s.questions.busy = len(list) > 0
		s.questions.mu.Unlock()
		if len(list) == 0 {
			return
		}
		err := s.answer(list...)
		for _, q := range list {
			if refused(err) && len(list) > 1 { // which of them is to blame is not told
				q.done <- s.answer(q)
			} else {
				q.done <- err
			}
		}
	}
}

func (s *Store) answer(list ...*question) error {
	contexts := make([]context.Context, len(list))
	var all steps
	for i, q := range list {
		contexts[i] = q.ctx
		all = append(all, q.steps...)
	}
	ctx, stop := untilAllEnd(contexts)
	defer stop()
	if len(list) == 1 && list[0].alone != nil {
		return list[0].alone(ctx)
	}
	batch := &pgx.Batch{}
	for _, one := range all.together() {
		batch.Queue(one.text, one.args...).Query(one.read)
	}
	return s.pool.SendBatch(ctx, batch).Close()
}

// Seqs returns the Seq of each document, 0 where there is none, in one question
// that reads no documents. They need not be of one moment: since a Seq never comes back,
// those that are what they were before have been so together.
func (s *Store) Seqs(ctx context.Context, paths ...nestor.Path) ([]int64, error) {
	text, args, err := store.SeqsSQL(s.opts.Catalogue, dialect{}, paths)
	if err != nil {
		return nil, err
	}
	var seqs []int64
	err = insist(ctx, func() error {
		var into []any
		seqs, into = store.SeqsRow(len(paths))
		q := &question{ctx: ctx, alone: func(ctx context.Context) error { return s.pool.QueryRow(ctx, text, args...).Scan(into...) }}
		for i, p := range paths {
			tb := s.tables.At(p)
			q.steps = append(q.steps, step{text: tb.seq, args: tb.Identity(p), bulk: &bulk{text: tb.seqAll, row: func(read scan) error { return read(into[i]) }}})
		}
		return s.inquire(q)
	})
	if err != nil {
		return nil, err
	}
	return seqs, nil
}

// loadOne reads a document as it is committed, nil when there is none.
func (s *Store) loadOne(ctx context.Context, p nestor.Path) (*nestor.Document, error) {
	docs, err := s.loadAll(ctx, p)
	if err != nil {
		return nil, err
	}
	return docs[0], nil
}

// loadAll reads documents as they are committed, nil where there is none. They need not be
// of one moment.
func (s *Store) loadAll(ctx context.Context, paths ...nestor.Path) ([]*nestor.Document, error) {
	docs := make([]*nestor.Document, len(paths))
	q := &question{ctx: ctx}
	for i, p := range paths {
		q.steps = append(q.steps, s.tables.At(p).loading(p, func(d *nestor.Document) { docs[i] = d }))
	}
	if err := s.inquire(q); err != nil {
		return nil, err
	}
	return docs, nil
}
