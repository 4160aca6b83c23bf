package sqlite

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"time"

	"mews/supervisor/internal/engine"
)

// Audit is who did what, and when. It is only ever added to. Each row carries a digest over the row
// before it and itself, by which Verify finds what another program has changed.
type Audit struct{ db *DB }

// AuditRow is an entry.
type AuditRow struct {
	ID        int64
	User      string // "" where it was the service itself
	Action    string
	Detail    string // nobody's words and no secret
	CreatedAt time.Time
}

// Put adds an entry. user is "" where it was the service itself. detail holds nobody's words and no
// secret.
func (s Audit) Put(ctx context.Context, user, action, detail string) error {
	return s.PutAll(ctx, []AuditRow{{User: user, Action: action, Detail: detail}})
}

// PutAll adds entries in one commit, all of them or none. Their ID and CreatedAt are not read.
func (s Audit) PutAll(ctx context.Context, list []AuditRow) error {
	return s.db.write(ctx, func(t *tx) { t.auditAll(list) }, "put %d rows into the audit log", len(list))
}

// auditAll adds entries in the transaction of what they are about: neither is there without the
// other.
func (t *tx) auditAll(list []AuditRow) {
	for _, r := range list {
		t.audit(r.User, r.Action, r.Detail)
	}
}

// changing has change tell how many rows it has changed. If that is any, the entries are added in
// the same transaction.
func (db *DB) changing(ctx context.Context, entries []AuditRow, change func(*tx) int64, format string, args ...any) (
	int64, error) {
	return inTransaction(ctx, db, func(t *tx) int64 {
		n := change(t)
		if n > 0 {
			t.auditAll(entries)
		}
		return n
	}, format, args...)
}

const (
	selectAudit   = `SELECT id, user, action, detail, created_at, chain FROM audit `
	listUnchained = selectAudit + `ORDER BY id`
	listAudit     = selectAudit + `WHERE id > ?1 AND (?2 = '' OR user = ?2) AND substr(action, 1, length(?3)) = ?3
		AND created_at >= ?4 AND created_at < ?5 ORDER BY id LIMIT ?6`

	// The ids have no gap between them: a row that another program has deleted leaves one, even at
	// the end.
	nextAudit   = `SELECT coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'audit'), 0) + 1`
	lastChain   = `SELECT chain FROM audit WHERE chain IS NOT NULL AND id = (SELECT max(id) FROM audit)`
	insertAudit = `INSERT INTO audit (id, user, action, detail, created_at, chain) VALUES (?, ?, ?, ?, ?, ?)`
)

// audit adds an entry to the chain.
func (t *tx) audit(user, action, detail string) {
	id := value(t, engine.Integer, nextAudit)
	chain, ok := one(t, engine.Bytes, lastChain)
	if !ok {
		chain = t.firstDigest()
	}
	row := AuditRow{ID: id, User: user, Action: action, Detail: detail, CreatedAt: fromMillis(t.Now)}
	t.Exec(insertAudit, id, user, action, detail, t.Now, row.chainDigest(chain))
}

// firstDigest is what the first digest is over: all rows from before there were digests.
func (t *tx) firstDigest() []byte {
	digest := sha256.New()
	for _, r := range all(t, scanAudit, listUnchained) {
		digest.Write(r.encode())
	}
	return digest.Sum(nil)
}

// chainDigest is the digest of a row that comes after the one with that digest.
func (r AuditRow) chainDigest(before []byte) []byte {
	digest := sha256.Sum256(append(before[:len(before):len(before)], r.encode()...))
	return digest[:]
}

// encode is a row as it is digested. Each text has its length before it, so that no two rows have
// the same encoding.
func (r AuditRow) encode() []byte {
	b := binary.BigEndian.AppendUint64(nil, uint64(r.ID))
	for _, text := range []string{r.User, r.Action, r.Detail} {
		b = binary.BigEndian.AppendUint64(b, uint64(len(text)))
		b = append(b, text...)
	}
	return binary.BigEndian.AppendUint64(b, uint64(r.CreatedAt.UnixMilli()))
}

// AuditFilter says which entries are asked for. The zero value is all.
type AuditFilter struct {
	User   string    // whose; "" is everybody's
	Action string    // how their action begins
	Since  time.Time // not before
	Until  time.Time // before; zero is no end
	After  int64     // with a greater id: for the next page, the last one's
	Limit  int       // how many at most; 0 is all
}

// List lists entries, oldest first. It may read all of them: it is for people who ask.
func (s Audit) List(ctx context.Context, f AuditFilter) ([]AuditRow, error) {
	return engine.All(s.db.reader(ctx, "list the audit log"), func(row *engine.Row) AuditRow { return scanAudit(row).AuditRow },
		listAudit, f.After, f.User, f.Action, since(f.Since), until(f.Until), cmp.Or(f.Limit, -1))
}

// auditRow is an entry as it is kept.
type auditRow struct {
	AuditRow
	chain []byte // nil for one from before there were digests
}

func scanAudit(row *engine.Row) (r auditRow) {
	row.Scan(&r.ID, &r.User, &r.Action, &r.Detail, &r.CreatedAt, &r.chain)
	return r
}
