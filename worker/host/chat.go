package host

import (
	"context"

	"mews/protocol"
)

// SendFile has a blob sent to the turn's chat as a file. It sets file.Turn. It waits until the person has allowed it, or
// until ctx ends.
func (t *Turn) SendFile(ctx context.Context, file protocol.ChatSend) error {
	file.Turn = t.turn
	return t.host.conn.Call(ctx, protocol.MethodChatSend, file, &protocol.ChatSent{})
}
