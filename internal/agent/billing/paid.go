package billing

import (
	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/account"
	"github.com/nestorhq/nestor/internal/store"
)

// Unpaid says why nobody pays for what is done in a chat now for those who asked, nil if
// somebody does; see [account.Unpaid]. The last of them counts: a member who speaks to the
// agent of one who has left has it go on.
func Unpaid(r store.Reader, path nestor.Path, chat *nestor.Chat, askers nestor.Askers) (refusal, err error) {
	return account.Unpaid(r, chat.AccountID, askers.Or(path.UserID()).Payer())
}

// UnpaidAt is [Unpaid] for the chat at path, which is read.
func UnpaidAt(r store.Reader, path nestor.Path, askers nestor.Askers) (refusal, err error) {
	chat, err := store.Find[nestor.Chat](r, path)
	if err != nil || chat == nil {
		return nil, err
	}
	return Unpaid(r, path, chat, askers)
}
