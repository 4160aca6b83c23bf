package modeltest

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
)

// parallel answers with two calls whose arguments come in pieces.
func parallel(Request) Answer {
	return Answer{Thinking: "Both.", Text: "On it.", Chunk: 4,
		Calls: []Call{{ID: "a", Name: "f", Args: `{"x":1}`}, {ID: "b", Name: "g", Args: `{"y":22}`}}}
}

func TestDialects_StreamTheSameAnswer(t *testing.T) {
	for _, d := range Dialects {
		s, base := NewServer(t, parallel)
		s.Dialect = d
		r := send(t, http.MethodPost, base+"/chat/completions", chatRequest(user))
		said, thought, finish := "", "", ""
		arguments, order := map[int]string{}, ""
		all := r.events(t)
		for _, ev := range all {
			said += text(ev.data, "choices.0.delta.content")
			thought += text(ev.data, "choices.0.delta."+d.traits().thinkingKey)
			finish += text(ev.data, "choices.0.finish_reason")
			if call := at(ev.data, "choices.0.delta.tool_calls.0"); call != nil {
				i := number(call, "index")
				arguments[i] += text(call, "function.arguments")
				order += fmt.Sprint(i)
			}
		}
		if said != "On it." || thought != "Both." || finish != "tool_calls" || arguments[0] != `{"x":1}` ||
			arguments[1] != `{"y":22}` {
			t.Errorf("%q: said %q, thought %q, called %v, finished %q", d, said, thought, arguments, finish)
		}
		if mixed := strings.Contains(order, "010"); mixed != (d == DialectInvented) {
			t.Errorf("%q: calls in the order %s", d, order)
		}
		if done := strings.HasSuffix(r.body, "data: [DONE]\n\n"); done == (d == DialectInvented) {
			t.Errorf("%q: [DONE] is %t", d, done)
		}
		if comment := strings.Contains(r.body, ": OPENROUTER PROCESSING"); comment != (d == DialectOpenRouter) {
			t.Errorf("%q: a comment is %t", d, comment)
		}
		if last := all[len(all)-1].data; number(last, "usage.completion_tokens_details.reasoning_tokens") != 1 ||
			number(last, "usage.completion_tokens") < 4 || len(at(last, "choices").([]any)) != 0 {
			t.Errorf("%q: the last chunk %v", d, last)
		}
	}
}

func TestUsage_NotRequested_IsNotInStream(t *testing.T) {
	_, base := NewServer(t, AnswerOKScript)
	body := strings.Replace(chatRequest(user), `"include_usage":true`, `"include_usage":false`, 1)
	if _, answer := post(t, base, "", body); strings.Contains(answer, "completion_tokens") ||
		!strings.Contains(answer, "[DONE]") {
		t.Errorf("got %s", answer)
	}
}

func TestChat_WithoutStream_AnswersInOneBody(t *testing.T) {
	_, base := NewServer(t, parallel)
	_, body := post(t, base, "", `{"model":"m","messages":[`+user+`]}`)
	v := reply{body: body}.object(t)
	if text(v, "choices.0.message.content") != "On it." || text(v, "choices.0.message.tool_calls.1.id") != "b" ||
		text(v, "choices.0.message.reasoning_content") != "Both." || number(v, "usage.total_tokens") == 0 ||
		text(v, "choices.0.finish_reason") != "tool_calls" {
		t.Errorf("got %v", v)
	}
}

func TestChat_Error_MayHaveStatus200(t *testing.T) {
	s, base := NewServer(t, ScriptWithFaults(AnswerOKScript, FaultAfterAnswer(FailureInternalError)))
	s.Dialect = DialectOpenRouter
	status, body := post(t, base, "", `{"model":"m","messages":[`+user+`]}`)
	if status != 200 || text(reply{body: body}.object(t), "error.message") == "" {
		t.Errorf("%d %s", status, body)
	}
}

func TestChat_ModelRefusal_HasItsOwnField(t *testing.T) {
	_, base := NewServer(t, func(Request) Answer { return Answer{Text: "I will not.", Stop: StopReasonRefusal} })
	_, body := post(t, base, "", chatRequest(user))
	if !strings.Contains(body, `"refusal":"I will not."`) || !strings.Contains(body, `"finish_reason":"stop"`) {
		t.Errorf("got %s", body)
	}
}

func TestChat_UnknownParameter_IsRefused(t *testing.T) {
	for _, c := range []struct {
		dialect Dialect
		refuses []string
		more    string
		status  int
		says    string
	}{
		{DialectOpenAI, nil, `"chat_template_kwargs":{},`, 400,
			"Unrecognized request argument supplied: chat_template_kwargs"},
		{DialectGroq, nil, `"chat_template_kwargs":{},`, 400, "chat_template_kwargs"},
		{DialectVLLM, nil, `"chat_template_kwargs":{},`, 200, ""},
		{DialectLlamaCpp, nil, `"anything":{},`, 200, ""},
		{DialectOpenAI, []string{"max_tokens"}, `"max_tokens":9,`, 400, `"param":"max_tokens"`},
		{DialectOpenAI, []string{"max_tokens"}, `"max_completion_tokens":9,`, 200, ""},
		{DialectOllama, []string{"stream_options"}, "", 400, "stream_options"},
		{DialectOpenRouter, nil, `"reasoning":{"effort":"high"},`, 200, ""},
	} {
		s, base := NewServer(t, AnswerOKScript)
		s.Dialect, s.Refuses = c.dialect, c.refuses
		status, body := post(t, base, "", strings.Replace(chatRequest(user), "{", "{"+c.more, 1))
		if status != c.status || !strings.Contains(body, c.says) {
			t.Errorf("%q with %s: %d %s", c.dialect, c.more, status, body)
		}
	}
}

func TestModels_BothFormats_ListAllModels(t *testing.T) {
	s, base := NewServer(t, AnswerOKScript)
	s.Key, s.Models = "k", []string{"a", "b", "c"}
	names := func(r reply, key, name string) (out string) {
		list, _ := at(r.object(t), key).([]any)
		for _, one := range list {
			out += text(one, name)
		}
		return out
	}
	bearer := []string{"Authorization", "Bearer k"}
	if r := send(t, http.MethodGet, base+"/models", "", bearer...); names(r, "data", "id") != "abc" {
		t.Errorf("models: %s", r.body)
	}
	if r := send(t, http.MethodGet, base+"/models", ""); r.status != 401 {
		t.Errorf("models without a key: %d", r.status)
	}
	theirs := []string{"x-api-key", "k", "anthropic-version", "2023-06-01"}
	for query, want := range map[string]string{
		"": "abc false", "?limit=2": "ab true", "?limit=2&after_id=b": "c false", "?before_id=c&limit=1": "b true",
		"?after_id=c": " false", "?limit=0": " <nil>", "?limit=1001": " <nil>", "?after_id=z": " <nil>",
	} {
		r := send(t, http.MethodGet, base+"/models"+query, "", theirs...)
		if got := names(r, "data", "id") + " " + fmt.Sprint(at(r.object(t), "has_more")); got != want {
			t.Errorf("models%s: %s", query, r.body)
		}
	}
	if r := send(t, http.MethodGet, base+"/models", "", "anthropic-version", "2023-06-01"); r.status != 401 {
		t.Errorf("Anthropic's models without a key: %d", r.status)
	}
	root := strings.TrimSuffix(base, "/v1")
	if r := send(t, http.MethodGet, root+"/api/tags", ""); r.status != 404 {
		t.Errorf("/api/tags of OpenAI: %d", r.status)
	}
	s.Dialect = DialectOllama
	if r := send(t, http.MethodGet, root+"/api/tags", ""); names(r, "models", "name") != "abc" {
		t.Errorf("/api/tags: %s", r.body)
	}
	s.Dialect, s.Limits.Context = DialectLlamaCpp, 4096
	if r := send(t, http.MethodGet, root+"/props", ""); number(r.object(t), "default_generation_settings.n_ctx") != 4096 {
		t.Errorf("/props: %s", r.body)
	}
}
