package sqlite

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"time"

	"mews/supervisor/sqlite/internal/engine"
)

// Audit is who did what, and when. It is only ever added to, and each row carries a digest over the one before it and
// itself, so that Verify finds what was changed behind the program's back.
type Audit struct{ db *DB }

// AuditRow is an entry.
type AuditRow struct {
	ID        int64
	User      string // "" where it was the service itself
	Action    string
	Detail    string // nobody's words and no secret
	CreatedAt time.Time
}

// Put adds an entry. user is "" where it was the service itself. detail holds nobody's words and no secret.
func (s Audit) Put(ctx context.Context, user, action, detail string) error {
	return s.PutAll(ctx, []AuditRow{{User: user, Action: action, Detail: detail}})
}

// PutAll adds entries in one commit, all of them or none. Their ID and CreatedAt are not read.
func (s Audit) PutAll(ctx context.Context, list []AuditRow) error {
	err := s.db.write(ctx, func(t tx) error { return t.auditAll(list) })
	return wrap(err, "put %d rows into the audit log", len(list))
}

// auditAll adds entries. What takes effect at an admin's word adds its own in its own transaction: neither is there without
// the other.
func (t tx) auditAll(list []AuditRow) error {
	for _, r := range list {
		if err := t.audit(r.User, r.Action, r.Detail); err != nil {
			return wrap(err, "put %s of %s", r.Action, r.User)
		}
	}
	return nil
}

// changing has change tell how many rows it has changed, and adds entries in the same transaction if that is any.
func (db *DB) changing(ctx context.Context, entries []AuditRow, change func(tx) (int64, error)) (int64, error) {
	return inTransaction(ctx, db, func(t tx) (int64, error) {
		n, err := change(t)
		if err == nil && n > 0 {
			err = t.auditAll(entries)
		}
		return n, err
	})
}

const (
	// The ids have no gap between them: what was deleted behind the program's back leaves one, even at the end.
	nextAudit   = `SELECT coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'audit'), 0) + 1`
	lastChain   = `SELECT chain FROM audit WHERE chain IS NOT NULL AND id = (SELECT max(id) FROM audit)`
	insertAudit = `INSERT INTO audit (id, user, action, detail, created_at, chain) VALUES (?, ?, ?, ?, ?, ?)`
)

// audit adds an entry to the chain.
func (t tx) audit(user, action, detail string) error {
	id, _, err := engine.One(t, engine.Integer, nextAudit)
	if err != nil {
		return err
	}
	chain, ok, err := engine.One(t, scanBytes, lastChain)
	if err == nil && !ok {
		chain, err = t.firstDigest()
	}
	if err != nil {
		return err
	}
	row := AuditRow{ID: id, User: user, Action: action, Detail: detail, CreatedAt: fromMillis(t.Now)}
	return t.Exec(insertAudit, id, user, action, detail, t.Now, row.chainDigest(chain))
}

const (
	selectAudit   = `SELECT id, user, action, detail, created_at, chain FROM audit `
	listUnchained = selectAudit + `ORDER BY id`
)

// firstDigest is what the first link is joined to: a digest of all rows from before there was the chain.
func (t tx) firstDigest() ([]byte, error) {
	list, err := engine.All(t, scanAudit, listUnchained)
	digest := sha256.New()
	for _, r := range list {
		digest.Write(r.encode())
	}
	return digest.Sum(nil), err
}

// chainDigest is the digest of a row that comes after the one with that digest.
func (r AuditRow) chainDigest(before []byte) []byte {
	digest := sha256.Sum256(append(before[:len(before):len(before)], r.encode()...))
	return digest[:]
}

// encode is a row as it is digested: no two rows have the same. Each text has its length before it.
func (r AuditRow) encode() []byte {
	b := binary.BigEndian.AppendUint64(nil, uint64(r.ID))
	for _, text := range []string{r.User, r.Action, r.Detail} {
		b = binary.BigEndian.AppendUint64(b, uint64(len(text)))
		b = append(b, text...)
	}
	return binary.BigEndian.AppendUint64(b, uint64(r.CreatedAt.UnixMilli()))
}

// auditRow is an entry as it is kept.
type auditRow struct {
	AuditRow
	chain []byte // nil for one from before there was the chain
}

func scanAudit(row *engine.Row) (r auditRow) {
	row.Scan(&r.ID, &r.User, &r.Action, &r.Detail, &r.CreatedAt, &r.chain)
	return r
}

func scanBytes(row *engine.Row) (b []byte) { row.Scan(&b); return b }
