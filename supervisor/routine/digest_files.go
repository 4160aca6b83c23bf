package routine

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"maps"
	"slices"
	"strings"

	"mews/protocol"
	"mews/supervisor"
)

// maxPaths is how many paths are remembered of files that are gone too; of more only those that are
// there.
const maxPaths = 40_000

// ownPaths is what Mews writes into homes itself: files, and folders with a slash.
var ownPaths = []string{"MEMORY.md", "memory/", protocol.LogsFolder + "/"}

// pathSet is paths, of each a hash of 32 bits: in JSON 40,000 are some 200 KB. One in 100,000 new
// files is taken for one of them.
type pathSet map[uint32]bool

func hashOf(path string) uint32 {
	h := fnv.New32a()
	h.Write([]byte(path))
	return h.Sum32()
}

// add is the set with those files too. An index that is made anew lacks some for a while, so what
// is gone is remembered.
func (s pathSet) add(files []supervisor.HomeFile) pathSet {
	all := make(pathSet, len(files))
	for _, f := range files {
		all[hashOf(f.Path)] = true
	}
	if len(all)+len(s) <= maxPaths {
		maps.Copy(all, s)
	}
	return all
}

// newFiles are the paths of files that the digests before did not know of.
func (was digestState) newFiles(files []supervisor.HomeFile) (names []string) {
	for _, f := range files {
		isNew := !was.Files[hashOf(f.Path)]
		if len(was.Files) == 0 {
			isNew = f.Modified.After(was.FilesAfter)
		}
		if isNew && !slices.ContainsFunc(ownPaths, func(own string) bool {
			return f.Path == own || strings.HasSuffix(own, "/") && strings.HasPrefix(f.Path, own)
		}) {
			names = append(names, f.Path)
		}
	}
	return names
}

// MarshalJSON writes the hashes as base64, in order.
func (s pathSet) MarshalJSON() ([]byte, error) {
	b := make([]byte, 0, 4*len(s))
	for _, hash := range slices.Sorted(maps.Keys(s)) {
		b = binary.BigEndian.AppendUint32(b, hash)
	}
	return json.Marshal(base64.StdEncoding.EncodeToString(b))
}

// UnmarshalJSON reads what MarshalJSON has written.
func (s *pathSet) UnmarshalJSON(text []byte) error {
	var b []byte
	if err := json.Unmarshal(text, &b); err != nil {
		return fmt.Errorf("read which files were known: %w", err)
	}
	if len(b)%4 != 0 {
		return fmt.Errorf("read which files were known: %d bytes", len(b))
	}
	*s = make(pathSet, len(b)/4)
	for ; len(b) > 0; b = b[4:] {
		(*s)[binary.BigEndian.Uint32(b)] = true
	}
	return nil
}
