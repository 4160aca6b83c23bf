package delegated

import (
	"context"

	"mews/protocol"
	"mews/worker"
	"mews/worker/host"
)

var askSpec = worker.ToolSpec{
	Name: "ask_user",
	Description: "Ask the person something that only they know, and wait for the answer, perhaps for a day. Ask " +
		"rarely, one thing at a time. " +
		"choice and several need options; with other they may answer in words too.",
	Effect: protocol.EffectIdempotent, // a repeated call changes nothing more: see protocol.MethodQuestionAsk
	Arguments: []worker.Argument{
		{Name: "question", Type: worker.StringArgument, Required: true},
		{
			Name:     "kind",
			Values:   []string{"choice", "several", "confirm", "text", "number", "date", "location", "file"},
			Required: true,
		},
		{Name: "options", Type: worker.StringListArgument},
		{Name: "other", Type: worker.BooleanArgument},
	},
}

// askTools makes the tool that asks the user a question.
func askTools(turn host.Caller) []worker.Tool {
	return []worker.Tool{
		worker.DefineTool(
			askSpec,
			protocol.AskArguments{},
			func(ctx context.Context, call worker.Call, _ protocol.AskArguments) (worker.Result, error) {
				answered, err := host.CallMethod[protocol.QuestionAskResult](
					ctx,
					turn,
					protocol.MethodQuestionAsk,
					protocol.QuestionAskParams{Call: call.ID},
				)
				return worker.Result{
						Text:  answered.Text,
						Brief: briefs[answered.None],
						World: answered.World,
					}, host.ExplainRefusal(
						err,
					)
			},
		),
	}
}

// briefs are the short results for the user. The key tells whether the answer is missing.
var briefs = map[bool]string{true: "no answer", false: "answered"}
