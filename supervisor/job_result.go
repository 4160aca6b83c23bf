package supervisor

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"mews/protocol"
)

// Title is what a job is called: its name, or how its text begins. What is built in has a title of
// its own.
func (j Job) Title() string {
	switch title := RoutineTitles[j.Name]; {
	case j.Kind == JobRoutine && title != "":
		return title
	case j.Name != "":
		return j.Name
	}
	line, _, _ := strings.Cut(strings.TrimSpace(j.Text), "\n")
	if runes := []rune(line); len(runes) > MaxJobName/2 {
		line = string(runes[:MaxJobName/2-1]) + "…"
	}
	return line
}

// WithTitle puts what a job is called before what it says, but of one without a name whose text is
// the first of that.
func (j Job) WithTitle(said string) string {
	if text := strings.TrimSpace(j.Text); j.Name == "" && text != "" && strings.HasPrefix(said+"\n", text+"\n") {
		return said
	}
	return fmt.Sprintf(textJobSays, j.Title(), said)
}

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
