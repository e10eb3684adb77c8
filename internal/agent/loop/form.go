package loop

import (
	"fmt"
	"strings"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/agent/ask"
	"github.com/nestorhq/nestor/internal/agent/chatdoc"
	"github.com/nestorhq/nestor/internal/agent/controltool"
	"github.com/nestorhq/nestor/internal/agent/wording"
	"github.com/nestorhq/nestor/internal/store"
)

// maxCorrections is how often an agent may give a result again that did not fit.
const maxCorrections = 2

// formOf is nil if the result of an agent may be any text.
func formOf(agent *nestor.SubAgent) *controltool.Form {
	if agent.ResultSchema == nil {
		return nil
	}
	form, err := controltool.NewForm(agent.ResultSchema)
	if err != nil {
		return nil // it was checked when the agent began
	}
	return form
}

// correct counts a result that does not fit. Beyond the last correction it fails the agent,
// which done tells. A result that was given as text is answered by a message; the answer to
// a call is written with the others.
func (s *step) correct(tx store.Tx, r *ask.Reply) (done bool, err error) {
	if s.form == nil || s.unfit == nil || s.end != nil {
		return false, nil
	}
	if s.agent.Unfit++; s.agent.Unfit > maxCorrections || s.last {
		if err := s.leaveOut(tx, r, -1, "", "Skipped: the result did not fit for the last time."); err != nil {
			return true, err
		}
		return true, endFailed(tx, s.job, s.path, &s.agent, nestor.Errorf(nestor.CodeInvalid, "%s", s.unfitness(r)))
	}
	if len(s.calls) > 0 {
		return false, nil
	}
	if _, err := tx.Create(s.path.Child("messages", s.job.DeriveID("unfit")), nestor.SubAgentMessage{
		Role: nestor.RoleUser, Name: "nestor", Content: "Not delivered: " + strings.TrimSuffix(s.unfit.Error(), ".") + ". Give the result by " + controltool.FinalAnswer + ".",
	}); err != nil {
		return true, err
	}
	return true, chatdoc.Save(tx, s.path, s.agent)
}

// unfitness says why an agent failed, with its last try.
func (s *step) unfitness(r *ask.Reply) string {
	try := r.Text
	for _, c := range s.calls {
		if c.Name == controltool.FinalAnswer {
			try = c.Arguments
		}
	}
	why, _, _ := strings.Cut(s.unfit.Error(), ". The parameters are") // which is for the model
	return fmt.Sprintf("the result did not fit its schema after %d corrections: %s. The last try was: %s", s.agent.Unfit-1, why, wording.Excerpt(try, 2000))
}
