package review

import (
	"context"
	"slices"

	"mews/protocol"
	"mews/supervisor/github/api"
	"mews/supervisor/github/diff"
	"mews/supervisor/github/finding"
)

// maxWithoutLines is the maximum number of files without changed lines that are examined.
const maxWithoutLines = 300

// coverageBefore returns the files of a change that can't be read or need no review, with reasons.
// files has the files with changed lines. No worker has read the change yet.
func (r *Reviews) coverageBefore(ctx context.Context, repo string, pull api.PullRequest,
	page api.Page[api.ChangedFile], files []diff.File, hidden []string,
	attributes string) (c finding.Coverage, err error) {
	if c.Files = len(page.Items); page.More {
		c.Files = max(pull.Files, c.Files+1)
		c.Unlisted = c.Files - len(page.Items)
	}
	for _, path := range hidden {
		c.AddUnread(finding.UnreadFile{Path: path, Reason: finding.UnreadReasonTooLarge})
	}
	skip := diff.NewSkipFilter([]byte(attributes))
	_, unread := diff.SplitIntoChunks(files, chunkSize, skip)
	for _, u := range unread {
		c.AddUnread(finding.UnreadFile{Path: u.File.Path(), Reason: u.Reason, Part: skip(u.File) == ""})
	}
	var empty []diff.File
	for _, f := range files {
		if len(f.Hunks) == 0 && c.HasRead(f.Path()) {
			empty = append(empty, f)
		}
	}
	binary, err := r.binaryFiles(ctx, repo, pull, empty[:min(len(empty), maxWithoutLines)])
	for i, f := range empty {
		c.AddUnread(finding.UnreadFile{Path: f.Path(), Reason: finding.NoChangedLinesReason(f, binary[f.Path()],
			i < maxWithoutLines)})
	}
	return c, err
}

// binaryFiles reports which files are binary, by path. For a removed file it reads the base.
func (r *Reviews) binaryFiles(ctx context.Context, repo string, pull api.PullRequest,
	files []diff.File) (map[string]bool, error) {
	binary := map[string]bool{}
	for _, ref := range []string{pull.Head.SHA, pull.Base.SHA} {
		var paths []string
		for _, f := range files {
			if (f.Status == diff.FileRemoved) == (ref == pull.Base.SHA) {
				paths = append(paths, f.Path())
			}
		}
		found, err := r.o.API.BinaryFiles(ctx, repo, ref, paths)
		if err != nil {
			return nil, err
		}
		for path := range found {
			binary[path] = true
		}
	}
	return binary, nil
}

// addUnreadChunks adds the files of chunks that a worker did not read.
func addUnreadChunks(c *finding.Coverage, m protocol.ReviewMaterial, report protocol.ReviewReport) {
	unread := map[string]bool{}
	for _, u := range report.Unread {
		unread[u.Name] = true
	}
	read := func(path string) bool {
		return slices.ContainsFunc(m.Chunks, func(chunk protocol.ReviewChunk) bool {
			return !unread[chunk.Name] && slices.ContainsFunc(chunk.Files,
				func(f protocol.ReviewFile) bool { return f.Path == path })
		})
	}
	for _, chunk := range m.Chunks {
		for _, f := range chunk.Files {
			if unread[chunk.Name] {
				c.AddUnread(finding.UnreadFile{Path: f.Path, Reason: finding.UnreadReasonLimit, Part: read(f.Path)})
			}
		}
	}
}
