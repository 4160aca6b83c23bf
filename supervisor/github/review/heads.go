package review

import (
	"context"
	"slices"

	"mews/supervisor"
	"mews/supervisor/github/api"
	"mews/supervisor/github/diff"
	"mews/supervisor/github/finding"
)

// Limits for the files after the change: their number, and how many are read at once.
const (
	maxHeadFiles = 300
	headBatch    = 25
)

// readHeads reads the changed files as they are after the change, by path. The lines around a hunk
// are often too little to understand it. Added and removed files are left out, because their hunks
// show all lines.
func (r *Reviews) readHeads(ctx context.Context, w supervisor.Review, pull api.PullRequest, chunks []diff.Chunk,
	files []api.ChangedFile) (map[string]string, error) {
	var paths []string
	for _, chunk := range chunks {
		for _, f := range chunk {
			if f.Status != diff.FileAdded && f.Status != diff.FileRemoved && !slices.Contains(paths, f.Path()) {
				paths = append(paths, f.Path())
			}
		}
	}
	heads, room := map[string]string{}, maxHeads
	for batch := range slices.Chunk(paths[:min(len(paths), maxHeadFiles)], headBatch) {
		texts, err := r.o.API.FileTexts(ctx, w.Repo, pull.Head.SHA, batch)
		if err != nil {
			return nil, err
		}
		for _, path := range batch {
			text, there := texts[path]
			if i := slices.IndexFunc(files, func(f api.ChangedFile) bool { return f.Path == path }); !there && i >= 0 {
				// GitHub shows large files only by their blobs
				if text, there, err = r.o.API.BlobText(ctx, w.Repo, files[i].SHA, maxHead); err != nil {
					return nil, err
				}
			}
			if there && len(text) <= room {
				room -= len(text)
				heads[path] = finding.VisibleCode(text)
			}
		}
	}
	return heads, nil
}
