package toolrun

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/file"
	"github.com/nestorhq/nestor/internal/tool"
)

// Files keeps the images and files that tools return. Nil keeps none.
type Files struct {
	Library *file.Library
	Log     *slog.Logger
}

// Keep saves the media of a result as files of the user in whose chat the call at p was
// made, and returns the parts that name them. The result says what could not be kept: its
// text describes all of them, and no call fails because of an image.
func (f *Files) Keep(ctx context.Context, p nestor.Path, result *tool.Result) (parts []nestor.Part) {
	if len(result.Media) == 0 {
		return nil
	}
	lost := 0
	for _, m := range result.Media {
		part, err := f.keep(ctx, p.UserID(), m)
		if err != nil {
			lost++
			if f != nil {
				f.Log.Warn("what a tool returned could not be kept", "call", p, "type", m.MIMEType, "error", err)
			}
			continue
		}
		parts = append(parts, part)
	}
	if lost > 0 {
		result.Output += fmt.Sprintf("\n[could not be kept: %d of %d images and files; they are only described]", lost, len(result.Media))
	}
	return parts
}

func (f *Files) keep(ctx context.Context, user string, m nestor.Media) (nestor.Part, error) {
	if f == nil {
		return nestor.Part{}, nestor.Errorf(nestor.CodeUnavailable, "there is nowhere to keep files")
	}
	d, _, err := f.Library.Save(ctx, file.Upload{UserID: user, Name: m.Name, Type: m.MIMEType, Body: bytes.NewReader(m.Bytes())}, f.Library.Direct(ctx))
	if err != nil {
		return nestor.Part{}, err
	}
	saved, err := nestor.As[nestor.File](d)
	return nestor.Part{
		Type: nestor.PartTypeOf(saved.MediaType), FileID: saved.ID, Name: file.CleanName(m.Name), MediaType: saved.MediaType, Size: saved.Size,
	}, err
}
