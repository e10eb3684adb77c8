package connection_test

import (
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
		"a key alone, openai":    {map[string]string{"OPENAI_API_KEY": secret}, "openai", "gpt-6.1-terra", "", secret},
		"a key alone, anthropic": {map[string]string{"ANTHROPIC_API_KEY": secret + "\n"}, "anthropic", "claude-sonnet-5-5", "", secret},
		"a key alone, gemini":    {map[string]string{"GEMINI_API_KEY": secret}, "gemini", "gemini-3.8-flash", "", secret},
		"a provider alone":       {map[string]string{"NESTOR_MODEL": "anthropic", "ANTHROPIC_API_KEY": secret, "OPENAI_API_KEY": "x"}, "anthropic", "claude-sonnet-5-5", "", secret},
	} {
		t.Run(name, func(t *testing.T) {
			c, got, err := connection.FromEnv(func(name string) string { return tt.env[name] })
			if err != nil {
				t.Fatal(err)
			}
			if c.ID != "default" || !c.ReadOnly || c.AccessFormat != tt.format || c.ModelID != tt.model || c.BaseURL != tt.url || got != tt.secret {
				t.Errorf("got %+v with secret %q", c, got)
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
