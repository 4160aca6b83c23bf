package index

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
	"time"

	"mews/protocol"
	"mews/worker/section"
	"mews/worker/tool/files"
)

// readAttempts bounds the attempts to read a file that changes meanwhile. If the file still changes
// then, its next change causes another read.
const readAttempts = 3

// minFileAge is the age below which a file's time may not show a later change: file systems count
// time in ticks of some milliseconds. A younger file is sent with a wrong time, so that it is read
// once more.
const minFileAge = 50 * time.Millisecond

// read reads a file and its sections, and starts again if it changes meanwhile. A file that is no
// text has no sections.
func (r *run) read(path string) (f protocol.IndexedFile, parts []section.Section, err error) {
	for range readAttempts {
		var same bool
		if f, parts, same, err = r.readOnce(path); same || err != nil {
			return f, parts, err
		}
	}
	f.Modified-- // a wrong time makes the next run read the file again
	return f, parts, nil
}

// readOnce reads a file. same means that the file did not change meanwhile.
func (r *run) readOnce(path string) (f protocol.IndexedFile, parts []section.Section, same bool, err error) {
	file, err := r.Home.OpenRegularFile(path)
	if err != nil {
		return f, nil, false, err
	}
	defer file.Close() // a failed Close loses nothing, because the file was only read
	info, err := file.Stat()
	if err != nil {
		return f, nil, false, err
	}
	f = newIndexedFile(path, info)
	if age := r.Now().Sub(info.ModTime()); age < minFileAge {
		f.Modified--
	}
	if info.Size() > protocol.MaxIndexedFileBytes {
		f.State = protocol.LargeFileState(info.Size(), info.ModTime())
		return f, nil, true, nil
	}
	sum := sha256.New()
	text, err := readText(io.TeeReader(io.LimitReader(file, protocol.MaxIndexedFileBytes), sum))
	if err != nil {
		return f, nil, false, err
	}
	f.State = protocol.FileState(hex.EncodeToString(sum.Sum(nil)))
	after, err := file.Stat()
	if err != nil {
		return f, nil, false, err
	}
	return f, section.Split(path, text), after.Size() == info.Size() && after.ModTime().Equal(info.ModTime()), nil
}

// readText reads a whole file as UTF-8. For a file that is no text it returns "".
func readText(file io.Reader) (string, error) {
	head := make([]byte, files.HeadSize)
	n, err := io.ReadFull(file, head)
	if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
		return "", err
	}
	if head = head[:n]; files.FileKind(head) != "" {
		_, err := io.Copy(io.Discard, file)
		return "", err
	}
	text, err := io.ReadAll(files.NewTextReader(head, file))
	return string(text), err
}
