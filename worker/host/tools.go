package host

import (
	"context"

	"mews/protocol"
)

// ToolsChanged announces the new list of tools to the supervisor. It sends the whole list only if
// the supervisor does not know its hash. Once it has returned nil, the model may be offered a new
// tool.
func (h *Host) ToolsChanged(ctx context.Context, tools []protocol.Tool) error {
	if err := protocol.CheckTools(tools); err != nil {
		return err
	}
	hash, err := protocol.HashTools(tools)
	if err != nil {
		return err
	}
	err = h.call(ctx, protocol.MethodToolsChanged, protocol.ToolsChanged{Hash: hash}, nil)
	if isUnknownHash(err) {
		err = h.call(ctx, protocol.MethodToolsChanged, protocol.ToolsChanged{Hash: hash, Tools: tools}, nil)
	}
	return err
}
