package filehistory

import (
	"maps"
	"sync"
	"time"

	"mews/protocol"
)

// readableFor is how long a client may read bytes after the call that stored them.
const readableFor = time.Hour

// handedOut knows the bytes that calls have stored for their clients. ActionRead returns only
// these. So before an admin reads bytes of another user, the audit log has a call. Its methods may
// be called from any goroutine.
type handedOut struct {
	mu   sync.Mutex
	ends map[handedKey]time.Time
}

type handedKey struct{ user, sha256 string }

// add lets clients read bytes of a user; nil means no bytes.
func (o *handedOut) add(user string, blob *protocol.BlobRef, now time.Time) {
	if blob == nil {
		return
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	maps.DeleteFunc(o.ends, func(_ handedKey, end time.Time) bool { return now.After(end) })
	if o.ends == nil {
		o.ends = map[handedKey]time.Time{}
	}
	o.ends[handedKey{user, blob.SHA256}] = now.Add(readableFor)
}

// has reports whether clients may read bytes of a user.
func (o *handedOut) has(user, sha256 string, now time.Time) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	end, ok := o.ends[handedKey{user, sha256}]
	return ok && !now.After(end)
}
