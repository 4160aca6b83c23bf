package app

import (
	"errors"
	"fmt"

	"mews/supervisor"
	"mews/supervisor/spool"
)

// pictures keeps what is drawn here for people.
type pictures struct{ spool *spool.Spool }

// Keep puts a picture into the spool.
func (p pictures) Keep(name string, png []byte) (supervisor.File, error) {
	f, err := p.spool.Create()
	if err != nil {
		return supervisor.File{}, err
	}
	if _, err := f.Write(png); err != nil {
		return supervisor.File{}, fmt.Errorf("keep a picture: %w", errors.Join(err, f.Discard()))
	}
	ref, err := f.Commit()
	return supervisor.File{SHA256: ref.SHA256, Size: ref.Size, Name: name, MediaType: "image/png"}, err
}
