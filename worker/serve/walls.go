package serve

import (
	"context"

	"mews/protocol"
)

// tryWalls tries to get out of the walls. It runs before there is a person.
func (s *server) tryWalls(ctx context.Context, req *protocol.Request) (any, error) {
	var try protocol.TryWalls
	if err := req.Decode(&try); err != nil {
		return nil, err
	}
	if s.options.Try == nil {
		return nil, protocol.MethodNotFound(req.Method)
	}
	return protocol.TriedWalls{Findings: s.options.Try(ctx, try)}, nil
}
