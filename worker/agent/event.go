package agent

import (
	"encoding/json"
	"strings"
	"unicode"

	"mews/protocol"
)

// maxShown bounds the text of an event, in characters.
const maxShown = 120

// sendEvent shows the user the progress of a call.
func (t *turn) sendEvent(call protocol.ToolCall, kind protocol.EventKind, text string, failed bool) {
	t.host.SendEvent(protocol.TurnEvent{
		Turn: t.id, Kind: kind, Call: call.ID, Tool: call.Name, Text: firstLine(text), Failed: failed,
	})
}

// subjectArguments are the arguments that name a call's subject, in order of preference.
var subjectArguments = []string{"path", "paths", "from", "query", "pattern", "timezone", "command", "code", "action"}

// subject briefly names the subject of a call: "notes/shopping.md". It is "" if no argument names a
// subject.
func subject(arguments json.RawMessage) string {
	var fields map[string]json.RawMessage
	if len(arguments) == 0 || json.Unmarshal(arguments, &fields) != nil {
		return ""
	}
	for _, name := range subjectArguments {
		var one string
		var several []string
		switch raw := fields[name]; {
		case json.Unmarshal(raw, &one) == nil && one != "":
			return one
		case json.Unmarshal(raw, &several) == nil && len(several) > 0:
			return strings.Join(several, ", ")
		}
	}
	return ""
}

// firstLine returns the first line of a text, cut to maxShown and without control characters.
func firstLine(text string) string {
	text = strings.TrimSpace(text)
	if end := strings.IndexByte(text, '\n'); end >= 0 {
		text = text[:end]
	}
	text = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.Is(unicode.Cf, r) {
			return ' '
		}
		return r
	}, text)
	count := 0
	for i := range text {
		if count++; count > maxShown {
			return text[:i] + "…"
		}
	}
	return text
}
