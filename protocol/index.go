package protocol

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"strings"
)

// OperationKindIndex sends the supervisor changes of the home's text files. It takes
// IndexParameters and returns IndexResult. First it names all files, then the sections of changed
// files, then it sends sections that the supervisor does not have. The operation is not recorded:
// after an interruption, a new operation starts from the beginning.
const OperationKindIndex OperationKind = "index"

// MethodIndexChanged announces that the home may have changed. It is a notification with
// IndexChangedParams, at any time.
//
//	{}
const MethodIndexChanged = "index.changed"

// MethodIndexFiles names existing text files. It takes IndexFilesParams and returns
// IndexFilesResult. It is a call in an index operation, once for each page of files. No file is
// named twice.
//
//	{"operation":5,"files":[{"path":"notes/garden.md","size":1200,"modified":1795267139000000000}]}
//	{"differing":[0]}
const MethodIndexFiles = "index.files"

// MethodIndexSections lists the sections of files. It takes IndexSectionsParams and returns
// IndexSectionsResult. It is a call in an index operation. The supervisor records the files once it
// has all missing sections.
//
//	{"operation":5,"files":[{"path":"notes/garden.md","size":1200,"modified":1795267139000000000,"sections":[{"hash":"8f434346648f6b96df89dda901c5176b","line":3}]}]}
//	{"missing":["8f434346648f6b96df89dda901c5176b"]}
const MethodIndexSections = "index.sections"

// MethodIndexPut sends missing sections, which are in a blob of the operation. It takes
// IndexPutParams and has no result. The blob is an IndexBlob as JSON.
//
//	{"operation":5,"blob":{"sha256":"2d728e12d45c1b1497950de82828c8e8c9557ef87b4300a99c177c1f8c9cba73","size":36}}
//	{}
const MethodIndexPut = "index.put"

// MethodIndexEnd ends the report. It takes IndexEndParams and returns IndexEndResult. It is the
// last call of an index operation. Files that no call has named count as deleted, unless More is
// set.
//
//	{"operation":5,"left":{"large":2}}
//	{"more":false}
const MethodIndexEnd = "index.end"

// Bounds of the index of a home.
const (
	MaxIndexedFiles      = 20_000
	MaxIndexedFileBytes  = 1 << 20 // bytes of a file that the index can hold
	MaxIndexedPathBytes  = 4 << 10 // bytes of a file's path
	MaxFilesPerIndexPage = 500     // files in one IndexFilesParams
	MaxIndexSections     = 2_000   // sections in one IndexSectionsParams, and so in one file
	MaxIndexHeadingBytes = 500     // bytes of a section's heading
	MaxSectionTextBytes  = 12 << 10
	MaxIndexBlobBytes    = 1 << 20
	MaxIndexCalls        = 200 // calls of index.sections in one operation; the same limit holds for index.put
)

// IndexChangedParams has no fields.
type IndexChangedParams struct{}

// IndexParameters has no fields.
type IndexParameters struct{}

// IndexResult tells whether another operation must follow.
type IndexResult struct {
	More bool `json:"more,omitempty"`
}

// IndexedFile is a file of the home, as the worker read it.
type IndexedFile struct {
	Path     string    `json:"path"` // path relative to the home
	Size     int64     `json:"size"`
	Modified int64     `json:"modified"`        // time of the last change, in Unix nanoseconds
	State    FileState `json:"state,omitempty"` // state of the contents; "" in IndexFilesParams
	// sections in the file's order; empty in IndexFilesParams, and if the file is no text
	Sections []IndexedSection `json:"sections,omitempty"`
}

// IndexedSection is the position of a section in a file.
type IndexedSection struct {
	Hash string `json:"hash"` // hash of the section, as HashSection makes it
	Line int    `json:"line"` // number of the section's first line in the file, from 1
}

// IndexFilesParams is a page of the existing files.
type IndexFilesParams struct {
	Operation int64         `json:"operation"`
	Files     []IndexedFile `json:"files"`
}

// IndexFilesResult selects the files of a page that the supervisor lacks in this state. It holds
// their indexes, from 0.
type IndexFilesResult struct {
	Differing []int `json:"differing,omitempty"`
}

// IndexSectionsParams lists files with the sections that they have now.
type IndexSectionsParams struct {
	Operation int64         `json:"operation"`
	Files     []IndexedFile `json:"files"`
}

// IndexSectionsResult names the sections that the worker must send.
type IndexSectionsResult struct {
	Missing []string `json:"missing,omitempty"`
}

// IndexPutParams names a blob with sections.
type IndexPutParams struct {
	Operation int64   `json:"operation"`
	Blob      BlobRef `json:"blob"`
}

// IndexBlob holds the sections of a blob.
type IndexBlob struct {
	Sections []SectionText `json:"sections"`
}

// SectionText is the text below one heading of a file, or a part of it.
type SectionText struct {
	// heading, after the headings above it: Garden > Tomatoes
	Heading string `json:"heading,omitempty"`
	Text    string `json:"text"`
}

// IndexEndParams counts the files that were left out. It also tells whether more files will follow.
type IndexEndParams struct {
	Operation int64           `json:"operation"`
	More      bool            `json:"more,omitempty"`
	Left      UnindexedCounts `json:"left,omitzero"`
}

// IndexEndResult tells whether more work remains.
type IndexEndResult struct {
	More bool `json:"more"`
}

// UnindexedCounts counts files that cannot be searched, by reason.
type UnindexedCounts struct {
	Large      int `json:"large,omitempty"`      // files over MaxIndexedFileBytes
	NotText    int `json:"not_text,omitempty"`   // files that are no text
	Unreadable int `json:"unreadable,omitempty"` // files and folders that cannot be read
	Excess     int `json:"excess,omitempty"`     // files beyond the first MaxIndexedFiles
}

// HashSection identifies a section: the first 16 bytes of a SHA-256 in hexadecimal.
func HashSection(s SectionText) string {
	sum := sha256.Sum256([]byte(s.Heading + "\n" + s.Text))
	return hex.EncodeToString(sum[:16])
}

// Validate returns an error for files that no honest worker names.
func (p IndexFilesParams) Validate() error {
	if len(p.Files) > MaxFilesPerIndexPage {
		return fmt.Errorf("%d files, at most %d", len(p.Files), MaxFilesPerIndexPage)
	}
	for _, f := range p.Files {
		if err := f.check(); err != nil || len(f.Sections) > 0 {
			return errors.Join(err, fmt.Errorf("file %.80q with %d sections", f.Path, len(f.Sections)))
		}
	}
	return nil
}

// Validate returns an error for files and sections that no honest worker names.
func (p IndexSectionsParams) Validate() error {
	sections := 0
	for _, f := range p.Files {
		if err := f.check(); err != nil {
			return err
		}
		sections += len(f.Sections)
		for _, s := range f.Sections {
			if _, err := hex.DecodeString(s.Hash); err != nil || len(s.Hash) != 32 || s.Line < 1 ||
				s.Line > MaxIndexedFileBytes+1 {
				return fmt.Errorf("section %.40q at line %d", s.Hash, s.Line)
			}
		}
	}
	if len(p.Files) > MaxFilesPerIndexPage || sections > MaxIndexSections {
		return fmt.Errorf("%d sections of %d files", sections, len(p.Files))
	}
	return nil
}

func (f IndexedFile) check() error {
	if !fs.ValidPath(f.Path) || f.Path == "." || len(f.Path) > MaxIndexedPathBytes || strings.ContainsRune(f.Path, 0) ||
		f.Size < 0 || f.Size > MaxIndexedFileBytes {
		return fmt.Errorf("path %.80q with %d bytes", f.Path, f.Size)
	}
	return f.State.check()
}

// Validate returns an error for sections that no honest worker puts.
func (b IndexBlob) Validate() error {
	for _, s := range b.Sections {
		if len(s.Heading) > MaxIndexHeadingBytes || len(s.Text) > MaxSectionTextBytes ||
			strings.ContainsRune(s.Heading+s.Text, 0) {
			return fmt.Errorf("a section of %d and %d bytes", len(s.Heading), len(s.Text))
		}
	}
	return nil
}

// Validate returns an error for impossible counts.
func (l UnindexedCounts) Validate() error {
	for _, n := range []int{l.Large, l.NotText, l.Unreadable, l.Excess} {
		if n < 0 || n > 1<<30 {
			return fmt.Errorf("%d files left out", n)
		}
	}
	return nil
}
