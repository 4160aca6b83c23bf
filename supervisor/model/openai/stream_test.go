package openai

import (
	"bytes"
	"io"
	"os"
	"strings"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"

	"mews/supervisor"
	"mews/supervisor/model/modeltest"
	"mews/supervisor/model/remote"
	"mews/supervisor/modelcall"
)

func recorded(t testing.TB) []byte {
	t.Helper()
	stream, err := os.ReadFile("testdata/stream.txt")
	if err != nil {
		t.Fatal(err)
	}
	return stream
}

// TestCutStream_IsNeverCompleteAnswer cuts a stream after each byte, by a broken connection and by
// a clean end.
func TestCutStream_IsNeverCompleteAnswer(t *testing.T) {
	stream := recorded(t)
	finished := bytes.Index(stream, []byte(`"finish_reason":"tool_calls"`))
	finished += bytes.Index(stream[finished:], []byte("\n\n")) + len("\n\n")
	spoke := bytes.Index(stream, []byte("\n\ndata: ")) // position of the first data, after the stream's first comment
	spoke += bytes.Index(stream[spoke+2:], []byte("\n\n")) + 2 + len("\n\n")
	counted := bytes.LastIndex(stream, []byte("\n\ndata: [DONE]")) + len("\n\n")
	whole, _, err := ask(open(t, Options{BaseURL: "http://h/v1",
		HTTPClient: modeltest.ClientWithReply(bytes.NewReader(stream))}), hi())
	if err != nil || len(whole.Message.ToolCalls()) != 2 || whole.Usage.Input == 0 {
		t.Fatalf("uncut: %v, %v", whole, err)
	}
	for _, broken := range []error{io.EOF, io.ErrUnexpectedEOF} {
		for at := range stream {
			body := io.MultiReader(bytes.NewReader(stream[:at]), iotest.ErrReader(broken))
			p := open(t, Options{BaseURL: "http://h/v1", HTTPClient: modeltest.ClientWithReply(body)})
			answer, _, err := ask(p, hi())
			if at < finished && (supervisor.ErrorCodeOf(err) != supervisor.CodeUnavailable ||
				answer.Message.Parts != nil) {
				t.Fatalf("cut at %d of %d: %v, %v", at, len(stream), answer, err)
			}
			if class := modeltest.ErrorClassOf(err); at < finished &&
				(class == modelcall.NetworkError) != (at < spoke) {
				t.Fatalf("cut at %d, the first chunk ends at %d: class %s", at, spoke, class)
			}
			if at >= counted && answer.Usage != whole.Usage {
				t.Fatalf("cut at %d, after the usage: %v", at, answer.Usage)
			}
			if at >= finished && (err != nil || len(answer.Message.Parts) != len(whole.Message.Parts)) {
				t.Fatalf("cut at %d, after the finish reason: %v, %v", at, answer, err)
			}
		}
	}
}

// TestStream_ByteByByte_GivesSameAnswer reads a stream that comes one byte at a time.
func TestStream_ByteByByte_GivesSameAnswer(t *testing.T) {
	body := iotest.OneByteReader(bytes.NewReader(recorded(t)))
	answer, said, err := ask(open(t, Options{BaseURL: "http://h/v1", HTTPClient: modeltest.ClientWithReply(body)}),
		hi())
	if err != nil || said != "Ich schaue nach, ça va? 🦅" || len(answer.Message.ToolCalls()) != 2 {
		t.Errorf("said %q, %v, %v", said, answer, err)
	}
}

func TestSilence_EndsCall(t *testing.T) {
	const start = `data: {"choices":[{"delta":{"content":"so"}}]}` + "\n\n"
	const finish = `data: {"choices":[{"delta":{},"finish_reason":"stop"}]}` + "\n\n"
	const thinking = "groq" // requests to this server ask for thinking
	cases := []struct {
		name, sent string
		mute       bool
		lasts      time.Duration
		whole      bool
		o          Options
	}{
		{"before the head", "", true, DefaultFirstByteWait, false, Options{}},
		{"before the first byte", "", false, DefaultFirstByteWait, false, Options{}},
		{"before the head of a far one", "", true, RemoteFirstByteWait, false, Options{Far: true}},
		{"before the first byte of a far one that thinks", "", false, RemoteThinkingWait, false, Options{Far: true,
			Server: thinking}},
		{"before the first byte of a far and patient one", "", false, 4 * time.Minute, false, Options{Far: true, Stall: 4 * time.Minute}},
		{"within the answer", start, false, DefaultMaxSilence, false, Options{}},
		{"before the first byte of an impatient one", "", false, DefaultFirstByteWait, false,
			Options{Stall: time.Second}},
		{"before the first byte of a patient one", "", false, 20 * time.Minute, false, Options{Stall: 20 * time.Minute}},
		{"within the answer of a patient one", start, false, 20 * time.Minute, false, Options{Stall: 20 * time.Minute}},
		{"after the finish reason nothing is missing", start + finish, false, 5 * time.Second, true, Options{}},
		{"after [DONE] nothing is waited for but the end", start + finish + "data: [DONE]\n\n", false, 100 * time.Millisecond, true, Options{}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				client, w := modeltest.ClientWithPipe(c.mute)
				if c.sent != "" {
					go func() { _, _ = io.WriteString(w, c.sent) }()
				}
				began := time.Now()
				c.o.BaseURL, c.o.HTTPClient = "http://h/v1", client
				req := hi()
				if c.o.Server == thinking {
					req.Thinking = modelcall.ThinkingHigh
				}
				answer, _, err := ask(open(t, c.o), req)
				if took := time.Since(began); took != c.lasts {
					t.Errorf("took %v, want %v", took, c.lasts)
				}
				if c.whole != (err == nil) || c.whole != (answer.Message.Text() == "so") {
					t.Errorf("got %v, %v", answer, err)
				}
				if !c.whole && !strings.Contains(err.Error(), "nothing came for") {
					t.Errorf("got %v", err)
				}
				w.Close()
			})
		})
	}
}

func TestComments_KeepStreamAlive(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client, w := modeltest.ClientWithPipe(false)
		go func() {
			for range 10 {
				time.Sleep(DefaultMaxSilence - time.Second)
				_, _ = io.WriteString(w, ": still here\n\n")
			}
			_, _ = io.WriteString(w, `data: {"choices":[{"delta":{"content":"so"},"finish_reason":"stop"}]}`+"\n\n")
			w.Close()
		}()
		answer, _, err := ask(open(t, Options{BaseURL: "http://h/v1", HTTPClient: client}), hi())
		if err != nil || answer.Message.Text() != "so" {
			t.Errorf("got %v, %v", answer, err)
		}
	})
}

func TestEndlessLineOrAnswer_IsBrokenOff(t *testing.T) {
	word := `data: {"choices":[{"delta":{"content":"` + strings.Repeat("x", 1000) + `"}}]}` + "\n\n"
	call := `data: {"choices":[{"delta":{"tool_calls":[{"id":"ID","function":{"name":"f"}}]}}]}` + "\n\n"
	var calls strings.Builder
	for i := range maxCalls + 1 {
		calls.WriteString(strings.Replace(call, "ID", strings.Repeat("i", i+1), 1))
	}
	for name, stream := range map[string]io.Reader{
		"a line":        io.MultiReader(strings.NewReader("data: "), modeltest.RepeatingReader("x")),
		"lines of data": modeltest.RepeatingReader("data: xxxxxxxxxxxxxxxxxxxxxxxxx\n"),
		"an answer":     modeltest.RepeatingReader(word),
		"calls":         strings.NewReader(calls.String()),
	} {
		t.Run(name, func(t *testing.T) {
			_, _, err := ask(open(t, Options{BaseURL: "http://h/v1", HTTPClient: modeltest.ClientWithReply(stream)}),
				hi())
			if supervisor.ErrorCodeOf(err) != supervisor.CodeModelFailed || !strings.Contains(err.Error(),
				"broken off") {
				t.Errorf("got %v", err)
			}
		})
	}
}

func FuzzEvents(f *testing.F) {
	f.Add(recorded(f), 7)
	for _, d := range dialects {
		f.Add([]byte(d.stream), 1)
	}
	f.Add([]byte("error: {\"message\":\"x\"}\n\nevent: error\ndata: {}\n\n:\n\n\r\n"), 3)
	f.Fuzz(func(t *testing.T, stream []byte, at int) {
		p := open(t, Options{BaseURL: "http://h/v1", HTTPClient: modeltest.ClientWithReply(bytes.NewReader(stream))})
		answer, said, err := ask(p, hi())
		if (err == nil) != (len(answer.Message.Parts) > 0) {
			t.Fatalf("got %v, %v", answer, err)
		}
		// text before </think> is said before it turns out to be thinking
		late := bytes.Contains(stream, []byte("</")) && strings.HasSuffix(said, answer.Message.Text())
		if err == nil && answer.Message.Text() != said && strings.TrimSpace(said) != "" && !late {
			t.Fatalf("said %q, answered %q", said, answer.Message.Text())
		}
		for _, c := range answer.Message.ToolCalls() {
			if remote.CheckArguments(string(c.Arguments)) != nil {
				t.Fatalf("arguments %q", c.Arguments)
			}
		}
		if at = max(0, min(at, len(stream))); err == nil {
			return
		}
		pieces := io.MultiReader(bytes.NewReader(stream[:at]), iotest.OneByteReader(bytes.NewReader(stream[at:])))
		p = open(t, Options{BaseURL: "http://h/v1", HTTPClient: modeltest.ClientWithReply(pieces)})
		if _, _, again := ask(p, hi()); again == nil || again.Error() != err.Error() {
			t.Fatalf("in pieces %v, at once %v", again, err)
		}
	})
}
