package sqlite

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"time"

	"mews/supervisor/internal/engine"
)

// Audit is the audit log: who did what, and when. Rows are only added. Each row has a digest that
// covers the row and the row before. So Verify finds changes by other programs.
type Audit struct{ db *DB }

// AuditEntry is an entry of the audit log.
type AuditEntry struct {
	ID        int64
	User      string // the acting user; "" means the service itself
	Action    string
	Detail    string // details, without words of users and without secrets
	CreatedAt time.Time
}

// Append adds an entry to the audit log. The user "" means the service itself. The detail must not
// hold words of users or secrets.
func (s Audit) Append(ctx context.Context, user, action, detail string) error {
	return s.AppendAll(ctx, []AuditEntry{{User: user, Action: action, Detail: detail}})
}

// AppendAll adds entries to the audit log in one commit, all or none. It ignores ID and CreatedAt.
func (s Audit) AppendAll(ctx context.Context, list []AuditEntry) error {
	return s.db.write(ctx, func(t *tx) { t.auditRows(list) }, "add %d rows to the audit log", len(list))
}

// auditRows adds entries in the transaction of the change that they describe. The change and its
// entries are stored together.
func (t *tx) auditRows(list []AuditEntry) {
	for _, r := range list {
		t.audit(r.User, r.Action, r.Detail)
	}
}

// auditIfChanged runs change, which returns the number of changed rows. If the number is above 0,
// auditIfChanged adds the entries in the same transaction.
func (db *DB) auditIfChanged(ctx context.Context, entries []AuditEntry, change func(*tx) int64, format string,
	args ...any) (
	int64, error) {
	return inTransaction(ctx, db, func(t *tx) int64 {
		n := change(t)
		if n > 0 {
			t.auditRows(entries)
		}
		return n
	}, format, args...)
}

const (
	selectAudit   = `SELECT id, user, action, detail, created_at, chain FROM audit `
	listUnchained = selectAudit + `ORDER BY id`
	listAudit     = selectAudit + `WHERE id > ?1 AND (?2 = '' OR user = ?2) AND substr(action, 1, length(?3)) = ?3
		AND created_at >= ?4 AND created_at < ?5 ORDER BY id LIMIT ?6`

	// Ids of audit entries have no gaps. A gap shows that another program deleted a row.
	nextAuditID = `SELECT coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'audit'), 0) + 1`
	lastChain   = `SELECT chain FROM audit WHERE chain IS NOT NULL AND id = (SELECT max(id) FROM audit)`
	insertAudit = `INSERT INTO audit (id, user, action, detail, created_at, chain) VALUES (?, ?, ?, ?, ?, ?)`
)

// audit adds an entry to the audit log, with its digest.
func (t *tx) audit(user, action, detail string) {
	id := value(t, engine.ScanInteger, nextAuditID)
	chain, ok := one(t, engine.ScanBytes, lastChain)
	if !ok {
		chain = t.firstDigest()
	}
	row := AuditEntry{ID: id, User: user, Action: action, Detail: detail, CreatedAt: fromMillis(t.Now)}
	t.Exec(insertAudit, id, user, action, detail, t.Now, row.chainDigest(chain))
}

// firstDigest returns the digest before the first entry with a digest. This digest covers all older
// entries.
func (t *tx) firstDigest() []byte {
	digest := sha256.New()
	for _, r := range all(t, scanAudit, listUnchained) {
		digest.Write(r.encode())
	}
	return digest.Sum(nil)
}

// chainDigest returns the digest of a row, given the digest of the row before it.
func (r AuditEntry) chainDigest(before []byte) []byte {
	digest := sha256.Sum256(append(before[:len(before):len(before)], r.encode()...))
	return digest[:]
}

// encode returns the bytes of a row that the digest covers. Each text follows its length, so that
// no two rows have the same bytes.
func (r AuditEntry) encode() []byte {
	b := binary.BigEndian.AppendUint64(nil, uint64(r.ID))
	for _, text := range []string{r.User, r.Action, r.Detail} {
		b = binary.BigEndian.AppendUint64(b, uint64(len(text)))
		b = append(b, text...)
	}
	return binary.BigEndian.AppendUint64(b, uint64(r.CreatedAt.UnixMilli()))
}

// AuditFilter selects entries of the audit log. The zero value selects all.
type AuditFilter struct {
	User   string    // the acting user; "" means everybody
	Action string    // prefix of the entries' actions
	Since  time.Time // start of the entries' time span, inclusive
	Until  time.Time // end of the entries' time span, exclusive; zero means no end
	After  int64     // only entries with greater ids; 0 means all
	Limit  int       // largest number of entries; 0 means no limit
}

// List lists entries of the audit log, oldest first. It may read the whole log.
func (s Audit) List(ctx context.Context, f AuditFilter) ([]AuditEntry, error) {
	return engine.AllRows(s.db.reader(ctx, "list the audit log"),
		func(row *engine.Row) AuditEntry { return scanAudit(row).AuditEntry },
		listAudit, f.After, f.User, f.Action, since(f.Since), until(f.Until), cmp.Or(f.Limit, -1))
}

// auditRow is an entry as it is stored.
type auditRow struct {
	AuditEntry
	chain []byte // digest of the row; nil if the row is older than digests
}

func scanAudit(row *engine.Row) (r auditRow) {
	row.Scan(&r.ID, &r.User, &r.Action, &r.Detail, &r.CreatedAt, &r.chain)
	return r
}
