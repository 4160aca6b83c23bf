package document

import (
	"archive/tar"
	"archive/zip"
	"bufio"
	"compress/gzip"
	"io"
	"strings"

	"mews/protocol/amount"
	"mews/worker/parse"
	"mews/worker/workspace"
)

// Bounds of reading an archive.
const (
	maxListed = 200 // maximum number of names in the text about an archive
	// maximum bytes of a ZIP's list of names. In memory the list takes eight times as much.
	maxDirectory = 8 << 20
	maxUnpacked  = 64 << 20  // maximum bytes that all parts of an office document may unpack to
	maxScanned   = 256 << 20 // maximum unpacked bytes of a compressed tar that are searched for names
)

// zipFile reads a ZIP archive in bounded memory.
type zipFile struct {
	*zip.Reader
	left int64 // number of bytes that may still be unpacked
}

// openZip reads an archive's list of names.
func openZip(f source) (*zipFile, error) {
	from := &boundedReaderAt{ReaderAt: f, left: maxDirectory}
	z, err := zip.NewReader(from, f.size)
	if err != nil {
		if from.left < 0 {
			err = parse.NewFailure(parse.ReasonTooManyNames)
		}
		return nil, err
	}
	from.left = 1 << 62
	return &zipFile{Reader: z, left: maxUnpacked}, nil
}

// boundedReaderAt reads at most left bytes in all.
type boundedReaderAt struct {
	io.ReaderAt
	left int64
}

func (r *boundedReaderAt) ReadAt(p []byte, at int64) (int, error) {
	if r.left -= int64(len(p)); r.left < 0 {
		return 0, parse.NewFailure(parse.ReasonTooManyNames)
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
// file counts as empty.
func (z *zipFile) unpack(name string, read func(io.Reader) error) error {
	file := z.find(name)
	if file == nil {
		return nil
	}
	from, err := file.Open()
	if err != nil {
		return err
	}
	defer from.Close() // a failed Close loses nothing, because the file was only read
	return read(&unpackReader{zipFile: z, from: from})
}

// unpackReader reads unpacked bytes, up to a bound.
type unpackReader struct {
	*zipFile
	from io.Reader
}

func (r *unpackReader) Read(p []byte) (int, error) {
	n, err := r.from.Read(p)
	if r.left -= int64(n); r.left < 0 {
		return 0, parse.NewFailure(parse.ReasonUnpacksTooLarge, maxUnpacked>>20)
	}
	return n, err
}

// parseZip writes the text of an office document or a book, or lists the archive.
func parseZip(f source, out *output) error {
	z, err := openZip(f)
	if err != nil {
		return err
	}
	for _, known := range zipFormats {
		if z.find(known.marker) == nil {
			continue
		}
		text, err := out.text(known.format)
		if err != nil {
			return err
		}
		return known.write(z, text)
	}
	list := &nameList{}
	for _, file := range z.File {
		list.add(file.Name, int64(min(file.UncompressedSize64, 1<<62)))
	}
	return list.write(parse.FormatZip, out)
}

// parseTar lists a tar, and parseGzip a compressed tar.
func parseTar(f source, out *output) error { return listTar(parse.FormatTar, f.reader(), out) }

func parseGzip(f source, out *output) error {
	unpacked, err := gzip.NewReader(bufio.NewReader(f.reader()))
	if err != nil {
		return err
	}
	defer unpacked.Close() // a failed Close loses nothing, because the file was only read
	bounded := bufio.NewReaderSize(io.LimitReader(unpacked, maxScanned), 1<<10)
	const magic = 257 // offset of a tar's magic bytes (POSIX.1, ustar)
	if head, err := bounded.Peek(magic + 5); err != nil || string(head[magic:]) != "ustar" {
		return out.header(parse.Header{Format: parse.FormatGzip})
	}
	return listTar(parse.FormatTarGzip, bounded, out)
}

func listTar(format parse.Format, from io.Reader, out *output) error {
	list := &nameList{}
	for archive := tar.NewReader(from); len(list.lines) < maxListed; {
		h, err := archive.Next()
		if err == io.EOF {
			break
		}
		if err != nil && list.Count == 0 {
			return err
		}
		if err != nil {
			list.Broken = true
			break
		}
		list.add(h.Name, h.Size)
	}
	list.More = len(list.lines) == maxListed
	return list.write(format, out)
}

// nameList is a list of an archive's names.
type nameList struct {
	parse.ArchiveNames
	lines []string
}

func (l *nameList) add(name string, size int64) {
	if l.Count++; len(l.lines) < maxListed {
		l.lines = append(l.lines, workspace.QuotePath(name)+"  "+amount.FormatBytes(max(size, 0)))
	}
}

// write writes the list as the body of an answer.
func (l *nameList) write(format parse.Format, out *output) error {
	l.Left = l.Count - len(l.lines)
	if err := out.header(parse.Header{Format: format, Names: &l.ArchiveNames}); err != nil {
		return err
	}
	_, err := io.WriteString(out, strings.Join(l.lines, "\n"))
	return err
}
