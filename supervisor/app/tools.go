package app

import (
	"context"

	"mews/protocol"
)

// userTools lists the tools of users for /tools. Only the user's worker knows them.
type userTools struct{ *service }

// List returns the tools that a user's worker announces. It starts the worker if needed.
func (s userTools) List(ctx context.Context, user string) ([]protocol.Tool, error) {
	spec, err := s.workerSpec(user)
	if err != nil {
		return nil, err
	}
	worker, err := s.pool.Acquire(ctx, spec)
	if err != nil {
		return nil, err
	}
	defer worker.Release()
	return worker.Host().ListTools(), nil
}
