package app

import (
	"context"

	"mews/supervisor"
)

// fileNotices are schedule.Homes.
type fileNotices struct{ *service }

// LookThroughHome is schedule.Homes'.
func (f fileNotices) LookThroughHome(ctx context.Context, user string) (all bool, err error) {
	return f.operations.LookThroughHome(ctx, user)
}

// Changes is schedule.Homes'.
func (f fileNotices) Changes(ctx context.Context, user string, since supervisor.HomeCursor) ([]supervisor.HomeChange, supervisor.HomeCursor, bool, error) {
	return f.index.Changes(ctx, user, since)
}
