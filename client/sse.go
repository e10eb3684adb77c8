package client

import (
	"bufio"
	"io"
	"strings"
)

// message is one server-sent event. One without a name is a sign of life that
// tells the position alone.
type message struct {
	name, data string
	// id is the position after this message. It counts only once the message
	// is complete: a connection that breaks inside a message must not skip it.
	id    string
	hasID bool
}

// readMessage reads up to the empty line that ends a message. heard is called
// for every line.
func readMessage(r *bufio.Reader, heard func()) (m message, err error) {
	for {
		line, err := r.ReadString('\n')
		if err != nil {
			if err == io.EOF {
				err = io.ErrUnexpectedEOF
			}
			return message{}, err
		}
		heard()
		line = strings.TrimRight(line, "\r\n")
		if line == "" {
			return m, nil
		}
		field, value, _ := strings.Cut(line, ":")
		value = strings.TrimPrefix(value, " ")
		switch field {
		case "event":
			m.name = value
		case "data":
			if m.data != "" {
				m.data += "\n"
			}
			m.data += value
		case "id":
			m.id, m.hasID = value, true
		}
	}
}
