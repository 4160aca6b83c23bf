package supervisor

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"mews/protocol"
)

// MadeByInbound names a command or a press that makes a job.
func MadeByInbound(inbound int64) string { return fmt.Sprintf("inbound/%d", inbound) }

// MadeByCall names a tool call that makes a job.
func MadeByCall(turn int64, call string) string { return fmt.Sprintf("call/%d/%s", turn, call) }

// JobMet and JobNotMet begin the last words of a turn that looks whether something is so. (Kai's
// conditional jobs have them.)
const (
	JobMet    = "CONDITION_MET:"
	JobNotMet = "CONDITION_NOT_MET:"
)

// JobEnded says whether the messages of a job's turn end with its result: then the model is asked
// for nothing more.
func JobEnded(messages []protocol.Message) bool {
	_, ended := jobResult(messages)
	return ended
}

// JobSays is what a job's turn tells its person, by its messages: the result that it gave, or else
// the model's last words. "" is nothing.
func JobSays(messages []protocol.Message) string {
	if result, ended := jobResult(messages); ended {
		return strings.TrimSpace(result.Say)
	}
	text := lastWords(messages)
	if strings.HasPrefix(text, JobNotMet) {
		return ""
	}
	return strings.TrimSpace(strings.TrimPrefix(text, JobMet))
}

// JobIsMet says whether the messages of a job's turn say that that is so for which it looks.
func JobIsMet(messages []protocol.Message) bool {
	result, ended := jobResult(messages)
	switch {
	case ended && result.Met != nil:
		return *result.Met
	case ended:
		return strings.TrimSpace(result.Say) != ""
	}
	return strings.HasPrefix(lastWords(messages), JobMet)
}

// lastWords are the model's.
func lastWords(messages []protocol.Message) string {
	for _, m := range slices.Backward(messages) {
		if m.Role == protocol.RoleAssistant {
			return strings.TrimSpace(m.Text())
		}
	}
	return ""
}

// jobResult is the result that the last of the model's messages gives, where the call has a result
// of its own that is no error.
func jobResult(messages []protocol.Message) (result protocol.JobResult, ended bool) {
	worked := map[string]bool{}
	for i := len(messages) - 1; i >= 0; i-- {
		for _, p := range messages[i].Parts {
			if p.Result != nil && !p.Result.Failed {
				worked[p.Result.Call] = true
			}
		}
		if messages[i].Role != protocol.RoleAssistant {
			continue
		}
		for _, c := range messages[i].Calls() {
			if c.Name == ToolJobResult && worked[c.ID] && json.Unmarshal(c.Arguments, &result) == nil {
				return result, true
			}
		}
		return result, false
	}
	return result, false
}
