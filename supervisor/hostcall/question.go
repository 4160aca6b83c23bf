package hostcall

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/answer"
	"mews/supervisor/feature"
)

// Asker asks users the questions of models.
type Asker interface {
	// Ask asks a question, and returns it once it has ended. Until then Ask returns
	// supervisor.ErrWaitsForAnswer. It uses only ID and User of the question's Conversation.
	Ask(ctx context.Context, q supervisor.Question) (supervisor.Question, error)
}

// toolAskUser is the name of the tool that asks questions.
const toolAskUser = "ask_user"

// askLimit is how often a worker may call question.ask in one attempt at a turn. The store limits
// the turn's questions.
const askLimit = 2 * protocol.MaxQuestions

var questionRows = []row{
	{method: protocol.MethodQuestionAsk, phase: inTurn, kinds: []supervisor.TurnKind{supervisor.TurnChat, supervisor.TurnJob}, bytes: shortParams,
		limit: askLimit, serial: true, handler: turnCall((*turn).ask)},
}

// ask asks the user the question of a tool call. The worker names only the call, and the question
// comes from the transcript.
func (t *turn) ask(ctx context.Context, p *protocol.QuestionAskParams) (*protocol.QuestionAskResult, error) {
	if err := t.checkCall(p.Call, toolAskUser); err != nil {
		return nil, feature.WorkerOffence{Err: err}
	}
	if t.o.Asker == nil {
		return nil, feature.NewRefusal("this Mews asks nothing")
	}
	call, _ := t.openCalls.find(p.Call)
	var asked protocol.AskArguments
	if err := cmp.Or(json.Unmarshal(call.Arguments, &asked), asked.Validate()); err != nil {
		return nil, feature.NewRefusal("not asked: %v", err)
	}
	words := strings.Join(append([]string{asked.Text}, asked.Options...), "\n")
	if err := t.allowWords(ctx, p.Call, words); err != nil {
		return nil, fmt.Errorf("ask whether a question may be asked: %w", err)
	}
	q, err := t.o.Asker.Ask(ctx, supervisor.Question{Conversation: supervisor.Conversation{ID: t.Destination, User: t.user}, Turn: t.ID,
		Call: p.Call, Kind: supervisor.QuestionFromModel, Subject: t.subjectOf(call), Ask: asked})
	if err != nil {
		return nil, fmt.Errorf("ask what a model wants to know: %w", err)
	}
	return &protocol.QuestionAskResult{Text: answer.TextForModel(q), World: q.Answer.World,
		None: q.End != supervisor.QuestionAnswered || q.Answer.Skipped}, nil
}

// subjectOf returns a digest of a call's exact question in this turn, as hexadecimal digits.
func (t *turn) subjectOf(call protocol.ToolCall) string {
	sum := sha256.Sum256([]byte(strings.Join([]string{fmt.Sprint(t.ID), call.ID, string(call.Arguments)}, "\x00")))
	return hex.EncodeToString(sum[:])
}
