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

// maxPaths is the largest number of remembered paths. If there are more, deleted files are
// forgotten.
const maxPaths = 40_000

// ownPaths are the files that Mews itself writes into homes. A folder has a slash at the end.
var ownPaths = []string{"MEMORY.md", "memory/", protocol.LogsFolder + "/"}

// pathSet is a set of paths, as hashes of 32 bits. In JSON 40,000 paths take about 200 KB. One new
// file in 100,000 has the hash of a known file, and is missed.
type pathSet map[uint32]bool

func hashPath(path string) uint32 {
	h := fnv.New32a()
	h.Write([]byte(path))
	return h.Sum32()
}

// add returns the set with files added. Deleted files stay in the set, because a rebuilt index
// lacks some files for a while.
func (s pathSet) add(files []supervisor.HomeFile) pathSet {
	all := make(pathSet, len(files))
	for _, f := range files {
		all[hashPath(f.Path)] = true
	}
	if len(all)+len(s) <= maxPaths {
		maps.Copy(all, s)
	}
	return all
}

// newFiles returns the paths of files that earlier digests did not know.
func (was digestState) newFiles(files []supervisor.HomeFile) (names []string) {
	for _, f := range files {
		isNew := !was.Files[hashPath(f.Path)]
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

// MarshalJSON encodes the sorted hashes as base64.
func (s pathSet) MarshalJSON() ([]byte, error) {
	b := make([]byte, 0, 4*len(s))
	for _, hash := range slices.Sorted(maps.Keys(s)) {
		b = binary.BigEndian.AppendUint32(b, hash)
	}
	return json.Marshal(base64.StdEncoding.EncodeToString(b))
}

// UnmarshalJSON decodes the output of MarshalJSON.
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
