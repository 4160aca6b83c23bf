package host

import (
	"context"

	"mews/protocol"
)

// FindTools has the supervisor look for what a call of find_tools says.
func (t *Turn) FindTools(ctx context.Context, call string) (found protocol.ToolsFound, err error) {
	err = t.host.conn.Call(ctx, protocol.MethodToolsFind, protocol.ToolsFind{Turn: t.turn, Call: call}, &found)
	return found, err
}
