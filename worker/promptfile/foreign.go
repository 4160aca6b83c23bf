package promptfile

import (
	"io/fs"
	"os"
	"syscall"
)

// byOtherAccount reports whether another account may have written the file. That is possible if the
// file, or a folder on its path below the home, belongs to another account. It is also possible if
// its group or all accounts may write the file or folder, and can reach it.
func (w *Watcher) byOtherAccount(f file) bool {
	way := []fs.FileInfo{}
	for _, dir := range parentFolders(f.Path) {
		folder, err := w.Home.Stat(dir)
		if err != nil {
			return true
		}
		way = append(way, folder)
	}
	if f.info != nil {
		way = append(way, f.info)
	}
	// rights to enter a folder: for the group and for all accounts
	for _, class := range []fs.FileMode{0o010, 0o001} {
		writes := class << 1
		for _, on := range way {
			if on.Mode()&writes != 0 && (!on.IsDir() || on.Mode()&class != 0) {
				return true
			}
			if on.IsDir() && on.Mode()&class == 0 {
				break // no account of this class can go deeper
			}
		}
	}
	for _, on := range way {
		if stat, ok := on.Sys().(*syscall.Stat_t); ok && int(stat.Uid) != os.Getuid() {
			return true
		}
	}
	return false
}
