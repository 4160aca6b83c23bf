package remote

import (
	"strings"
	"testing"

	"mews/protocol"
)

func TestParseArguments_AnyText_GivesObject(t *testing.T) {
	deep := strings.Repeat(`{"a":`, protocol.MaxRawJSONDepth) + "1" + strings.Repeat("}", protocol.MaxRawJSONDepth)
	cases := []struct{ name, text, want string }{
		{"nothing", "", `{}`},
		{"white space", " \n", `{}`},
		{"null", "null", `{}`},
		{"an object", "{ \"a\": 1.50,\n \"b\": [true, {}] }", `{"a":1.50,"b":[true,{}]}`},
		{
			"a number too large for a float",
			`{"a":123456789012345678901234567890}`,
			`{"a":123456789012345678901234567890}`,
		},
		{"as deep as may be", deep, deep},
		{"half an object", `{"a":`, `{"_malformed":"{\"a\":"}`},
		{"two objects", `{}{}`, `{"_malformed":"{}{}"}`},
		{"a list", `[1]`, `{"_malformed":"[1]"}`},
		{"words", `list the files`, `{"_malformed":"list the files"}`},
		{"a key twice", `{"a":1,"a":2}`, `{"_malformed":"{\"a\":1,\"a\":2}"}`},
		{"a key twice in another case, within", `{"b":[{"path":1,"Path":2}]}`,
			`{"_malformed":"{\"b\":[{\"path\":1,\"Path\":2}]}"}`},
		{"a number that no reader has", `{"a":1e999}`, `{"_malformed":"{\"a\":1e999}"}`},
		{"half a character", `{"a":"\ud800"}`, `{"_malformed":"{\"a\":\"\\ud800\"}"}`},
		{"bytes that are no text", "{\"a\":\"\xff\"}", `{"_malformed":"{\"a\":\"\ufffd\"}"}`},
		{"a comma too many", `{"a":1,}`, `{"_malformed":"{\"a\":1,}"}`},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			if got := string(ParseArguments(c.text)); got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
		})
	}
	if got := string(ParseArguments(`{"a":` + deep + `}`)); !strings.HasPrefix(got, `{"_malformed":`) {
		t.Errorf("one deeper: %s", got)
	}
}

func FuzzArguments(f *testing.F) {
	for _, seed := range []string{"", "{}", `{"a":{"b":[1,2]}}`, `{"a":1,"A":2}`, "\xff", `{"a":"\ud800"}`, "[[[[", `{"a":888E888880}`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got := ParseArguments(text)
		if err := protocol.ValidateRawJSON(got); err != nil || got[0] != '{' {
			t.Fatalf("%q became %s, which the wire refuses: %v", text, got, err)
		}
	})
}
