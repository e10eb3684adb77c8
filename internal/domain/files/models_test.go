package files_test

import (
	"bytes"
	"errors"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/client"
)

func TestModelsGetFilesAsTheyTakeThem(t *testing.T) {
	pdf, err := os.ReadFile("../../doctext/testdata/chromium.pdf")
	if err != nil {
		t.Fatal(err)
	}
	each(t, func(p *person) {
		image, report, notes := p.upload("photo.png", "", picture), p.upload("report.pdf", "", pdf), p.upload("notes.md", "", []byte("# Buy milk"))
		sound := p.upload("a.wav", "", []byte("RIFF\x00\x00\x00\x00WAVEfmt "))
		all := []string{text("What is this?"), named("image", image.ID), named("file", report.ID), named("file", notes.ID), named("audio", sound.ID)}

		p.model.take("image/png", "application/pdf", "audio/wav")
		p.chat("sees")
		p.says("sees", "m1", all...)
		media, texts := p.model.saw()
		if len(media) != 3 || string(media[0].Data) != string(picture) || media[0].MIMEType != "image/png" || media[0].Name != "photo.png" ||
			string(media[1].Data) != string(pdf) || media[2].MIMEType != "audio/wav" {
			p.Errorf("the model that sees got %d media", len(media))
		}
		if !strings.Contains(texts, "[file notes.md, 10 bytes, is attached. Its text:]\n\n# Buy milk") || !strings.Contains(texts, "What is this?") {
			p.Errorf("the model that sees read %s", texts)
		}

		p.model.take()
		p.chat("reads")
		p.says("reads", "m1", all...)
		media, texts = p.model.saw()
		if len(media) != 0 {
			p.Errorf("the model that reads got %d media", len(media))
		}
		for _, want := range []string{
			"What is this?\n\n[image photo.png, 70 bytes, was attached; this model cannot see images]", "[file report.pdf, ", "is attached. Its text:]",
			"# Buy milk", "[audio a.wav, 16 bytes, was attached; this model cannot hear]",
		} {
			if !strings.Contains(texts, want) {
				p.Errorf("no %q in %s", want, texts)
			}
		}
	})
}

func TestAnAgentGetsTheFilesOfItsChatAndOfItsTask(t *testing.T) {
	each(t, func(p *person) {
		image := p.upload("photo.png", "", picture)
		p.model.take("image/png")
		p.Wants(201, "POST", "chats", `{"id":"c1","title":"t","participant":"agent:general"}`)
		p.says("c1", "m1", text("hello"), named("image", image.ID))
		if media, _ := p.model.saw(); len(media) == 0 || string(media[0].Data) != string(picture) {
			p.Errorf("the standing agent got %d media", len(media))
		}
		p.model.take("image/png")
		p.Wants(201, "POST", "chats/c1/tasks", `{"type":"agent","name":"agent:general","instruction":"hello","triggerMessageId":"m1"}`)
		p.Settled()
		if media, _ := p.model.saw(); len(media) == 0 || string(media[0].Data) != string(picture) {
			p.Errorf("the agent of the task got %d media", len(media))
		}
	})
}

func TestTheGoClientAttachesFiles(t *testing.T) {
	p := sqlite(t, nil)
	p.model.take("image/png")
	c := p.Client()
	f, err := c.Upload(t.Context(), "photo.png", "", bytes.NewReader(picture))
	if err != nil {
		t.Fatal(err)
	}
	p.chat("c1")
	said, err := c.SayParts(t.Context(), "c1", nestor.Part{Type: nestor.PartText, Text: "look"}, client.Part(f))
	if err != nil || len(said.Parts) != 2 || said.Parts[1].Name != "photo.png" || said.Content != "look" {
		t.Fatalf("%+v, %v", said, err)
	}
	p.Settled()
	if media, _ := p.model.saw(); len(media) != 1 {
		t.Errorf("the model saw %d media", len(media))
	}
	for _, open := range []func() (io.ReadCloser, error){
		func() (io.ReadCloser, error) { return c.OpenFile(t.Context(), f.ID) },
		func() (io.ReadCloser, error) { return c.OpenChatFile(t.Context(), "c1", f.ID) },
	} {
		r, err := open()
		if err != nil {
			t.Fatal(err)
		}
		data, err := io.ReadAll(r)
		if err := errors.Join(err, r.Close()); err != nil || !bytes.Equal(data, picture) {
			t.Errorf("%d bytes, %v", len(data), err)
		}
	}
}
