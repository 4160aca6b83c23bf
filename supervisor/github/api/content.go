package api

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/google/go-github/v66/github"
)

const (
	// MaxFileSize is the maximum size of a file that is read, in bytes.
	MaxFileSize = 1 << 20
	batch       = 25 // number of files in one query; GitHub limits a query to 10 s
)

// FileContent reads a file at ref: a commit, branch or tag. "" means the default branch. found is
// false if the file does not exist.
func (c *Client) FileContent(ctx context.Context, repo, path, ref string) (data []byte, found bool, err error) {
	// base64 makes the answer longer than the file
	k := &call{action: fmt.Sprintf("read %s of %s", path, repo), repo: repo, maxBytes: 2 * MaxFileSize}
	text, _, err := ask(ctx, c, k, func(ctx context.Context, owner, name string) (string, *github.Response, error) {
		file, folder, resp, err := c.gh.Repositories.GetContents(ctx, owner, name, path, &github.RepositoryContentGetOptions{Ref: ref})
		switch {
		case err != nil:
			return "", resp, err
		case file == nil || file.GetType() != "file":
			return "", resp, newError(NotFound, k.action, 0, "", fmt.Errorf("it is no file (a folder of %d)", len(folder)))
		case file.GetSize() > MaxFileSize || file.GetEncoding() == "none":
			return "", resp, newError(AnswerTooLarge, k.action, 0, "", fmt.Errorf("it has %d bytes", file.GetSize()))
		}
		text, err := file.GetContent()
		return text, resp, err
	})
	if ErrorClassOf(err) == NotFound {
		return nil, false, nil
	}
	return []byte(text), err == nil, err
}

// FileTexts reads many files at one commit in few requests. It leaves out files that are missing,
// binary or larger than MaxFileSize.
func (c *Client) FileTexts(ctx context.Context, repo, ref string, paths []string) (map[string]string, error) {
	texts := map[string]string{}
	for len(paths) > 0 {
		part := paths[:min(batch, len(paths))]
		paths = paths[len(part):]
		err := c.textsByQuery(ctx, repo, ref, part, texts)
		if noGraphQL(err) {
			err = c.textsOneByOne(ctx, repo, ref, part, texts)
		}
		if err != nil {
			return nil, err
		}
	}
	return texts, nil
}

// BinaryFiles reports which of many files at one commit are binary.
func (c *Client) BinaryFiles(ctx context.Context, repo, ref string, paths []string) (map[string]bool, error) {
	binary := map[string]bool{}
	for part := range slices.Chunk(paths, batch) {
		var answer struct {
			Repository map[string]*struct{ IsBinary bool }
		}
		err := c.queryBlobs(ctx, repo, ref, part, "isBinary", &answer)
		if noGraphQL(err) {
			if err = c.binaryOneByOne(ctx, repo, ref, part, binary); err == nil {
				continue
			}
		}
		if err != nil {
			return nil, err
		}
		for i, path := range part {
			if f := answer.Repository[fmt.Sprintf("f%d", i)]; f != nil && f.IsBinary {
				binary[path] = true
			}
		}
	}
	return binary, nil
}

func (c *Client) binaryOneByOne(ctx context.Context, repo, ref string, paths []string, binary map[string]bool) error {
	for _, path := range paths {
		data, _, err := c.FileContent(ctx, repo, path, ref)
		if err != nil && ErrorClassOf(err) != AnswerTooLarge {
			return err
		}
		if err != nil || strings.Contains(string(data), "\x00") {
			binary[path] = true
		}
	}
	return nil
}

// queryBlobs asks GraphQL for fields of files: f0, f1 and so on, in the order of paths.
func (c *Client) queryBlobs(ctx context.Context, repo, ref string, paths []string, fields string, into any) error {
	names, blobs, variables := "", "", map[string]any{}
	for i, path := range paths {
		names += fmt.Sprintf(",$e%d:String!", i)
		blobs += fmt.Sprintf(" f%d:object(expression:$e%d){... on Blob{%s}}", i, i, fields)
		variables[fmt.Sprintf("e%d", i)] = ref + ":" + path
	}
	k := &call{action: fmt.Sprintf("read %d files of %s", len(paths), repo), repo: repo, isRead: true}
	return c.query(ctx, k,
		"query($owner:String!,$name:String!"+names+"){repository(owner:$owner,name:$name){"+blobs+"}}", variables, into)
}

func (c *Client) textsByQuery(ctx context.Context, repo, ref string, paths []string, texts map[string]string) error {
	var answer struct {
		Repository map[string]*struct {
			Text        *string
			ByteSize    int
			IsTruncated bool
		}
	}
	if err := c.queryBlobs(ctx, repo, ref, paths, "text byteSize isTruncated", &answer); err != nil {
		return err
	}
	for i, path := range paths {
		if f := answer.Repository[fmt.Sprintf("f%d", i)]; f != nil && f.Text != nil && !f.IsTruncated &&
			f.ByteSize <= MaxFileSize {
			texts[path] = *f.Text
		}
	}
	return nil
}

func (c *Client) textsOneByOne(ctx context.Context, repo, ref string, paths []string, texts map[string]string) error {
	for _, path := range paths {
		data, found, err := c.FileContent(ctx, repo, path, ref)
		if err != nil && ErrorClassOf(err) != AnswerTooLarge {
			return err
		}
		if found && !strings.Contains(string(data), "\x00") {
			texts[path] = string(data)
		}
	}
	return nil
}

// BlobText reads a file by the SHA of its blob, up to most bytes. ok is false if the file is
// missing, binary or larger.
func (c *Client) BlobText(ctx context.Context, repo, sha string, most int64) (text string, ok bool, err error) {
	k := &call{action: fmt.Sprintf("read the blob %s of %s", sha, repo), repo: repo, maxBytes: most}
	data, _, err := ask(ctx, c, k, func(ctx context.Context, owner, name string) ([]byte, *github.Response, error) {
		return c.gh.Git.GetBlobRaw(ctx, owner, name, sha)
	})
	switch class := ErrorClassOf(err); {
	case class == NotFound || class == AnswerTooLarge:
		return "", false, nil
	case err != nil:
		return "", false, err
	}
	text = string(data)
	return text, !strings.Contains(text, "\x00"), nil
}

// FolderEntry is an entry of a folder.
type FolderEntry struct {
	Path string
	Type string // kind of the entry: file, dir, symlink or submodule
	Size int
}

// ListFolder lists a folder at a commit, branch or tag. A missing folder has no entries.
func (c *Client) ListFolder(ctx context.Context, repo, path, ref string) ([]FolderEntry, error) {
	k := &call{action: fmt.Sprintf("list the folder %s of %s", path, repo), repo: repo}
	list, _, err := ask(ctx, c, k, func(ctx context.Context, owner, name string) ([]*github.RepositoryContent, *github.Response, error) {
		_, folder, resp, err := c.gh.Repositories.GetContents(ctx, owner, name, path, &github.RepositoryContentGetOptions{Ref: ref})
		return folder, resp, err
	})
	if ErrorClassOf(err) == NotFound {
		return nil, nil
	}
	return convertAll(list, func(e *github.RepositoryContent) FolderEntry {
		return FolderEntry{e.GetPath(), e.GetType(), e.GetSize()}
	}), err
}
