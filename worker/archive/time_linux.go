package archive

import (
	"syscall"
	"time"
)

// changeTime returns when a file or its attributes were last changed.
func changeTime(stat *syscall.Stat_t) time.Time { return time.Unix(stat.Ctim.Unix()) }
