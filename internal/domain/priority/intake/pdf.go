package intake

import "github.com/nestorhq/nestor"

func pdfText([]byte) (string, error) {
	return "", nestor.Errorf(nestor.CodeInvalid, "PDF files are not read yet; upload .md, .txt or .docx")
}
