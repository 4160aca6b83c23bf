package modeltest

import (
	"bufio"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
)

// reply is an HTTP response.
type reply struct {
	status int
	header http.Header
	body   string
}

// send sends a request. headers are alternating names and values.
func send(t *testing.T, method, url, body string, headers ...string) reply {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i+1 < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	resp, err := client.Do(req)
	if err != nil {
		return reply{body: err.Error()}
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		text = append(text, err.Error()...)
	}
	return reply{resp.StatusCode, resp.Header, string(text)}
}

// postMessages sends a request in Anthropic's format.
func postMessages(t *testing.T, base, body string) reply {
	t.Helper()
	return send(t, http.MethodPost, base+"/messages", body, "x-api-key", "k", "anthropic-version", "2023-06-01")
}

// event is an event of a stream. In OpenAI's format it has no name.
type event struct {
	name string
	data map[string]any
}

// events reads the events of a stream. The stream must be complete, with JSON in each event except
// [DONE].
func (r reply) events(t *testing.T) []event {
	t.Helper()
	var out []event
	var one event
	lines := bufio.NewScanner(strings.NewReader(r.body))
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		name, value, _ := strings.Cut(lines.Text(), ": ")
		switch {
		case name == "event":
			one.name = value
		case name == "data" && value != "[DONE]":
			if err := json.Unmarshal([]byte(value), &one.data); err != nil {
				t.Fatalf("%q: %v", lines.Text(), err)
			}
			out, one = append(out, one), event{}
		}
	}
	return out
}

// at returns the value at a path in nested objects and lists; nil if it is missing. Examples of
// paths are "error.message" and "choices.0.delta.content".
func at(v any, path string) any {
	for key := range strings.SplitSeq(path, ".") {
		switch inner := v.(type) {
		case map[string]any:
			v = inner[key]
		case []any:
			if len(key) != 1 || int(key[0]-'0') >= len(inner) {
				return nil
			}
			v = inner[key[0]-'0']
		default:
			return nil
		}
	}
	return v
}

// object returns the JSON object in a body.
func (r reply) object(t *testing.T) map[string]any {
	t.Helper()
	var v map[string]any
	if err := json.Unmarshal([]byte(r.body), &v); err != nil {
		t.Fatalf("%q: %v", r.body, err)
	}
	return v
}

// text returns the value at a path as text.
func text(v any, path string) string {
	s, _ := at(v, path).(string)
	return s
}

// number returns the value at a path as a number.
func number(v any, path string) int {
	n, _ := at(v, path).(float64)
	return int(n)
}
