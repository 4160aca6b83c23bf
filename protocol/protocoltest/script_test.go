package protocoltest_test

import (
	"io"
	"strings"
	"testing"

	"mews/protocol/protocoltest"
)

func TestTranscript_BadLines_AreRefused(t *testing.T) {
	for _, text := range []string{``, `{}`, `{"X":{}}`, `{"S":{},"W":{}}`, `[]`, `{"S":{}}` + "\n" + `{"S"`} {
		if lines, err := protocoltest.ParseTranscript([]byte(text)); err == nil {
			t.Errorf("%q was taken as %v", text, lines)
		}
	}
}

func TestScript_UnexpectedLine_Fails(t *testing.T) {
	lines, err := protocoltest.ParseTranscript([]byte(`{"S":{"a":1}}` + "\n" + `{"W":{"b":2}}` + "\n"))
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct{ name, answer, want string }{
		{"as written", "{\"b\":2}\n", ""},
		{"another", "{\"b\":3}\n", `line 2: got {"b":3}`},
		{"other space", "{\"b\": 2}\n", `line 2: got {"b": 2}`},
		{"nothing", "", "line 2: got \"\" and EOF"},
		{"half", `{"b":`, `and EOF`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			a, b := protocoltest.NewSocketPair(t)
			if _, err := io.WriteString(b, tt.answer); err != nil {
				t.Fatal(err)
			}
			if err := b.(interface{ CloseWrite() error }).CloseWrite(); err != nil {
				t.Fatal(err)
			}
			steps := 0
			s := protocoltest.Script{As: protocoltest.SideSupervisor, Lines: lines, OnLine: func(int) { steps++ }}
			err := s.Play(a)
			if tt.want == "" && (err != nil || steps != 2) {
				t.Errorf("got %v after %d steps", err, steps)
			}
			if tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
				t.Errorf("got %v, want %s", err, tt.want)
			}
			sent := make([]byte, 8)
			if _, err := io.ReadFull(b, sent); err != nil || string(sent) != "{\"a\":1}\n" {
				t.Errorf("sent %q (%v)", sent, err)
			}
		})
	}
}
