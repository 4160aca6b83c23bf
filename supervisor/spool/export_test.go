package spool

// SetFree has the spool ask free, instead of the system, how many bytes its disk has left.
func SetFree(s *Spool, free func(dir string) (int64, error)) { s.free = free }
