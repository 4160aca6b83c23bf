package review

import (
	"context"
	"slices"

	"mews/supervisor"
	"mews/supervisor/github/api"
	"mews/supervisor/github/diff"
	"mews/supervisor/github/finding"
)

// Limits for reading files after the change: number of files, and number of files in one request.
const (
	maxHeadFiles = 300
	headBatch    = 25
)

// readHeads returns the texts of changed files after the change, by path. The lines around a hunk
// are often too few to understand it. Added and removed files are left out, because their hunks
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
				// GitHub returns large files only by the SHA of their blob
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
