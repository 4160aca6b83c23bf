package anthropic

import (
	"bytes"
	"errors"
	"io"
	"os"
	"strings"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"mews/protocol"
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

func usageOf(err error) protocol.Usage {
	failed := new(modelcall.Error)
	errors.As(err, &failed)
	return failed.Usage
}

// end returns the index after the event that contains mark.
func end(t testing.TB, stream []byte, mark string) int {
	t.Helper()
	at := bytes.Index(stream, []byte(mark))
	if at < 0 {
		t.Fatalf("no %s in the stream", mark)
	}
	return at + bytes.Index(stream[at:], []byte("\n\n")) + len("\n\n")
}

// TestCutStream_IsNeverCompleteAnswer cuts a stream after each byte, by a broken connection and by
// a clean end. The usage so far must be kept.
func TestCutStream_IsNeverCompleteAnswer(t *testing.T) {
	stream := recorded(t)
	begun, finished := end(t, stream, "message_start"), end(t, stream, `"stop_reason": "tool_use"`)
	counted := protocol.Usage{Input: 1525, Output: 1, CacheRead: 1200, CacheWrite: 300}
	whole, _, err := ask(open(t, Options{HTTPClient: modeltest.ClientWithReply(bytes.NewReader(stream))}), hi())
	if err != nil || len(whole.Message.Parts) != 5 {
		t.Fatalf("uncut: %v, %v", whole, err)
	}
	for _, broken := range []error{io.EOF, io.ErrUnexpectedEOF} {
		for at := range stream {
			body := io.MultiReader(bytes.NewReader(stream[:at]), iotest.ErrReader(broken))
			answer, _, err := ask(open(t, Options{HTTPClient: modeltest.ClientWithReply(body)}), hi())
			switch slack := 1; { // the last byte of a line's end may be missing
			case at < finished-slack && (modeltest.ErrorClassOf(err) != modelcall.StreamCut ||
				answer.Message.Parts != nil):
				t.Fatalf("cut at %d of %d: %v, %v", at, len(stream), answer, err)
			case at >= begun && at < finished-slack && usageOf(err) != counted:
				t.Fatalf("cut at %d: usage %v", at, usageOf(err))
			case at >= finished && (err != nil || !cmp.Equal(answer, whole)):
				t.Fatalf("cut at %d, after the reason to stop: %v, %v", at, answer, err)
			}
		}
	}
}

// TestStream_ByteByByte_GivesSameAnswer reads a stream that comes one byte at a time.
func TestStream_ByteByByte_GivesSameAnswer(t *testing.T) {
	body := iotest.OneByteReader(bytes.NewReader(recorded(t)))
	answer, heard, err := ask(open(t, Options{HTTPClient: modeltest.ClientWithReply(body)}), hi())
	if err != nil || heard != "Ich schaue nach, ça va? 🦅" || len(answer.Message.ToolCalls()) != 2 {
		t.Errorf("said %q, %v, %v", heard, answer, err)
	}
}

// streamUntilText returns okStream up to the text. stopped returns okStream up to the stop reason.
func streamUntilText() string {
	return okStream[:strings.Index(okStream, `data: {"type":"content_block_stop"`)]
}
func stopped() string {
	return okStream[:strings.Index(okStream, `data: {"type":"message_stop"`)]
}

func TestSilence_EndsCall(t *testing.T) {
	cases := []struct {
		name, sent string
		mute       bool
		lasts      time.Duration
		whole      bool
	}{
		{"before the head", "", true, DefaultMaxSilence, false},
		{"before the first byte", "", false, DefaultMaxSilence, false},
		{"within the answer", streamUntilText(), false, DefaultMaxSilence, false},
		{"after the reason to stop nothing is missing", stopped(), false, 5 * time.Second, true},
		{"after the end nothing is waited for but the connection's", okStream, false, 100 * time.Millisecond, true},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				client, w := modeltest.ClientWithPipe(c.mute)
				if c.sent != "" {
					go func() { _, _ = io.WriteString(w, c.sent) }()
				}
				began := time.Now()
				answer, _, err := ask(open(t, Options{HTTPClient: client}), hi())
				if took := time.Since(began); took != c.lasts {
					t.Errorf("took %v, want %v", took, c.lasts)
				}
				if c.whole != (err == nil) || c.whole != (answer.Message.Text() == "ok") {
					t.Errorf("got %v, %v", answer, err)
				}
				if !c.whole && modeltest.ErrorClassOf(err) != modelcall.StreamStalled {
					t.Errorf("got %v", err)
				}
				if c.sent == streamUntilText() && usageOf(err).Input != 3 {
					t.Errorf("usage %v", usageOf(err))
				}
				w.Close()
			})
		})
	}
}

func TestPings_KeepStreamAlive(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client, w := modeltest.ClientWithPipe(false)
		go func() {
			for range 10 {
				time.Sleep(20*time.Second - time.Millisecond)
				_, _ = io.WriteString(w, "event: ping\ndata: {\"type\": \"ping\"}\n\n")
			}
			_, _ = io.WriteString(w, okStream)
			w.Close()
		}()
		answer, _, err := ask(open(t, Options{HTTPClient: client, Silence: 20 * time.Second}), hi())
		if err != nil || answer.Message.Text() != "ok" {
			t.Errorf("got %v, %v", answer, err)
		}
	})
}

func TestEndlessLineOrAnswer_IsBrokenOff(t *testing.T) {
	const begin = `data: {"type":"content_block_start","index":0,"content_block":{"type":"TYPE","name":"f"}}` + "\n\n"
	word := func(kind, delta, field string) io.Reader {
		more := `data: {"type":"content_block_delta","index":0,"delta":{"type":"` + delta + `","` + field + `":"` +
			strings.Repeat("x", 1000) + `"}}` + "\n\n"
		return io.MultiReader(strings.NewReader(strings.Replace(begin, "TYPE", kind, 1)),
			modeltest.RepeatingReader(more))
	}
	var blocks strings.Builder
	for range maxBlocks + 1 {
		blocks.WriteString(call("f", "{}"))
	}
	for name, stream := range map[string]io.Reader{
		"a line":      io.MultiReader(strings.NewReader("data: "), modeltest.RepeatingReader("x")),
		"a text":      word("text", "text_delta", "text"),
		"arguments":   word("tool_use", "input_json_delta", "partial_json"),
		"a thought":   word("thinking", "thinking_delta", "thinking"),
		"a signature": word("thinking", "signature_delta", "signature"),
		"blocks":      strings.NewReader(streamOf(blocks.String(), "tool_use")),
	} {
		t.Run(name, func(t *testing.T) {
			_, _, err := ask(open(t, Options{HTTPClient: modeltest.ClientWithReply(stream)}), hi())
			if supervisor.ErrorCodeOf(err) != supervisor.CodeModelFailed || !strings.Contains(err.Error(),
				"broken off") {
				t.Errorf("got %v", err)
			}
		})
	}
}

func FuzzStream(f *testing.F) {
	f.Add(recorded(f), 7)
	f.Add([]byte(okStream), 100)
	for _, a := range answers {
		f.Add([]byte(streamOf(a.blocks, a.reason)), 50)
	}
	f.Add([]byte("event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\"}}\n\n:\n\n\r\n"), 3)
	f.Fuzz(func(t *testing.T, stream []byte, at int) {
		answer, heard, err := ask(open(t, Options{HTTPClient: modeltest.ClientWithReply(bytes.NewReader(stream))}),
			hi())
		failed := new(modelcall.Error)
		if (err == nil) != (len(answer.Message.Parts) > 0) || err != nil && !errors.As(err, &failed) {
			t.Fatalf("got %v, %v", answer, err)
		}
		if err == nil && answer.Message.Text() != heard && strings.TrimSpace(heard) != "" {
			t.Fatalf("said %q, answered %q", heard, answer.Message.Text())
		}
		used := answer.Usage
		if err != nil {
			used = failed.Usage
		}
		if used.Input < used.CacheRead+used.CacheWrite || used.Output < 0 || used.CacheRead < 0 || used.CacheWrite < 0 {
			t.Fatalf("usage %v", used)
		}
		if err == nil {
			mustBeSendable(t, answer)
		}
		at = max(0, min(at, len(stream)))
		pieces := io.MultiReader(bytes.NewReader(stream[:at]), iotest.OneByteReader(bytes.NewReader(stream[at:])))
		_, _, same := ask(open(t, Options{HTTPClient: modeltest.ClientWithReply(pieces)}), hi())
		if (err == nil) != (same == nil) || err != nil && same.Error() != err.Error() {
			t.Fatalf("in pieces %v, at once %v", same, err)
		}
	})
}

// mustBeSendable checks that an accepted answer can be sent back to the API.
func mustBeSendable(t *testing.T, answer modelcall.Answer) {
	t.Helper()
	for _, c := range answer.Message.ToolCalls() {
		if remote.CheckArguments(string(c.Arguments)) != nil {
			t.Fatalf("arguments %q", c.Arguments)
		}
	}
	req := hi()
	req.Model, req.Thinking = "claude-opus-5-5", modelcall.ThinkingLow
	req.Messages = append(req.Messages, answer.Message)
	if _, err := encode(req, thinkingFormOf(req.Model, req.Thinking, DefaultMaxTokens), DefaultMaxTokens); err != nil {
		t.Fatal(err)
	}
}
