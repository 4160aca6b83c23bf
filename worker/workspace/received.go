package workspace

import (
	"os"
	"strings"
	"syscall"

	"mews/protocol"
)

// IsUploadPath reports whether a path is below uploads/, or was before it was trashed. The path
// must be clean and without links.
func IsUploadPath(name string) bool {
	return strings.HasPrefix(originalPath(name), protocol.UploadsFolder+"/")
}

// LeadsToUploads reports whether a path leads below uploads/, links followed.
func (w *Workspace) LeadsToUploads(path string) bool {
	p, err := w.locate(path, followLinks)
	return err == nil && (IsUploadPath(p.asked) || IsUploadPath(p.name))
}

// HasUploads reports whether uploads/ may hold anything. An error counts as yes.
func (w *Workspace) HasUploads() bool {
	f, err := w.root.OpenFile(protocol.UploadsFolder, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return ignoreMissing(err) != nil
	}
	defer f.Close() // the file was only read, so an error of Close loses nothing
	names, _ := f.Readdirnames(1)
	return len(names) > 0
}
