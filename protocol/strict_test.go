package protocol

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

type inner struct {
	N int64   `json:"n"`
	F float64 `json:"f,omitempty"`
	U uint8   `json:"u,omitempty"`
}

type embedded struct {
	Deep string `json:"deep,omitempty"`
}

type target struct {
	Text string            `json:"text,omitempty"`
	OK   bool              `json:"ok,omitempty"`
	In   inner             `json:"in"`
	Ptr  *inner            `json:"ptr,omitempty"`
	List []inner           `json:"list,omitempty"`
	Pair [2]int            `json:"pair,omitempty"`
	Map  map[string]inner  `json:"map,omitempty"`
	Tags map[string]string `json:"tags,omitempty"`
	Raw  json.RawMessage   `json:"raw,omitempty"`
	Any  any               `json:"any,omitempty"`
	Data []byte            `json:"data,omitempty"`
	When time.Time         `json:"when,omitzero"`
	Self *target           `json:"self,omitempty"`
	Skip int               `json:"-"`
	Bare int
	embedded
}

func nested(open, inside, closing string, n int) string {
	return strings.Repeat(open, n) + inside + strings.Repeat(closing, n)
}

func TestDecodeStrict_ValidValues_AreAccepted(t *testing.T) {
	tests := map[string]string{
		"nothing": `{}`,
		"every kind": `{"text":"a","ok":true,"in":{"n":1,"f":1.5e3,"u":255},` +
			`"list":[{"n":2}],"pair":[1,2]}`,
		"space around all": " \t\r{ \"ok\" : true , \"list\" : [ ] , \"map\" : { } } \n",
		"null for nilable values": `{"ptr":null,"list":null,"map":null,"raw":null,` +
			`"any":null,"data":null,"self":null}`,
		"any keys in a map":          `{"map":{"a":{"n":1},"A":{"n":2}},"tags":{"":"x"}}`,
		"any keys in raw":            `{"raw":{"a":1,"A":2,"b":[{"c":null}]},"any":{"x":{"y":[1,"2",false]}}}`,
		"base64":                     `{"data":"aGVsbG8="}`,
		"type with its own decoder":  `{"when":"2026-11-20T10:00:00Z"}`,
		"a type within itself":       `{"self":{"self":{"text":"deep"}}}`,
		"escapes":                    `{"text":"\"\\\/\b\f\n\r\t\u00e9\u20AC\ud83d\ude00"}`,
		"a key written with escapes": `{"\u0074ext":"a"}`,
		"UTF-8":                      `{"text":"añ€😀` + "\u2028\x7f" + `"}`,
		"numbers":                    `{"raw":[0,-0,-1,1.0,1e5,1E+5,1e-400,12345678901234567890123]}`,
		"the field without a tag":    `{"Bare":1}`,
		"an embedded field":          `{"deep":"a"}`,
		"the deepest":                `{"raw":` + nested("[", "", "]", maxDepth-1) + `}`,
	}
	for name, text := range tests {
		t.Run(name, func(t *testing.T) {
			var got, want target
			if err := DecodeStrict([]byte(text), &got); err != nil {
				t.Fatal(err)
			}
			if err := json.Unmarshal([]byte(text), &want); err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(got, want) {
				t.Errorf("got %+v, want %+v", got, want)
			}
		})
	}
}

func TestDecodeStrict_InvalidValues_AreRefused(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"unknown key", `{"nope":1}`, `unknown key "nope"`},
		{"unknown key below", `{"list":[{"n":1},{"m":1}]}`, `list[1]: unknown key "m"`},
		{"case variant", `{"Text":"a"}`, `unknown key "Text"`},
		{"case variant of Unicode's", "{\"li\u017ft\":[]}", `unknown key "li\u017ft"`},
		{"an ignored field", `{"Skip":1}`, `unknown key "Skip"`},
		{"duplicate", `{"ok":true,"ok":true}`, `key "ok" twice`},
		{"duplicate by an escape", `{"ok":true,"\u006fk":true}`, `key "ok" twice`},
		{"duplicate in a map", `{"tags":{"a":"","a":""}}`, `tags: key "a" twice`},
		{"duplicate in raw", `{"raw":[{"a":1,"a":1}]}`, `raw[0]: key "a" twice`},
		{"duplicate among many", `{"raw":{` + manyKeys(40) + `,"k30":1}}`, `raw: key "k30" twice`},
		{"invalid UTF-8", "{\"text\":\"a\xffb\"}", `text: invalid UTF-8 at byte 10`},
		{"overlong UTF-8", "{\"text\":\"\xc0\x80\"}", `text: invalid UTF-8`},
		{"a surrogate in UTF-8", "{\"text\":\"\xed\xa0\x80\"}", `text: invalid UTF-8`},
		{"invalid UTF-8 in a key of raw", "{\"raw\":{\"\xff\":1}}", `raw: invalid UTF-8`},
		{"lone high surrogate", `{"text":"\ud83d"}`, `text: invalid or unpaired \u escape at byte 9`},
		{"lone low surrogate", `{"text":"\ude00"}`, `unpaired`},
		{"two high surrogates", `{"text":"\ud83d\ud83d"}`, `unpaired`},
		{"lone surrogate in a key of raw", `{"raw":{"\ud83d":1}}`, `unpaired`},
		{"a bad hex digit", `{"text":"\u00g0"}`, `\u escape`},
		{"an unknown escape", `{"text":"\x41"}`, `invalid escape`},
		{"a raw NUL", "{\"text\":\"a\x00\"}", `control character 0x00`},
		{"a raw newline", "{\"text\":\"0123456789\n\"}", `control character 0x0a`},
		{"trailing value", `{} {}`, `"{}" after the end`},
		{"trailing bracket", `{}}`, `after the end`},
		{"too deep", `{"raw":` + nested("[", "", "]", maxDepth) + `}`, `more than 64 levels deep`},
		{"too deep in objects", nested(`{"self":`, "{}", "}", maxDepth), `more than 64 levels deep`},
		{"deep enough to overflow", `{"raw":` + strings.Repeat("[", 1<<20), `more than 64 levels deep`},
		{"a number beyond float64", `{"raw":1e400}`, `raw: number "1e400" out of range`},
		{"a long number beyond float64", `{"raw":1` + strings.Repeat("0", 400) + `}`, `out of range`},
		{"leading zero", `{"in":{"n":01}}`, `in: want , or }`},
		{"leading plus", `{"in":{"n":+1}}`, `in.n: want a number, got no value`},
		{"no digits", `{"raw":-}`, `invalid number "-"`},
		{"no fraction", `{"raw":1.}`, `invalid number "1."`},
		{"no exponent", `{"raw":1e+}`, `invalid number "1e+"`},
		{"NaN", `{"raw":NaN}`, `want a value`},
		{"not whole", `{"in":{"n":1.5}}`, `in.n: cannot be number 1.5`},
		{"too large", `{"in":{"n":9223372036854775808}}`, `in.n: cannot be number`},
		{"too large for a byte", `{"in":{"n":1,"u":256}}`, `in.u: cannot be number 256`},
		{"string for a number", `{"in":{"n":"1"}}`, `in.n: want a number, got a string`},
		{"number for a string", `{"text":1}`, `text: want a string, got a number`},
		{"list for an object", `{"in":[]}`, `in: want an object, got an array`},
		{"object for a list", `{"list":{}}`, `list: want an array, got an object`},
		{"list for bytes", `{"data":[1]}`, `data: want a string, got an array`},
		{"not base64", `{"data":"!"}`, `illegal base64`},
		{"null for a number", `{"in":{"n":null}}`, `in.n: want a number, got null`},
		{"null for an object", `{"in":null}`, `in: want an object, got null`},
		{"null for all", `null`, `want an object, got null`},
		{"the inside of a map", `{"map":{"a":{"x":1}}}`, `map.a: unknown key "x"`},
		{"a hostile key in the path", `{"map":{"\u001b[31m":{"x":1}}}`, `map."\x1b[31m": unknown key`},
		{"nothing", ``, `want an object, got no value`},
		{"only space", ` `, `want an object, got no value`},
		{"half an object", `{"ok":true`, `want , or }`},
		{"half a string", `{"text":"abc`, `string without an end`},
		{"half an escape", `{"text":"\`, `invalid escape`},
		{"half a \\u", `{"text":"\u12`, `\u escape`},
		{"half a literal", `{"ok":tru`, `want a value`},
		{"comma before the end", `{"ok":true,}`, `want a key`},
		{"comma in a list", `{"list":[,]}`, `want an object, got no value`},
		{"no colon", `{"ok" true}`, `want :`},
		{"no quotes", `{ok:true}`, `want a key`},
		{"a byte order mark", "\ufeff{}", `want an object, got no value`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var v target
			err := DecodeStrict([]byte(tt.text), &v)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %s", err, tt.want)
			}
			if err != nil && (len(err.Error()) > 300 || !utf8.ValidString(err.Error())) {
				t.Errorf("an error unfit to be shown: %q", err)
			}
		})
	}
}

func manyKeys(n int) string {
	var keys []string
	for i := range n {
		keys = append(keys, fmt.Sprintf(`"k%d":1`, i))
	}
	return strings.Join(keys, ",")
}

func TestDecodeStrict_NoPointer_IsRefused(t *testing.T) {
	for _, v := range []any{nil, target{}, 1} {
		if err := DecodeStrict([]byte(`{}`), v); err == nil {
			t.Errorf("decode into %T: no error", v)
		}
	}
	if err := DecodeStrict([]byte(`{}`), (*target)(nil)); err == nil {
		t.Error("decode into a nil pointer: no error")
	}
}

// TestScanString_EveryAlignment_FindsFaults puts each interesting byte at each of the eight
// positions that are skipped at once.
func TestScanString_EveryAlignment_FindsFaults(t *testing.T) {
	for before := range 17 {
		for after := range 9 {
			for c := range 256 {
				text := `"` + strings.Repeat("a", before) + string([]byte{byte(c)}) + strings.Repeat("z", after) + `"`
				var got, want string
				err := DecodeStrict([]byte(text), &got)
				valid := json.Unmarshal([]byte(text), &want) == nil && utf8.ValidString(text)
				if (err == nil) != valid || got != want && valid {
					t.Fatalf("%q: got %q and %v, want %q, valid %v", text, got, err, want, valid)
				}
			}
		}
	}
}

func TestValidateRawJSON_DepthFitsIntoMessage(t *testing.T) {
	deepest := nested(`{"a":`, "1", "}", MaxRawJSONDepth)
	if err := ValidateRawJSON(json.RawMessage(deepest)); err != nil {
		t.Error(err)
	}
	m := ModelStreamResult{Message: Message{Parts: []ContentPart{{Call: &ToolCall{Arguments: json.RawMessage(deepest)}}}}}
	if _, err := encodeLine(m, 1<<20); err != nil {
		t.Errorf("a valid one in a message: %v", err)
	}
	for _, bad := range []string{"", "{", `{"a":1,"a":2}`, `{"a":[{"path":1,"Path":2}]}`, "{\"s\":1,\"ſ\":2}",
		nested("[", "", "]", MaxRawJSONDepth+1), `1e999`} {
		if ValidateRawJSON(json.RawMessage(bad)) == nil {
			t.Errorf("%.20q is valid", bad)
		}
	}
}

// FuzzDecodeStrict compares DecodeStrict with a slow and simple version of the same rules.
func FuzzDecodeStrict(f *testing.F) {
	for _, seed := range []string{`{}`, `{"text":"a","in":{"n":1}}`, `{"raw":{"a":[1,2e3,null]},"data":"aGk="}`,
		`{"text":"\ud83d\ude00"}`, `{"tags":{"a":"b"},"tags":{}}`, `{"Text":1}`, `{"raw":1e400}`, `[]`, `{"in":null}`,
		`{"operation":3,"kind":"archive","parameters":{"max_bytes":1048576}}`, `{"raw":{"max_bytes":1,"max_bytes":2}}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var v target
		err := DecodeStrict(data, &v)
		var any json.RawMessage
		anyErr := DecodeStrict(data, &any)
		want := checkSimply(data)
		if (anyErr == nil) != (want == nil) {
			t.Fatalf("%q: got %v, the reference %v", data, anyErr, want)
		}
		if err != nil {
			return
		}
		if want != nil {
			t.Fatalf("%q accepted, the reference refuses: %v", data, want)
		}
		again, encodeErr := json.Marshal(v)
		if encodeErr != nil {
			t.Fatal(encodeErr)
		}
		var second target
		if err := DecodeStrict(again, &second); err != nil {
			t.Errorf("%q came back as %q: %v", data, again, err)
		}
	})
}

func BenchmarkDecode(b *testing.B) {
	chunk, err := json.Marshal(BlobWriteParams{Turn: 1, Data: make([]byte, MaxBlobChunkBytes)})
	if err != nil {
		b.Fatal(err)
	}
	text, err := json.Marshal(TurnEvent{Turn: 1, Text: strings.Repeat("The quick brown fox\n", 3277)})
	if err != nil {
		b.Fatal(err)
	}
	small, err := json.Marshal(TurnEvent{Turn: 1, Text: "The quick brown fox"})
	if err != nil {
		b.Fatal(err)
	}
	sets := []struct {
		name string
		data []byte
		into func() any
	}{
		{"event", small, func() any { return new(TurnEvent) }},
		{"text64KiB", text, func() any { return new(TurnEvent) }},
		{"blob64KiB", chunk, func() any { return new(BlobWriteParams) }},
	}
	for _, set := range sets {
		for how, decode := range map[string]func([]byte, any) error{"strict": DecodeStrict, "json": json.Unmarshal} {
			b.Run(set.name+"/"+how, func(b *testing.B) {
				b.SetBytes(int64(len(set.data)))
				b.ReportAllocs()
				for b.Loop() {
					if err := decode(set.data, set.into()); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
