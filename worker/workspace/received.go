package workspace

import (
	"cmp"
	"errors"
	"io/fs"
	"strings"
	"time"

	"mews/protocol"
)

// IsUploadPath reports whether a path is below uploads/ or downloads/. A path in the trash counts
// as the one that it had before. The path must be clean and without links.
func IsUploadPath(name string) bool {
	name = originalPath(name)
	return strings.HasPrefix(name, protocol.UploadsFolder+"/") || strings.HasPrefix(name, protocol.DownloadsFolder+"/")
}

// LeadsToUploads reports whether a path leads below uploads/ or downloads/, links followed.
func (w *Workspace) LeadsToUploads(path string) bool {
	p, err := w.locate(path, followLinks)
	return err == nil && (IsUploadPath(p.asked) || IsUploadPath(p.name))
}

// maxArrivals bounds the entries that HasArrivals looks at.
const maxArrivals = 20_000

// HasArrivals reports whether anything in uploads/ or downloads/ has changed since a time. An error
// and too many entries count as yes.
func (w *Workspace) HasArrivals(since time.Time) bool {
	left := maxArrivals
	for _, folder := range []string{protocol.UploadsFolder, protocol.DownloadsFolder} {
		err := fs.WalkDir(w.root.FS(), folder, func(name string, e fs.DirEntry, err error) error {
			if left--; err != nil || left < 0 {
				return cmp.Or(err, errArrived)
			}
			info, err := e.Info()
			if err == nil && name != folder && info.ModTime().After(since) {
				err = errArrived
			}
			return err
		})
		if ignoreMissing(err) != nil {
			return true
		}
	}
	return false
}

// errArrived ends a walk: something has arrived.
var errArrived = errors.New("arrived")
