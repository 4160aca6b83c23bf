package app

import (
	"mews/supervisor"
	"mews/supervisor/spool"
)

// generatedFileStore stores pictures and texts that the service makes.
type generatedFileStore struct{ spool *spool.Spool }

// StorePicture puts a PNG picture into the spool.
func (p generatedFileStore) StorePicture(name string, png []byte) (supervisor.File, error) {
	return p.keep(name, "image/png", png)
}

// StoreText puts a long answer into the spool as a Markdown file.
func (p generatedFileStore) StoreText(name, text string) (supervisor.File, error) {
	return p.keep(name, "text/markdown", []byte(text))
}

// keep puts a file into the spool.
func (p generatedFileStore) keep(name, mediaType string, content []byte) (supervisor.File, error) {
	ref, err := p.spool.StoreBytes(name, content)
	return supervisor.File{SHA256: ref.SHA256, Size: ref.Size, Name: name, MediaType: mediaType}, err
}
