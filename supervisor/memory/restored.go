package memory

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"mews/protocol"
	"mews/supervisor/internal/retry"
	"mews/supervisor/sqlite"
)

// retryRestored is the pause before restored facts are looked for again after an error.
const retryRestored = time.Minute

// run forgets the facts again that a restore has brought back, until ctx ends.
func (m *Memory) run(ctx context.Context) error {
	for err := m.ForgetRestored(ctx); err != nil && retry.Sleep(ctx, retryRestored); err = m.ForgetRestored(ctx) {
		m.o.Log.Warn("could not forget restored facts", "error", err)
	}
	<-ctx.Done()
	return nil
}

// ForgetRestored forgets the facts again that a restore has brought back. The restore has left
// their digests for each user.
func (m *Memory) ForgetRestored(ctx context.Context) (err error) {
	for _, user := range m.o.Users() {
		digests, found, bad := m.o.Settings.Find(ctx, user, sqlite.SettingForgetFacts)
		if bad == nil && found {
			if bad = m.forgetDigests(ctx, user, strings.Fields(digests)); bad == nil {
				bad = m.o.Settings.Delete(ctx, user, sqlite.SettingForgetFacts)
			}
		}
		if bad != nil {
			err = errors.Join(err, fmt.Errorf("forget facts of %s: %w", user, bad))
		}
	}
	return err
}

// forgetDigests forgets the facts of a user that have one of the digests.
func (m *Memory) forgetDigests(ctx context.Context, user string, digests []string) error {
	list, err := FetchAllPages(Query{Parameters: protocol.MemoryParameters{Action: protocol.MemoryActionList,
		Limit: protocol.MaxFactsPerMemoryPage}}, func(q Query) (protocol.MemoryResult, error) {
		return m.RunAction(ctx, user, q.Parameters)
	})
	for _, f := range list.Facts {
		if err == nil && slices.Contains(digests, protocol.DigestWords(f.Text)) {
			_, err = m.RunAction(ctx, user, protocol.MemoryParameters{Action: protocol.MemoryActionForget, ID: f.ID})
		}
	}
	return err
}
