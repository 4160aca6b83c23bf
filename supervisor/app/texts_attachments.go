package app

// Texts about files and pictures in messages.
const (
	textNoChannelFile  = "Files of %s can't be fetched: this channel is no longer configured."
	textBlind          = "%s can't see pictures. It reads only that you sent one, and the picture's path. %s"
	textSighted        = "%s can; choose it with /model %s."
	textNoneSighted    = "As far as I know, none of the models that you may choose can."
	textPackageMissing = "I have kept your file, but can't read all of it: this machine has no %[1]s. " +
		"Ask an admin to install it (on Debian: apt-get install %[1]s), then send the file again."
)
