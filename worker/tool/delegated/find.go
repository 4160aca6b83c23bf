package delegated

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"

	"mews/protocol"
	"mews/worker"
	"mews/worker/host"
)

var findSpec = worker.Spec{
	Name: "find_tools",
	Description: "Find more tools: for terminals, uploads, memory, what was said and done before, and all that was added. Lists their " +
		"families, and opens what fits words, a family or a name for your next step.",
	Effect: protocol.EffectIdempotent, // for the same call: see protocol.MethodToolsFind
	Arguments: []worker.Argument{
		{Name: "words", Type: worker.String},
	},
}

// findTools looks for tools that the model is not offered yet.
func findTools(turn host.Caller) []worker.Tool {
	var finds atomic.Int64
	return []worker.Tool{worker.Define(findSpec, protocol.ToolWords{}, func(ctx context.Context, call worker.Call, _ protocol.ToolWords) (worker.Result, error) {
		// the supervisor would end this worker for one more
		if finds.Add(1) > protocol.MaxToolFinds {
			return worker.Result{}, fmt.Errorf("tools were looked for %d times in this turn, and no more can be", protocol.MaxToolFinds)
		}
		found, err := host.Call[protocol.ToolsFound](ctx, turn, protocol.MethodToolsFind, protocol.ToolsFind{Call: call.ID})
		if refused := new(protocol.Error); errors.As(err, &refused) {
			err = errors.New(refused.Message)
		}
		return worker.Result{Text: found.Text, Brief: strings.Join(found.Opened, ", "), Tools: found.Opened}, err
	})}
}
