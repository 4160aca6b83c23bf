package sqlite

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"slices"
)

// AuditReport is what Verify has found.
type AuditReport struct {
	Rows   int64  // how many were read: all, or those up to Broken
	First  int64  // the first one's id; 0 where there is none
	Last   int64  // the last one's
	Broken int64  // the id of the row from which on the log is not what was written; 0 where it is
	Why    string // what is wrong there, a whole sentence
	Head   string // the digest that all of it comes to, in hexadecimal: kept elsewhere, it shows what is cut off at the end
}

// auditPage is how many rows Verify has in memory at once.
const auditPage = 1000

const pageAudit = selectAudit + `WHERE id > ? ORDER BY id LIMIT ?`

// Verify reads the whole log and says whether a row was changed, taken out, put in or moved. What was cut off at its end
// is seen once something has come after it, or where known, the Head of an earlier report, is given; "" is none.
func (s Audit) Verify(ctx context.Context, known string) (AuditReport, error) {
	v := newVerifier(known)
	for more := true; more; {
		rows, err := s.db.read(ctx, pageAudit, v.report.Last, auditPage)
		page, err := all(rows, err, scanAudit)
		if err != nil {
			return v.report, during(err, "verify the audit log after row %d", v.report.Last)
		}
		for _, r := range page {
			if v.read(r); v.report.Broken != 0 {
				return v.report, nil
			}
		}
		more = len(page) == auditPage
	}
	return v.end(), nil
}

// verifier follows the chain.
type verifier struct {
	report  AuditReport
	known   string
	met     bool      // known was on the way
	early   hash.Hash // of the rows from before there was the chain
	chained bool      // that is over
	head    []byte
}

func newVerifier(known string) *verifier {
	v := &verifier{known: known, early: sha256.New()}
	v.moveTo(v.early.Sum(nil))
	return v
}

func (v *verifier) moveTo(head []byte) {
	v.head, v.report.Head = head, hex.EncodeToString(head)
	v.met = v.met || v.report.Head == v.known
}

// read looks at the next row.
func (v *verifier) read(r auditRow) {
	v.report.Rows++
	switch {
	case r.ID != v.report.Last+1: // ids are given without a gap, from 1 on
		v.broken(r.ID, fmt.Sprintf("The rows from %d to %d are missing.", v.report.Last+1, r.ID-1))
	case r.chain == nil && v.chained:
		v.broken(r.ID, fmt.Sprintf("Row %d has no digest: Mews did not write it.", r.ID))
	case r.chain == nil:
		v.early.Write(r.encode())
		v.moveTo(v.early.Sum(nil))
	case !slices.Equal(r.chain, r.link(v.head)):
		v.broken(r.ID, fmt.Sprintf("The digest of row %d does not fit: it was changed, or one before it was.", r.ID))
	default:
		v.chained = true
		v.moveTo(r.chain)
	}
	if v.report.First == 0 {
		v.report.First = r.ID
	}
	v.report.Last = r.ID
}

func (v *verifier) broken(id int64, why string) { v.report.Broken, v.report.Why = id, why }

// end says what can be said once all was read.
func (v *verifier) end() AuditReport {
	if v.known != "" && !v.met {
		v.broken(v.report.Last+1, "The log does not come past the digest that was given: rows are missing at its end.")
	}
	return v.report
}
