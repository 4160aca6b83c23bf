package serve

import (
	"context"

	"mews/protocol"
)

// tryWalls tries to escape from the sandbox. It runs in place of hello, without a user.
func (s *server) tryWalls(ctx context.Context, try protocol.TryWallsParams) (any, error) {
	if s.options.Try == nil {
		return nil, protocol.MethodNotFoundError(protocol.MethodTryWalls)
	}
	return protocol.TryWallsResult{Findings: s.options.Try(ctx, try)}, nil
}
