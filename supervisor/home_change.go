package supervisor

import "time"

// RoutineFiles is the routine that tells what others have changed in a person's folder.
const RoutineFiles = "files"

// HomeCursor is a moment in the changes of a home, as the index has seen them. The zero value is
// none.
type HomeCursor struct {
	Epoch string `json:"epoch"` // of the index: of one that was made anew it is another
	ID    int64  `json:"id"`
}

// HomeChange is what has become of a file since a HomeCursor. Was and Now are as protocol.FileState
// has them, "" where that is not known, and NoFile where there was none.
type HomeChange struct {
	Path     string
	Was, Now string
	Size     int64 // now, as is Modified
	Modified time.Time
}

// NoFile is in the place of what a file held that was not there.
const NoFile = "-"

// FileEffect is what the ledger has of a person's files: a change of one, or a program that was
// run.
type FileEffect struct {
	ID     int64
	Kind   string      // the ledger's, as are Target and At
	Target string      //
	Change *FileChange // nil where nothing is on record of it
	At     time.Time
}
