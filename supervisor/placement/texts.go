package placement

// Notices about limits that a user's program has hit. The number is the limit.
const (
	textMemory = "Something that I ran needed more than the %s of memory that I may use, and was ended. " +
		"I go on without it. An admin can allow more in the configuration: worker.memory."
	textShortage = "The machine has run out of something that your assistant needs to start: memory, processes or open files. " +
		"I try again every second. Then I go on with what you sent, and nothing of it is lost. The log tells an admin more."
	textUIDsTaken = "worker.uids %s is not free: %s has an id of that range, see %s. Choose a range of unused ids"
	textUIDsOwn   = "worker.uids %s is not free: %s belongs to uid %d. Choose a range whose ids own no files"
	textUIDsLive  = "worker.uids %s is not free: process %s has uid %d. Choose a range of unused ids"

	textUIDsUnmapped = "worker.uids %s is not available: this container has no such user ids. Give it more, or choose a range that it has"
	textUIDsPolicy   = "the spawner's policy has no such user ids for people. Add the line `people %s` to /etc/mews/spawner.policy, and run systemctl restart mews"

	textOtherProgram = "%s is of version %s, and this mews is of version %s: install mews, mews-spawner and " +
		"mews-worker of one release together, and then start Mews again"
	textNoAccount  = "%s: there is no account %q on this machine: write another `account:`, or make it"
	textHomeHidden = "the folder of %s, %s: the unit hides %s from the service (ProtectHome=). Add ProtectHome=no and ReadWritePaths=%s with systemctl edit"
	textHomeOfOurs = "the folder of %s, %s, was made for another account than theirs. Hand it over, as root: %s"
	textHomeLost   = "the folder of %s, %s, is missing, with all their files. Put it back if you have it. " +
		"`mews run --new-homes` makes an empty one"
	textHomeOfUID = "the folder of %s, %s, belongs to the user id %d, and not to the account that people share. " +
		"They share it because of this: %s"
	textHistoryOfUID   = "their folder %s belongs to the user id %d. Hand it over, as root: %s"
	textHistoryAndHome = "their folder %s belongs to the user id %d. " +
		"Mend the home first: it belongs to another account too"
	textHistoriesExposed = "workers get the folder %s, but the earlier versions of people's files are in %s: " +
		"choose another folder"
	textHistoryClosed    = "their folder %s can't be used: %v"
	textHistoriesClosed  = "the folder %s, where all earlier versions are, can't be used: %v"
	textHistoryNotOpened = "the spawner can't use the folder: %s"
	textHomeMissing      = "the folder of %s, %s, is not there: install -d -m 700 -o %s -g %s %s"
	textHomeBehind       = "the folder of %s, %s, is below %s, whose mode %04o keeps the service out. Run chmod o+x %s, or choose another `home:`"
	textHomeFault        = "the folder of %s: %w; write another `home:` in the configuration"

	textDisk = "My programs filled your folder with more than the %s that it may hold, and were ended. " +
		"Delete something: what is in .trash counts too. An admin can allow more in the configuration: worker.disk."
	textDiskFull = "The disk of this machine is nearly full, and my programs wrote most. They were ended, " +
		"so that others can go on. Delete what you do not need. " +
		"Until there is room, my programs may delete files, but not write."

	// texts about the self-test; both parameters are the tier and the findings
	textHoles = "the walls %q do not hold here, and nobody is served behind them: %w\n" +
		"`mews doctor --escapes` tries every known escape; worker.sandbox chooses other walls"
	textUntried = "the walls %q could not be tried, and nobody is served before that: %w\n" +
		"`mews doctor --escapes` tries every known escape"
	textUntriedFull = "the walls %q could not be tried because the disk is full: make room on it and start again. %w"

	textOtherLimit = "Something that I ran came up against the limit of %s."
)

// limitTexts are the notices about limits with a number, by kind. Limits of a whole account or
// machine can't be configured, because they follow the kernel's limits.
var limitTexts = map[string]string{
	"pids": "Something that I ran wanted more than the %d processes that I may have at once, and was stopped. " +
		"I go on without it. An admin can allow more in the configuration: worker.pids.",
	"watches": "A program watched more files and connections than the %d that I may watch at once. " +
		"It was ended with all my other programs. I continue without them.",
	"pipes": "A program had more than the %d pipes that I may have at once. " +
		"It was ended with all my other programs. I continue without them.",
	"disk_files": "My programs made more than the %d files and folders that your folder may hold, and were ended. " +
		"Delete some: what is in .trash counts too. An admin can allow more in the configuration: worker.disk_files.",
	"terminals": "A program had more than the %d terminals that I may have at once. " +
		"It was ended with all my other programs. I continue without them.",
}
