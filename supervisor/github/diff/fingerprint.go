package diff

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
)

// HunkFingerprints returns a fingerprint for each hunk of a file. A rebase does not change the
// fingerprint, because it covers only the path and the changed lines, without numbers and white
// space. Equal changes in one file get different fingerprints.
func HunkFingerprints(f File) []string {
	prints := make([]string, len(f.Hunks))
	times := map[string]int{}
	for i := range f.Hunks {
		sum := sha256.New()
		fmt.Fprintf(sum, "%s\x00", f.Path())
		for line := range f.Hunks[i].Lines() {
			if line.Kind != LineContext {
				fmt.Fprintf(sum, "%c%s\n", line.Kind, normal(line.Text))
			}
		}
		print := hex.EncodeToString(sum.Sum(nil)[:16])
		times[print]++
		prints[i] = fmt.Sprintf("%s-%d", print, times[print])
	}
	return prints
}

// UnseenChanges returns files with only those hunks whose fingerprints are not in seen. It leaves
// out files without such hunks.
func UnseenChanges(files []File, seen map[string]bool) []File {
	var unseen []File
	for _, f := range files {
		prints := HunkFingerprints(f)
		i := -1
		f.Hunks = slices.DeleteFunc(slices.Clone(f.Hunks), func(Hunk) bool { i++; return seen[prints[i]] })
		if len(f.Hunks) > 0 {
			unseen = append(unseen, f)
		}
	}
	return unseen
}
