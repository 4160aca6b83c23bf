package filehistory

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"mews/protocol"
)

// Keep keeps the bytes of a file before a tool changes it. It refuses more than most bytes. The
// bytes are on the disk when Keep returns, and stay for at least 48 hours. Keep is a
// workspace.BackupFunc.
func (h *History) Keep(ctx context.Context, r io.Reader, most int64) (ref protocol.BlobRef, err error) {
	err = h.doFor(ctx, func(s *store) error {
		path, e := h.pathOf(r)
		d, size, err := s.keepBytes(r, most, ctx.Err)
		if err == errTooMany {
			return fmt.Errorf("it has more than %d bytes", most)
		}
		if err != nil {
			return err
		}
		if path != "" {
			err = h.foundByTool(s, path, e, d, size)
		}
		if err == nil {
			err = s.appendHold(hold{digest: d, path: path})
		}
		if err == nil {
			err = s.packs.sync()
		}
		ref = protocol.BlobRef{SHA256: d.String(), Size: size}
		return err
	})
	if err != nil {
		return protocol.BlobRef{}, fmt.Errorf("keep the bytes from before: %w", err)
	}
	return ref, nil
}

// pathOf returns the path of an open file of the home, and its entry. The path is "" if the reader
// is not a file of the home.
func (h *History) pathOf(r io.Reader) (string, entry) {
	f, ok := r.(*os.File)
	if !ok {
		return "", entry{}
	}
	name, err := filepath.Rel(filepath.Dir(filepath.Join(h.home.dir.Name(), "x")), f.Name())
	if err != nil || strings.HasPrefix(name, "..") {
		return "", entry{}
	}
	open, err := statFile(f)
	if err != nil {
		return "", entry{}
	}
	if now, err := h.home.stat(name); err != nil || !now.hasStamp(&open) {
		return "", entry{}
	}
	return name, open
}

// foundByTool records the bytes of a file from before a tool's change.
func (h *History) foundByTool(s *store, path string, e entry, d digest, size int64) error {
	if e.size != size {
		return errors.Join(errStopped, io.ErrUnexpectedEOF)
	}
	e.digest = d
	p := s.index.present[path]
	if p != nil && p.hasStamp(&e) && (p.digest == d || !p.isKept()) {
		if p.isKept() {
			return nil
		}
		p.digest, p.why = d, pending
		return s.appendPresents([]string{path})
	}
	c := change{path: path, after: e}
	if p != nil {
		c.before = *p
	}
	_, err := s.appendPoint(s.foundAuthor(len(h.running)), []change{c})
	return err
}
