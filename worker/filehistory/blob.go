package filehistory

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
)

// chunkSize is the size of a chunk in bytes. A larger file is kept in several chunks.
const chunkSize = 1 << 20

// errNoRoom refuses bytes that the history has no room for.
var errNoRoom = errors.New("the file history has no room")

// errTooMany means that a file has more bytes than it should.
var errTooMany = errors.New("it has more bytes than expected")

// blobKeeper keeps the bytes of files. Its buffers live as long as the index.
type blobKeeper struct {
	chunk   []byte
	encoded []byte
}

// keepBytes keeps the bytes of r, and returns their digest and number. It refuses more than most
// bytes. It calls between after each full chunk, and stops at its error.
func (s *store) keepBytes(r io.Reader, most int64, between func() error) (digest, int64, error) {
	if s.keeper.chunk == nil {
		s.keeper.chunk = make([]byte, chunkSize)
	}
	whole, l := sha256.New(), large{}
	for {
		n, err := io.ReadFull(r, s.keeper.chunk)
		b := s.keeper.chunk[:n]
		if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
			return digest{}, 0, err
		}
		if l.size += int64(n); l.size > most {
			return digest{}, 0, errTooMany
		}
		if n > 0 || l.size == 0 {
			d := digest(sha256.Sum256(b))
			if err := s.putChunk(d, b); err != nil {
				return digest{}, 0, err
			}
			whole.Write(b)
			l.chunks = append(l.chunks, d)
			s.fresh[d] = true
		}
		if err != nil {
			break
		}
		if err := between(); err != nil {
			return digest{}, 0, err
		}
	}
	if len(l.chunks) == 1 {
		return l.chunks[0], l.size, nil
	}
	l.digest = digest(whole.Sum(nil))
	s.fresh[l.digest] = true
	return l.digest, l.size, s.putLarge(&l)
}

// putChunk keeps a chunk, unless it is kept already.
func (s *store) putChunk(d digest, b []byte) error {
	if _, kept := s.index.blobs[d]; kept {
		return nil
	}
	if s.keeper.encoded == nil {
		s.keeper.encoded = make([]byte, maxPayload+maxPayload/4)
	}
	return s.putBlob(d, newFrame(chunkRecord, b, s.keeper.encoded), false)
}

func (s *store) putLarge(l *large) error {
	if _, kept := s.index.blobs[l.digest]; kept {
		return nil
	}
	return s.putBlob(l.digest, newFrame(largeRecord, appendLarge(nil, l), nil), true)
}

func (s *store) putBlob(d digest, f frame, isLarge bool) error {
	if err := s.checkRoom(f.size()); err != nil {
		return asOwnError(err)
	}
	pack, at, err := s.packs.append(f)
	if err != nil {
		return asOwnError(err)
	}
	s.index.blobs[d] = location{pack: pack.number, at: at, size: uint32(f.size()), length: uint32(f.raw),
		isLarge: isLarge}
	s.index.changed = true
	return nil
}

// hasBytes reports whether the bytes with this digest are kept.
func (s *store) hasBytes(d digest) bool {
	_, kept := s.index.blobs[d]
	return kept && d != digest{}
}

// chunksOf returns the chunks of a file, and its size.
func (s *store) chunksOf(d digest) ([]digest, int64, error) {
	at, kept := s.index.blobs[d]
	if !kept {
		return nil, 0, fs.ErrNotExist
	}
	if !at.isLarge {
		return []digest{d}, int64(at.length), nil
	}
	payload, _, err := s.packs.read(at.pack, at.at, at.size)
	if err != nil {
		return nil, 0, err
	}
	l, err := decodeLarge(payload)
	if err == nil && l.digest != d {
		err = errBadRecord
	}
	return l.chunks, l.size, err
}

// readChunk returns the bytes of a chunk.
func (s *store) readChunk(d digest) ([]byte, error) {
	at, kept := s.index.blobs[d]
	if !kept {
		return nil, fs.ErrNotExist
	}
	b, _, err := s.packs.read(at.pack, at.at, at.size)
	if err == nil && sha256.Sum256(b) != d {
		err = fmt.Errorf("read %s of the file history at %d: %w", packName(at.pack), at.at, errBadRecord)
	}
	return b, err
}

// blobReader reads the bytes of a kept file.
type blobReader struct {
	read   func(digest) ([]byte, error)
	digest digest
	chunks []digest
	rest   []byte
	whole  hash.Hash
	err    error
}

func newBlobReader(d digest, chunks []digest, read func(digest) ([]byte, error)) *blobReader {
	return &blobReader{read: read, digest: d, chunks: chunks, whole: sha256.New()}
}

// Read reads bytes. It returns an error instead of io.EOF if they don't have the file's digest.
func (r *blobReader) Read(p []byte) (int, error) {
	for len(r.rest) == 0 && r.err == nil {
		r.next()
	}
	n := copy(p, r.rest)
	r.rest = r.rest[n:]
	if n == 0 {
		return 0, r.err
	}
	return n, nil
}

func (r *blobReader) next() {
	if len(r.chunks) > 0 {
		r.rest, r.err = r.read(r.chunks[0])
		r.chunks = r.chunks[1:]
		r.whole.Write(r.rest)
		return
	}
	if r.err = io.EOF; digest(r.whole.Sum(nil)) != r.digest {
		r.err = errBadRecord
	}
}

// Close does nothing.
func (r *blobReader) Close() error { return nil }
