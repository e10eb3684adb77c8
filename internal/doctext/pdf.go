package doctext

import (
	"context"
	"errors"
	"time"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/doctext/pdftext"
)

// What reading a PDF may take. A long book takes less than a second.
const (
	pdfTime = 10 * time.Second
	pdfWork = 128 << 20 // bytes that are inflated and interpreted
)

var errPDFTime = errors.New("the PDF takes too long to read")

// pdfText reads the text of a PDF's pages.
func pdfText(data []byte) (string, error) {
	ctx, cancel := context.WithTimeoutCause(context.Background(), pdfTime, errPDFTime)
	defer cancel()
	text, err := pdftext.Text(ctx, data, pdftext.Limits{Pages: MaxPages, Chars: MaxText, Work: pdfWork})
	switch {
	case err == nil:
		return text, nil
	case errors.Is(err, pdftext.ErrEncrypted):
		return "", nestor.Errorf(nestor.CodeInvalid, "the PDF is protected by a password or against copying; save it without protection, or upload its text")
	case errors.Is(err, pdftext.ErrNoText):
		return "", nestor.Errorf(nestor.CodeInvalid, "the PDF has no text: its pages are pictures, as from a scanner; run text recognition (OCR) over it, or upload its text")
	case errors.Is(err, pdftext.ErrPages):
		return "", nestor.Errorf(nestor.CodeTooLarge, "the PDF has more than %d pages; split it into several files", MaxPages)
	case errors.Is(err, pdftext.ErrChars):
		return "", tooMuchText()
	case errors.Is(err, pdftext.ErrWork), errors.Is(err, errPDFTime):
		return "", nestor.Errorf(nestor.CodeTooLarge, "the PDF takes too much work to read (at most %d MiB inflated and %v); print it to a new PDF, or upload its text", pdfWork>>20, pdfTime)
	}
	return "", nestor.Errorf(nestor.CodeInvalid, "the PDF is damaged and cannot be read; print it to a new PDF, or upload its text")
}
