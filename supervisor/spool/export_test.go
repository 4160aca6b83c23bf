package spool

// SetFreeSpace replaces the function that returns the free bytes of the spool's disk.
func SetFreeSpace(s *Spool, free func(dir string) (int64, error)) { s.free = free }
