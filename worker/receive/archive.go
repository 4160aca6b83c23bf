package receive

import (
	"archive/tar"
	"archive/zip"
	"bufio"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"mews/protocol/amount"
	"mews/worker/workspace"
)

// Bounds of reading an archive.
const (
	maxListed = 200 // names in a list
	// bytes of a ZIP's list of names. In memory the list takes eight times as much.
	maxDirectory = 8 << 20
	maxUnpacked  = 64 << 20  // bytes that all parts of an office document may unpack to
	maxScanned   = 256 << 20 // unpacked bytes of a compressed tar that are searched for names
)

// zipFile reads a ZIP archive in bounded memory.
type zipFile struct {
	*zip.Reader
	ctx  context.Context
	left int64 // number of bytes that may still be unpacked
}

// openZip reads the list of names.
func (f *reading) openZip(ctx context.Context) (*zipFile, error) {
	from := &boundedReaderAt{ReaderAt: f.file, left: maxDirectory}
	z, err := zip.NewReader(from, f.size)
	if err != nil {
		if from.left < 0 {
			err = errors.New(textManyNames)
		}
		return nil, err
	}
	from.left = 1 << 62
	return &zipFile{Reader: z, ctx: ctx, left: maxUnpacked}, nil
}

// boundedReaderAt reads at most left bytes in all.
type boundedReaderAt struct {
	io.ReaderAt
	left int64
}

func (r *boundedReaderAt) ReadAt(p []byte, at int64) (int, error) {
	if r.left -= int64(len(p)); r.left < 0 {
		return 0, errors.New(textManyNames)
	}
	return r.ReaderAt.ReadAt(p, at)
}

// find returns the archive's file with a name; nil if no file has it.
func (z *zipFile) find(name string) *zip.File {
	for _, file := range z.File {
		if file.Name == name {
			return file
		}
	}
	return nil
}

// unpack calls read with a file of the archive, and counts the file's unpacked bytes. A missing
// file is empty.
func (z *zipFile) unpack(name string, read func(io.Reader) error) error {
	file := z.find(name)
	if file == nil {
		return nil
	}
	from, err := file.Open()
	if err != nil {
		return err
	}
	defer from.Close() // the file was only read, so an error of Close loses nothing
	return read(&unpackReader{zipFile: z, from: from})
}

// unpackReader reads unpacked bytes, up to a bound.
type unpackReader struct {
	*zipFile
	from io.Reader
}

func (r *unpackReader) Read(p []byte) (int, error) {
	n, err := r.from.Read(p)
	switch r.left -= int64(n); {
	case r.left < 0:
		return 0, fmt.Errorf(textUnpacks, maxUnpacked>>20)
	case r.ctx.Err() != nil:
		return 0, context.Cause(r.ctx)
	}
	return n, err
}

// readZip reads an office document, or lists the archive.
func readZip(ctx context.Context, f *reading) error {
	z, err := f.openZip(ctx)
	if err != nil {
		return err
	}
	for _, format := range officeFormats {
		if z.find(format.marker) != nil {
			return f.extract(format.kind, func(w io.Writer) error { return format.write(z, &lines{ctx: ctx, to: w}) })
		}
	}
	list := &nameList{}
	for _, file := range z.File {
		list.add(file.Name, int64(min(file.UncompressedSize64, 1<<62)))
	}
	f.list("a ZIP archive", list)
	return nil
}

// readTar lists a tar, and readGzip a compressed tar.
func readTar(ctx context.Context, f *reading) error {
	return f.listTar(ctx, f.kind, io.NewSectionReader(f.file, 0, f.size))
}

func readGzip(ctx context.Context, f *reading) error {
	unpacked, err := gzip.NewReader(bufio.NewReader(io.NewSectionReader(f.file, 0, f.size)))
	if err != nil {
		return err
	}
	defer unpacked.Close() // the file was only read, so an error of Close loses nothing
	bounded := bufio.NewReaderSize(io.LimitReader(unpacked, maxScanned), 1<<10)
	const magic = 257 // offset of a tar's magic bytes (POSIX.1, ustar)
	if head, err := bounded.Peek(magic + 5); err != nil || string(head[magic:]) != "ustar" {
		f.addName(f.kind, "")
		return nil
	}
	return f.listTar(ctx, "a compressed tar archive", bounded)
}

func (f *reading) listTar(ctx context.Context, kind string, from io.Reader) error {
	list := &nameList{}
	for archive := tar.NewReader(from); ctx.Err() == nil && len(list.lines) < maxListed; {
		h, err := archive.Next()
		if err == io.EOF {
			break
		}
		if err != nil && list.count == 0 {
			return err
		}
		if err != nil {
			list.broken = true
			break
		}
		list.add(h.Name, h.Size)
	}
	list.more = len(list.lines) == maxListed
	f.list(kind, list)
	return nil
}

// nameList is a list of an archive's names.
type nameList struct {
	lines  []string
	count  int
	more   bool // there may be more names than were counted
	broken bool // the list ends at damage in the archive
}

func (l *nameList) add(name string, size int64) {
	if l.count++; len(l.lines) < maxListed {
		l.lines = append(l.lines, workspace.QuotePath(name)+"  "+amount.FormatBytes(max(size, 0)))
	}
}

// list quotes a list of names.
func (f *reading) list(kind string, l *nameList) {
	text, rest := strings.Join(l.lines, "\n"), ""
	switch {
	case f.textRoom < len(text):
		f.addName(kind, textNoRoom)
		return
	case l.broken:
		rest = "[" + textBroken + "]"
	case l.more:
		rest = "[" + textMoreNames + "]"
	case l.count > len(l.lines):
		rest = "[" + fmt.Sprintf(textMoreOf, amount.FormatNumber(int64(l.count-len(l.lines)))) + "]"
	}
	f.addQuote(kind+" with "+amount.Plural(l.count, "name", "names"), text, rest)
}
