package filehistory

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"slices"
	"time"
	"unicode/utf8"

	"mews/protocol"
)

// Reader reads a file history that another process may be writing to. It changes nothing. One
// goroutine uses it at a time.
type Reader struct {
	folder *os.File
	report func(error)
	store  *store
}

// NewReader makes a reader of the history in an open folder, which the caller closes. The function
// report gets errors about damaged records.
func NewReader(folder *os.File, report func(error)) (*Reader, error) {
	r := &Reader{folder: folder, report: report}
	if err := r.load(); err != nil {
		r.store.packs.unpin()
		return nil, err
	}
	return r, nil
}

func (r *Reader) load() error {
	if r.store != nil {
		r.store.packs.unpin()
	}
	s := &store{folder: &folder{dir: r.folder, readOnly: true}, now: time.Now, report: r.report,
		fresh: map[digest]bool{}}
	r.store = s
	var err error
	for range maxReads {
		s.packs.unpin()
		s.packs.pinned = map[uint32]*os.File{}
		if err = s.load(); !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	} // a pack was deleted after its name was read
	return err
}

// Close closes the packs that are open.
func (r *Reader) Close() error {
	r.store.packs.unpin()
	return nil
}

// ExportedVersion is a line of the list of all versions.
type ExportedVersion struct {
	Path string `json:"path"`
	// the bytes of a path that is not UTF-8
	PathBytes []byte    `json:"path_bytes,omitempty"`
	Point     int64     `json:"point"`
	Time      time.Time `json:"time"`
	// Before means that the path had this state right before the point; its beginning is unknown
	Before bool                   `json:"before,omitempty"`
	Who    protocol.HistoryAuthor `json:"who"`
	Kind   string                 `json:"kind"` // file, folder, link, special or deleted
	Mode   int                    `json:"mode,omitempty"`
	Size   int64                  `json:"size,omitempty"`
	Target string                 `json:"target,omitempty"` // of a link
	SHA256 string                 `json:"sha256,omitempty"` // of the kept bytes; "" means that none are kept
	// why the bytes of a file are not kept
	NotKept string `json:"not_kept,omitempty"`
}

var exportedKinds = map[entryKind]string{absent: "deleted", file: "file", directory: "folder", link: "link",
	special: "special"}

// WriteVersions writes a line of JSON for each version, the oldest first. It returns the SHA-256 of
// all their kept bytes, those of the newest versions first.
func (r *Reader) WriteVersions(ctx context.Context, w io.Writer) (sums []string, err error) {
	lines, seen := json.NewEncoder(w), map[digest]bool{}
	last := map[string]digest{}
	write := func(p *point, path string, e *entry, before bool) {
		if err != nil {
			return
		}
		if err = context.Cause(ctx); err == nil {
			err = lines.Encode(r.exported(p, path, e, before))
		}
		if last[path] = e.digest; r.store.hasBytes(e.digest) && !seen[e.digest] {
			seen[e.digest] = true
			sums = append(sums, e.digest.String())
		}
	}
	later, err := r.laterBytes()
	if err != nil {
		return nil, err
	}
	unread := r.store.eachChange(1, r.store.index.last(), func(p *point, c *change) {
		if d := c.before.digest; d != (digest{}) && d != last[c.path] {
			write(p, c.path, &c.before, true)
		}
		after := c.after
		if kept := later[pathAtPoint{c.path, p.number}]; after.digest == (digest{}) {
			after.digest = kept
		}
		write(p, c.path, &after, false)
	})
	slices.Reverse(sums)
	return sums, errors.Join(err, unread)
}

type pathAtPoint struct {
	path  string
	point int64
}

// laterBytes returns the bytes that were kept after their point.
func (r *Reader) laterBytes() (map[pathAtPoint]digest, error) {
	all := map[pathAtPoint]digest{}
	err := r.store.eachPresent(func(p *present) { all[pathAtPoint{p.path, p.since}] = p.digest })
	for path, e := range r.store.index.present {
		all[pathAtPoint{path, e.since}] = e.digest
	}
	return all, err
}

func (r *Reader) exported(p *point, path string, e *entry, before bool) ExportedVersion {
	v := ExportedVersion{Path: path, Point: p.number, Time: p.time(), Before: before, Who: p.by,
		Kind: exportedKinds[e.kind], Mode: int(e.perm()), Size: e.size, Target: e.target}
	if !utf8.ValidString(path) {
		v.PathBytes = []byte(path)
	}
	if before {
		v.Who = protocol.HistoryAuthor{Kind: protocol.HistoryAuthorOther}
	}
	switch {
	case e.kind != file:
		v.Size = 0
	case r.store.hasBytes(e.digest):
		v.SHA256 = e.digest.String()
	default:
		v.NotKept = e.notKept()
	}
	return v
}

// Open opens kept bytes by their SHA-256 in hex, and returns their number.
func (r *Reader) Open(sha256 string) (io.ReadCloser, int64, error) {
	d, _ := parseDigest(sha256)
	chunks, size, err := r.store.chunksOf(d)
	if err != nil {
		if err = r.load(); err == nil { // a pack may have been rewritten meanwhile
			chunks, size, err = r.store.chunksOf(d)
		}
	}
	return newBlobReader(d, chunks, func(chunk digest) ([]byte, error) {
		b, err := r.store.readChunk(chunk)
		if err != nil {
			if err = r.load(); err == nil {
				b, err = r.store.readChunk(chunk)
			}
		}
		return b, err
	}), size, err
}
