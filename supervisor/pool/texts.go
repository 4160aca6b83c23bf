package pool

// textOtherSpawner is why a spawner of another version is not used.
const textOtherSpawner = "it speaks version %d, want %d: install mews, mews-spawner and mews-worker of one release together, and " +
	"then start Mews again"

// textOtherVersion is why a worker of another version is not used. It stands behind what could not
// be started, before a full stop.
const textOtherVersion = "its program is of another version than the service. An admin has to install mews, mews-spawner and " +
	"mews-worker of one release together, and then restart Mews"

// textNoRoom is why a worker can't be started for now.
const textNoRoom = "the machine has run out of memory, processes or open files; it is tried again every second"
