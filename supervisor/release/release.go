// Package release knows the releases of Mews: the signed index that lists them, their versions, and
// their archives. It reads and writes files and uses no network. mews and mews-update share it, so
// both apply the same rules.
package release

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"runtime"
	"strconv"
	"strings"
)

// Version is the number of a release, such as v1.4.0. The zero value is no version.
type Version struct{ major, minor, patch int }

// ParseVersion parses a version such as v1.4.0. Versions between releases, such as v1.4.0-3-gabc,
// are an error.
func ParseVersion(text string) (v Version, err error) {
	parts := strings.Split(strings.TrimPrefix(text, "v"), ".")
	if len(parts) != 3 || !strings.HasPrefix(text, "v") {
		return v, fmt.Errorf(textNoVersion, text)
	}
	for i, field := range []*int{&v.major, &v.minor, &v.patch} {
		n, err := strconv.Atoi(parts[i])
		if err != nil || n < 0 || strconv.Itoa(n) != parts[i] {
			return Version{}, fmt.Errorf(textNoVersion, text)
		}
		*field = n
	}
	return v, nil
}

func (v Version) String() string { return fmt.Sprintf("v%d.%d.%d", v.major, v.minor, v.patch) }

// Compare is negative if v is older than w, and positive if v is newer.
func (v Version) Compare(w Version) int {
	return cmp.Or(cmp.Compare(v.major, w.major), cmp.Compare(v.minor, w.minor), cmp.Compare(v.patch, w.patch))
}

// Platform returns the platform of this program, as an index names it.
func Platform() string { return runtime.GOOS + "/" + runtime.GOARCH }

// MaxArchiveBytes is the largest allowed size of a release's archive.
const MaxArchiveBytes = 25 << 20

// Release is one archive that an index lists.
type Release struct {
	Version  Version
	Platform string // such as linux/amd64
	Size     int64  // bytes of the archive
	SHA256   string // digest of the archive, in hexadecimal
	File     string // name of the archive, beside the index
	Notes    string // the changes for admins; "" means none
}

// CheckArchive reads an archive and checks that it is this release's archive.
func (r Release) CheckArchive(archive io.Reader) error {
	digest := sha256.New()
	n, err := io.Copy(digest, io.LimitReader(archive, r.Size+1))
	if err != nil {
		return fmt.Errorf("read %s: %w", r.File, err)
	}
	if n != r.Size {
		return fmt.Errorf(textWrongSize, r.File, r.Size)
	}
	if got := hex.EncodeToString(digest.Sum(nil)); got != r.SHA256 {
		return fmt.Errorf(textWrongDigest, r.File, got, r.SHA256)
	}
	return nil
}
