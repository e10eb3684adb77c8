package builtin

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/netguard"
	"github.com/nestorhq/nestor/internal/tool"
	"github.com/nestorhq/nestor/internal/tool/secret"
)

const tavilyDescription = `Searches the web and returns the best pages with title, URL and the passages that fit, plus a short answer where there is one. Use it for facts that may have changed since you learned them, for news and for sources. Ask one thing per search, in natural language or key words; read a page in full with web_fetch.`

const (
	tavilyKeyName = "TAVILY_API_KEY"
	maxAnswer     = 1 << 20 // bytes that are read of a reply
)

type tavilyInput struct {
	Query      string   `json:"query" jsonschema:"what to search for"`
	MaxResults int      `json:"maxResults,omitempty" jsonschema:"how many pages, 1 to 20; 5 if left out"`
	Topic      string   `json:"topic,omitempty" jsonschema:"general, news or finance; general if left out"`
	TimeRange  string   `json:"timeRange,omitempty" jsonschema:"only pages of the last day, week, month or year; all if left out"`
	Domains    []string `json:"domains,omitempty" jsonschema:"only pages of these domains, for example example.org"`
}

// tavilyRequest is the body of POST /search.
type tavilyRequest struct {
	Query          string   `json:"query"`
	MaxResults     int      `json:"max_results"`
	Topic          string   `json:"topic,omitempty"`
	TimeRange      string   `json:"time_range,omitempty"`
	IncludeDomains []string `json:"include_domains,omitempty"`
	IncludeAnswer  bool     `json:"include_answer"`
}

type tavilyResponse struct {
	Answer  string `json:"answer"`
	Results []struct {
		Title         string `json:"title"`
		URL           string `json:"url"`
		Content       string `json:"content"`
		PublishedDate string `json:"published_date"`
	} `json:"results"`
}

func tavilySearch(baseURL, key string) *tool.Tool {
	// The base address is the operator's, not the model's.
	client := netguard.Client(netguard.Options{AllowPrivate: true, Timeout: -1})
	mask := secret.NewMask(map[string]string{tavilyKeyName: key})
	spec := tool.Spec{Name: "tavily_search", Description: tavilyDescription, Effect: tool.Pure}
	if key == "" {
		spec.Needs = "set the environment variable " + tavilyKeyName + " (keys are given at https://tavily.com)"
	}
	return tool.Func(spec, func(ctx context.Context, _ tool.Call, in tavilyInput) (string, error) {
		if key == "" {
			return "", nestor.Errorf(nestor.CodeUnavailable, "tavily_search needs an API key: %s", spec.Needs)
		}
		body, err := in.request()
		if err != nil {
			return "", err
		}
		output, err := searchWeb(ctx, client, strings.TrimSuffix(baseURL, "/")+"/search", key, body)
		return mask.Hide(output), mask.HideError(err)
	})
}

func (in tavilyInput) request() ([]byte, error) {
	if in.MaxResults == 0 {
		in.MaxResults = 5
	}
	switch {
	case strings.TrimSpace(in.Query) == "":
		return nil, nestor.Errorf(nestor.CodeInvalid, "query is empty")
	case in.MaxResults < 1 || in.MaxResults > 20:
		return nil, nestor.Errorf(nestor.CodeInvalid, "maxResults is %d; give 1 to 20", in.MaxResults)
	case in.Topic != "" && !slices.Contains([]string{"general", "news", "finance"}, in.Topic):
		return nil, nestor.Errorf(nestor.CodeInvalid, "topic %q is not general, news or finance", in.Topic)
	case in.TimeRange != "" && !slices.Contains([]string{"day", "week", "month", "year"}, in.TimeRange):
		return nil, nestor.Errorf(nestor.CodeInvalid, "timeRange %q is not day, week, month or year", in.TimeRange)
	}
	return json.Marshal(tavilyRequest{
		Query: in.Query, MaxResults: in.MaxResults, Topic: in.Topic, TimeRange: in.TimeRange,
		IncludeDomains: in.Domains, IncludeAnswer: true,
	})
}

func searchWeb(ctx context.Context, client *http.Client, address, key string, body []byte) (string, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, address, bytes.NewReader(body))
	if err != nil {
		return "", nestor.Errorf(nestor.CodeInvalid, "the search API's address is invalid: %w", err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Authorization", "Bearer "+key)
	resp, err := client.Do(req)
	if err != nil {
		return "", nestor.Errorf(nestor.CodeUnavailable, "the search API cannot be reached: %w", err)
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
	if err != nil {
		return "", nestor.Errorf(nestor.CodeUnavailable, "the search API's reply broke off: %w", err)
	}
	if resp.StatusCode != http.StatusOK {
		return "", tavilyFailure(resp, raw)
	}
	var found tavilyResponse
	if err := json.Unmarshal(raw, &found); err != nil {
		return "", nestor.Errorf(nestor.CodeUnavailable, "the search API's reply is not valid JSON: %w", err)
	}
	return found.markdown(), nil
}

func tavilyFailure(resp *http.Response, raw []byte) error {
	var reply struct {
		Detail struct {
			Error string `json:"error"`
		} `json:"detail"`
	}
	reason := ""
	if json.Unmarshal(raw, &reply) == nil && reply.Detail.Error != "" {
		reason = ": " + reply.Detail.Error
	}
	switch resp.StatusCode {
	case http.StatusUnauthorized, http.StatusForbidden:
		return nestor.Errorf(nestor.CodeForbidden, "the search API rejects the key in %s (HTTP %s)%s", tavilyKeyName, resp.Status, reason)
	case http.StatusTooManyRequests, 432, 433: // the latter two: plan or budget used up
		return nestor.Errorf(nestor.CodeRateLimited, "the search API's limit is reached (HTTP %s)%s", resp.Status, reason)
	default:
		return nestor.Errorf(nestor.CodeUnavailable, "the search API answers HTTP %s%s", resp.Status, reason)
	}
}

func (r tavilyResponse) markdown() string {
	var b strings.Builder
	if r.Answer != "" {
		fmt.Fprintf(&b, "Answer: %s\n\n", r.Answer)
	}
	for i, page := range r.Results {
		fmt.Fprintf(&b, "%d. [%s](%s)\n", i+1, page.Title, page.URL)
		if page.PublishedDate != "" {
			fmt.Fprintf(&b, "   %s\n", page.PublishedDate)
		}
		fmt.Fprintf(&b, "   %s\n\n", strings.Join(strings.Fields(page.Content), " "))
	}
	if len(r.Results) == 0 {
		b.WriteString("No pages were found.")
	}
	return strings.TrimSpace(b.String())
}
