package sqlite

import (
	"context"
	"maps"
	"slices"

	"mews/supervisor"
)

// ListChangedFiles lists the files that the exchanges of a request to forget have changed. Forgetting
// leaves these files alone.
func (s ForgetRequestStore) ListChangedFiles(ctx context.Context, f supervisor.ForgetRequest) ([]string, error) {
	read, changed := s.db.reader(ctx, "list the files that %s wants forgotten", f.User), map[string]bool{}
	err := s.walk(ctx, f, 0, func(list []forgettableInbound, _ int64) (bool, error) {
		for _, item := range list {
			e := exchangeOf(read, item)
			for _, path := range e.changedFiles(read) {
				changed[path] = true
			}
			if e.err != nil {
				return false, e.err
			}
		}
		return true, nil
	})
	return slices.Sorted(maps.Keys(changed)), err
}
