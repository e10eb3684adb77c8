package openai

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"net/url"
	"strings"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/file"
	"github.com/nestorhq/nestor/internal/httpapi"
)

// attached is an image, a sound or a file that is a part of what is said: its bytes, or a
// file that was uploaded before.
type attached struct {
	name, mediaType string
	data            []byte
	fileID          string
}

// label stands for it in a text.
func (f *attached) label() string {
	return nestor.Part{Type: nestor.PartTypeOf(f.mediaType), Name: f.name}.Label()
}

// filePart has the fields of all parts that are no text. Chat completions and responses
// have the same in different places.
type filePart struct {
	// ImageURL is an address, or an object that has it as its url.
	ImageURL json.RawMessage `json:"image_url"`
	Audio    struct {
		Data   string `json:"data"`
		Format string `json:"format"`
	} `json:"input_audio"`
	File *fileOf `json:"file"`
	fileOf
}

type fileOf struct {
	Data string `json:"file_data"`
	Name string `json:"filename"`
	ID   string `json:"file_id"`
	URL  string `json:"file_url"`
}

// attachment reads a part that is no text.
func (p *part) attachment() (*attached, *nestor.Error) {
	switch p.Type {
	case "image_url", "input_image":
		address := struct{ URL string }{}
		if json.Unmarshal(p.ImageURL, &address.URL) != nil && json.Unmarshal(p.ImageURL, &address) != nil && p.ID == "" {
			return nil, nestor.Errorf(nestor.CodeInvalid, "image_url is an address")
		}
		if address.URL == "" {
			return &attached{fileID: p.ID, mediaType: "image/*"}, nil
		}
		return fromURL(address.URL, p.Name)
	case "input_audio":
		data, err := base64.StdEncoding.DecodeString(p.Audio.Data)
		if err != nil {
			return nil, nestor.Errorf(nestor.CodeInvalid, "the data of the audio is not base64")
		}
		return &attached{mediaType: "audio/" + p.Audio.Format, data: data}, nil
	case "file", "input_file":
		f := p.fileOf
		if p.File != nil {
			f = *p.File
		}
		switch {
		case f.ID != "":
			return &attached{fileID: f.ID, name: f.Name}, nil
		case strings.HasPrefix(f.Data, "data:"):
			return fromURL(f.Data, f.Name)
		case f.Data != "":
			data, err := base64.StdEncoding.DecodeString(f.Data)
			if err != nil {
				return nil, nestor.Errorf(nestor.CodeInvalid, "the data of the file is not base64")
			}
			return &attached{name: f.Name, data: data}, nil
		}
		return fromURL(f.URL, f.Name)
	}
	return nil, nestor.Errorf(nestor.CodeInvalid, "a part of the type %.100q cannot be said here", p.Type)
}

// fromURL takes the bytes out of a data: URL. Others are not fetched: nobody has this
// server ask other servers.
func fromURL(address, name string) (*attached, *nestor.Error) {
	head, body, ok := strings.Cut(address, ",")
	kind, isData := strings.CutPrefix(head, "data:")
	if !ok || !isData {
		return nil, nestor.Errorf(nestor.CodeInvalid, "send the bytes as a data: URL; other addresses are not fetched")
	}
	f := &attached{name: name}
	mediaType, encoded := strings.CutSuffix(kind, ";base64")
	f.mediaType, _, _ = strings.Cut(mediaType, ";")
	var err error
	if encoded {
		f.data, err = base64.StdEncoding.DecodeString(body)
	} else {
		body, err = url.PathUnescape(body)
		f.data = []byte(body)
	}
	if err != nil {
		return nil, nestor.Errorf(nestor.CodeInvalid, "the data: URL cannot be read")
	}
	return f, nil
}

// keep keeps what is attached as files of the caller, and returns the parts that name
// them.
func (d *Door) keep(req *httpapi.Request, files []attached) (parts []nestor.Part, err error) {
	for _, f := range files {
		var doc *nestor.Document
		if f.fileID != "" {
			if err := nestor.CheckID(f.fileID); err != nil {
				return nil, err
			}
			doc, err = req.Get(nestor.FilePath(req.UserID(), f.fileID))
		} else {
			doc, _, err = d.files.Save(req.Context(), file.Upload{UserID: req.UserID(), Name: f.name, Type: f.mediaType, Body: bytes.NewReader(f.data)}, req.Act)
		}
		if err != nil {
			return nil, err
		}
		is, err := nestor.As[nestor.File](doc)
		if err != nil {
			return nil, err
		}
		parts = append(parts, nestor.Part{Type: nestor.PartTypeOf(is.MediaType), FileID: is.ID, Name: f.name})
	}
	return parts, nil
}
