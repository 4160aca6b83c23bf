package release

import (
	"crypto/ed25519"
	"errors"
	"fmt"
	"path"
	"strconv"
	"strings"
	"time"
)

// An index is a text. Each line has a word and its fields:
//
//	mews-index 7
//	issued 2026-11-30
//	keys PAIR SIGNATURE
//	release v1.4.0 linux/amd64 SIZE SHA256 FILE
//	notes v1.4.0 TEXT
//	signature SIGNATURE
//
// The last line signs all lines before it. A line keys names the next pair of keys; its own
// signature, by an earlier key, covers the words "mews-keys PAIR".
const (
	indexWord     = "mews-index "
	issuedWord    = "issued "
	keysWord      = "keys "
	releaseWord   = "release "
	notesWord     = "notes "
	signatureWord = "signature "
	keysStatement = "mews-keys "
)

// IndexName is the name of an index in a feed.
const IndexName = "mews-index"

const (
	// MaxIndexBytes is the largest allowed size of an index.
	MaxIndexBytes = 256 << 10
	// Validity is how long an index is valid from its issue on.
	Validity = 90 * 24 * time.Hour
	// clockSkew is how far ahead the clock of the signing machine may be.
	clockSkew = 24 * time.Hour
)

// Index is a list of releases.
type Index struct {
	Number   int       // a later index has a higher number
	Issued   time.Time // the day of its issue, in UTC
	NextKeys []string  // lines that name the next pair of keys, without their word
	Releases []Release
}

// ParseIndex verifies and reads an index. The keys, or keys that these have named, must have signed
// it.
func ParseIndex(text []byte, keys Keys) (x Index, err error) {
	if len(text) > MaxIndexBytes {
		return x, fmt.Errorf(textIndexTooLong, MaxIndexBytes>>10)
	}
	signed, signature, found := cutLast(string(text), signatureWord)
	if !found {
		return x, errors.New(textIndexCutOff)
	}
	trusted := keys
	for line := range strings.Lines(signed) {
		if rest, ok := strings.CutPrefix(line, keysWord); ok {
			trusted = trusted.withNext(strings.TrimSuffix(rest, "\n"))
		}
	}
	if !trusted.verify(signed, signature) {
		return x, errors.New(textWrongSignature)
	}
	for line := range strings.Lines(signed) {
		if err := x.parseLine(strings.TrimSuffix(line, "\n")); err != nil {
			return Index{}, err
		}
	}
	if x.Number == 0 || x.Issued.IsZero() {
		return Index{}, errors.New(textIndexIncomplete)
	}
	return x, nil
}

// cutLast cuts the last line, which must begin with word and end with a line feed.
func cutLast(text, word string) (before, rest string, found bool) {
	text, ended := strings.CutSuffix(text, "\n")
	at := strings.LastIndexByte(text, '\n') + 1
	rest, found = strings.CutPrefix(text[at:], word)
	return text[:at], rest, found && ended
}

// withNext adds the pair of keys of a line if one of the keys has signed it.
func (k Keys) withNext(line string) Keys {
	pair, signature, _ := strings.Cut(line, " ")
	next, err := ParseKeys(pair)
	if err != nil || !k.verify(keysStatement+pair, signature) {
		return k
	}
	return append(k[:len(k):len(k)], next...)
}

func (x *Index) parseLine(line string) (err error) {
	word, rest, _ := strings.Cut(line, " ")
	switch word + " " {
	case indexWord:
		if x.Number, err = strconv.Atoi(rest); err != nil || x.Number < 1 {
			return fmt.Errorf(textWrongLine, line)
		}
	case issuedWord:
		if x.Issued, err = time.Parse(time.DateOnly, rest); err != nil {
			return fmt.Errorf(textWrongLine, line)
		}
	case keysWord:
		x.NextKeys = append(x.NextKeys, rest)
	case releaseWord:
		r, err := parseRelease(rest)
		if err != nil {
			return fmt.Errorf(textWrongLine, line)
		}
		x.Releases = append(x.Releases, r)
	case notesWord:
		version, notes, _ := strings.Cut(rest, " ")
		for i, r := range x.Releases {
			if r.Version.String() == version {
				x.Releases[i].Notes = strings.TrimPrefix(r.Notes+"\n"+notes, "\n")
			}
		}
	default: // a later version may have further words
	}
	return nil
}

func parseRelease(line string) (r Release, err error) {
	fields := strings.Fields(line)
	if len(fields) != 5 {
		return r, errors.New("want 5 fields")
	}
	r.Platform, r.SHA256, r.File = fields[1], fields[3], fields[4]
	r.Version, err = ParseVersion(fields[0])
	size, sizeErr := strconv.ParseInt(fields[2], 10, 64)
	r.Size = size
	if err = errors.Join(err, sizeErr); err == nil && (size < 1 || size > MaxArchiveBytes || len(r.SHA256) != 64 ||
		path.Base(r.File) != r.File || strings.HasPrefix(r.File, ".")) {
		err = errors.New("a field is wrong")
	}
	return r, err
}

// CheckFresh refuses an index that was replaced by a later one. It also refuses an index that is no
// longer valid, if acceptOld is false. seen is the highest number so far.
func (x Index) CheckFresh(seen int, now time.Time, acceptOld bool) error {
	day, until := x.Issued.Format(time.DateOnly), x.Issued.Add(Validity)
	switch {
	case x.Number < seen:
		return fmt.Errorf(textNumberFell, x.Number, seen)
	case now.Add(clockSkew).Before(x.Issued):
		return fmt.Errorf(textNotYetIssued, day, now.UTC().Format(time.DateOnly))
	case now.After(until) && !acceptOld:
		return fmt.Errorf(textIndexOld, day, until.Format(time.DateOnly))
	}
	return nil
}

// FindNewest returns the newest release for the platform. It returns no release if none is newer
// than the running version.
func (x Index) FindNewest(running Version, platform string) (newest Release, found bool) {
	newest.Version = running
	for _, r := range x.Releases {
		if r.Platform == platform && r.Version.Compare(newest.Version) > 0 {
			newest, found = r, true
		}
	}
	return newest, found
}

// Find returns the release of a version. It refuses a version that is older than the installed one.
func (x Index) Find(version, installed Version, platform string) (Release, error) {
	if version.Compare(installed) < 0 {
		return Release{}, fmt.Errorf(textDowngrade, version, installed)
	}
	for _, r := range x.Releases {
		if r.Platform == platform && r.Version == version {
			return r, nil
		}
	}
	return Release{}, fmt.Errorf(textNotListed, version, platform)
}

// Sign writes the index and signs it.
func (x Index) Sign(private ed25519.PrivateKey) []byte {
	var b strings.Builder
	fmt.Fprintf(&b, "%s%d\n%s%s\n", indexWord, x.Number, issuedWord, x.Issued.Format(time.DateOnly))
	for _, line := range x.NextKeys {
		fmt.Fprintf(&b, "%s%s\n", keysWord, line)
	}
	noted := map[Version]bool{}
	for _, r := range x.Releases {
		fmt.Fprintf(&b, "%s%s %s %d %s %s\n", releaseWord, r.Version, r.Platform, r.Size, r.SHA256, r.File)
	}
	for _, r := range x.Releases {
		if noted[r.Version] || r.Notes == "" {
			continue
		}
		noted[r.Version] = true
		for line := range strings.SplitSeq(r.Notes, "\n") {
			fmt.Fprintf(&b, "%s%s %s\n", notesWord, r.Version, line)
		}
	}
	return fmt.Appendf(nil, "%s%s%s\n", b.String(), signatureWord, sign(private, b.String()))
}

// NextKeys returns the line with which a key names the next pair of keys.
func NextKeys(private ed25519.PrivateKey, next Keys) string {
	return next.String() + " " + sign(private, keysStatement+next.String())
}
