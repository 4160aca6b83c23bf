package openai

import (
	"io"
	"net/http"
	"testing"

	"mews/supervisor/model/modeltest"
	"mews/supervisor/modelcall"
)

// TestAnswer_FieldsOfWrongType_IsAccepted sends values of a wrong type in fields that the answer
// does not need.
func TestAnswer_FieldsOfWrongType_IsAccepted(t *testing.T) {
	for name, chunk := range map[string]string{
		"number as id":              `"id":12`,
		"number as model":           `"model":3`,
		"object as id":              `"id":{}`,
		"null as id":                `"id":null`,
		"empty error":               `"error":""`,
		"error null":                `"error":null`,
		"error false":               `"error":false`,
		"text as count":             `"usage":{"prompt_tokens":"12","completion_tokens":"3"}`,
		"fraction":                  `"usage":{"prompt_tokens":12.5,"completion_tokens":3.0}`,
		"exponent":                  `"usage":{"prompt_tokens":1.2e1,"completion_tokens":3}`,
		"text as details":           `"usage":{"prompt_tokens":12,"prompt_tokens_details":"no","completion_tokens":3}`,
		"list as details":           `"usage":{"prompt_tokens":12,"prompt_tokens_details":[1],"completion_tokens":3}`,
		"count that is a list":      `"usage":{"prompt_tokens":[12],"completion_tokens":3}`,
		"count that is an object":   `"usage":{"prompt_tokens":{},"completion_tokens":3}`,
		"count that is true":        `"usage":{"prompt_tokens":true,"completion_tokens":3}`,
		"huge count":                `"usage":{"prompt_tokens":10000000000000000000000000,"completion_tokens":3}`,
		"usage that is a text":      `"usage":"many"`,
		"usage that is a list":      `"usage":[]`,
		"usage that is false":       `"usage":false`,
		"usage null":                `"usage":null`,
		"number as a finish reason": `"choices":[{"delta":{},"finish_reason":1}]`,
		"finish reason true":        `"choices":[{"delta":{},"finish_reason":true}]`,
	} {
		stream := "data: " + `{"choices":[{"delta":{"content":"hi"}}]}` + "\n\ndata: {" + chunk + "}\n\n" +
			`data: {"choices":[{"delta":{},"finish_reason":"stop"}]}` + "\n\ndata: [DONE]\n\n"
		answer, said, err := ask(open(t, Options{BaseURL: serve(t, sendStream(stream))}), hi())
		if err != nil || said != "hi" || answer.Message.Text() != "hi" {
			t.Errorf("%s: %q, %v, %v", name, said, answer, err)
		}
		switch u := answer.Usage; name {
		case "text as count", "fraction", "exponent", "text as details", "list as details":
			if u.Input != 12 || u.Output != 3 {
				t.Errorf("%s: counted %+v", name, u)
			}
		}
	}
}

// TestUnstreamedAnswer_OtherType_IsRead sends a whole answer, or nothing, with different content
// types.
func TestUnstreamedAnswer_OtherType_IsRead(t *testing.T) {
	const whole = `{"choices":[{"message":{"role":"assistant","content":"hi"},"finish_reason":"stop"}]}`
	const stream = `data: {"choices":[{"delta":{"content":"hi"},"finish_reason":"stop"}]}` + "\n\n"
	for _, c := range []struct {
		status     int
		kind, body string
		class      modelcall.ErrorClass
	}{
		{200, "application/json", whole, ""},
		{200, "text/plain; charset=utf-8", whole, ""},
		{200, "application/octet-stream", whole, ""},
		{200, "text/plain", stream, ""},
		{200, "text/event-stream", stream, ""},
		{200, "text/plain", "", modelcall.NetworkError},
		{204, "", "", modelcall.EmptyAnswer},
		{204, "application/json", "", modelcall.EmptyAnswer},
	} {
		answer, _, err := ask(open(t, Options{BaseURL: serve(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", c.kind)
			w.WriteHeader(c.status)
			_, _ = io.WriteString(w, c.body)
		})}), hi())
		if modeltest.ErrorClassOf(err) != c.class || c.class == "" && answer.Message.Text() != "hi" {
			t.Errorf("%d %s: %v, %v", c.status, c.kind, answer.Message, err)
		}
	}
}
