package app

import (
	"context"

	"mews/protocol"
)

// personsTools are the tools that people have, for /tools. Only their worker knows them.
type userTools struct{ *service }

// List is what a person's worker announces, which is started where it does not run.
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
	return worker.Host().Tools(), nil
}
