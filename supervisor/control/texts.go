package control

// Texts of the server for clients.
const (
	textTooManyOfAccount = "Too many terminals of this account are connected (%d). Leave one of them with Ctrl-D."
	textTooMany          = "Too many terminals are connected (%d). Try again when somebody has left."
	textNoUser           = "No user of Mews has this account."
	textNames            = "A user's or a chat's name has at most 64 bytes and no control characters."
	textAttachedTwice    = "This connection is attached already."
	textNotAttached      = "This connection is not in a conversation yet. Attach to a conversation first."
	textBelowZero        = "There are no deliveries with numbers below zero."
	textNoButton         = "This message has no such button."
	textNoDelivery       = "This conversation has no such delivery."
	textNoFileBegun      = "This part of a file belongs to no open upload. Send the file again from its beginning."
	textPartTooLong      = "A part of a file has at most %d KiB."
	textFileTooLarge     = "A file has at most %d MiB here. Put a larger one into your folder and mention its name."
	textTooManyFiles     = "A message takes at most %d files. Send the other files with your next message."
	textNotUploaded      = "%s is not here any more: attach it again."
	textSpoolFull        = "The disk of this Mews is nearly full, so it takes no files. Free some space, or ask an admin."
	textNoGroup          = "socket_group: there is no group %[1]s: groupadd --system %[1]s"
	textNotInGroup       = "socket_group %[1]s: the service's account is not in it; add SupplementaryGroups=%[1]s to the unit, or make the account a member: %[2]w"
	textCut              = "%s\n\n(This is the beginning of %d KiB; the rest is too long to be shown here.)"
)

// Texts of the client.
const (
	textNotRunning = "Mews is not running here (no answer on %s). Start it with `%s`."
	textHungUp     = "the service closed the connection. It is stopping, or its account has no descriptors or epoll watches left; its log " +
		"says which. Try again in a few seconds: %w"
	textNotAllowed = "this account may not use %s: ask an admin of this Mews: %w"
	textOfGroup    = "this account may not use %s, which is for the group %s. An admin of this machine adds it with `usermod -a -G %[2]s %s`. " +
		"Then log in again: %w"
	textAway = "the service has been away for %s. If it was stopped, `%s` starts it again. It then answers the accepted " +
		"messages: %w"
	textTooLong = "The message has more than %d KiB, which is all that can be sent at once. Put it into a file in your folder and name the file."
	textNotUTF8 = "The message is not text in UTF-8: convert it first, for example with iconv."
)
