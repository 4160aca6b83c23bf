package filehistory

// fileID identifies a file while nobody writes to the file. A move does not change it.
type fileID struct {
	inode        uint64
	size, modify int64
}

func (e *entry) fileID() fileID { return fileID{e.inode, e.size, e.modify} }

// copyMovedDigests gives the old path of a moved file the digest that was kept at the new path.
// Otherwise the old path would lack its bytes if a tool moves a file right after a program made it.
// The caller makes sure that only Mews made the changes.
func (s *store) copyMovedDigests(changes []change) error {
	kept := map[fileID]digest{}
	for i := range changes {
		if e := &changes[i].after; e.kind == file && e.isKept() {
			kept[e.fileID()] = e.digest
		}
	}
	var paths []string
	for i := range changes {
		c := &changes[i]
		d, known := kept[c.before.fileID()]
		if c.after.kind != absent || c.before.kind != file || c.before.isKept() || !known {
			continue
		}
		c.before.digest = d
		if p := s.index.present[c.path]; p != nil {
			p.digest, p.why = d, pending
			paths = append(paths, c.path)
		}
	}
	return s.appendPresents(paths)
}
