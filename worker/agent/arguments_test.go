package agent

import (
	"bytes"
	"testing"
	"unicode/utf8"

	"mews/protocol"
)

func TestCallKey_SameArguments_AreSameCall(t *testing.T) {
	key := func(name, arguments string) string {
		return callKey(protocol.ToolCall{Name: name, Arguments: []byte(arguments)})
	}
	for _, test := range []struct {
		name string
		a, b string
		same bool
	}{
		{"order and spaces do not matter", `{"a":1,"b":{"c":2,"d":3}}`, `{ "b":{"d":3,"c":2}, "a":1 }`, true},
		{"values do", `{"a":1}`, `{"a":2}`, false},
		{"big numbers are not rounded", `{"a":9007199254740993}`, `{"a":9007199254740992}`, false},
		{"an order of a list does", `{"a":[1,2]}`, `{"a":[2,1]}`, false},
		{"what is not JSON is itself", `{"a`, `{"a`, true},
	} {
		if same := key("look", test.a) == key("look", test.b); same != test.same {
			t.Errorf("%s: %s and %s are the same: %v", test.name, test.a, test.b, same)
		}
	}
	if key("look", `{}`) == key("write", `{}`) {
		t.Error("two tools are the same")
	}
}

func FuzzArguments(f *testing.F) {
	f.Add([]byte(`{"path":"notes.md","n":1e400}`))
	f.Add([]byte(`{"_malformed":"{\"path"}`))
	f.Add([]byte(`{"paths":["a\u001b","b"]} trailing`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		if once := canonicalJSON(raw); !bytes.Equal(canonicalJSON(once), once) && len(checkArguments(raw)) == 0 {
			t.Errorf("%q is canonical as %q and that as %q", raw, once, canonicalJSON(once))
		}
		line := firstLine(subject(raw))
		if !utf8.ValidString(line) || utf8.RuneCountInString(line) > maxShown+1 || bytes.ContainsAny([]byte(line), "\n\r\x1b") {
			t.Errorf("%q is shown as %q", raw, line)
		}
	})
}
