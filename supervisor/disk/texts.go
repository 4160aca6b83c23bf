package disk

// Notices for admins. The first two parameters of each notice are a folder on the disk, and the
// free room.
const (
	textLowWriter = "The disk of %s is nearly full: %s. Mews ended the programs of %s, which wrote most, " +
		"so that others can go on. Until there is room, programs of these users may delete files, " +
		"but not write. Make room: Mews keeps %s free."
	textLowOther = "The disk of %s is nearly full: %s. No running program of Mews filled it. " +
		"Make room: Mews keeps %s free."
	textFreed = "The disk of %s is full: %s. Mews deleted its spare files of %s, " +
		"so that it can still keep messages. Make room now."
	textFull = "The disk of %s is full: %s. Messages can't be kept any more. Make room now."
	textRoom = "The disk of %s has room again: %s."

	textFreeBytes    = "%s of %s are free"
	textFreeFiles    = "there is room for %d more files of %d"
	textReserveFiles = "room for %d files"
)
