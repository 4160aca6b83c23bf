package pool

// textOtherSpawner explains that a spawner has another version.
const textOtherSpawner = "it speaks version %d, want %d: install mews, mews-spawner and mews-worker of one release together, and " +
	"then start Mews again"

// textOtherVersion explains that a worker has another version. It stands after the name of the
// failed start.
const textOtherVersion = "its program is of another version than the service. An admin has to install mews, mews-spawner and " +
	"mews-worker of one release together, and then restart Mews"

// textNoRoom explains that a worker can't be started for now.
const textNoRoom = "the machine has run out of memory, processes or open files; Mews tries again every second"
