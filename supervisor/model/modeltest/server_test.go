package modeltest

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// post sends a body unchanged. It returns the response's status and body.
func post(t *testing.T, base, key, body string) (int, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, base+"/chat/completions",
		strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+key)
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	resp, err := client.Do(req)
	if err != nil {
		return 0, err.Error()
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		return resp.StatusCode, string(text) + err.Error()
	}
	return resp.StatusCode, string(text)
}

// chatRequest returns a request with messages in OpenAI's format.
func chatRequest(messages string) string {
	return `{"model":"m","stream":true,"stream_options":{"include_usage":true},"messages":[` + messages + `]}`
}

const (
	user   = `{"role":"user","content":"hi"}`
	calls  = `{"role":"assistant","tool_calls":[{"id":"1","type":"function","function":{"name":"f","arguments":"{}"}}]}`
	result = `{"role":"tool","tool_call_id":"1","content":"ok"}`
)

func TestChat_IsAsStrictAsOpenAI(t *testing.T) {
	_, base := NewServer(t, AnswerOKScript)
	cases := []struct {
		name, body, says string // says is a part of the refusal; "" means accepted
	}{
		{"a message", chatRequest(user), ""},
		{"a call and its result", chatRequest(user + "," + calls + "," + result), ""},
		{"not JSON", `{"model"`, "parse"},
		{"an unknown parameter", `{"model":"m","temprature":1}`, "temprature"},
		{"no model", `{"messages":[` + user + `]}`, "model parameter"},
		{"no messages", `{"model":"m","stream":true,"messages":[]}`, "empty array"},
		{"no stream", `{"model":"m","messages":[` + user + `]}`, ""},
		{"no stream, and options for one", `{"model":"m","stream_options":{},"messages":[` + user + `]}`,
			"stream_options"},
		{"two limits", `{"model":"m","max_tokens":1,"max_completion_tokens":1,"messages":[` + user + `]}`,
			"max_completion_tokens"},
		{"a limit that cannot be", `{"model":"m","max_tokens":0,"messages":[` + user + `]}`, "below minimum"},
		{"an effort that cannot be", `{"model":"m","reasoning_effort":"x","messages":[` + user + `]}`, "reasoning_effort"},
		{"text and an image", chatRequest(`{"role":"user","content":[{"type":"text","text":"x"},{"type":"image_url","image_url":` +
			`{"url":"data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAgAAAAGCAIAAABxZ0isAAAAEUlEQVR42mP4z8CAFTEMpAQAMygv0TfMha4AAAAASUVORK5CYII="}}]}`), ""},
		{"a part of nothing known", chatRequest(`{"role":"user","content":[{"type":"smell"}]}`), "smell"},
		{"no parts", chatRequest(`{"role":"user","content":[]}`), "empty array"},
		{"a strange role", chatRequest(`{"role":"narrator","content":"x"}`), "narrator"},
		{"a user without words", chatRequest(`{"role":"user"}`), "role 'user'"},
		{"an assistant with nothing", chatRequest(user + `,{"role":"assistant"}`), "role 'assistant'"},
		{"a result without a call's id", chatRequest(`{"role":"tool","content":"x"}`), "role 'tool'"},
		{"the system text too late", chatRequest(user + `,{"role":"system","content":"x"}`), "come first"},
		{"a call whose name cannot be", chatRequest(user + "," + strings.Replace(calls, `"f"`, `"f f"`, 1) + "," + result),
			"tool_calls[0]"},
		{"a call without a result", chatRequest(calls + "," + user), "did not have response messages: 1"},
		{"a call at the end without a result", chatRequest(calls), "did not have response messages: 1"},
		{"a result without a call", chatRequest(user + "," + result), "preceeding message"},
		{"a result twice", chatRequest(calls + "," + result + "," + result), "preceeding message"},
		{"a tool that is no function", strings.Replace(chatRequest(user), `{`, `{"tools":[{"type":"x"}],`, 1), "Supported values"},
		{"a tool without a schema", strings.Replace(chatRequest(user), `{`,
			`{"tools":[{"type":"function","function":{"name":"f"}}],`, 1),
			"Invalid schema"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			status, text := post(t, base, "", c.body)
			if c.says == "" && status == 200 {
				return
			}
			if c.says == "" || status != 400 || !strings.Contains(text, c.says) {
				t.Errorf("HTTP %d: %s", status, text)
			}
		})
	}
}

func TestServer_ChecksKeyAndModel(t *testing.T) {
	server, base := NewServer(t, AnswerOKScript)
	server.Key, server.Models = "k", []string{"n"}
	if status, text := post(t, base, "x", chatRequest(user)); status != 401 {
		t.Errorf("HTTP %d: %s", status, text)
	}
	if status, text := post(t, base, "k", chatRequest(user)); status != 404 || !strings.Contains(text, "model_not_found") {
		t.Errorf("HTTP %d: %s", status, text)
	}
	if status, text := post(t, base+"/completions?", "k", "{}"); status != 404 || !strings.Contains(text, "Invalid URL") {
		t.Errorf("HTTP %d: %s", status, text)
	}
}

func TestRequests_KeepsNewest(t *testing.T) {
	s := NewUnstartedServer(AnswerOKScript)
	for i := range maxKept + 10 {
		s.record.keep(Request{Model: fmt.Sprint(i)})
	}
	kept := s.Requests()
	if s.CountRequests() != maxKept+10 || len(kept) > maxKept || kept[len(kept)-1].Model != fmt.Sprint(maxKept+9) {
		t.Errorf("count %d, kept %d", s.CountRequests(), len(kept))
	}
}

func TestAnswerCutAfter_CutsAtExactByte(t *testing.T) {
	whole := ""
	for _, cut := range []int{0, 1, 100, 250} {
		_, base := NewServer(t, func(Request) Answer { return Answer{Text: "hello", CutAfter: cut} })
		_, text := post(t, base, "", chatRequest(user))
		if cut == 0 {
			whole = text
			continue
		}
		if want := whole[:cut] + io.ErrUnexpectedEOF.Error(); text != want {
			t.Errorf("cut after %d: %q", cut, text)
		}
	}
	if !strings.HasSuffix(whole, "data: [DONE]\n\n") {
		t.Errorf("uncut: %q", whole)
	}
}

func TestHangFault_EndsWhenClientDisconnects(t *testing.T) {
	_, base := NewServer(t, func(Request) Answer { return Answer{Text: "hello", CutAfter: 10, Hang: true} })
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, base+"/chat/completions",
		strings.NewReader(chatRequest(user)))
	if err != nil {
		t.Fatal(err)
	}
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	resp, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	begun, err := bufio.NewReader(io.LimitReader(resp.Body, 10)).ReadString(0)
	if begun != `data: {"ch` || err != io.EOF {
		t.Errorf("got %q, %v", begun, err)
	}
	resp.Body.Close()
}

func TestDeltas_AreSplitBetweenCharacters(t *testing.T) {
	for _, c := range []struct {
		text string
		size int
		want []string
	}{
		{"", 3, nil}, {"abc", 0, []string{"abc"}}, {"abcd", 3, []string{"abc", "d"}}, {"äöü", 1, []string{"ä", "ö", "ü"}},
	} {
		if got := pieces(c.text, c.size); fmt.Sprint(got) != fmt.Sprint(c.want) {
			t.Errorf("%q by %d: %q", c.text, c.size, got)
		}
	}
}
