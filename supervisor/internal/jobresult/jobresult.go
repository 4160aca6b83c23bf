// Package jobresult reads the result of a job's turn from its messages.
package jobresult

import (
	"encoding/json"
	"slices"
	"strings"

	"mews/protocol"
	"mews/supervisor"
)

// If a job's turn tests a condition, the model's last message begins with one of these texts. (From
// Kai's conditional jobs.)
const (
	ConditionMet    = "CONDITION_MET:"
	ConditionNotMet = "CONDITION_NOT_MET:"
)

// HasResult reports whether the messages of a job's turn end with the job's result. Then the model
// is not called again.
func HasResult(messages []protocol.Message) bool {
	_, ended := findResult(messages)
	return ended
}

// TextForUser returns the text of a job's turn for its user. That is the text of the job's result.
// Without a result it is the model's last words. "" means no text.
func TextForUser(messages []protocol.Message) string {
	if result, ended := findResult(messages); ended {
		return strings.TrimSpace(result.Say)
	}
	text := lastWords(messages)
	if strings.HasPrefix(text, ConditionNotMet) {
		return ""
	}
	return strings.TrimSpace(strings.TrimPrefix(text, ConditionMet))
}

// IsConditionMet reports whether the messages of a job's turn say that its condition is met.
func IsConditionMet(messages []protocol.Message) bool {
	result, ended := findResult(messages)
	switch {
	case ended && result.Met != nil:
		return *result.Met
	case ended:
		return strings.TrimSpace(result.Say) != ""
	}
	return strings.HasPrefix(lastWords(messages), ConditionMet)
}

// lastWords returns the text of the newest message of the model that has words.
func lastWords(messages []protocol.Message) string {
	for _, m := range slices.Backward(messages) {
		if m.Role == protocol.RoleAssistant {
			return strings.TrimSpace(m.Text())
		}
	}
	return ""
}

// findResult returns the job's result, from a successful call in the model's last message.
func findResult(messages []protocol.Message) (result protocol.JobResultArguments, ended bool) {
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
		for _, c := range messages[i].ToolCalls() {
			if c.Name == supervisor.JobResultToolName && worked[c.ID] && json.Unmarshal(c.Arguments, &result) == nil {
				return result, true
			}
		}
		return result, false
	}
	return result, false
}
