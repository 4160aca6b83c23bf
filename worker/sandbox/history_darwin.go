package sandbox

import "os"

// reopenFolder returns the folder. No worker on macOS gets one.
func reopenFolder(folder *os.File) (*os.File, error) { return folder, nil }
