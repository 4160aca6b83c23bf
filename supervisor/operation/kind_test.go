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
