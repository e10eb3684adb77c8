package store

import (
	"bytes"
	"encoding/base32"
	"errors"
	"strings"
)

// The log writes paths and bodies shorter than they are: in them the same words
// come again and again, and ids. Bytes below 0x20, which neither has, stand for
// these. So what an older program wrote, which is all plain, reads the same.
//
//	0x00 b            the byte b
//	0x01 to 0x1d      one of the first words
//	0x1e n            one of the others
//	0x1f, 12 bytes    an id of 20 characters, as nestor.NewID makes them
const (
	packedByte   = 0x00
	packedWord   = 0x01
	packedOther  = 0x1e
	packedID     = 0x1f
	firstPlain   = 0x20
	firstWords   = packedOther - packedWord
	idLength     = 20
	idBytes      = 12
	idCharacters = "0123456789abcdefghijklmnopqrstuv"
)

// words are looked for as segments of paths and as names of fields. What is stored
// depends on their places: new ones are added at the end, and none is taken away.
var words = []string{
	"users/", "/orch-chats/", "/messages/", "/sub-agents/", "/tool-calls/", "/tasks/", "/usage/",
	`"askedBy":`, `"iterationCount":`, `"iterationLimit":`, `"model":`, `"modelMs":`, `"role":`, `"status":`, `"taskId":`,
	`"usage":`, `"inputTokens":`, `"outputTokens":`, `"accountId":`, `"projectId":`, `"name":`, `"type":`, `"subAgentId":`,
	`"startedAt":`, `"instruction":`, `"toolName":`, `"args":`, `"messageId":`, `"calls":`,
	`"costMicros":`, `"models":`, `"effect":`, `"result":`, `"content":`, `"metadata":`, `"toolCallId":`, `"toolCalls":`, `"repliesTo":`,
	`"durationMs":`, `"finishReason":`, `"isError":`, `"arguments":`, `"function":`, `"providerId":`, `"id":`, `"summary":`, `"steps":`,
	`"endedAt":`, `"error":`, `"title":`, `"cachedTokens":`, `"parentId":`, `"depth":`, `"question":`, `"questionCallId":`,
	`"modelConnectionId":`, `"triggerMessageId":`, `"standing":`, `"seenSeq":`, `"unanswered":`, `"decisions":`, `"paused":`, `"budget":`,
	`"limits":`, `"reserved":`, `"spent":`, `"updatedBy":`, `"createdBy":`, `"text":`, `"held":`, `"next":`,
	`"runId":`, `"work":`, `"replies":`, `"tools":`, `"parentAgentId":`, `"isLlmMessage":`, `"clientTools":`,
}

var wordPlaces = func() map[string]int {
	places := make(map[string]int, len(words))
	for i, w := range words {
		places[w] = i
	}
	return places
}()

var packedIDs = base32.NewEncoding(idCharacters).WithPadding(base32.NoPadding)

// pack writes a path or the text of a body shorter. Any text can be packed.
func pack(to []byte, text string) []byte {
	for i := 0; i < len(text); {
		if n := wordAt(text, i); n > 0 {
			place := wordPlaces[text[i:i+n]]
			if place < firstWords {
				to = append(to, byte(packedWord+place))
			} else {
				to = append(to, packedOther, byte(place-firstWords))
			}
			i += n
			continue
		}
		if idAt(text, i) {
			var id [idBytes]byte
			if _, err := packedIDs.Decode(id[:], []byte(text[i:i+idLength])); err == nil {
				to = append(append(to, packedID), id[:]...)
				i += idLength
				continue
			}
		}
		if text[i] < firstPlain {
			to = append(to, packedByte)
		}
		to = append(to, text[i])
		i++
	}
	return to
}

// wordAt is the length of the word that begins at a place, 0 if none does.
func wordAt(text string, at int) int {
	end := 0
	switch rest := text[at+1:]; {
	case text[at] == '"':
		end = strings.IndexByte(rest, '"') + 1
		if end > 0 && end < len(rest) && rest[end] == ':' {
			end++
		} else {
			end = 0
		}
	case text[at] == '/', at == 0:
		end = strings.IndexByte(rest, '/') + 1
	}
	if end == 0 {
		return 0
	}
	if _, ok := wordPlaces[text[at:at+1+end]]; !ok {
		return 0
	}
	return end + 1
}

// idAt reports whether an id begins at a place. It stands alone: between quotes or
// slashes, or at an end. The last character of 20 has one bit.
func idAt(text string, at int) bool {
	end := at + idLength
	if end > len(text) || text[end-1] != '0' && text[end-1] != 'g' {
		return false
	}
	if at > 0 && text[at-1] != '"' && text[at-1] != '/' || end < len(text) && text[end] != '"' && text[end] != '/' {
		return false
	}
	for _, c := range []byte(text[at:end]) {
		if (c < '0' || c > '9') && (c < 'a' || c > 'v') {
			return false
		}
	}
	return true
}

var errPacked = errors.New("it ends too early, or has a word that this program does not know")

// unpack reads what pack wrote.
func unpack(packed []byte) ([]byte, error) {
	text := make([]byte, 0, 3*len(packed))
	for len(packed) > 0 {
		c, n := packed[0], 1
		switch {
		case c >= firstPlain:
			text = append(text, c)
		case c == packedByte && len(packed) > 1:
			text, n = append(text, packed[1]), 2
		case c == packedID && len(packed) > idBytes:
			text, n = packedIDs.AppendEncode(text, packed[1:1+idBytes]), 1+idBytes
		case c == packedOther && len(packed) > 1 && int(packed[1]) < len(words)-firstWords:
			text, n = append(text, words[firstWords+int(packed[1])]...), 2
		case c >= packedWord && c < packedOther:
			text = append(text, words[c-packedWord]...)
		default:
			return nil, errPacked
		}
		packed = packed[n:]
	}
	return bytes.Clone(text), nil
}
