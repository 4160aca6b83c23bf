package host

import (
	"context"

	"mews/protocol"
)

// ToolsChanged tells the supervisor that these are the worker's tools from now on, whole only if it
// does not know the list by its hash. A model may be offered a new one when it has returned nil.
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
