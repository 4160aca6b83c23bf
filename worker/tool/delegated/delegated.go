// Package delegated has the tools that the supervisor answers. The worker passes the call on, and
// the answer back: the supervisor has what was said and done, the jobs and the person.
package delegated

import (
	"slices"

	"mews/protocol"
	"mews/worker"
	"mews/worker/host"
)

// Tools makes the tools for one turn.
func Tools(turn host.Caller, start protocol.TurnStart) []worker.Tool {
	return slices.Concat(activityTools(turn), askTools(turn), findTools(turn), jobTools(turn, start), searchTools(turn))
}
