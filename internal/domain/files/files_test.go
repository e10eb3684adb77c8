package files_test

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"testing"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/server"
)

func TestAFileIsStoredOnceAndReadBack(t *testing.T) {
	each(t, func(p *person) {
		data := append(another("x"), make([]byte, 700<<10)...) // several pieces
		sum := sha256.Sum256(data)
		f := p.upload("../secret/ph\u202eoto.png", "image/png", data)
		if f.ID != hex.EncodeToString(sum[:]) || f.MediaType != "image/png" || f.Size != int64(len(data)) || f.State != nestor.FileUnused || f.Name != "photo.png" {
			p.Errorf("%+v", f)
		}
		again, status, _ := p.form("other.png", "", data)
		if status != 200 || again.ID != f.ID || again.StoredAs != f.StoredAs {
			p.Errorf("%d %+v", status, again)
		}
		got, h := p.reads(200, "files/"+f.ID+"/content")
		if got != string(data) {
			p.Errorf("%d bytes of %d", len(got), len(data))
		}
		for name, want := range map[string]string{
			"Content-Type": "image/png", "X-Content-Type-Options": "nosniff", "Etag": `"` + f.ID + `"`, "Accept-Ranges": "bytes",
		} {
			if h[name] == nil || h[name][0] != want {
				p.Errorf("%s is %v, want %s", name, h[name], want)
			}
		}
		if at := h["Content-Disposition"]; len(at) != 1 || !strings.HasPrefix(at[0], "inline") {
			p.Errorf("%v", at)
		}
		if got, _ := p.reads(206, "files/"+f.ID+"/content", "Range", "bytes=262140-262150"); got != string(data[262140:262151]) {
			p.Errorf("a range across pieces: %q", got)
		}
		if got, _ := p.reads(206, "files/"+f.ID+"/content", "Range", "bytes=-5"); got != string(data[len(data)-5:]) {
			p.Errorf("the end: %q", got)
		}
		p.reads(416, "files/"+f.ID+"/content", "Range", "bytes=99999999-")
		p.reads(304, "files/"+f.ID+"/content", "If-None-Match", `"`+f.ID+`"`)
		p.Wants(200, "GET", "files", "", f.ID)
		raw := p.Request("POST", "files?filename=r.png", string(another("raw"))) // a file that is the whole request
		raw.Header.Set("Content-Type", "image/png")
		p.Answers(201, raw, `"name":"r.png"`, `"mediaType":"image/png"`)
		p.Wants(204, "DELETE", "files/"+f.ID, "")
		p.reads(404, "files/"+f.ID+"/content")
		p.Wants(404, "GET", "files/"+f.ID, "")
	})
}

func TestTheBytesDecideWhatAFileIs(t *testing.T) {
	p := sqlite(t, nil)
	for name, tt := range map[string]struct {
		file, claimed string
		data          string
		want          string // the type, or a word of the refusal
	}{
		"a picture":                    {"a.png", "image/png", string(picture), "image/png"},
		"a picture of no known type":   {"a", "application/octet-stream", string(picture), "image/png"},
		"a picture that claims more":   {"a.jpg", "image/jpeg", string(picture), "is said to be image/jpeg, and is image/png"},
		"a page that claims to be one": {"a.png", "image/png", "<html><script>alert(1)</script>", "is said to be image/png, and is text"},
		"a page":                       {"a.html", "text/html", "<html><script>alert(1)</script>", "text/html"},
		"Markdown":                     {"a.md", "", "# Title", "text/markdown"},
		"a drawing":                    {"a.svg", "image/svg+xml", "<svg xmlns='http://www.w3.org/2000/svg'><script/></svg>", "text/xml"},
		"a program":                    {"a.png", "", "\x7fELF\x02\x01\x01\x00\x00\x00", "cannot be attached"},
		"an archive":                   {"a.zip", "application/zip", "PK\x03\x04\x00\x00", "cannot be attached"},
		"nothing":                      {"a.txt", "text/plain", "", "is empty"},
		"a PDF":                        {"a.pdf", "application/pdf", "%PDF-1.7\n", "application/pdf"},
		"sound":                        {"a.wav", "audio/x-wav", "RIFF\x00\x00\x00\x00WAVEfmt ", "audio/wav"},
		"sound in MP3":                 {"a.mp3", "audio/mp3", "\xff\xfb\x90\x00\x00\x00", "audio/mpeg"},
	} {
		t.Run(name, func(t *testing.T) {
			p := &person{p.In(t), p.model}
			f, status, text := p.form(tt.file, tt.claimed, []byte(tt.data))
			switch {
			case strings.Contains(tt.want, "/") && !strings.Contains(tt.want, " "):
				if status != 201 && status != 200 || f.MediaType != tt.want {
					t.Errorf("%d %s", status, text)
				}
			case status != 400 || !strings.Contains(text, tt.want) || !strings.Contains(text, `"FILE_TYPE"`):
				t.Errorf("%d %s", status, text)
			}
		})
	}
}

func TestWhatABrowserWouldRunIsNeverShown(t *testing.T) {
	p := sqlite(t, nil)
	for _, name := range []string{"a.html", "a.svg", "a.js", "a.json"} {
		f := p.upload(name, "", []byte(`<script>alert("`+name+`")</script>`))
		_, h := p.reads(200, "files/"+f.ID+"/content")
		if h["Content-Type"][0] != "text/plain; charset=utf-8" || !strings.HasPrefix(h["Content-Disposition"][0], "attachment") ||
			h["X-Content-Type-Options"][0] != "nosniff" || !strings.Contains(h["Content-Security-Policy"][0], "sandbox") {
			t.Errorf("%s: %v", name, h)
		}
	}
}

func TestAFileThatIsTooLargeLeavesNothing(t *testing.T) {
	eachWith(t, func(c *server.Config) { c.MaxFile = 1000 }, func(p *person) {
		if _, status, text := p.form("a.txt", "", []byte(strings.Repeat("a", 1001))); status != 413 || !strings.Contains(text, "1000 bytes") {
			p.Errorf("%d %s", status, text)
		}
		if _, status, text := p.form("a.txt", "", []byte(strings.Repeat("a", 200_000))); status != 413 {
			p.Errorf("%d %s", status, text)
		}
		p.upload("a.txt", "", []byte(strings.Repeat("a", 1000)))
		var list struct{ Items []nestor.File }
		if p.Into(&list, 200, "GET", "files", ""); len(list.Items) != 1 {
			p.Errorf("%+v", list)
		}
	})
}

func TestWhoMayReadAChatMayReadItsFiles(t *testing.T) {
	each(t, func(p *person) {
		ada, bob := p.as(p.SignIn("ada")), p.as(p.SignIn("bob"))
		f := ada.upload("a.png", "", another("ada's"))
		unsaid := ada.upload("b.png", "", another("unsaid"))
		ada.chat("c1")
		m := ada.says("c1", "m1", text("look"), named("image", f.ID), named("file", f.ID))
		if len(m.Parts) != 3 || m.Parts[1].MediaType != "image/png" || m.Parts[1].Name != "a.png" || m.Parts[1].Size != f.Size || m.Content != "look" {
			p.Errorf("%+v", m)
		}
		for path, of := range map[string]map[*person]int{
			"files/" + f.ID + "/content":                {ada: 200, bob: 404},
			"files/" + f.ID:                             {ada: 200, bob: 404},
			"chats/c1/files/" + f.ID + "?user=ada":      {ada: 200, bob: 404},
			"chats/c1/files/" + unsaid.ID + "?user=ada": {ada: 404, bob: 404},
			"chats/c1/files/" + strings.Repeat("0", 64): {ada: 404},
			"chats/c1/files/x":                          {ada: 404},
			"docs/users/ada/files/" + f.ID:              {ada: 200, bob: 404},
		} {
			for who, status := range of {
				who.reads(status, path)
			}
		}
		// Who knows the id of a file has it not.
		bob.chat("b1")
		bob.Wants(400, "POST", "chats/b1/messages", `{"content":[`+named("image", f.ID)+`]}`, "there is no file")
		bob.Wants(404, "DELETE", "files/"+f.ID, "")
		ada.Wants(409, "DELETE", "files/"+f.ID, "", "FILE_IN_USE")
		// Nobody but the server writes what a file is.
		key := p.as(ada.WithKey("write"))
		for _, path := range []string{"users/ada/files/" + f.ID, "users/ada/orch-chats/c1/files/" + f.ID} {
			if res, _ := key.Send(key.Request("PUT", "docs/"+path, `{"mediaType":"text/html","size":1,"storage":"dir","storedAs":"x","chats":0,"state":"used","ownerId":"bob","messages":1}`)); res.StatusCode < 400 {
				p.Errorf("%s was written: %d", path, res.StatusCode)
			}
		}
	})
}

func TestPartsThatCannotBeSaidChangeNothing(t *testing.T) {
	each(t, func(p *person) {
		f := p.upload("a.png", "", picture)
		p.chat("c1")
		for want, body := range map[string]string{
			"content must not be empty":          `[]`,
			"type of a part":                     `[{"type":"video","fileId":"` + f.ID + `"}]`,
			"has a text and no file":             `[{"type":"text","text":"a","fileId":"` + f.ID + `"}]`,
			"has the fileId of an uploaded file": `[{"type":"image","text":"a"}]`,
			"name it in a part of type image":    `[{"type":"audio","fileId":"` + f.ID + `"}]`,
			"not the id of a file":               `[{"type":"image","fileId":"../x"}]`,
			"there is no file":                   `[{"type":"image","fileId":"` + strings.Repeat("0", 64) + `"}]`,
			"at most 100 parts":                  `[` + strings.Repeat(text("a")+",", 100) + text("a") + `]`,
			"there is no field":                  `[{"type":"text","text":"a","url":"http://x"}]`,
		} {
			p.Wants(400, "POST", "chats/c1/messages", `{"content":`+body+`}`, want)
		}
		var list struct{ Items []nestor.Message }
		if p.Into(&list, 200, "GET", "chats/c1/messages", ""); len(list.Items) != 0 {
			p.Errorf("%+v", list)
		}
		p.says("c1", "m1", named("image", f.ID))
		p.Wants(200, "POST", "chats/c1/messages", `{"id":"m1","content":[`+named("image", f.ID)+`]}`) // repeated
		p.Wants(409, "POST", "chats/c1/messages", `{"id":"m1","content":[`+named("file", f.ID)+`]}`)
		p.Wants(200, "GET", "files/"+f.ID, "", `"chats":1`)
		p.Wants(200, "GET", "docs/users/local/orch-chats/c1/files/"+f.ID, "", `"messages":1`)
		p.Wants(200, "GET", "docs/users/local/orch-chats/c1/messages/m1", "", `"content":"[image a.png]"`)
	})
}

// A message names files of the one who writes it, as far as their credential reaches, or
// of the chat; and what it says is what its parts say.
func TestNobodyNamesAFileThatTheyMayNotRead(t *testing.T) {
	each(t, func(p *person) {
		ada, bob := p.as(p.SignIn("ada")), p.as(p.SignIn("bob"))
		var team, project struct{ ID string }
		ada.Into(&team, 201, "POST", "accounts", `{"name":"Team"}`)
		ada.Into(&project, 201, "POST", "accounts/"+team.ID+"/projects", `{"name":"Project"}`)
		ada.Wants(202, "PUT", "accounts/"+team.ID+"/members/bob", `{"role":"member"}`)
		bob.Wants(204, "POST", "invitations/"+team.ID+"/accept", "")
		ada.Wants(201, "POST", "chats", `{"id":"c1","projectId":"`+project.ID+`"}`)
		const messages = "docs/users/ada/orch-chats/c1/messages/"
		bob.Wants(201, "POST", "chats/c1/messages?user=ada", `{"id":"his","content":"hello"}`)
		private, own := bob.upload("b.png", "", another("bob's")), ada.upload("a.png", "", another("ada's"))

		// Nobody puts files or words into what somebody else said.
		key, scoped := p.as(ada.WithKey("write")), p.as(ada.WithKey("write", "users/ada/orch-chats/c1", "users/ada/orch-chats/c1/**"))
		for _, who := range []*person{ada, key, scoped, p} {
			who.Wants(403, "PATCH", messages+"his", `{"parts":[`+text("hello")+","+named("image", private.ID)+`]}`, "parts")
			who.Wants(403, "PATCH", messages+"his", `{"parts":[`+text("words")+`]}`, "parts")
			who.Wants(403, "PATCH", messages+"his", `{"content":"words"}`, "content")
			who.Wants(400, "PUT", messages+"new", `{"role":"user","content":"","parts":[`+named("image", private.ID)+`]}`, "there is no file")
		}
		ada.reads(404, "chats/c1/files/"+private.ID)
		bob.Wants(200, "GET", messages+"his", "", `"content":"hello"`)

		// A key for a chat does not bring the files of its user there.
		for path, body := range map[string]string{
			"chats/c1/messages": `{"content":[` + named("image", own.ID) + `]}`, "chats/c1/tasks/t/messages": `{"content":[` + named("image", own.ID) + `]}`,
			"chats/c1/tasks/t/answer": `{"questionId":"q","content":[` + named("image", own.ID) + `]}`,
		} {
			scoped.Wants(400, "POST", path, body, "there is no file")
		}
		scoped.Wants(400, "PUT", messages+"new", `{"role":"user","parts":[`+named("image", own.ID)+`]}`, "there is no file")
		key.Wants(201, "PUT", messages+"first", `{"role":"user","parts":[`+named("image", own.ID)+`]}`, `"content":"[image a.png]"`)
		scoped.Wants(201, "POST", "chats/c1/messages", `{"content":[`+named("image", own.ID)+`]}`)

		// What a message says stands in its parts, and nothing else in its content.
		const one, two = `{"role":"user","content":"a","parts":[{"type":"text","text":"b"}]}`, `{"role":"user","content":"a","parts":[{"type":"text","text":"a"}]}`
		for i, who := range []*person{ada, key, scoped, p} {
			who.Wants(400, "PUT", messages+"new", one, "different things")
			who.Wants(201, "PUT", messages+strings.Repeat("n", i+1), two)
			who.Wants(201, "PUT", messages+strings.Repeat("o", i+1), `{"role":"user","parts":[{"type":"text","text":"a"},{"type":"text","text":"b"}]}`, `"content":"a\n\nb"`)
		}
	})
}
