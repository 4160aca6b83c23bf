package hostcall

import (
	"fmt"

	"mews/protocol"
	"mews/supervisor/feature"
)

const (
	maxEventText = 300 // maximum bytes of a tool's line that users see

	// maximum progress lines of all turns of a worker: in a second, and at once
	eventRate  = 200
	eventBurst = 400
)

var eventRows = []row{
	{method: protocol.MethodTurnEvent, phase: inTurn, kinds: withHome, limit: 10_000, handler: turnNote((*turn).showEvent)},
}

var eventKinds = map[protocol.EventKind]bool{
	protocol.EventToolBegan: true, protocol.EventToolProgress: true, protocol.EventToolEnded: true,
}

// showEvent shows a tool's line in the reply. If progress lines come too fast, it drops some.
func (t *turn) showEvent(event *protocol.TurnEvent) error {
	switch {
	case len(event.Call) > maxName:
		return feature.WorkerOffence{Err: fmt.Errorf("call: %d bytes, at most %d", len(event.Call), maxName)}
	case !eventKinds[event.Kind]:
		return feature.WorkerOffence{Err: fmt.Errorf("kind: %q is none", printable(string(event.Kind), maxName))}
	}
	if !t.events.AllowN(t.now(), 1) && event.Kind == protocol.EventToolProgress {
		return nil
	}
	event.Text = printable(event.Text, maxEventText)
	event.Tool = printable(event.Tool, maxName)
	event.Call = printable(event.Call, maxName)
	t.Reply.ShowTool(*event)
	return nil
}
