package openai_test

import (
	"encoding/base64"
	"encoding/binary"
	"math"
	"net/http"
	"slices"
	"testing"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/llm"
	"github.com/nestorhq/nestor/internal/llm/llmtest"
	"github.com/nestorhq/nestor/internal/llm/openai"
)

func TestEmbeddings(t *testing.T) {
	llmtest.RunEmbed(t, llmtest.EmbedProvider{
		Provider: llmtest.Provider{Name: "openai", KeyVariable: "OPENAI_API_KEY", New: connect},
		Embed:    llmtest.OpenAIEmbeddings,
		Path:     "/v1/embeddings",
		Body:     `{"model":"test-model","input":["one","two"],"encoding_format":"float"}`,
		Counts:   true,
		Broken: map[string]string{
			"no JSON":                                `{"data": [`,
			"nothing":                                `{}`,
			"fewer vectors than texts":               `{"data":[{"index":0,"embedding":[1]}]}`,
			"two vectors for one text":               `{"data":[{"index":1,"embedding":[1]},{"index":1,"embedding":[1]}]}`,
			"a vector for a text that was not given": `{"data":[{"index":0,"embedding":[1]},{"index":2,"embedding":[1]}]}`,
			"words for numbers":                      `{"data":[{"embedding":["a"]},{"embedding":["b"]}]}`,
			"a number beyond all":                    `{"data":[{"embedding":[1e300]},{"embedding":[1]}]}`,
			"no number":                              `{"data":[{"embedding":"` + bytesOf(float32(math.NaN())) + `"},{"embedding":"` + bytesOf(1) + `"}]}`,
			"half a number":                          `{"data":[{"embedding":"AAA="},{"embedding":"AAA="}]}`,
		},
	})
}

// Some servers send base64 whatever they were asked for, and no index.
func TestVectorsInBase64(t *testing.T) {
	s := llmtest.OpenAIEmbeddings.Serve(t, nil)
	s.Fail(llmtest.Turn{Status: http.StatusOK, Body: `{"data":[{"embedding":"` + bytesOf(1, -0.5) + `"},{"embedding":"` + bytesOf(0.25, 3) + `"}]}`})
	m, err := openai.New(llm.Target{Model: "m", BaseURL: s.URL, HTTPClient: s.Client}, openai.Options{})
	if err != nil {
		t.Fatal(err)
	}
	made, err := m.Embed(t.Context(), []string{"a", "b"})
	if err != nil || !slices.Equal(made.Vectors[0], []float32{1, -0.5}) || !slices.Equal(made.Vectors[1], []float32{0.25, 3}) {
		t.Errorf("got %v, %v", made, err)
	}
}

// A count that cannot be is an estimate in its place: it is paid for.
func TestTokensOfVectorsThatCannotBe(t *testing.T) {
	s := llmtest.OpenAIEmbeddings.Serve(t, nil)
	m, err := openai.New(llm.Target{Model: "m", BaseURL: s.URL, HTTPClient: s.Client}, openai.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, tokens := range []string{"-5", "0", "9223372036854775807"} {
		s.Fail(llmtest.Turn{Status: http.StatusOK, Body: `{"data":[{"embedding":[1]}],"usage":{"prompt_tokens":` + tokens + `}}`})
		if made, err := m.Embed(t.Context(), []string{"one word"}); err != nil || made.Usage.Input < 1 || made.Usage.Input > 10 || !made.Usage.Estimated {
			t.Errorf("%s tokens: %+v, %v, code %s", tokens, made.Usage, err, nestor.CodeOf(err))
		}
	}
}

func bytesOf(numbers ...float32) string {
	var b []byte
	for _, x := range numbers {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(x))
	}
	return base64.StdEncoding.EncodeToString(b)
}
