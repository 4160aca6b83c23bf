package filehistory

import (
	"encoding/binary"
	"slices"
	"strconv"
	"time"

	"mews/protocol"
)

// firstPoint is the number of the point that lists the home as the history found it.
const firstPoint = 1

// point is a numbered moment of the history.
type point struct {
	number int64
	at     int64 // in ns
	by     protocol.HistoryAuthor
	// shared means that another program ran meanwhile
	shared bool
	// begun marks the start of an undo or restore. If a crash interrupted that, the changes that
	// are found next belong to it.
	begun bool
	// nonce is in the records of the point's changes too. So these changes are not taken for those
	// of a point that was lost in a crash. It also tells the point from those of other histories.
	nonce uint64
}

// wireNonce returns the nonce in the form of the protocol.
func (p *point) wireNonce() protocol.PointNonce {
	return protocol.PointNonce(strconv.FormatUint(p.nonce, 16))
}

func (p *point) time() time.Time { return time.Unix(0, p.at).UTC() }

// change is the change of one path at a point.
type change struct {
	path          string
	before, after entry
}

// present is a path with its present entry, whose field since is the entry's point.
type present struct {
	path string
	entry
}

// authorKinds are the kinds of authors by their numbers in records. Only a new kind may be added, at the
// end.
var authorKinds = []protocol.HistoryAuthorKind{protocol.HistoryAuthorTool, protocol.HistoryAuthorProgram,
	protocol.HistoryAuthorUndo, protocol.HistoryAuthorRestore, protocol.HistoryAuthorOther,
	protocol.HistoryAuthorUser}

const (
	flagShared = 1 << iota
	flagBegun
	flagNoPoint // first flag without a meaning
)

func appendPoint(b []byte, p *point) []byte {
	b = binary.AppendUvarint(b, uint64(p.number))
	b = binary.AppendVarint(b, p.at)
	flags := byte(0)
	if p.shared {
		flags |= flagShared
	}
	if p.begun {
		flags |= flagBegun
	}
	kind := slices.Index(authorKinds, p.by.Kind)
	if kind < 0 {
		kind = slices.Index(authorKinds, protocol.HistoryAuthorOther)
	}
	b = append(b, flags, byte(kind))
	b = binary.AppendVarint(b, p.by.Turn)
	b = appendBytes(b, p.by.Words)
	return binary.LittleEndian.AppendUint64(b, p.nonce)
}

func (d *decoder) point() (p point) {
	p.number, p.at = d.size(), d.signed()
	flags, kind := d.byte(), d.byte()
	if flags >= flagNoPoint || int(kind) >= len(authorKinds) || p.number < 1 {
		d.fail()
		kind = 0
	}
	p.shared, p.begun = flags&flagShared != 0, flags&flagBegun != 0
	p.by = protocol.HistoryAuthor{Kind: authorKinds[kind], Turn: d.signed(), Words: d.string()}
	p.nonce = binary.LittleEndian.Uint64(d.fixed(8))
	return p
}

// maxBatch is the size from which a record of changes gets no more changes.
const maxBatch = 512 << 10

// appendChangesHead begins a record of changes.
func appendChangesHead(b []byte, number int64, nonce uint64) []byte {
	return binary.LittleEndian.AppendUint64(binary.AppendUvarint(b, uint64(number)), nonce)
}

func appendChange(b []byte, c *change) []byte {
	b = appendBytes(b, c.path)
	b = appendEntry(b, &c.before)
	return appendEntry(b, &c.after)
}

// decodeChanges reads a record of changes.
func decodeChanges(payload []byte) (number int64, nonce uint64, list []change, err error) {
	d := decoder{b: payload}
	number = d.size()
	nonce = binary.LittleEndian.Uint64(d.fixed(8))
	for len(d.b) > 0 {
		list = append(list, change{path: d.string(), before: d.entry(), after: d.entry()})
	}
	return number, nonce, list, d.end()
}

func appendPresent(b []byte, path string, e *entry) []byte {
	b = appendBytes(b, path)
	b = binary.AppendUvarint(b, uint64(e.since))
	return appendEntry(b, e)
}

func (d *decoder) present() (p present) {
	p.path = d.string()
	since := d.size()
	p.entry = d.entry()
	p.since = since
	return p
}

func decodePresent(payload []byte) (list []present, err error) {
	d := decoder{b: payload}
	for len(d.b) > 0 {
		list = append(list, d.present())
	}
	return list, d.end()
}

// hold keeps bytes that a tool is about to change.
type hold struct {
	digest digest
	at     int64  // in ns
	path   string // "" means unknown
}

func appendHold(b []byte, h *hold) []byte {
	b = append(b, h.digest[:]...)
	b = binary.AppendVarint(b, h.at)
	return appendBytes(b, h.path)
}

func (d *decoder) hold() hold {
	return hold{digest: digest(d.fixed(len(digest{}))), at: d.signed(), path: d.string()}
}

func decodeHold(payload []byte) (hold, error) {
	d := decoder{b: payload}
	h := d.hold()
	return h, d.end()
}

// large lists the chunks of a file with more than one.
type large struct {
	digest digest
	size   int64
	chunks []digest
}

func appendLarge(b []byte, l *large) []byte {
	b = append(b, l.digest[:]...)
	b = binary.AppendUvarint(b, uint64(l.size))
	for _, c := range l.chunks {
		b = append(b, c[:]...)
	}
	return b
}

func decodeLarge(payload []byte) (l large, err error) {
	d := decoder{b: payload}
	l.digest, l.size = digest(d.fixed(len(digest{}))), d.size()
	for len(d.b) > 0 {
		l.chunks = append(l.chunks, digest(d.fixed(len(digest{}))))
	}
	return l, d.end()
}
