package host

import (
	"context"

	"mews/protocol"
)

// AnnounceTools announces a new list of tools to the supervisor. It sends the whole list only if
// the supervisor does not know the hash of the list. After success the model may be offered new
// tools.
func (h *Host) AnnounceTools(ctx context.Context, tools []protocol.Tool) error {
	if err := protocol.ValidateTools(tools); err != nil {
		return err
	}
	hash, err := protocol.HashTools(tools)
	if err != nil {
		return err
	}
	err = h.call(ctx, protocol.MethodToolsChanged, protocol.ToolsChangedParams{Hash: hash}, nil)
	if isUnknownHash(err) {
		err = h.call(ctx, protocol.MethodToolsChanged, protocol.ToolsChangedParams{Hash: hash, Tools: tools}, nil)
	}
	return err
}
