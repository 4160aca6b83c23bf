package host

import (
	"context"

	"mews/protocol"
)

// SearchHistory looks for what a call of search_history says.
func (t *Turn) SearchHistory(ctx context.Context, call string) (protocol.SearchFound, error) {
	return t.search(ctx, protocol.MethodHistorySearch, call)
}

// SearchHome looks for what a call of search_home says.
func (t *Turn) SearchHome(ctx context.Context, call string) (protocol.SearchFound, error) {
	return t.search(ctx, protocol.MethodHomeSearch, call)
}

func (t *Turn) search(ctx context.Context, method, call string) (found protocol.SearchFound, err error) {
	return found, t.host.conn.Call(ctx, method, protocol.Search{Turn: t.turn, Call: call}, &found)
}
