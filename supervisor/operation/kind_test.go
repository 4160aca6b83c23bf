package operation

import (
	"strings"
	"testing"

	"mews/protocol"
)

// A check may return a prompt file only if it was asked for that prompt file.
func TestCheckResult_WrongPromptFile_IsRefused(t *testing.T) {
	const heartbeat, command = `{"prompt_file":"HEARTBEAT.md"}`, `{"command":"true"}`
	for _, c := range []struct {
		parameters, result string
		ok                 bool
	}{
		{heartbeat, `{"file":{"path":"HEARTBEAT.md","looked":true}}`, true},
		{heartbeat, `{}`, false},
		{heartbeat, `{"file":{"path":"MEMORY.md","looked":true}}`, false},
		{command, `{"met":true}`, true},
		{command, `{"file":{"path":"HEARTBEAT.md","looked":true}}`, false},
		{command, `{"found":"` + strings.Repeat("x", protocol.MaxCheckFoundBytes+1) + `"}`, false},
	} {
		if err := kinds[protocol.OperationKindCheck].check(c.parameters, []byte(c.result), nil); (err == nil) != c.ok {
			t.Errorf("%s of %s: %v", c.result, c.parameters, err)
		}
	}
}

// The user reads a worker's reason on one short line.
func TestReasonOf_Message_IsShortAndPlain(t *testing.T) {
	for message, want := range map[string]string{
		"operation 7 (file_history): nothing that old is kept": "nothing that old is kept",
		"operation 8 (file_history): x":                        "operation 8 (file_history): x",
		"two\x1b[1m lines":                                     "two[1m lines",
		"":                                                     textFailed,
		"operation 7 (file_history): ":                         textFailed,
		strings.Repeat("é", maxReason+1):                       strings.Repeat("é", maxReason-1) + "…",
	} {
		if got := reasonOf(message, 7, protocol.OperationKindFileHistory); got != want {
			t.Errorf("%.40q: got %q, want %q", message, got, want)
		}
	}
}

// A version must have been committed, except if its bytes are in the file history.
func TestFileHistoryResult_InvalidData_IsRefused(t *testing.T) {
	const one = "1111111111111111111111111111111111111111111111111111111111111111"
	committed := []protocol.BlobRef{{SHA256: one, Size: 3}}
	blob := `{"blob":{"sha256":"` + one + `","size":3}}`
	for _, c := range []struct {
		parameters, result string
		committed          []protocol.BlobRef
		ok                 bool
	}{
		{`{"action":"show","path":"a"}`, blob, committed, true},
		{`{"action":"show","path":"a"}`, blob, nil, false},
		{`{"action":"space"}`, `{"space":{"bytes":1,"room":2,"files":3}}`, nil, true},
		{`{"action":"space"}`, `{"span":{"from":2,"to":1}}`, nil, false},
		{`{"action":"versions","path":"."}`,
			`{"versions":[{"point":1,"at":"2026-11-30T10:00:00Z","by":{"kind":"x"}}]}`, nil, false},
		{`{"action":"versions","path":"."}`, `{"more":true,"unknown":1}`, nil, false},
	} {
		err := kinds[protocol.OperationKindFileHistory].check(c.parameters, []byte(c.result), c.committed)
		if (err == nil) != c.ok {
			t.Errorf("%s of %s: %v", c.result, c.parameters, err)
		}
	}
	found := `{"changes":[{"outcome":"done","found":"` + one + `","size":3}]}`
	for parameters, ok := range map[string]bool{
		`{"action":"force","changes":[{"path":"a","before":"` + one + `","kept":true}]}`: true,
		`{"action":"force","changes":[{"path":"a","before":"` + one + `"}]}`:             false,
	} {
		if err := kinds[protocol.OperationKindUndo].check(parameters, []byte(found), nil); (err == nil) != ok {
			t.Errorf("%s: %v", parameters, err)
		}
	}
}
