package todo

import (
	"crypto/sha256"
	"encoding/hex"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Source is the place where an item was found. It is kept in the comment of the item.
type Source struct {
	Path   string
	Line   int
	Digest string // FoundDigest of the path and title
	Status Status // state of the box there, when the file was last read
}

// Keys of an item's comment for its Source.
const (
	keySource = "source" // path, escaped as in a URL, and #line
	keyFound  = "found"
	keyWas    = "was"
)

// Digest identifies a text of a file, by 12 bytes of a SHA-256 in hexadecimal.
func Digest(parts ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(parts, "\x00")))
	return hex.EncodeToString(sum[:12])
}

// FoundDigest identifies a to-do that was found in a file. Case and white space of the title make
// no difference.
func FoundDigest(path, title string) string {
	return Digest("box", path, strings.ToLower(cleanLine(title)))
}

// parsedSource returns the Source in a comment; nil means that it has none.
func (m meta) parsedSource() *Source {
	escaped, line, _ := strings.Cut(m.source, "#")
	path, err := url.PathUnescape(escaped)
	number, _ := strconv.Atoi(line)
	if err != nil || path == "" || m.found == "" {
		return nil
	}
	return &Source{Path: path, Line: number, Digest: m.found, Status: Status(m.was)}
}

// FindSource returns the item that was found at a source with a digest.
func (f *File) FindSource(digest string) (Item, bool) {
	f.refresh()
	n := slices.IndexFunc(f.items, func(e entry) bool { return e.Source != nil && e.Source.Digest == digest })
	if n < 0 {
		return Item{}, false
	}
	return f.items[n].Item, true
}

// AddFound adds an item that was found in a file. If an item from that source is there, AddFound
// changes nothing and returns it, and added is false.
func (f *File) AddFound(c Change, s Source, now time.Time) (item Item, added bool, err error) {
	if item, there := f.FindSource(s.Digest); there {
		return item, false, nil
	}
	item, added, err = f.Add(c, now)
	if err == nil {
		f.setSource(item.Key, s)
		item.Source = &s
	}
	return item, added, err
}

// FollowSource gives an item the state of its box in the source file. If the box has not changed
// since the last search, FollowSource changes nothing, and changed is false.
func (f *File) FollowSource(s Source, now time.Time) (item Item, changed bool, err error) {
	item, there := f.FindSource(s.Digest)
	if !there || item.Source.Status == s.Status {
		return item, false, nil
	}
	if item, changed, err = f.Update(item.Key, Change{Status: &s.Status}, now); err == nil {
		f.setSource(item.Key, s)
	}
	return item, changed, err
}

// setSource writes a Source into the comment of an item. An item without a comment gets none.
func (f *File) setSource(key string, s Source) {
	e := f.items[f.index(key)]
	if e.meta == 0 {
		return
	}
	line := content(f.lines[e.meta])
	ending := f.lines[e.meta][len(line):]
	line = setKey(line, keySource, (&url.URL{Path: s.Path}).EscapedPath()+"#"+strconv.Itoa(s.Line))
	line = setKey(line, keyFound, s.Digest)
	f.lines[e.meta] = setKey(line, keyWas, string(s.Status)) + ending
	f.stale = true
}

// WithoutItems returns the text of the file with empty lines in place of its items.
func (f *File) WithoutItems() string {
	f.refresh()
	lines := slices.Clone(f.lines)
	for _, e := range f.items {
		for n := e.from; n < e.to; n++ {
			lines[n] = lines[n][len(content(lines[n])):]
		}
	}
	return strings.Join(lines, "")
}
