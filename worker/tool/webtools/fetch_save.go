package webtools

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"path"
	"strings"
	"unicode"

	"mews/protocol"
	"mews/protocol/amount"
	"mews/worker"
	"mews/worker/workspace"
)

// maxSameName is how many names are tried for a file.
const maxSameName = 50

// save writes a page as Markdown, or a file as it is, to the folder downloads. It returns a sentence
// with the path.
func (f *fetcher) save(ctx context.Context, call worker.Call, got protocol.WebFetchResult, p fetched) (string,
	[]protocol.Change, error) {
	var data []byte
	if p.isPage {
		data = []byte(strings.TrimPrefix("# "+p.title+"\n\n", "# \n\n") + "<" + got.Address + ">\n\n" +
			strings.TrimSpace(p.text) + "\n")
	} else {
		var err error
		body := &blobReader{ctx: ctx, turn: f.Turn, blob: got.Body}
		if data, err = io.ReadAll(body); err != nil {
			return "", nil, err
		}
	}
	name := fileName(got, p)
	extension := path.Ext(name)
	for i := range maxSameName {
		at := path.Join(protocol.DownloadsFolder, name)
		if i > 0 {
			at = path.Join(protocol.DownloadsFolder, fmt.Sprintf("%s-%d%s", strings.TrimSuffix(name, extension), i+1,
				extension))
		}
		said, changes, err := f.write(ctx, call, at, data)
		if !errors.Is(err, fs.ErrExist) {
			return said, changes, err
		}
	}
	return "", nil, fmt.Errorf(textManyNames, name)
}

// write writes a new file. If the file is there with the same bytes, it does nothing.
func (f *fetcher) write(ctx context.Context, call worker.Call, at string, data []byte) (string, []protocol.Change,
	error) {
	var undo *protocol.Undo
	if _, err := f.Files.Stat(at); err != nil {
		undo = f.Files.RecordBeforeWrite(ctx, call.KeepBefore, at, data)
	}
	created, err := f.Files.WriteFile(at, data, workspace.ModeCreate)
	if err != nil {
		return "", nil, err
	}
	size := amount.FormatBytes(int64(len(data)))
	detail := "created, " + size
	if !created {
		detail = "found to hold just this already"
	}
	return fmt.Sprintf(textSaved, workspace.QuotePath(at), size),
		[]protocol.Change{{Kind: "write", Target: at, Detail: detail, Undo: f.Files.RecordAfterWrite(undo)}}, nil
}

// extensions are the endings of files by their media types.
var extensions = map[string]string{"application/pdf": ".pdf", "application/json": ".json", "text/csv": ".csv",
	"text/plain": ".txt", "text/calendar": ".ics", "application/xml": ".xml", "text/xml": ".xml", "image/png": ".png",
	"image/jpeg": ".jpg", "image/gif": ".gif", "image/webp": ".webp", "application/zip": ".zip",
	"application/epub+zip": ".epub"}

// fileName returns a name for a file: the title of a page, or else the last part of the address.
func fileName(got protocol.WebFetchResult, p fetched) string {
	u, err := url.Parse(got.Address)
	if err != nil {
		u = &url.URL{Host: "page"} // the supervisor has parsed the address
	}
	base := path.Base(u.Path)
	if base == "/" || base == "." {
		base = u.Hostname()
	}
	if p.isPage {
		if title := slug(p.title); title != "" {
			base = title
		}
		return protocol.SafeFileName(slug(strings.TrimSuffix(strings.TrimSuffix(base, ".html"), ".htm"))) + ".md"
	}
	name := protocol.SafeFileName(strings.TrimLeft(base, "."))
	if ending := extensions[got.MediaType]; ending != "" && len(path.Ext(name)) < 2 {
		name += ending
	}
	return name
}

// maxSlug is the length of a name that comes from a title, in characters.
const maxSlug = 60

// slug writes a title as a file name: its letters and digits, with hyphens between them.
func slug(title string) string {
	words := strings.FieldsFunc(strings.ToLower(title), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r)
	})
	runes := []rune(strings.Join(words, "-"))
	if len(runes) > maxSlug {
		runes = runes[:maxSlug]
	}
	return strings.Trim(string(runes), "-")
}
