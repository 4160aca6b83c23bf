package protocol

import (
	"errors"
	"math"
	"strings"
	"testing"
)

func TestDecodeLine_ValidLines_AreRead(t *testing.T) {
	tests := []struct {
		name, line string
		want       wireMessage
	}{
		{"a call", `{"jsonrpc":"2.0","id":1,"method":"hello","params":{"version":1}}`,
			wireMessage{id: 1, method: "hello", params: []byte(`{"version":1}`)}},
		{"a call without parameters", `{"jsonrpc":"2.0","id":9223372036854775807,"method":"ping"}`,
			wireMessage{id: math.MaxInt64, method: "ping"}},
		{"a notification", `{"method":"cancel","params":{"id":3},"jsonrpc":"2.0"}`,
			wireMessage{method: "cancel", params: []byte(`{"id":3}`)}},
		{"a result", `{"jsonrpc":"2.0","id":2,"result":{"a":[1]}}`, wireMessage{id: 2, result: []byte(`{"a":[1]}`)}},
		{"no result", `{"jsonrpc":"2.0","id":2,"result":null}`, wireMessage{id: 2, result: []byte(`null`)}},
		{"an error", `{"jsonrpc":"2.0","id":2,"error":{"code":-32601,"message":"no"}}`,
			wireMessage{id: 2, failure: &Error{-32601, "no"}}},
		{"space", " {\t\"jsonrpc\" : \"2.0\" ,\"method\":\"a\" } \r", wireMessage{method: "a"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := decodeLine([]byte(tt.line))
			if err != nil {
				t.Fatal(err)
			}
			same := got.id == tt.want.id && got.method == tt.want.method &&
				string(got.params) == string(tt.want.params) && string(got.result) == string(tt.want.result) &&
				(got.failure == nil) == (tt.want.failure == nil)
			if !same || got.failure != nil && *got.failure != *tt.want.failure {
				t.Errorf("got %+v, want %+v", *got, tt.want)
			}
		})
	}
}

// brokenLines break the wire. Each row has the reason that its error gives.
var brokenLines = []struct{ name, line, want string }{
	{"nothing", ``, `want an object`},
	{"a batch", `[{"jsonrpc":"2.0","method":"a"}]`, `want an object`},
	{"half", `{"jsonrpc":"2.0"`, `want , or }`},
	{"two", `{"jsonrpc":"2.0","method":"a"}{}`, `after the end`},
	{"NUL", "{\"jsonrpc\":\"2.0\",\"method\":\"a\"}\x00", `after the end`},
	{"no version", `{"method":"a"}`, `jsonrpc: want "2.0"`},
	{"another version", `{"jsonrpc":"1.0","method":"a"}`, `jsonrpc: want "2.0"`},
	{"unknown key", `{"jsonrpc":"2.0","method":"a","user":"bob"}`, `unknown key "user"`},
	{"case variant", `{"jsonrpc":"2.0","Method":"a"}`, `unknown key "Method"`},
	{"duplicate", `{"jsonrpc":"2.0","method":"a","method":"b"}`, `key "method" twice`},
	{"duplicate inside", `{"jsonrpc":"2.0","method":"a","params":{"x":{"y":1,"y":2}}}`, `params.x: key "y" twice`},
	{"id 0", `{"jsonrpc":"2.0","id":0,"method":"a"}`, `id: want a positive integer`},
	{"id below 0", `{"jsonrpc":"2.0","id":-1,"method":"a"}`, `id: want a positive integer`},
	{"id not whole", `{"jsonrpc":"2.0","id":1.0,"method":"a"}`, `id: want a positive integer`},
	{"id text", `{"jsonrpc":"2.0","id":"1","method":"a"}`, `id: want a positive integer`},
	{"id null", `{"jsonrpc":"2.0","id":null,"method":"a"}`, `id: want a positive integer`},
	{"id too large", `{"jsonrpc":"2.0","id":9223372036854775808,"method":"a"}`, `id: want a positive integer`},
	{"method not text", `{"jsonrpc":"2.0","method":1}`, `method: want a string`},
	{"method empty", `{"jsonrpc":"2.0","method":""}`, `method: want 1 to 64 bytes`},
	{"method long", `{"jsonrpc":"2.0","method":"` + strings.Repeat("a", 65) + `"}`, `method: want 1 to 64 bytes`},
	{"params by position", `{"jsonrpc":"2.0","method":"a","params":[1]}`, `params: want an object`},
	{"params null", `{"jsonrpc":"2.0","method":"a","params":null}`, `params: want an object`},
	{"call and answer", `{"jsonrpc":"2.0","id":1,"method":"a","result":1}`, `method and an answer`},
	{"two answers", `{"jsonrpc":"2.0","id":1,"result":1,"error":{"code":1,"message":""}}`, `neither`},
	{"no answer", `{"jsonrpc":"2.0","id":1}`, `neither`},
	{"answer to nothing", `{"jsonrpc":"2.0","result":1}`, `neither`},
	{"answer with params", `{"jsonrpc":"2.0","id":1,"result":1,"params":{}}`, `neither`},
	{"error not an object", `{"jsonrpc":"2.0","id":1,"error":"no"}`, `error: want an object`},
	{"error with more", `{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"","data":1}}`,
		`error: unknown key "data"`},
	{"invalid UTF-8", "{\"jsonrpc\":\"2.0\",\"method\":\"\xff\"}", `invalid UTF-8`},
	{"lone surrogate", `{"jsonrpc":"2.0","method":"a","params":{"x":"\ud800"}}`, `params.x: invalid or unpaired`},
	{"number out of range", `{"jsonrpc":"2.0","method":"a","params":{"x":1e400}}`, `params.x: number "1e400"`},
	{"deep", `{"jsonrpc":"2.0","method":"a","params":` + strings.Repeat(`{"x":`, 100_000), `64 levels`},
}

func TestDecodeLine_BrokenLines_AreRefused(t *testing.T) {
	for _, tt := range brokenLines {
		t.Run(tt.name, func(t *testing.T) {
			_, err := decodeLine([]byte(tt.line))
			if !errors.Is(err, ErrProtocolBroken) || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %s", err, tt.want)
			}
		})
	}
}

func TestEncode_Lines_EqualWireText(t *testing.T) {
	request := func(id int64, method string, params any) string {
		p, err := encodeRequest(method, params, 1<<20)
		if err != nil {
			t.Fatal(err)
		}
		line := p.line(requestHead(id, method))
		if len(line) > p.size() {
			t.Errorf("a line of %d bytes was counted as %d", len(line), p.size())
		}
		return string(line)
	}
	longest := strings.Repeat("m", longestMethod)
	tests := []struct{ got, want string }{
		{request(1, "hello", CancelParams{ID: 2}), `{"jsonrpc":"2.0","id":1,"method":"hello","params":{"id":2}}`},
		{request(0, "ping", nil), `{"jsonrpc":"2.0","method":"ping","params":{}}`},
		{request(math.MaxInt64, longest, nil),
			`{"jsonrpc":"2.0","id":9223372036854775807,"method":"` + longest + `","params":{}}`},
		{request(0, "a", ContentPart{Text: "<&>\u2028"}),
			`{"jsonrpc":"2.0","method":"a","params":{"text":"<&>\u2028"}}`},
		{string(encodeText("null").line(answerHead(3, "result"))), `{"jsonrpc":"2.0","id":3,"result":null}`},
	}
	for _, tt := range tests {
		if tt.got != tt.want+"\n" {
			t.Errorf("got %s, want %s", tt.got, tt.want)
		}
		if _, err := decodeLine([]byte(strings.TrimSpace(tt.want))); err != nil {
			t.Errorf("%s: %v", tt.want, err)
		}
	}
}

func TestNestingDepth_BothSides_CountTheSame(t *testing.T) {
	for inside, fits := range map[int]bool{maxDepth - 2: true, maxDepth - 1: false} {
		raw := ToolCall{Arguments: []byte(nested("[", "", "]", inside))}
		_, err := encodeRequest("a", raw, 1000)
		_, lineErr := decodeLine([]byte(`{"jsonrpc":"2.0","method":"a","params":{"x":` + string(raw.Arguments) + `}}`))
		if (err == nil) != fits || (lineErr == nil) != fits {
			t.Errorf("%d levels: sent with %v, taken with %v, want ok %v", inside+2, err, lineErr, fits)
		}
	}
}

func TestEncode_BadValues_AreRefused(t *testing.T) {
	tests := []struct {
		name, method string
		params       any
		want         string
	}{
		{"no method", "", nil, "plain bytes"},
		{"a method that needs quoting", "a\"b", nil, "plain bytes"},
		{"a long method", strings.Repeat("m", longestMethod+1), nil, "plain bytes"},
		{"a list", "a", []int{1}, "not an object"},
		{"a channel", "a", make(chan int), "unsupported type"},
		{"raw with a key twice", "a", ToolCall{Arguments: []byte(`{"a":1,"a":2}`)}, `arguments: key "a" twice`},
		{"raw with half a surrogate", "a", ToolCall{Arguments: []byte(`{"a":"\ud800"}`)}, `unpaired`},
		{"raw too deep", "a", ToolCall{Arguments: []byte(nested("[", "", "]", 64))}, `64 levels`},
		{"raw that is none", "a", ToolCall{Arguments: []byte(`{`)}, `unexpected end`},
		{"too long", "a", ContentPart{Text: strings.Repeat("x", 1000)}, "line too long"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := encodeRequest(tt.method, tt.params, 1000)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %s", err, tt.want)
			}
		})
	}
}

func TestDecodeParams_FillsStructOrFails(t *testing.T) {
	tests := []struct {
		name, params string
		into         any
		want         string
	}{
		{"as it should be", `{"id":1}`, new(CancelParams), ""},
		{"wrong below", `{"turn":1,"limits":{"steps":"a"}}`, new(TurnStart),
			"m: limits.steps: want a number, got a string"},
		{"none where some are needed", "", new(CancelParams), "m: no parameters"},
		{"none where none are taken", "", nil, ""},
		{"empty where none are taken", "{}", nil, ""},
		{"some where none are taken", `{"a":1}`, nil, "m: parameters given, but none are taken"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			req := &Request{Method: "m"}
			if tt.params != "" {
				req.Params = []byte(tt.params)
			}
			err := req.DecodeParams(tt.into)
			var told *Error
			if tt.want == "" && err != nil {
				t.Fatal(err)
			}
			if tt.want != "" && (!errors.As(err, &told) || told.Code != CodeInvalidParams || told.Message != tt.want) {
				t.Errorf("got %v, want %s", err, tt.want)
			}
		})
	}
}

// TestErrorCodes_EachMeaning_HasOwnCode does not compile if two codes are equal.
func TestErrorCodes_EachMeaning_HasOwnCode(t *testing.T) {
	for code := range map[int]bool{CodeParse: true, CodeInvalidRequest: true, CodeMethodNotFound: true,
		CodeInvalidParams: true,
		CodeInternal:      true, CodeUnknownHash: true, CodeCancelled: true, CodeBusy: true, CodeFailed: true,
		CodeWaitsForUser: true,
		CodeBlobExpired:  true} {
		if code >= -32000 || code < -32700 {
			t.Errorf("code %d is outside of JSON-RPC's reserved range", code)
		}
	}
}
