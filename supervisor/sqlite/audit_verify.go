package sqlite

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"hash"
	"slices"

	"mews/supervisor/internal/engine"
)

// AuditReport is the result of verifying the audit log.
type AuditReport struct {
	Rows   int64 // number of rows read, up to the first broken row
	First  int64 // id of the first row; 0 if the log is empty
	Last   int64 // id of the last row
	Broken int64 // id of the first row that does not match its digest; 0 if all match
	Why    AuditFault
	// with AuditRowsMissing and AuditLastRowsMissing: ids of the first and the last missing row
	MissingFrom, MissingTo int64
	// number of rows that are older than digests; only Head reveals changes of these rows
	Early int64
	// the last digest, in hexadecimal; a copy elsewhere shows later whether the last rows were
	// deleted
	Head string
}

// AuditFault is a fault of the audit log. "" means none.
type AuditFault string

const (
	AuditRowsMissing      AuditFault = "missing"        // rows before the broken row are missing
	AuditLastRowsMissing  AuditFault = "missing_at_end" // the last rows are missing
	AuditRowWithoutDigest AuditFault = "no_digest"      // the broken row was not written by Mews
	AuditRowChanged       AuditFault = "changed"        // the broken row or an earlier row was changed
	AuditLogCutOff        AuditFault = "cut_off"        // the log ends before the known digest
)

// auditPage is the number of rows that Verify reads at once.
const auditPage = 1000

const (
	// lastAuditID selects the last assigned id. SQLite remembers that id even if the row is
	// deleted.
	lastAuditID = `SELECT coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'audit'), 0)`
	pageAudit   = selectAudit + `WHERE id > ? ORDER BY id LIMIT ?`
)

// Verify reads the whole log and reports the first row that does not match its digest. It finds
// rows that were changed, removed, added or moved.
//
// A program that can write the database can still rewrite the whole log. Only the argument known
// reveals such a rewrite. It is the Head of an earlier report, kept elsewhere; "" means that no
// Head is known.
func (s Audit) Verify(ctx context.Context, known string) (AuditReport, error) {
	v := newVerifier(known)
	read := s.db.reader(ctx, "verify the audit log")
	// The last id is read before the rows. So a row that is added during the reading does not count
	// as missing.
	given, err := engine.FirstValue(read, engine.ScanInteger, lastAuditID)
	for more := true; more && err == nil; {
		var page []auditRow
		page, err = engine.AllRows(read, scanAudit, pageAudit, v.report.Last, auditPage)
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
	return v.finish(given), nil
}

// verifier checks the digests of rows, one after the other.
type verifier struct {
	report     AuditReport
	known      string
	foundKnown bool      // a row with the digest known was read
	unchained  hash.Hash // hash over the rows that are older than digests
	sawDigest  bool      // a row with a digest was read
	head       []byte
}

func newVerifier(known string) *verifier {
	v := &verifier{known: known, unchained: sha256.New()}
	v.moveTo(v.unchained.Sum(nil))
	return v
}

func (v *verifier) moveTo(head []byte) {
	v.head, v.report.Head = head, hex.EncodeToString(head)
	v.foundKnown = v.foundKnown || v.report.Head == v.known
}

// read checks the next row of the audit log.
func (v *verifier) read(r auditRow) {
	v.report.Rows++
	switch {
	case r.ID != v.report.Last+1: // ids of audit entries start at 1 and have no gaps
		v.failMissing(r.ID, AuditRowsMissing, r.ID-1)
	case r.chain == nil && v.sawDigest:
		v.fail(r.ID, AuditRowWithoutDigest)
	case r.chain == nil:
		v.report.Early++
		v.unchained.Write(r.encode())
		v.moveTo(v.unchained.Sum(nil))
	case !slices.Equal(r.chain, r.chainDigest(v.head)):
		v.fail(r.ID, AuditRowChanged)
	default:
		v.sawDigest = true
		v.moveTo(r.chain)
	}
	if v.report.First == 0 {
		v.report.First = r.ID
	}
	v.report.Last = r.ID
}

func (v *verifier) fail(id int64, why AuditFault) { v.report.Broken, v.report.Why = id, why }

// failMissing records that rows are missing after the last read row. The argument id is the broken
// row, why is the fault, and to is the id of the last missing row.
func (v *verifier) failMissing(id int64, why AuditFault, to int64) {
	v.fail(id, why)
	v.report.MissingFrom, v.report.MissingTo = v.report.Last+1, to
}

// finish completes the report after all rows were read.
func (v *verifier) finish(given int64) AuditReport {
	switch {
	case given > v.report.Last:
		v.failMissing(v.report.Last+1, AuditLastRowsMissing, given)
	case v.known != "" && !v.foundKnown:
		v.fail(v.report.Last+1, AuditLogCutOff)
	}
	return v.report
}
