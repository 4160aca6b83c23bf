package host

import (
	"context"

	"mews/protocol"
)

// SendMessage has the text of a tool call sent to the turn's chat, ahead of the answer.
func (t *Turn) SendMessage(ctx context.Context, call string) error {
	return t.host.conn.Call(ctx, protocol.MethodChatMessage, protocol.ChatMessage{Turn: t.turn, Call: call}, &protocol.ChatSent{})
}

// SendFile has blobs sent to the turn's chat as files. It sets file.Turn. It waits until the person
// has allowed it, or until ctx ends.
func (t *Turn) SendFile(ctx context.Context, file protocol.ChatSend) error {
	file.Turn = t.turn
	return t.host.conn.Call(ctx, protocol.MethodChatSend, file, &protocol.ChatSent{})
}
