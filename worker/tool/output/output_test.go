package output_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"mews/protocol"
	"mews/worker"
	"mews/worker/tool/output"
)

// storedOutput is a reader of one text under the constant name.
type storedOutput string

var name = strings.Repeat("ab", 32)

func (k storedOutput) ReadBlob(_ context.Context, sha256 string, offset int64, length int) (protocol.BlobReadResult,
	error) {
	if sha256 != name {
		return protocol.BlobReadResult{}, errors.New("there is no such output")
	}
	from := min(offset, int64(len(k)))
	to := min(from+int64(length), int64(len(k)))
	return protocol.BlobReadResult{Data: []byte(k[from:to]), Size: int64(len(k))}, nil
}

func run(text string, limit int, arguments string) (worker.Result, error) {
	return output.Tools(storedOutput(text), limit)[0].Run(context.Background(),
		worker.Call{Arguments: json.RawMessage(arguments)})
}

func TestReadOutput_Offsets_ReturnParts(t *testing.T) {
	text := strings.Repeat("0123456789", 10000)
	for _, test := range []struct {
		name, text, arguments string
		limit                 int
		want                  string // beginning of the result or error
		bytes                 int    // size of the part; 0 for an error
	}{
		{"from the start by default", text, `{"output":"NAME"}`, 0, "[bytes 0 to 8192 of 100000; go on with \"start\": 8192]\n0123", 8192},
		{"a part", text, `{"output":"NAME","start":5,"length":10}`, 0, "[bytes 5 to 15 of 100000; go on with \"start\": 15]\n5678901234", 10},
		{"up to the end", text, `{"output":"NAME","start":99990}`, 0, "[bytes 99990 to 100000 of 100000; the end]\n0123456789", 10},
		{"no more than 32 KiB", text, `{"output":"NAME","length":99999}`, 0, "[bytes 0 to 32768 ", 32768},
		{"no more than the model is shown", text, `{"output":"NAME","length":30000}`, 16384, "[bytes 0 to 15872 ", 15872},
		{"whole characters", "€€€", `{"output":"NAME","start":1,"length":6}`, 0, "[bytes 3 to 6 of 9; go on with \"start\": 6]\n€", 3},
		{"beyond the end", text, `{"output":"NAME","start":100000}`, 0, "read_output NAME: start 100000 is beyond its 100000 bytes", 0},
		{"no name", text, `{"output":"the last one"}`, 0, `read_output: "the last one" names no output`, 0},
		{"a negative start", text, `{"output":"NAME","start":-1}`, 0, "read_output: start -1 and length 0", 0},
		{"a word that is none", text, `{"output":"NAME","offset":1}`, 0, "read_output: arguments: json: unknown field", 0},
		{"an output that is gone", text, `{"output":"` + strings.Repeat("cd", 32) + `"}`, 0, "read_output cdcd", 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, err := run(test.text, test.limit, strings.ReplaceAll(test.arguments, "NAME", name))
			said := got.Text
			if err != nil {
				said = err.Error()
			}
			if want := strings.ReplaceAll(test.want, "NAME", name); !strings.HasPrefix(said, want) {
				t.Errorf("got %.120q, want %q ...", said, want)
			}
			if _, part, _ := strings.Cut(got.Text, "\n"); len(part) != test.bytes {
				t.Errorf("got %d bytes, want %d", len(part), test.bytes)
			}
		})
	}
}

func FuzzReadOutput_PartsEqualTheWhole(f *testing.F) {
	f.Add("some words, é€😀 and so on", 5)
	f.Fuzz(func(t *testing.T, text string, length int) {
		text = strings.ToValidUTF8(text, "?")
		length = 1 + max(length, -length-1)%64
		var whole strings.Builder
		for start := 0; start < len(text); {
			got, err := run(text, 0, fmt.Sprintf(`{"output":%q,"start":%d,"length":%d}`, name, start, length))
			if err != nil {
				t.Fatal(err)
			}
			_, part, _ := strings.Cut(got.Text, "\n")
			if part == "" || !utf8.ValidString(part) {
				t.Fatalf("at %d: %q", start, got.Text)
			}
			whole.WriteString(part)
			start += len(part)
		}
		if whole.String() != text {
			t.Errorf("got %q, want %q", whole.String(), text)
		}
	})
}
