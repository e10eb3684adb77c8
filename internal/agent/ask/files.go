package ask

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/agent/condense"
	"github.com/nestorhq/nestor/internal/agent/wording"
	"github.com/nestorhq/nestor/internal/file"
	"github.com/nestorhq/nestor/internal/llm"
	"github.com/nestorhq/nestor/internal/ration"
)

// Files has what the parts of messages name.
type Files interface {
	// InChat finds a file that messages of a chat name.
	InChat(ctx context.Context, chat nestor.Path, id string) (*nestor.File, error)
	// Bytes are all of a file. They are not to be changed: others may have the same.
	Bytes(ctx context.Context, f *nestor.File) ([]byte, error)
	// Text is the text of a file as far as it is shown. It fails with
	// [nestor.CodeInvalid] or [nestor.CodeTooLarge], in words for people, if it has none
	// that can be read.
	Text(ctx context.Context, f *nestor.File) (string, error)
}

// Bounds of what a model is shown of files.
const (
	// maxLoaded is how many bytes one request carries, the newest files first. Providers
	// take 20 MB in all, and bytes are a third longer in base64.
	maxLoaded = 14 << 20
	// maxRead is how many bytes of texts of files one request carries, the newest files
	// first.
	maxRead = 4 << 20
	// textBytes is how many bytes the text of one file has at most.
	textBytes = utf8.UTFMax * file.ShownText
)

// NewInFlight bounds the bytes of files in the requests to models that are under way, of
// each user and of all. A model that does not answer holds its share until its job runs
// out of time; those who wait for a share do so for a moment in line, and then as jobs
// that are put off.
func NewInFlight() *ration.Ration {
	return ration.New(ration.Options{Of: "the sending of files to models", PerUser: 32 << 20, All: 128 << 20, UserLine: 8, Line: 64})
}

// loader puts files into the place of their ids.
type loader struct {
	ctx   context.Context
	files Files
	chat  nestor.Path
	takes func(mimeType string) bool
	found map[string]*nestor.File // nil for one that is gone
	room
}

// room is how many bytes of files and of their texts a request still has room for.
type room struct{ files, texts int64 }

var wholeRoom = room{maxLoaded, maxRead}

// loaded returns turns with what their files are: bytes for a model that takes them, else
// the text of the file, or else a note that says what was attached. GiveBack is called
// when nobody needs the bytes any more.
func (a *Asker) loaded(ctx context.Context, chat nestor.Path, model llm.Model, turns []condense.Turn) (_ []condense.Turn, giveBack func(), err error) {
	l := loader{ctx: ctx, files: a.Files, chat: chat, takes: func(string) bool { return false }, found: map[string]*nestor.File{}}
	if taker, ok := model.(llm.MediaTaker); ok {
		l.takes = taker.TakesMedia
	}
	weight, err := l.weigh(turns)
	if err != nil {
		return nil, nil, err
	}
	giveBack = func() {}
	if a.InFlight != nil {
		if giveBack, err = a.InFlight.Take(ctx, chat.UserID(), weight); err != nil {
			return nil, nil, err
		}
	}
	if turns, err = l.turns(turns); err != nil {
		giveBack()
		return nil, nil, err
	}
	return turns, giveBack, nil
}

// turns loads the newest files first.
func (l *loader) turns(turns []condense.Turn) ([]condense.Turn, error) {
	l.room = wholeRoom
	copied := false
	for i := len(turns) - 1; i >= 0; i-- {
		if !slices.ContainsFunc(turns[i].Message.Parts, named) {
			continue
		}
		parts, err := l.parts(turns[i].Message.Parts)
		if err != nil {
			return nil, err
		}
		if !copied {
			turns, copied = slices.Clone(turns), true
		}
		turns[i].Message.Parts = parts
	}
	return turns, nil
}

// weigh is how many bytes turns will hold at most, with those of their texts twice: as
// text, and as what is sent.
func (l *loader) weigh(turns []condense.Turn) (weight int64, err error) {
	l.room = wholeRoom
	texts := int64(0)
	add := func(m *llm.Media, attached bool) error {
		if m.FileID == "" {
			return nil
		}
		f, err := l.find(m.FileID)
		if err != nil || f == nil {
			return err
		}
		if l.fits(f) {
			l.room.files -= f.Size
			weight += f.Size
		}
		if attached && readable(f.MediaType) {
			texts += textBytes
		}
		return nil
	}
	for i := len(turns) - 1; i >= 0; i-- {
		for _, p := range turns[i].Message.Parts {
			switch p := p.(type) {
			case llm.Media:
				err = add(&p, true)
			case llm.ToolResult:
				for i := range p.Media {
					if err == nil {
						err = add(&p.Media[i], false)
					}
				}
			}
			if err != nil {
				return 0, err
			}
		}
	}
	return weight + 2*min(texts, maxRead), nil
}

// named reports whether a part names a file.
func named(p llm.Part) bool {
	switch p := p.(type) {
	case llm.Media:
		return p.FileID != ""
	case llm.ToolResult:
		return slices.ContainsFunc(p.Media, func(m llm.Media) bool { return m.FileID != "" })
	}
	return false
}

// parts are those of a message with its files. Texts that follow each other are one:
// many servers take nothing but a text where a message has no media.
func (l *loader) parts(parts []llm.Part) (out []llm.Part, err error) {
	for _, p := range parts {
		switch part := p.(type) {
		case llm.Media:
			if part.FileID != "" {
				if p, err = l.attached(part); err != nil {
					return nil, err
				}
			}
		case llm.ToolResult:
			if part.Media, err = l.returned(part.Media); err != nil {
				return nil, err
			}
			p = part
		}
		out = appended(out, p)
	}
	return out, nil
}

func appended(parts []llm.Part, p llm.Part) []llm.Part {
	text, ok := p.(llm.Text)
	if ok && len(parts) > 0 {
		if last, ok := parts[len(parts)-1].(llm.Text); ok {
			parts[len(parts)-1] = llm.Text{Text: last.Text + "\n\n" + text.Text}
			return parts
		}
	}
	return append(parts, p)
}

// returned are the files of a result that can be shown. Its text describes them all.
func (l *loader) returned(media []llm.Media) (shown []llm.Media, err error) {
	for _, m := range media {
		if m.FileID != "" {
			f, err := l.find(m.FileID)
			if err != nil {
				return nil, err
			}
			if f == nil || !l.fits(f) {
				continue
			}
			if m.Data, err = l.load(f); err != nil {
				return nil, err
			}
		}
		shown = append(shown, m)
	}
	return shown, nil
}

// attached is a file that somebody attached: itself, its text, or a note.
func (l *loader) attached(m llm.Media) (llm.Part, error) {
	f, err := l.find(m.FileID)
	if err != nil {
		return nil, err
	}
	if f == nil {
		return llm.Text{Text: note(m.MIMEType, m.Name, "", "was attached; it has been deleted since")}, nil
	}
	said := func(what string) string { return note(f.MediaType, m.Name, bytesOf(f.Size), what) }
	switch {
	case l.fits(f):
		if m.Data, err = l.load(f); err != nil {
			return nil, err
		}
		m.Alt = said("was attached; it cannot be shown to this model")
		if readable(f.MediaType) { // a fallback may be a model that reads
			if text, err := l.text(f); err == nil {
				m.Alt = said("is attached. Its text:") + "\n\n" + text
			}
		}
		return m, nil
	case readable(f.MediaType):
		text, err := l.text(f)
		switch {
		case errors.Is(err, errNoRoom):
			return llm.Text{Text: said("was attached; " + err.Error())}, nil
		case errors.Is(err, nestor.ErrInvalid) || errors.Is(err, nestor.ErrTooLarge):
			return llm.Text{Text: said("was attached; its text cannot be read: " + err.Error())}, nil
		case err != nil:
			return nil, err
		}
		return llm.Text{Text: said("is attached. Its text:") + "\n\n" + text}, nil
	case l.takes(f.MediaType):
		return llm.Text{Text: said("was attached; it is too much to be shown here again")}, nil
	}
	return llm.Text{Text: said("was attached; " + cannot(f.MediaType))}, nil
}

// find returns nil for a file that is gone.
func (l *loader) find(id string) (*nestor.File, error) {
	if f, ok := l.found[id]; ok || l.files == nil {
		return f, nil
	}
	f, err := l.files.InChat(l.ctx, l.chat, id)
	if errors.Is(err, nestor.ErrNotFound) {
		f, err = nil, nil
	}
	if err == nil {
		l.found[id] = f
	}
	return f, err
}

var errNoRoom = errors.New("its text is left out here, since those of newer files fill the room that there is for texts")

// text is the text of a file, if there is room for it.
func (l *loader) text(f *nestor.File) (string, error) {
	if l.room.texts <= 0 {
		return "", errNoRoom
	}
	text, err := l.files.Text(l.ctx, f)
	if int64(len(text)) > l.room.texts {
		return "", errNoRoom
	}
	l.room.texts -= int64(len(text))
	return text, err
}

// fits reports whether the bytes of a file are shown.
func (l *loader) fits(f *nestor.File) bool { return f.Size <= l.room.files && l.takes(f.MediaType) }

func (l *loader) load(f *nestor.File) ([]byte, error) {
	l.room.files -= f.Size
	return l.files.Bytes(l.ctx, f)
}

// readable reports whether a file of a type has a text.
func readable(mediaType string) bool {
	return !strings.HasPrefix(mediaType, "image/") && !strings.HasPrefix(mediaType, "audio/")
}

// note says what was attached, such as "[image photo.png, 120 kB, was attached; this model
// cannot see images]".
func note(mediaType, name, size, what string) string {
	text := string(nestor.PartTypeOf(mediaType))
	if name != "" {
		text += " " + wording.OneLine(name)
	}
	if size != "" {
		text += ", " + size + ","
	}
	return "[" + text + " " + what + "]"
}

func cannot(mediaType string) string {
	switch nestor.PartTypeOf(mediaType) {
	case nestor.PartImage:
		return "this model cannot see images"
	case nestor.PartAudio:
		return "this model cannot hear"
	}
	return "this model cannot read it"
}

func bytesOf(n int64) string {
	switch {
	case n < 1000:
		return fmt.Sprintf("%d bytes", n)
	case n < 1_000_000:
		return fmt.Sprintf("%d kB", n/1000)
	}
	return fmt.Sprintf("%.1f MB", float64(n)/1e6)
}
