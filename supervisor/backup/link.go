package backup

import (
	"errors"
	"os"

	"mews/supervisor/internal/idle"
)

// isIntact reports whether a file of the former backup has its bytes still. A hard link would pass on
// its damage.
func (b *builder) isIntact(f File) (intact bool) {
	_ = idle.Run(func() error { // after an error it is not intact
		size, sum, err := sumAndSync(b.ctx, b.former.path(f.Name))
		intact = err == nil && size == f.Size && sum == f.SHA256
		return err
	})
	return intact
}

// linkFormer adds a file of the former backup by a hard link, if it has its bytes still.
func (b *builder) linkFormer(name string) bool {
	if b.former == nil {
		return false
	}
	f, there := b.former.Manifest.FindFile(name)
	if !there || !b.isIntact(f) {
		return false
	}
	b.o.step()
	if os.Link(b.former.path(name), b.path(name)) != nil {
		return false
	}
	b.manifest.Files = append(b.manifest.Files, f)
	return true
}

// relink replaces a file by a hard link to another file with the same bytes.
func relink(same, path string) error {
	link := path + ".link"
	err := os.Link(same, link)
	if err == nil {
		err = os.Rename(link, path)
	}
	if err != nil {
		return errors.Join(err, os.RemoveAll(link))
	}
	return nil
}
