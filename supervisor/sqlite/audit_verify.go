package sqlite

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"hash"
	"slices"

	"mews/supervisor/internal/engine"
)

// AuditReport is what Verify has found.
type AuditReport struct {
	Rows   int64 // how many were read: all, or those up to Broken
	First  int64 // the first one's id; 0 where there is none
	Last   int64 // the last one's
	Broken int64 // the id of the first row that is not as it was written; 0 where there is none
	Why    AuditFault
	// of AuditMissing and AuditMissingAtEnd: the ids of the first row that is missing and of the last
	MissingFrom, MissingTo int64
	// how many have no digest, as from before there were digests: only a Head shows a change there
	Early int64
	// the last digest, in hexadecimal. Kept elsewhere, it shows what is cut off at the end
	Head string
}

// AuditFault is what is wrong with a log; "" is nothing.
type AuditFault string

const (
	AuditMissing      AuditFault = "missing"        // rows before the broken one are not there
	AuditMissingAtEnd AuditFault = "missing_at_end" // the last rows are not there
	AuditNoDigest     AuditFault = "no_digest"      // the broken row was not written by Mews
	AuditChanged      AuditFault = "changed"        // the broken row was changed, or one before it
	AuditCutOff       AuditFault = "cut_off"        // the log does not come past the known digest
)

// auditPage is how many rows Verify has in memory at once.
const auditPage = 1000

const (
	// givenAudit is the last id that was given. SQLite remembers it when the row is gone.
	givenAudit = `SELECT coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'audit'), 0)`
	pageAudit  = selectAudit + `WHERE id > ? ORDER BY id LIMIT ?`
)

// Verify reads the whole log and says whether a row was changed, taken out, put in or moved. A row
// that was taken out at the end is missed by its id, or by what has come after it. Whoever can
// write the database can hide that too, and can write the whole log anew. Only known shows it: the
// Head of an earlier report that was kept elsewhere, "" for none.
func (s Audit) Verify(ctx context.Context, known string) (AuditReport, error) {
	v := newVerifier(known)
	read := s.db.reader(ctx, "verify the audit log")
	// first: a row that is added meanwhile is not missed
	given, err := engine.Value(read, engine.Integer, givenAudit)
	for more := true; more && err == nil; {
		var page []auditRow
		page, err = engine.All(read, scanAudit, pageAudit, v.report.Last, auditPage)
		for _, r := range page {
			if v.read(r); v.report.Broken != 0 {
				return v.report, nil
			}
		}
		more = len(page) == auditPage
	}
	if err != nil {
		return v.report, err
	}
	return v.end(given), nil
}

// verifier follows the chain of digests.
type verifier struct {
	report     AuditReport
	known      string
	foundKnown bool      // known was on the way
	early      hash.Hash // of the rows from before there were digests
	chained    bool      // those are over
	head       []byte
}

func newVerifier(known string) *verifier {
	v := &verifier{known: known, early: sha256.New()}
	v.moveTo(v.early.Sum(nil))
	return v
}

func (v *verifier) moveTo(head []byte) {
	v.head, v.report.Head = head, hex.EncodeToString(head)
	v.foundKnown = v.foundKnown || v.report.Head == v.known
}

// read looks at the next row.
func (v *verifier) read(r auditRow) {
	v.report.Rows++
	switch {
	case r.ID != v.report.Last+1: // ids are given without a gap, from 1 on
		v.missing(r.ID, AuditMissing, r.ID-1)
	case r.chain == nil && v.chained:
		v.broken(r.ID, AuditNoDigest)
	case r.chain == nil:
		v.report.Early++
		v.early.Write(r.encode())
		v.moveTo(v.early.Sum(nil))
	case !slices.Equal(r.chain, r.chainDigest(v.head)):
		v.broken(r.ID, AuditChanged)
	default:
		v.chained = true
		v.moveTo(r.chain)
	}
	if v.report.First == 0 {
		v.report.First = r.ID
	}
	v.report.Last = r.ID
}

func (v *verifier) broken(id int64, why AuditFault) { v.report.Broken, v.report.Why = id, why }

// missing is broken where rows are missing behind the last one, up to an id.
func (v *verifier) missing(id int64, why AuditFault, to int64) {
	v.broken(id, why)
	v.report.MissingFrom, v.report.MissingTo = v.report.Last+1, to
}

// end says what can be said once all was read.
func (v *verifier) end(given int64) AuditReport {
	switch {
	case given > v.report.Last:
		v.missing(v.report.Last+1, AuditMissingAtEnd, given)
	case v.known != "" && !v.foundKnown:
		v.broken(v.report.Last+1, AuditCutOff)
	}
	return v.report
}
