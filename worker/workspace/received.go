package workspace

import (
	"os"
	"strings"
	"syscall"

	"mews/protocol"
)

// IsReceived reports whether a path is below uploads/, or was before it went to the trash. The path
// must be clean and without links.
func IsReceived(name string) bool {
	return strings.HasPrefix(originalPath(name), protocol.UploadsFolder+"/")
}

// LeadsToReceived reports whether a path leads below uploads/, links followed.
func (w *Workspace) LeadsToReceived(path string) bool {
	p, err := w.locate(path, followLinks)
	return err == nil && (IsReceived(p.asked) || IsReceived(p.name))
}

// HasReceived reports whether uploads/ may hold anything. An error counts as yes.
func (w *Workspace) HasReceived() bool {
	f, err := w.root.OpenFile(protocol.UploadsFolder, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return ignoreMissing(err) != nil
	}
	defer f.Close() // the file was only read, so an error of Close loses nothing
	names, _ := f.Readdirnames(1)
	return len(names) > 0
}
