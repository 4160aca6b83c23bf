package install

// Texts about the machine and the answers.
const (
	textCommandFailed = "%s %s: %w\n%s"
	textBadInstance   = "--instance %q: want a name of 1 to 16 letters and digits, beginning with a " +
		"letter, and not people"
	textRecordUnread = "%s can't be read: %w. It is the record of an earlier `mews install`: move it " +
		"away to begin anew"
	textAnswersUnread = "%s can't be read: %s. `mews help install` shows its keys"
	textBadPerson     = "--person %q: want NAME, then perhaps :admin, and one of :new, :own and :none " +
		"for the account"
	textMissing  = "these answers are missing: %s. Give them as flags, in --answers FILE, or in a terminal"
	textBadZone  = "timezone %q: want a name such as Europe/Madrid"
	textBadMonth = "month %v: want US dollars for all people together, or 0 for no limit"
	textBadYes   = "%q: want yes or no"
	textBadFeed  = "updates %q: want an https address such as https://example.org/mews, an absolute " +
		"path, or none"
	textBadRecipient = "recipient %q: want an age recipient such as age1..., which age-keygen calls the public key"
	textNoAdmin      = "people: nobody is an admin. Say who manages the service: --person NAME:admin, " +
		"or `admin: true`"
	textBadAccount   = "people: %s has the account %q; want none, new or own"
	textBadName      = "people: %q is no name; want small letters, digits, _ and -, such as ann"
	textTwice        = "people: %s is there twice"
	textAccountTaken = "the account %s exists already. If it is %s's, say own instead of new; " +
		"otherwise choose another name"
	textNoAccount     = "there is no account %s for %s. Say new, and it is made"
	textSystemAccount = "the account %s (%d) is one of the system's, and no person's"
	textServicesName  = "the account %s is the service's own, so it can't be %s's. Choose another name"
	textOthersAccount = "the account %s for %s belongs to %s.service, an instance of its own"
	textNoUIDs        = "there is no range of 10,000 free user ids on this machine (/etc/passwd, /etc/subuid)"
	textNotRoots      = "%s must be a folder of root's that nobody else can write, and no link"
	textLinkInRoot    = "%s is a link: in the folder of --root it may lead out. Replace it by a folder or a file"
	textPolicyRange   = "%s allows the accounts %d to %d, and so none for %s. Write uids none instead, " +
		"and a line such as person 1001:1001 for each person's uid and group"
	textOtherLayout = "%s is not the configuration of a service that `mews install` has made; want %s"
	textOldSystemd  = "this machine has systemd %d; a service of Mews needs %d or later. `mews run` " +
		"works without it"
	textOldKernel = "this machine has Linux %s, and the walls need %d.%d or later. Nothing was written"
	textSmall     = "note    this machine has %d MiB of memory, so each worker gets %d MiB and two " +
		"turns run at once"
	textNoSwap = "note    this machine has no swap. Mews does not make one; a program that " +
		"needs more memory than there is will end"
)

// Texts about steps. Each says what is made: its path, its owner and its mode.
const (
	textFile           = "%s (%s, %04o)"
	textFolder         = "%s (%s, %04o), empty"
	textLink           = "%s -> %s"
	textPrograms       = "%s: mews, mews-spawner, mews-update, mews-worker (root, 0755)"
	textGroup          = "group %s, whose members may use the control socket"
	textServiceAccount = "account %s of the service, without login"
	textPersonAccount  = "account %s for %s, without login"
	textMember         = "account %s in the group %s"
	textEnable         = "%s starts with the machine"
	textStart          = "%s.service runs with all of this"

	textWordDone    = "done"
	textWordToDo    = "to do"
	textWordEdited  = "edited"
	textWordKept    = "kept"
	textWordDoes    = "does"
	textWordMissing = "missing"
	textWordWrong   = "wrong"

	textStepFailed   = "%s: %w"
	textStillNotDone = "it was done, and yet is not"
	textDrift        = "this is not as it was installed. `mews install apply` does what is missing, " +
		"and leaves what a person has edited"
	textInOrder      = "%s.service is as it was installed: version %s\n"
	textNotInstalled = "there is no %s, so `mews install` has not run here"

	textNoFile  = "%s is not a file. Move it away, and run `mews install apply` again"
	textMode    = "%s has the mode %04o, and was written with %04o"
	textOwner   = "%s belongs to uid %d, who can change it. chown root %s"
	textGroupOf = "%s has the group %d, so the service can't read it. chgrp %s %s"
	textEdited  = "%s was edited, and stays as it is. Lines with + are those that would be written:\n"
	textNoLink  = "%s is no link to Mews, and stays as it is. Remove it and run `mews install apply` " +
		"again: it should lead to %s"
	textNoProgram     = "the programs must lie beside mews: %w"
	textOtherPrograms = "%s has another %s than the one that is installed now. Build this one with a " +
		"version of its own"
	textOpenProgram = "%s can be changed by others than root. Remove this version's folder"
	textForeignHome = "%s belongs to uid %d, and not to the account %s. Mews never gives away a " +
		"folder that it has not made"
	textNotEmpty = "%s is not empty, so it is not given away"
	textIDsLater = "(the uid and gid that the account gets)"
)

// Texts about secrets.
const (
	textSecretUnread  = "the secret %s can't be read: %w"
	textNoSecret      = "there is no secret %q; want one of %v"
	textBadSecret     = "the secret %s must be one line with visible characters"
	textSecretUnused  = "the installed service has no secret %q"
	textSecretOpen    = "%s is not root's alone: chown root %s && chmod 600 %s"
	textSecretMissing = "it is missing. Type `sudo %s`, or name a file with --token-file or --key-file"
)

// Texts about the key of backups.
const (
	textIdentityStep = "a key that opens the homes in backups, shown once and not stored"
	textIdentity     = `
The key of the backups. It is shown only now:

%s

Copy it into a file that is not on this machine. Without it no home can be restored from a backup.
A key that an interrupted run has shown is not needed. The public part of this one is
%s

`
)

// Heads of written files.
const (
	textConfigHead = `# The configuration of Mews, written by the installer. Edit it as you like: it leaves an edited file alone.
# The page mews help configuration tells of every key. After a change: %s && %s

`
	textSmallConfig = `  memory: %dMiB   # this machine has little memory

limits:
  turns: 2
`
	textBackupConfig = `
backup:
  most: 20   # percent of the disk that all backups may take; they lie in the state folder
`
	textRecipientConfig = "  recipient: %s   # homes are sealed for it; the key was shown once\n"
	textDropInHead      = `# Written by the installer: the secrets, which only root can read. systemd hands them to the service.
[Service]
`
)

// Texts about the data of an earlier Mews.
const (
	textImport       = "a backup of %s, made by its owner; it is deleted once it is restored"
	textRestore      = "the backup of the earlier Mews, restored into %s"
	textFromImage    = "--from needs the system that runs: leave out --root"
	textFromNoFolder = "--from %s: want the absolute path of the state folder of an earlier Mews"
	textFromConfig   = "--from %s: an earlier Mews with a configuration has a state folder of another name. " +
		"Name that configuration too: --from-config FILE"
	textFromNotNew = "--from: the service has data of its own in %s already. Only a new service takes along others"
	textFromOwner  = "--from: user id %d owns the state folder, and this machine has no such account"
	textFromRuns   = "--from: a Mews runs on %s. Stop it first, so that no message is lost"
	textFromOther  = "--from: Mews of %s did not back up %s, but said: %s\nName its configuration: --from-config FILE"
)

// Questions in the terminal.
const (
	askToken = "1/7  The bot's token. Write /newbot to @BotFather on Telegram, and it gives you " +
		"one.\n     Empty: no Telegram. The token is not shown: "
	askModel    = "2/7  The model that answers, as PROVIDER/MODEL, such as anthropic/claude-sonnet-4-5."
	askOllama   = "     An Ollama on this machine has %s."
	askModelEnd = "     offline follows simple rules, and costs nothing"
	askKey      = "     The key of %s. It is not shown: "
	askKeyNone  = "     The key of %s; empty if it needs none. It is not shown: "
	askURL      = "     The address of %s, such as https://api.example.org/v1"
	askAdmin    = "3/7  The people. First the one who manages Mews, in small letters, such as ann"
	askPerson   = "     The next person; empty if there is nobody else"
	askAccount  = "     Has %s an account on this machine? new makes one, own takes %s, none needs none"
	askZone     = "4/7  The time zone of the people"
	askZoneUTC  = "4/7  This machine's clock is UTC. Where do the people live? A time zone such as Europe/Madrid"
	askMonth    = "5/7  The most that models may cost in a month, in US dollars for all people " +
		"together; 0 is no limit"
	askBackups = "6/7  Shall Mews make backups each hour and day? They lie on the same disk at first. yes or no"
	askUpdates = "7/7  The feed from which Mews updates itself each day: an https address or a folder. none: " +
		"you update it yourself"
	askTaken     = "The Telegram account %s has taken the invite of %s. Is it theirs? y or n"
	askAgain     = "     %v\n"
	textBotFound = "     This is @%s.\n"
	textModelOK  = "     %s answers.\n"
	textNoInput  = "the input has ended before all questions were answered"
)

// Texts about probes.
const (
	textNoBot       = "the token is not valid for Telegram: %w"
	textNoModel     = "the model %s does not answer: %w"
	textProviderURL = "the provider %s is not known: give its address by --model-url"
	textSpecShape   = "%q: want PROVIDER/MODEL, or offline"
)

// Texts about the first admin's invite, and about the removal.
const (
	textNobodyCame = "nobody has taken the invite in time. `sudo %s` makes another"
	textPaired     = "%s is connected. Write to the bot, and it answers.\n"
	textNotPaired  = "the account %s is disconnected again. `sudo %s` makes another invite"
	textLeftFile   = "kept    %s: it was edited\n"
	textAddByHand  = "the account and the home are there, but the configuration can't be changed " +
		"here. Add to its users:\n%s"
	textRemoved     = "%s.service is removed\n"
	textRootsFolder = "%s belongs to root, so Mews deletes nothing in it: %w"
)
