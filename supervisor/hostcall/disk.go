package hostcall

import "mews/protocol"

// DiskDependencies holds the function that is called if a home exceeds its size limits.
type DiskDependencies struct {
	// DiskExceeded is called when programs let a home grow beyond its limits; never blocks.
	DiskExceeded func(user string, size protocol.DiskExceeded)
}

// diskRows allow a report every 10 s for a year.
var diskRows = []row{
	{method: protocol.MethodDiskExceeded, phase: anyTime, kinds: withHome, bytes: shortParams, limit: 3_000_000,
		handler: workNote((*work).diskExceeded)},
}

// diskExceeded handles disk.exceeded.
func (w *work) diskExceeded(size *protocol.DiskExceeded) error {
	w.o.DiskExceeded(w.user, *size)
	return nil
}
