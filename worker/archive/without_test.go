package archive

import (
	"archive/tar"
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"testing"
)

// A file whose path has the digest is left out and named. A file in another folder stays.
func TestUnpack_WithoutDigest_LeavesOutFile(t *testing.T) {
	sum := sha256.Sum256([]byte("uploads/secret.txt"))
	o := unpackOptions
	o.Without = []string{hex.EncodeToString(sum[:])}
	home := t.TempDir()
	r, err := Unpack(t.Context(), home, tarOf(t, tar.Header{Name: "uploads/secret.txt", Typeflag: tar.TypeReg},
		tar.Header{Name: "secret.txt", Typeflag: tar.TypeReg}), o)
	if err != nil || r.Files != 1 || len(r.LeftOut) != 1 || r.LeftOut[0].Path != "uploads/secret.txt" {
		t.Errorf("%+v, %v", r, err)
	}
	if _, err := os.Stat(filepath.Join(home, "secret.txt")); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(filepath.Join(home, "uploads/secret.txt")); err == nil {
		t.Error("the deleted file is back")
	}
}
