package control

// Texts of the server for clients.
const (
	textTooManyOfAccount = "Too many terminals of this account are connected (%d). Leave one of them with Ctrl-D."
	textTooMany          = "Too many terminals are connected (%d). Try again when somebody has left."
	textNoUser           = "No user of Mews has this account."
	textNames            = "A user's or a chat's name has at most 64 bytes and no control characters."
	textAttachedTwice    = "This connection is attached already."
	textNotAttached      = "Attach first."
	textBelowZero        = "There are no deliveries with numbers below zero."
	textNoButton         = "This message has no such button."
	textNoDelivery       = "This conversation has no such delivery."
	textNoFileBegun      = "No file is on its way that such a part goes on with: begin it anew."
	textPartTooLong      = "A part of a file has at most %d KiB."
	textFileTooLarge     = "A file has at most %d MiB here. Put a larger one into your folder, and name it there."
	textTooManyFiles     = "A message takes at most %d files. Send the others with the next one."
	textNotUploaded      = "%s is not here any more: attach it again."
	textSpoolFull        = "The disk of this Mews is nearly full, so it takes no files: free some of it, or ask whoever looks after it."
	textNoGroup          = "socket_group: there is no group %[1]s: groupadd --system %[1]s"
	textNotInGroup       = "socket_group %[1]s: the service's account is not in it; add SupplementaryGroups=%[1]s to the unit, or make the account a member: %[2]w"
	textCut              = "%s\n\n(This is the beginning of %d KiB; the rest is too long to be shown here.)"
)

// Texts of the client.
const (
	textNotRunning = "Mews is not running here (no answer on %s). Start it with `%s`."
	textHungUp     = "the service has hung up: it ends, or its account has no descriptors or epoll watches left for another connection; its log " +
		"says which. Try again in a few seconds: %w"
	textNotAllowed = "this account may not use %s: ask an admin of this Mews: %w"
	textOfGroup    = "this account may not use %s, which is for the group %s: an admin of this machine makes it a member with `usermod -a -G %[2]s %s`, " +
		"and it logs in anew: %w"
	textAway = "the service has been away for %s; if it was stopped, `%s` starts it again, and what was accepted is answered " +
		"then: %w"
	textTooLong = "The message has more than %d KiB, which is all that can be sent at once. Put it into a file in your folder and name the file."
	textNotUTF8 = "The message is not text in UTF-8: convert it first, for example with iconv."
)
