package protocol

import (
	"fmt"
	"unicode/utf8"
)

// MethodTodoSections finds the new ones among sections and boxes of the user's files. With Seen it
// stores them as seen instead. It is a call during a turn. The worker names the model's call of
// todo_extract.
//
//	{"turn":8,"call":"t8-2-1","digests":["9f86d081884c7d659a2feaa0"]}
//	{"new":[0]}
const MethodTodoSections = "todo.sections"

// MethodTodoExtract lets the small model find to-dos in new sections, and asks the user which of
// them, and which of the new boxes, go on the list. It is a call during a turn, by the model's call
// of todo_extract. Until the user has answered, the call fails with CodeWaitsForUser. A repeated
// call gets the model's first answer, and asks nothing twice.
//
//	{"turn":8,"call":"t8-2-1","sections":[{"digest":"9f86d081884c7d659a2feaa0","path":"notes/trip.md","line":3,"heading":"Trip","text":"Call the bank by Friday."}]}
//	{"add":[{"path":"notes/trip.md","line":3,"title":"Call the bank","due":"2026-12-04"}],"found":1,"read":1,"seen":["9f86d081884c7d659a2feaa0"]}
const MethodTodoExtract = "todo.extract"

// Bounds of a search for to-dos.
const (
	MaxTodoFiles        = 100       // files of a run
	MaxTodoDigests      = 20_000    // sections and boxes of a run
	MaxTodoSections     = 50        // sections that a model reads in a run
	MaxTodoBoxes        = 20        // new boxes of a run
	MaxTodoOffered      = 40        // to-dos in one question
	MaxTodoExtractBytes = 192 << 10 // bytes of all texts of a run
	MaxTodoSectionCalls = 200       // calls of todo.sections in a turn
	MaxTodoExtractCalls = 40        // calls of todo.extract in a turn
	todoDigestLength    = 24
)

// TodoSectionsParams names sections and boxes by their digests, in hexadecimal.
type TodoSectionsParams struct {
	Turn    int64    `json:"turn"`
	Call    string   `json:"call"`
	Digests []string `json:"digests"`
	Seen    bool     `json:"seen,omitempty"`
}

// TodoSectionsResult lists the positions of the new digests, in ascending order.
type TodoSectionsResult struct {
	New []int `json:"new,omitempty"`
	// Begun means that this call has begun todo.extract before. Then it must make the call again.
	Begun bool `json:"begun,omitempty"`
}

// TodoExtractParams has the sections for the model, and the boxes that are not on the list.
type TodoExtractParams struct {
	Turn     int64         `json:"turn"`
	Call     string        `json:"call"`
	Boxes    []FoundTodo   `json:"boxes,omitempty"`
	Sections []TodoSection `json:"sections,omitempty"`
}

// TodoSection is a new or changed section of a file.
type TodoSection struct {
	Digest  string   `json:"digest"`
	Path    string   `json:"path"`
	Line    int      `json:"line"` // first line of Text
	Heading string   `json:"heading,omitempty"`
	Text    string   `json:"text"`
	Old     string   `json:"old,omitempty"`   // text from before the change; "" means that none is known
	Known   []string `json:"known,omitempty"` // titles on the list that came from the file
}

// FoundTodo is a to-do in a file. The empty values are not known.
type FoundTodo struct {
	Digest      string   `json:"digest,omitempty"` // of a box
	Path        string   `json:"path"`
	Line        int      `json:"line"`
	Title       string   `json:"title"`
	Description string   `json:"description,omitempty"`
	Status      string   `json:"status,omitempty"`
	Effort      string   `json:"effort,omitempty"`
	Tags        []string `json:"tags,omitempty"`
	Due         string   `json:"due,omitempty"`
	Known       bool     `json:"known,omitempty"` // it is on the list, and its status has changed
}

// TodoExtractResult has the to-dos that the user wants on the list.
type TodoExtractResult struct {
	Add   []FoundTodo `json:"add,omitempty"`
	Found int         `json:"found,omitempty"` // number of to-dos in the question
	Read  int         `json:"read,omitempty"`  // number of sections that the model has read
	// Seen has the digests to store as seen once the to-dos are on the list.
	Seen []string `json:"seen,omitempty"`
	// Note tells the model why there are no to-dos, such as that the user has not answered.
	Note string `json:"note,omitempty"`
}

// Validate returns an error for digests that no honest worker sends.
func (p TodoSectionsParams) Validate() error {
	if len(p.Digests) > MaxTodoDigests {
		return fmt.Errorf("%d digests, at most %d", len(p.Digests), MaxTodoDigests)
	}
	for _, d := range p.Digests {
		if err := checkTodoDigest(d); err != nil {
			return err
		}
	}
	return nil
}

func checkTodoDigest(digest string) error {
	for n := range len(digest) {
		if c := digest[n]; (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return fmt.Errorf("digest %.30q", digest)
		}
	}
	if len(digest) != todoDigestLength {
		return fmt.Errorf("digest %.30q", digest)
	}
	return nil
}

// Validate returns an error for texts that no honest worker sends.
func (p TodoExtractParams) Validate() error {
	if len(p.Boxes) > MaxTodoBoxes || len(p.Sections) > MaxTodoSections {
		return fmt.Errorf("%d boxes and %d sections", len(p.Boxes), len(p.Sections))
	}
	bytes := 0
	add := func(texts ...string) (err error) {
		for _, text := range texts {
			if bytes += len(text); !utf8.ValidString(text) {
				err = fmt.Errorf("text %.30q", text)
			}
		}
		return err
	}
	for _, b := range p.Boxes {
		if err := add(append(b.Tags, b.Path, b.Title, b.Description, b.Status, b.Effort, b.Due)...); err != nil ||
			checkTodoDigest(b.Digest) != nil || b.Path == "" || b.Title == "" || b.Line < 1 {
			return fmt.Errorf("box %.30q of %.80q", b.Title, b.Path)
		}
	}
	for _, s := range p.Sections {
		if err := add(append(s.Known, s.Path, s.Heading, s.Text, s.Old)...); err != nil ||
			checkTodoDigest(s.Digest) != nil || s.Path == "" || s.Line < 1 {
			return fmt.Errorf("section %.30q of %.80q", s.Heading, s.Path)
		}
	}
	if bytes > MaxTodoExtractBytes {
		return fmt.Errorf("%d bytes of texts, at most %d", bytes, MaxTodoExtractBytes)
	}
	return nil
}
