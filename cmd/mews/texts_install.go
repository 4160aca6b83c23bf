package main

const answerFlags = "[--answers FILE] [--token-file FILE] [--model MODEL] [--key-file FILE] " +
	"[--person PERSON]... [FLAG] ..."

// Texts of `mews install`.
const (
	flagInstallInstance = "set up a further instance, with this `NAME` behind its folders and accounts"
	flagInstallRoot     = "the root `FOLDER` of an image, instead of this machine's"
	flagAnswers         = "a YAML `FILE` with answers; flags replace them"
	flagTokenFile       = "the `FILE` with the bot's token, or none"
	flagTelegramURL     = "the `URL` of a Bot API server of your own"
	flagInstallModel    = "the `MODEL` that answers, as PROVIDER/MODEL, or offline"
	flagModelURL        = "the `URL` of a provider that Mews does not know"
	flagKeyFile         = "the `FILE` with the key of the model's provider"
	flagPerson          = "a `PERSON` as NAME[:admin][:new|:own|:none]; the last word is about an " +
		"account on this machine"
	flagInstallZone = "the time `ZONE` of the people, such as Europe/Madrid"
	flagMonth       = "the most `DOLLARS` that models may cost in a month, for all people " +
		"together; 0: no limit"
	flagBackups     = "`yes`, the default, or no: whether Mews makes backups by itself"
	flagRecipient   = "the age `RECIPIENT` of homes in backups; without it a key is made and shown once"
	flagUpdates     = "the `FEED` from which Mews updates itself each day: an https address, a folder, or none"
	flagInstallFrom = "the state `FOLDER` of an earlier Mews, whose data come along"
	flagFromConfig  = "the configuration `FILE` of that Mews, if it had one"
	flagSecretFile  = "the `FILE` with the secret; without it, type it in the terminal"
	flagDeleteState = "also delete the database and all that lies in the state folder"
	flagDeleteHomes = "also delete the homes that were made for people with accounts"
	flagRemoveYes   = "delete without asking"

	textNeedsRoot        = "this needs root: sudo mews install"
	textInstalled        = "Mews runs. Connect the first admin: sudo %s\nLook whether all is well: sudo %s\n"
	textAskSecret        = "%s (it is not shown): "
	textInviteTerminal   = "the invite is shown in a terminal only, because who has it becomes an admin"
	textAccountNeedsRoot = "an account is made by root: sudo mews user add NAME --account"
	textAccountMade      = "%s has an account and a home. Connect them: %s\n"
	textConfirmDelete    = "This deletes for good:\n  %s\nType delete to go on: "
	textNothingDeleted   = "nothing was removed"
)
