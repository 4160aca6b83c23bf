package app

// What people and models read of files that came with a message.
const (
	textNoChannelFile  = "Files of %s can't be fetched: nobody talks there any more."
	textBlind          = "%s sees no pictures: it reads only that there is one, and where it lies. %s"
	textSighted        = "%s does: /model %s."
	textNoneSighted    = "None of the models that you may choose does, as far as I know."
	textPackageMissing = "I keep what you sent, and can't read all of it: this machine has no %[1]s. An admin may install it (on Debian: " +
		"apt-get install %[1]s); then send it again."
)
