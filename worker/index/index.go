// Package index sends the supervisor the text files of a home, section by section, so that they can
// be searched. A file with a known size and time is not read again, and a known section is not sent
// again: a moved file costs nothing.
//
// Hidden names, which begin with a dot (so .git and the trash), are left out. So are node_modules
// and __pycache__, paths that the rules of the home's files hide, links, files that are no text,
// and files beyond 20,000. Files of more than 1 MiB are listed without their text. Files that a
// .gitignore names are searched, because they may be notes too.
package index

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strings"
	"time"

	"mews/protocol"
	"mews/worker/host"
	"mews/worker/workspace"
)

// Host makes the index's calls to the supervisor.
type Host interface {
	host.Caller
	// StoreBlob asks the supervisor to store r, and limits r to the length most in bytes.
	StoreBlob(ctx context.Context, r io.Reader, most int64) (protocol.BlobRef, error)
}

// Options are the inputs of Run.
type Options struct {
	Home   *workspace.Workspace
	Host   Host
	Now    func() time.Time
	Folder func(path string) // called for each folder, before its files are read
}

// pieceCalls bounds the calls of one Run that send sections: about 5 MB of text. A recording that
// waits is transcribed between two Runs.
const pieceCalls = 24

// Run sends changes of the home. more means that Run must be called again for the remaining
// changes.
func Run(ctx context.Context, o Options) (more bool, err error) {
	r := &run{Options: o, ctx: ctx, calls: pieceCalls}
	o.Folder(".")
	if err := o.Home.Walk(ctx, ".", r.visit); err != nil {
		return false, err
	}
	if err := r.sendPage(); err != nil {
		return false, err
	}
	for len(r.changed) > 0 && r.calls > 0 {
		if err := r.sendBatch(); err != nil {
			return false, err
		}
	}
	end := protocol.IndexEndParams{More: len(r.changed) > 0, Left: r.left}
	ended, err := host.CallMethod[protocol.IndexEndResult](ctx, o.Host, protocol.MethodIndexEnd, end)
	return ended.More, err
}

// run is one call of Run.
type run struct {
	Options
	ctx     context.Context
	named   int                    // number of listed files so far
	page    []protocol.IndexedFile // files that are not sent yet
	bytes   int                    // bytes of the paths on the page
	changed []protocol.IndexedFile // changed files that this run must still read
	left    protocol.UnindexedCounts
	calls   int // number of host calls that this run may still make
}

// skipped are folders whose files no user has written.
var skipped = map[string]bool{"node_modules": true, "__pycache__": true}

// pageBytes bounds the paths of a page or a batch, in bytes. Escaped paths take up to six times as
// many bytes.
const pageBytes = 64 << 10

func (r *run) visit(e workspace.Entry) error {
	name := path.Base(e.Path)
	switch info := e.Info; {
	case e.Err != nil:
		r.left.Unreadable++
		return nil
	case e.Path == ".":
		return nil
	case strings.HasPrefix(name, ".") && info.IsDir(), skipped[name] && info.IsDir():
		return fs.SkipDir
	case info.IsDir():
		r.Folder(e.Path)
		return nil
	case strings.HasPrefix(name, "."), !info.Mode().IsRegular():
		return nil
	case info.Mode().Perm()&0o444 == 0: // no account may read the file; a change of its mode does not change its time
		r.left.Unreadable++
		return nil
	case notText[strings.ToLower(path.Ext(name))], len(e.Path) > protocol.MaxIndexedPathBytes, !fs.ValidPath(e.Path):
		r.left.NotText++
		return nil
	case r.named == protocol.MaxIndexedFiles:
		r.left.Excess++
		return nil
	}
	if e.Info.Size() > protocol.MaxIndexedFileBytes {
		r.left.Large++
	}
	r.named++
	r.page, r.bytes = append(r.page, newIndexedFile(e.Path, e.Info)), r.bytes+len(e.Path)
	if len(r.page) == protocol.MaxFilesPerIndexPage || r.bytes > pageBytes {
		return r.sendPage()
	}
	return nil
}

// notText are the endings of files that are never text.
var notText = func() map[string]bool {
	all := map[string]bool{}
	for _, ending := range strings.Fields(`7z aac avi avif bin bmp bz2 class db dll doc docx exe flac gif gz heic heif ico iso jar jpeg jpg
		m4a mkv mov mp3 mp4 mpeg o odp ods odt oga ogg opus pdf png ppt pptx pyc rar so sqlite tar tif tiff ttf wasm wav webm webp woff
		woff2 xls xlsx xz zip zst`) {
		all["."+ending] = true
	}
	return all
}()

// newIndexedFile describes a file to the supervisor. A file too large to be searched gets the size
// 0.
func newIndexedFile(path string, info fs.FileInfo) protocol.IndexedFile {
	f := protocol.IndexedFile{Path: path, Size: info.Size(), Modified: info.ModTime().UnixNano()}
	if f.Size > protocol.MaxIndexedFileBytes {
		f.Size = 0
	}
	return f
}

// sendPage lists the files of a page for the supervisor, and notes the files to read.
func (r *run) sendPage() error {
	if len(r.page) == 0 {
		return nil
	}
	answer, err := host.CallMethod[protocol.IndexFilesResult](
		r.ctx,
		r.Host,
		protocol.MethodIndexFiles,
		protocol.IndexFilesParams{Files: r.page},
	)
	if err != nil {
		return err
	}
	for _, i := range answer.Differing {
		if i < 0 || i >= len(r.page) {
			return fmt.Errorf("%s: file %d of %d", protocol.MethodIndexFiles, i, len(r.page))
		}
		r.changed = append(r.changed, r.page[i])
	}
	r.page, r.bytes = r.page[:0], 0
	return nil
}

// Bounds of a batch of files. A batch is in memory as a whole.
const (
	batchFiles = 200
	batchBytes = 512 << 10
)

// sendBatch sends the sections of some changed files.
func (r *run) sendBatch() error {
	var files []protocol.IndexedFile
	texts := map[string]protocol.SectionText{}
	sections, bytes, names := 0, 0, 0
	for len(r.changed) > 0 && len(files) < batchFiles && bytes < batchBytes && names < pageBytes && r.ctx.Err() == nil {
		f, parts, err := r.read(r.changed[0].Path)
		if sections += len(parts); sections > protocol.MaxIndexSections {
			break // the file will be the first in the next batch
		}
		if err != nil {
			r.left.Unreadable++
			// removes the file's earlier sections from the index
			f, parts = protocol.IndexedFile{Path: r.changed[0].Path}, nil
		}
		names += len(f.Path)
		for _, p := range parts {
			hash := protocol.HashSection(p.SectionText)
			f.Sections = append(f.Sections, protocol.IndexedSection{Hash: hash, Line: p.Line})
			texts[hash], bytes = p.SectionText, bytes+len(p.Heading)+len(p.Text)
		}
		files, r.changed = append(files, f), r.changed[1:]
	}
	r.calls--
	answer, err := host.CallMethod[protocol.IndexSectionsResult](
		r.ctx,
		r.Host,
		protocol.MethodIndexSections,
		protocol.IndexSectionsParams{Files: files},
	)
	if err != nil {
		return err
	}
	return r.sendSections(answer.Missing, texts)
}

// blobBytes leaves room for the JSON around a text.
const blobBytes = protocol.MaxIndexBlobBytes - 100

// sendSections sends sections in as few blobs as possible.
func (r *run) sendSections(missing []string, texts map[string]protocol.SectionText) error {
	var blob []protocol.SectionText
	bytes := 0
	for _, hash := range missing {
		s, ok := texts[hash]
		if !ok {
			return fmt.Errorf("%s: section %.40q was not named", protocol.MethodIndexSections, hash)
		}
		text, err := json.Marshal(s)
		if err != nil {
			return err
		}
		if bytes += len(text) + 1; bytes > blobBytes {
			if err := r.send(blob); err != nil {
				return err
			}
			blob, bytes = blob[:0], len(text)+1
		}
		blob = append(blob, s)
	}
	if len(blob) == 0 {
		return nil
	}
	return r.send(blob)
}

func (r *run) send(sections []protocol.SectionText) error {
	r.calls--
	text, err := json.Marshal(protocol.IndexBlob{Sections: sections})
	if err != nil {
		return err
	}
	blob, err := r.Host.StoreBlob(r.ctx, bytes.NewReader(text), protocol.MaxIndexBlobBytes)
	if err != nil {
		return err
	}
	_, err = host.CallMethod[struct{}](r.ctx, r.Host, protocol.MethodIndexPut, protocol.IndexPutParams{Blob: blob})
	return err
}
