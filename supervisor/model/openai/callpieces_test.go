package openai

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// chunked returns a stream of chunks with these deltas, and a finish reason in the last.
func chunked(finish string, deltas ...string) string {
	var stream strings.Builder
	for i, d := range deltas {
		stream.WriteString(`data: {"choices":[{"delta":{` + d + `}`)
		if i == len(deltas)-1 {
			stream.WriteString(`,"finish_reason":"` + finish + `"`)
		}
		stream.WriteString("}]}\n\n")
	}
	return stream.String()
}

// piece returns a piece of a call in JSON. head has its index and its id; name "" leaves the name
// out.
func piece(head, name, arguments string) string {
	if head != "" {
		head += ","
	}
	if name != "" {
		name = `"name":` + quoted(name) + `,`
	}
	return `{` + head + `"function":{` + name + `"arguments":` + quoted(arguments) + `}}`
}

func callPieces(pieces ...string) string { return `"tool_calls":[` + strings.Join(pieces, ",") + `]` }

// TestCallPieces_AreJoined joins pieces by their index, and by their id if there is no index.
func TestCallPieces_AreJoined(t *testing.T) {
	const a0, b0, a, b = `"index":0,"id":"a"`, `"index":0,"id":"b"`, `"id":"a"`, `"id":"b"`
	for _, c := range []struct {
		name   string
		deltas []string
		calls  []string // each call as "id name arguments"
	}{
		{"a new id each, the same index", []string{
			callPieces(piece(a0, "f", `{"x":`)), callPieces(piece(b0, "", `1}`))},
			[]string{`a f {"x":1}`}},
		{"a new id and the name each, the same index", []string{
			callPieces(piece(a0, "f", `{"x":`)), callPieces(piece(b0, "f", `1}`))},
			[]string{`a f {"x":1}`}},
		{"the same, and no arguments at first", []string{
			callPieces(piece(a0, "f", "")), callPieces(piece(b0, "f", `{}`))},
			[]string{`a f {}`}},
		{"whole calls with index 0", []string{callPieces(piece(a0, "f", `{"x":1}`), piece(b0, "f", `{"x":2}`))},
			[]string{`a f {"x":1}`, `b f {"x":2}`}},
		{"whole calls of two tools with index 0", []string{
			callPieces(piece(a0, "f", "")), callPieces(piece(b0, "g", ""))},
			[]string{`a f {}`, `b g {}`}},
		{"ids without an index, mixed", []string{callPieces(piece(a, "f", `{"x":`), piece(b, "g", `{"y":`)),
			callPieces(piece(a, "", "1}"), piece(b, "", "2}"))}, []string{`a f {"x":1}`, `b g {"y":2}`}},
		{"whole calls with ids, without an index", []string{callPieces(piece(a, "f", ""), piece(b, "f", ""))},
			[]string{`a f {}`, `b f {}`}},
		{"no index and no ids", []string{
			callPieces(piece("", "f", `{"x":1}`), piece("", "f", `{"x":2}`), piece("", "g", "{}"))},
			[]string{`call_1 f {"x":1}`, `call_2 f {"x":2}`, `call_3 g {}`}},
		{"no index and no id after the first", []string{
			callPieces(piece(a, "f", `{"x"`)), callPieces(piece("", "", ":1}"))},
			[]string{`a f {"x":1}`}},
		{"the name again, without ids", []string{
			callPieces(piece(`"index":0`, "f", "{}")), callPieces(piece(`"index":0`, "f", " "))},
			[]string{`call_1 f {}`}},
		{"function_call", []string{`"content":null,"function_call":{"name":"f","arguments":""}`,
			`"function_call":{"arguments":"{\"x\":"}`, `"function_call":{"arguments":"1}"}`}, []string{
			`call_1 f {"x":1}`}},
	} {
		t.Run(c.name, func(t *testing.T) {
			stream := chunked("stop", c.deltas...)
			answer, _, err := ask(open(t, Options{BaseURL: serve(t, sendStream(stream))}), hi())
			var calls []string
			for _, call := range answer.Message.ToolCalls() {
				calls = append(calls, call.ID+" "+call.Name+" "+string(call.Arguments))
			}
			if diff := cmp.Diff(c.calls, calls); err != nil || diff != "" {
				t.Error(err, diff)
			}
		})
	}
}

// TestStreamedText_EachServersForm_IsRead has texts and chunks as servers other than OpenAI's send
// them.
func TestStreamedText_EachServersForm_IsRead(t *testing.T) {
	const usage = `"usage":{"prompt_tokens":3,"completion_tokens":1}`
	for name, stream := range map[string]string{
		"a list of parts": chunked("stop", `"content":[{"type":"thinking","thinking":[{"type":"text","text":"hm"}]}]`,
			`"content":[{"type":"text","text":"h"},"i"]`, `"content":[]`),
		"chunks without choices": "" +
			"data: {\"choices\":[],\"prompt_filter_results\":[]}\n\n" + chunked("stop", `"content":"hi"`) +
			"data: {\"choices\":null," + usage + "}\n\ndata: {\"usage\":null}\n\ndata: [DONE]\n\n",
		"a final chunk without choices, and no finish reason": "" +
			"data: {\"choices\":[{\"delta\":{\"content\":\"hi\"}}]}\n\n" +
			"data: {" + usage + "}\n\ndata: [DONE]\n\n",
		"the message so far beside its delta": "" +
			`data: {"choices":[{"delta":{"content":"h"},"message":{"content":"h"}}]}` + "\n\n" +
			`data: {"choices":[{"delta":{"content":"i"},"message":{"content":"hi"},"finish_reason":"stop"}]}` + "\n\n",
	} {
		t.Run(name, func(t *testing.T) {
			answer, said, err := ask(open(t, Options{BaseURL: serve(t, sendStream(stream))}), hi())
			if err != nil || answer.Message.Text() != "hi" || said != "hi" {
				t.Errorf("said %q, %+v, %v", said, answer, err)
			}
			if strings.Contains(stream, usage) && answer.Usage.Input != 3 {
				t.Errorf("usage %+v", answer.Usage)
			}
		})
	}
}
