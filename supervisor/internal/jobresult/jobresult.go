// Package jobresult reads what came of a job's turn in its messages.
package jobresult

import (
	"encoding/json"
	"slices"
	"strings"

	"mews/protocol"
	"mews/supervisor"
)

// Met and NotMet begin the last words of a turn that checks whether something is so. (Kai's
// conditional jobs have them.)
const (
	Met    = "CONDITION_MET:"
	NotMet = "CONDITION_NOT_MET:"
)

// Ended says whether the messages of a job's turn end with its result: then the model is asked for
// nothing more.
func Ended(messages []protocol.Message) bool {
	_, ended := find(messages)
	return ended
}

// Says is what a job's turn tells its person, by its messages: the result that it gave, or else the
// model's last words. "" is nothing.
func Says(messages []protocol.Message) string {
	if result, ended := find(messages); ended {
		return strings.TrimSpace(result.Say)
	}
	text := lastWords(messages)
	if strings.HasPrefix(text, NotMet) {
		return ""
	}
	return strings.TrimSpace(strings.TrimPrefix(text, Met))
}

// IsMet says whether the messages of a job's turn say that its condition is met.
func IsMet(messages []protocol.Message) bool {
	result, ended := find(messages)
	switch {
	case ended && result.Met != nil:
		return *result.Met
	case ended:
		return strings.TrimSpace(result.Say) != ""
	}
	return strings.HasPrefix(lastWords(messages), Met)
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

// find is the result that the last of the model's messages gives, where the call has a result
// of its own that is no error.
func find(messages []protocol.Message) (result protocol.JobResult, ended bool) {
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
			if c.Name == supervisor.ToolJobResult && worked[c.ID] && json.Unmarshal(c.Arguments, &result) == nil {
				return result, true
			}
		}
		return result, false
	}
	return result, false
}
