package host

import (
	"context"

	"mews/protocol"
)

// Ask asks the person what a tool call says. Its error has protocol.CodeWaits while they have not
// answered.
func (t *Turn) Ask(ctx context.Context, call string) (answered protocol.QuestionAnswered, err error) {
	err = t.host.conn.Call(ctx, protocol.MethodQuestionAsk, protocol.QuestionAsk{Turn: t.turn, Call: call}, &answered)
	return answered, err
}
