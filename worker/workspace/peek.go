package workspace

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"path"

	"mews/protocol"
)

// PeekFile returns the state of a clean path, and up to most bytes of a file's beginning. Links are
// not followed. FileStateFolder also stands for anything unreadable, and for files with more bytes
// than protocol.MaxUndoFileBytes. Hidden files are absent.
func (w *Workspace) PeekFile(name string, most int) (state protocol.FileState, text []byte, info fs.FileInfo) {
	if w.rules.hidden(name, false) {
		return protocol.FileStateAbsent, nil, nil
	}
	if err := checkFolders(w.root, path.Dir(name)); errors.Is(err, ErrIsLink) {
		return protocol.FileStateLink, nil, nil
	}
	info, err := w.root.Lstat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return protocol.FileStateAbsent, nil, nil
	case err == nil && info.Mode()&fs.ModeSymlink != 0:
		return protocol.FileStateLink, nil, info
	}
	f, err := w.openPlain(name)
	if err != nil {
		return protocol.FileStateFolder, nil, info
	}
	defer f.Close() // the file was only read, so an error of Close loses nothing
	sum, first := sha256.New(), bytes.Buffer{}
	n, err := io.CopyN(io.MultiWriter(&first, sum), f, int64(most))
	if err == nil {
		var more int64
		more, err = io.Copy(sum, io.LimitReader(f, protocol.MaxUndoFileBytes))
		n += more
	}
	if err != nil && err != io.EOF || n > protocol.MaxUndoFileBytes {
		return protocol.FileStateFolder, nil, info
	}
	return protocol.FileState(hex.EncodeToString(sum.Sum(nil))), first.Bytes(), info
}
