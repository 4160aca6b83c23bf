package filehistory

// reason is a reason why the bytes of a file are not kept. Packs store the numbers, so a new reason
// goes to the end.
type reason byte

const (
	pending reason = iota
	tooLarge
	leftOutByName
	isCache
	isExcluded
	isSpecial
	noRoom
	keptChanging
	unreadable
	thinned
	onOtherDisk
)

// textWaiting is the reason of files that Run keeps soon.
const textWaiting = "it waits to be kept"

// reasons are the texts of the reasons.
var reasons = []string{
	pending:       "it changed before it could be kept",
	tooLarge:      "it has more than 64 MiB",
	leftOutByName: "its folder can be made again, such as node_modules",
	isCache:       "its folder is marked as a cache",
	isExcluded:    "the configuration leaves it out",
	isSpecial:     "it is a pipe, socket or device",
	noRoom:        "there was no room for it",
	keptChanging:  "it changed while it was read",
	unreadable:    "it could not be read",
	thinned:       "its bytes were deleted to make room",
	onOtherDisk:   "it is on another disk",
}
