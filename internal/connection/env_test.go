package connection_test

import (
	"encoding/json"
	"maps"
	"strings"
	"testing"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/connection"
	"github.com/nestorhq/nestor/internal/llm"
)

func TestTheEnvironmentChoosesTheDefaultModel(t *testing.T) {
	for name, tt := range map[string]struct {
		env                        map[string]string
		format, model, url, secret string
	}{
		"nothing is set":                   {nil, "demo", "demo", "", ""},
		"demo in spite of a key":           {map[string]string{"NESTOR_MODEL": "demo", "OPENAI_API_KEY": secret}, "demo", "demo", "", ""},
		"a model and its key":              {map[string]string{"NESTOR_MODEL": "openai:gpt-5", "OPENAI_API_KEY": secret}, "openai", "gpt-5", "", secret},
		"the key of the named one is used": {map[string]string{"NESTOR_MODEL": "gemini:g", "OPENAI_API_KEY": "x", "GEMINI_API_KEY": secret}, "gemini", "g", "", secret},
		"a model with a colon": {
			map[string]string{"NESTOR_MODEL": "openai:qwen3:8b", "OPENAI_BASE_URL": "http://localhost:11434/v1"},
			"openai", "qwen3:8b", "http://localhost:11434/v1", "",
		},
		"a key alone, openai":           {map[string]string{"OPENAI_API_KEY": secret}, "openai", "gpt-6.1-terra", "", secret},
		"a key alone, anthropic":        {map[string]string{"ANTHROPIC_API_KEY": secret + "\n"}, "anthropic", "claude-sonnet-5-5", "", secret},
		"a key alone, gemini":           {map[string]string{"GEMINI_API_KEY": secret}, "gemini", "gemini-3.8-flash", "", secret},
		"a gateway for anthropic":       {map[string]string{"ANTHROPIC_API_KEY": secret, "ANTHROPIC_BASE_URL": "https://gw.example/a"}, "anthropic", "claude-sonnet-5-5", "https://gw.example/a", secret},
		"a gateway for gemini":          {map[string]string{"GEMINI_API_KEY": secret, "GOOGLE_GEMINI_BASE_URL": "https://gw.example/g"}, "gemini", "gemini-3.8-flash", "https://gw.example/g", secret},
		"the other key of gemini":       {map[string]string{"GOOGLE_API_KEY": secret}, "gemini", "gemini-3.8-flash", "", secret},
		"a gateway of another provider": {map[string]string{"OPENAI_API_KEY": secret, "ANTHROPIC_BASE_URL": "https://gw.example/a"}, "openai", "gpt-6.1-terra", "", secret},
		"a provider alone":              {map[string]string{"NESTOR_MODEL": "anthropic", "ANTHROPIC_API_KEY": secret, "OPENAI_API_KEY": "x"}, "anthropic", "claude-sonnet-5-5", "", secret},
	} {
		t.Run(name, func(t *testing.T) {
			c, got, err := connection.FromEnv(func(name string) string { return tt.env[name] })
			if err != nil {
				t.Fatal(err)
			}
			if c.ID != "default" || !c.ReadOnly || c.AccessFormat != tt.format || c.ModelID != tt.model || c.BaseURL != tt.url || got.Key != tt.secret {
				t.Errorf("got %+v with secret %q", c, got.Key)
			}
			if c.HasSecret != (tt.secret != "") {
				t.Errorf("hasSecret is %v", c.HasSecret)
			}
			if _, priced := llm.Cost(c.ModelID, llm.Usage{}); tt.env["NESTOR_MODEL"] == "" && tt.format != "demo" && !priced {
				t.Errorf("the default model %s has no price", c.ModelID)
			}
		})
	}
}

func TestAnEnvironmentThatMakesNoSenseNamesTheVariable(t *testing.T) {
	for name, tt := range map[string]struct {
		env  map[string]string
		want []string
	}{
		"an unknown provider":         {map[string]string{"NESTOR_MODEL": secret}, []string{"NESTOR_MODEL", "anthropic"}},
		"a model without a provider":  {map[string]string{"NESTOR_MODEL": ":gpt-5"}, []string{"NESTOR_MODEL"}},
		"a missing key":               {map[string]string{"NESTOR_MODEL": "anthropic:claude-sonnet-5", "OPENAI_API_KEY": secret}, []string{"ANTHROPIC_API_KEY"}},
		"two keys":                    {map[string]string{"OPENAI_API_KEY": secret, "GEMINI_API_KEY": secret}, []string{"OPENAI_API_KEY and GEMINI_API_KEY", "NESTOR_MODEL=openai:"}},
		"a server without a model":    {map[string]string{"OPENAI_BASE_URL": "http://localhost:1/v1"}, []string{"OPENAI_BASE_URL", "NESTOR_MODEL=openai:MODEL"}},
		"a server and only openai":    {map[string]string{"NESTOR_MODEL": "openai", "OPENAI_BASE_URL": "http://localhost:1/v1"}, []string{"OPENAI_BASE_URL", "openai:MODEL"}},
		"an address that is none":     {map[string]string{"NESTOR_MODEL": "openai:x", "OPENAI_BASE_URL": "localhost:1"}, []string{"OPENAI_BASE_URL"}},
		"an address with a password":  {map[string]string{"NESTOR_MODEL": "openai:x", "OPENAI_BASE_URL": "http://u:" + secret + "@h/v1"}, []string{"OPENAI_BASE_URL"}},
		"a key with a line break":     {map[string]string{"OPENAI_API_KEY": secret + "\nx"}, []string{"OPENAI_API_KEY"}},
		"a key with foreign letters":  {map[string]string{"OPENAI_API_KEY": secret + "é"}, []string{"OPENAI_API_KEY"}},
		"an address of anthropic":     {map[string]string{"ANTHROPIC_API_KEY": secret, "ANTHROPIC_BASE_URL": "gw.example"}, []string{"ANTHROPIC_BASE_URL"}},
		"a header that is none":       {map[string]string{"OPENAI_API_KEY": secret, "OPENAI_CUSTOM_HEADERS": "Host: " + secret}, []string{"OPENAI_CUSTOM_HEADERS"}},
		"a missing key for the model": {map[string]string{"NESTOR_MODEL": "openai:gpt-5"}, []string{"OPENAI_API_KEY", "NESTOR_MODEL"}},
	} {
		t.Run(name, func(t *testing.T) {
			_, _, err := connection.FromEnv(func(name string) string { return tt.env[name] })
			if nestor.CodeOf(err) != nestor.CodeInvalid {
				t.Fatalf("got %v", err)
			}
			for _, want := range tt.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("%q does not mention %q", err, want)
				}
			}
			if strings.Contains(err.Error(), secret) {
				t.Errorf("the error shows a value: %v", err)
			}
		})
	}
}

func TestTheEnvironmentSetsHeadersAsTheSDKsDo(t *testing.T) {
	for name, tt := range map[string]struct {
		env      map[string]string
		headers  map[string]string
		variable string
	}{
		"openai": {
			map[string]string{"OPENAI_API_KEY": secret, "OPENAI_ORG_ID": "org-1", "OPENAI_PROJECT_ID": "proj-1", "OPENAI_CUSTOM_HEADERS": "X-A: 1\nX-B: two: 2"},
			map[string]string{"OpenAI-Organization": "org-1", "OpenAI-Project": "proj-1", "X-A": "1", "X-B": "two: 2"},
			"OPENAI_API_KEY",
		},
		"anthropic with a token": {
			map[string]string{"ANTHROPIC_AUTH_TOKEN": secret, "ANTHROPIC_BASE_URL": "https://gw.example"},
			map[string]string{"Authorization": "Bearer " + secret},
			"ANTHROPIC_AUTH_TOKEN",
		},
		"anthropic with a key and a token": {
			map[string]string{"ANTHROPIC_API_KEY": secret, "ANTHROPIC_AUTH_TOKEN": "x", "ANTHROPIC_CUSTOM_HEADERS": "X-A: 1"},
			map[string]string{"X-A": "1"},
			"ANTHROPIC_API_KEY",
		},
	} {
		t.Run(name, func(t *testing.T) {
			c, got, err := connection.FromEnv(func(name string) string { return tt.env[name] })
			if err != nil {
				t.Fatal(err)
			}
			if !maps.Equal(got.Headers, tt.headers) || got.Variable != tt.variable || !c.HasSecret || len(c.HeaderNames) != len(tt.headers) {
				t.Errorf("got %+v for %+v", got, c)
			}
			if text, err := json.Marshal(c); err != nil || strings.Contains(string(text), secret) {
				t.Errorf("the connection shows %s, %v", text, err)
			}
		})
	}
}
