package jobresult_test

import (
	"encoding/json"
	"testing"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/internal/jobresult"
)

func says(text string) protocol.Message {
	return protocol.Message{Role: protocol.RoleAssistant, Parts: []protocol.ContentPart{{Text: text}}}
}

// calls returns messages that end with a call of the tool job_result and the call's result.
func calls(arguments string, failed bool) []protocol.Message {
	call := protocol.ToolCall{ID: "1", Name: supervisor.JobResultToolName, Arguments: json.RawMessage(arguments)}
	return []protocol.Message{
		{Role: protocol.RoleAssistant, Parts: []protocol.ContentPart{{Call: &call}}},
		{Role: protocol.RoleTool, Parts: []protocol.ContentPart{{Result: &protocol.ToolResult{Call: "1",
			Failed: failed}}}},
	}
}

func TestTextForUser_JobMessages_GiveResultText(t *testing.T) {
	for name, c := range map[string]struct {
		messages   []protocol.Message
		ended, met bool
		text       string
	}{
		"nothing": {nil, false, false, ""},
		"last words": {
			[]protocol.Message{says("It rains."), says(" It rains still. ")}, false, false, "It rains still.",
		},
		"condition met": {[]protocol.Message{says(jobresult.ConditionMet + " It rains.")}, false, true,
			"It rains."},
		"condition not met": {[]protocol.Message{says(jobresult.ConditionNotMet + " It is dry.")}, false, false,
			""},
		"a result":              {calls(`{"say":"It rains."}`, false), true, true, "It rains."},
		"a result without text": {calls(`{"say":" "}`, false), true, false, ""},
		"a result not met":      {calls(`{"say":"It is dry.","met":false}`, false), true, false, "It is dry."},
		"a result that failed":  {calls(`{"say":"It rains."}`, true), false, false, ""},
	} {
		if ended, met, text := jobresult.HasResult(c.messages), jobresult.IsConditionMet(c.messages),
			jobresult.TextForUser(c.messages); ended != c.ended ||
			met != c.met ||
			text != c.text {
			t.Errorf("%s: ended %t, met %t, %q", name, ended, met, text)
		}
	}
}
