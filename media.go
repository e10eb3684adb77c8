package nestor

import "encoding/base64"

// Media is an image or a file that came with the result of a tool. The text of
// the result describes it, for whoever cannot see it.
type Media struct {
	// MIMEType is what Data is, such as image/png.
	MIMEType string `json:"mimeType"`
	// Name is the name of a file, and URI the address of a resource, if the tool
	// gave one.
	Name string `json:"name,omitempty"`
	URI  string `json:"uri,omitempty"`
	// Data are the bytes in base64.
	Data string `json:"data"`
}

// Bytes returns the data, nothing if they are not base64.
func (m *Media) Bytes() []byte {
	data, err := base64.StdEncoding.DecodeString(m.Data)
	if err != nil {
		return nil
	}
	return data
}
