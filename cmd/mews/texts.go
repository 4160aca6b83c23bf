package main

import "mews/supervisor/spans"

// help is the usage and the summary of a verb or a subcommand.
type help struct {
	usage   string // arguments after the verb's name
	summary string
}

// textNotReset is the error of `mews service reset`.
const textNotReset = "end the safe mode: %w (only root and the service's account may do that)"

// helps has the help of verbs and subcommands, by their names.
var helps = map[string]help{
	"run": {"[--config FILE] [--chat [--user NAME]] [--new-database] [--new-homes] [--database-differs] " +
		"[--migrate-without-copy] [--safe-mode]",
		"run the service; with --chat also open the chat"},
	"chat": {"[TEXT] [--config FILE] [--user NAME] [--chat NAME] [--attach FILE]... [--timeout TIME]",
		"talk to your assistant in the terminal; with TEXT, print the answer and end"},
	"status": {"[--config FILE] [--json] [--watch] [--check]", "show what runs, for whom, and what waits"},
	"models": {"[--config FILE] [--json]", "list the models, and which one answers you"},
	"usage": {"[--config FILE] [--user NAME] [--days N] [--since WHEN] [--json]",
		"show how often models were called, and the cost"},
	"activity": {"[--config FILE] [--user NAME] [--since WHEN] [--kind KIND] [--json]",
		"show what was done for a person, and who asked for it"},
	"job": {"[WHAT] [WORDS]... [--task] [--name NAME] [--files=PATTERN|--command=COMMAND|--url=ADDRESS] [--contains WORDS] [--ask QUESTION] [--auto-remove] [--notify-on-check] [--set NAME=VALUE]... [--config FILE] [--user NAME] [--json]", "reminders and tasks: list, show JOB, add WHEN: TEXT, edit JOB WHEN: TEXT, run JOB, pause JOB, resume JOB, delete JOB, results [JOB]"},
	"todo": {"[WHAT] [ARGUMENT]... [--config FILE] [--user NAME] [--json]",
		"the to-do list of a person: list, list done, show ID, add TEXT, done ID, due ID WHEN, delete ID"},
	"memory": {"[WHAT] [ARGUMENT]... [--config FILE] [--user NAME] [--json]",
		"show what is remembered of a person, and the source of each fact: list, show ID, correct ID WORDS, forget ID, import PATH"},
	"search": {"WORDS [--config FILE] [--user NAME] [--from TIME] [--to TIME] [--in WHAT] [--json]",
		"search for words in your conversations, and in the files of your folder"},
	"history": {"[--config FILE] [--user NAME] [--from TIME] [--to TIME] [--format FORMAT] [--output FILE]",
		"write out the messages, oldest first"},
	"home":  {"WHAT [PATH] [FLAG] ...", "earlier versions of the files in a home: log, show, diff, restore"},
	"user":  {"WHAT [NAME] [FLAG] ...", "who may talk: list, show, add, invite, disable, enable, disconnect, remove, export, delete"},
	"totp":  {"WHAT [NAME] [FLAG] ...", "second factors: enroll, status, reset, unlock"},
	"audit": {"[verify] [FLAG] ...", "list who did what and when; verify finds rows that were changed"},
	"service": {"WHAT [--instance NAME]",
		"the system's service: start, stop, restart, logs, status; reset ends its safe mode"},
	"reload": {"[--config FILE] [--json]", "make the service read its configuration again"},
	"backup": {"[DIR] [--output FILE] [--plain] [--config FILE]",
		"save everything, and copy it to DIR; with list, show the backups"},
	"restore": {"BACKUP [--config FILE] [--user NAME] [--to DIR] [--identity FILE] [--drill]",
		"bring a backup back into an empty state folder, or one person's files; with --drill, only try it"},
	"check":  {"[--config FILE] [--json]", "check the configuration, and list everything that is wrong"},
	"doctor": {"[--config FILE] [--calls] [--escapes] [--json]", "look for problems, and say how to fix them"},
	"install": {"[WHAT] [FLAG] ...",
		"set Mews up as a service: ask and apply; or plan, apply, status, secret, invite, remove"},
	"voice": {"[test FILE] [--config FILE] [--json]",
		"list the programs and models for voice; with test, transcribe a file"},
	"update": {"[--check] [--accept-old] [--config FILE]",
		"install the newest release; with --check only look for one"},
	"preflight": {"[--opened] [--config FILE]",
		"try this version on a copy of the data; with --opened, ask whether it has taken over"},
	"review": {"[URL] [--diff FILE] [--range A..B] [--post] [--user NAME] [--json] [--config FILE]",
		"review a change, and print its faults; exit 1 if one is critical"},
	"help":    {"[TOPIC]", "list the verbs and the pages of the manual, or show one of them"},
	"version": {"[--json]", "print the version"},
	"github":  {"WHAT [ARGUMENT] [FLAG] ...", "repositories on GitHub: check, add, redeliver, status, quiet"},
	"voice test": {"FILE [--user NAME] [--config FILE] [--json]",
		"transcribe a file like a voice message; your assistant does not see it, and nothing is kept"},
	"backup list":   {"[--config FILE] [--json]", "list the backups, the oldest first"},
	"install plan":  {answerFlags, "list each step with its file, owner and mode; it writes nothing"},
	"install apply": {answerFlags, "do every step that is not done; what a person has edited stays"},
	"install status": {"[--instance NAME] [--root FOLDER]",
		"list what is not as it was installed; exit 1 if there is any"},
	"install secret": {"NAME [--file FILE] [--instance NAME] [--root FOLDER]",
		"change telegram.token or model.key, and start the service again"},
	"install invite": {"[--instance NAME] [--root FOLDER]",
		"show an invite of the first admin, and confirm the account that takes it"},
	"install remove": {"[--delete-state] [--delete-homes] [--yes] [--instance NAME] [--root FOLDER]",
		"take the service away; data stays unless it is named"},
	"home log": {"[PATH] [--at MOMENT] [--before N] [--user NAME] [--config FILE] [--json]",
		"list the versions of a file or a folder, newest first; without PATH, of the whole home"},
	"home show": {"PATH [--at MOMENT] [--version N] [--user NAME] [--config FILE] [--json]",
		"print a version of a file"},
	"home diff": {"PATH [--at MOMENT] [--version N] [--user NAME] [--config FILE] [--json]",
		"print the difference between a version of a file and the file now"},
	"home restore": {"PATH [--at MOMENT] [--version N] [--copy PATH] [--yes] [--user NAME] [--config FILE] [--json]",
		"make a file or a folder as it was; without --yes only count what would change; the PATH . is the whole home"},
	"user list": {"[--json]", "list who may talk to Mews, and where each was added"},
	"user show": {"NAME [--json]", "show one person"},
	"user add": {"NAME [--role admin|user] [--account [A]] [--timezone TZ] [--again]",
		"add a person without editing the configuration; their folder is made below the state folder"},
	"user invite": {"NAME [--enrol=false] [--revoke]",
		"print a code that lets a person in on Telegram; with --revoke cancel the unused codes"},
	"user disable":    {"NAME", "shut a person out for now, end their logins, and take back their invites"},
	"user enable":     {"NAME", "let a disabled person in again"},
	"user disconnect": {"NAME NUMBER", "remove a Telegram account that a person linked by an invite"},
	"user remove":     {"NAME", "remove a person who is not in the configuration; their files and data stay"},
	"user export": {"NAME [--history] [--output FILE]",
		"write a person's stored data and files to a .tar.gz; works for removed people too"},
	"user delete":  {"NAME [--yes]", "delete everything kept of a removed person, and their folder"},
	"totp enroll":  {"NAME", "set up a person's second factor: show its secret once, and ask for a code"},
	"totp status":  {"[NAME] [--json]", "list who has a second factor, and who is locked out"},
	"totp reset":   {"NAME", "take away a person's second factor, its recovery codes, and their logins"},
	"totp unlock":  {"NAME", "let a person who is locked out try codes again"},
	"github check": {"[OWNER/REPO] [--json]", "list what is missing on GitHub, and what to do: permissions, webhook, clock, limits"},
	"github add": {"OWNER/REPO [--url URL] [--yes] [--json]",
		"make a repository's webhook, and print what goes into the configuration"},
	"github redeliver": {"[ID] [--failed] [--json]", "ask GitHub to send a delivery again, or all failed ones of the last three days"},
	"github status": {"[OWNER/REPO] [--json]",
		"show how events of each repository arrive, how many came, and what is waiting"},
	"github quiet": {"[OWNER/REPO] [--pull N] [--label NAME] [--remove NUMBER] [--json]",
		"list what reviews skip; add a mute, or remove one"},
	"audit verify": {"[--head HEX] [--json]", "check that no row of the audit log was changed; --head is the head that an earlier run printed"},
}

// textNoPoller is the error if the kernel has no epoll watch or file descriptor left.
const textNoPoller = "this machine has no epoll watches or no file descriptors left for this account: %w. Some program of this account " +
	"holds them. If it belongs to an assistant, Mews ends it within seconds: try again. sysctl fs.epoll.max_user_watches shows the limit"

// Texts of the flags.
const (
	flagConfig        = "the configuration `FILE`"
	flagJobUser       = "the user `NAME`; without it, yourself"
	flagJobTask       = "with add: your assistant does what TEXT says; without --task it only reminds you of TEXT"
	flagJobFiles      = "with add: send TEXT, or with --task do it, when a file that matches `PATTERN` is new, changed or deleted"
	flagJobURL        = "with add: send TEXT, or with --task do it, when the page at `ADDRESS` has changed"
	flagJobContains   = "with --url: only when the page has these `WORDS` and did not have them before"
	flagJobCommand    = "with add: send TEXT, or with --task do it, when `COMMAND` exits with 0"
	flagJobAsk        = "with --files or --command: let a model answer `QUESTION` about the result when it changes"
	flagJobNotify     = "with add, for a check: send the result of each run"
	flagJobAutoRemove = "with add, for a check: end the check after its first message"
	flagJobName       = "with add: give the job the name `NAME`"
	flagJobSet        = "with add and edit, may be repeated: `NAME=VALUE`; names are on_miss, grace, overlap, priority, exact, model, workspace, steps, minutes, to"
	flagWatch         = "show the status again every 2 seconds, until Ctrl-C"
	flagCheckStatus   = "say only whether Mews is ready; exit status 0: ready, 1: not, 3: not running"
	flagDoctorCalls   = "also call the default model with its key, for one token"
	flagJSON          = "print the output as JSON"
	flagBackupOutput  = "write the backup to `FILE` too, as one sealed file; - means the standard output"
	flagBackupPlain   = "do not seal what leaves the disk; everybody who has it can read everything"
	flagReloadConfig  = "the configuration `FILE`, only to find the service; the service reads its own file again"
	flagRunChat       = "open the chat; leaving it stops the service"
	flagRunUser       = "with --chat: speak as the user of this `NAME` (admins only)"
	flagRunHomes      = "make an empty home folder for each missing one"
	flagRunNew        = "make a new database if it is missing or empty, although other files of Mews are there"
	flagRunNoCopy     = "update the database for this version without making a copy first"
	flagInstance      = "the further instance of this `NAME` instead of the first"
	flagRunSafe       = "keep messages and send reminders, but run no assistant"
	flagRunDiffers    = "use a database that differs from what this version makes; parts of Mews may then fail"
	flagChatUser      = "speak as the user of this `NAME` (admins only)"
	flagVoiceUser     = "use the worker of the user of this `NAME` (admins only)"
	flagChatAttach    = "send this `FILE` with the first message; may be repeated"
	flagChatTimeout   = "end with an error if an answer takes longer than `TIME`, such as 5m; only with TEXT or a pipe"
	flagChatName      = "open a separate conversation of this `NAME`"
	flagEscapes       = "make a worker try all known escapes from its walls, and show the results"
	flagUsageUser     = "the user `NAME`; without it, yourself, and for an admin everybody"
	flagHomeAt        = "the version of this `MOMENT`: " + spans.MomentHelpText
	flagHomeVersion   = "the `VERSION`, as mews home log lists it"
	flagHomeBefore    = "only versions with numbers below `N`"
	flagHomeCopy      = "restore to this new `PATH`, and leave what is there"
	flagHomeYes       = "restore; what is there now is kept as a version"
	flagMemoryUser    = "the user `NAME`; without it, yourself"
	flagActivityUser  = "the user `NAME`; without it, yourself, and for an admin the counts of all users"
	flagActivityKind  = "only effects of this `KIND`: changed, run, sent, called, asked, received"
	flagDays          = "the last `DAYS` days, including today"
	flagAuditUser     = "only rows of the user `NAME`"
	flagAuditAction   = "only actions that begin with `PREFIX`, such as login or totp."
	flagSince         = "only from the beginning of `WHEN` on: today, yesterday, 24h, 7d, last week, 2026-11-22"
	flagLimit         = "the newest `N` rows; 0 shows all"
	flagAuditJSON     = "print each row as a line of JSON"
	flagHead          = "the `HEX` that an earlier run printed as head: shows whether the log's end was cut off since"
	flagRole          = "the `ROLE`: admin or user"
	flagAccount       = "the user's OS `ACCOUNT`; without it, the service's own"
	flagTimezone      = "the user's time `ZONE`, such as Europe/Madrid; without it, the machine's"
	flagAgain         = "for a returning user: give them their stored data back"
	flagEnrol         = "the invite also lets them set up a second factor in the chat"
	flagRevoke        = "take back the unused invites, and make none"
	flagYes           = "do not ask for confirmation"
	flagDiff          = "a diff in git's format, in this `FILE`; - is standard input"
	flagRange         = "the changes between two commits: the `RANGE`, such as main..HEAD"
	flagReviewUser    = "the user `NAME` who asks; without it, yourself"
	flagPost          = "review the pull request and post the findings there, as if asked on GitHub"
	flagQuietPull     = "stop reviewing the pull request with the number `N`"
	flagQuietLabel    = "stop reviewing pull requests with the label `NAME`"
	flagQuietRemove   = "take back the mute with this `NUMBER`"
	flagHookURL       = "the `URL` at which GitHub reaches webhooks.listen, such as https://bot.example.org/webhook/github"
	flagFailed        = "send all failed deliveries of the last three days again"
	flagExportHistory = "add the earlier versions of their files"
	flagOutput        = "write to the new `FILE`; without it, to standard output"
	flagUpdateCheck   = "only look for a newer release, and print what is new in it"
	flagAcceptOld     = "accept an index of releases that is no longer valid; only root may"
	flagOpened        = "exit with 0 if this version has opened the database of the stopped service"
)

// Texts about a wrong command line, and of lists of verbs and pages.
const (
	textHelpHead     = "Mews: an assistant for the people of one household or team.\n\nUsage: mews VERB [flags]\n\n"
	textHelpEnd      = "\nmews VERB --help lists a verb's flags; mews help lists the pages of the manual.\n"
	textTopics       = "\nPages of the manual; mews help NAME shows one:\n\n"
	textAdminTopics  = "\nPages for admins:\n\n"
	textNoTopic      = "mews help: there is no verb or page %q\n"
	textListTopics   = "mews help lists all of them.\n"
	textUsage        = "mews %s: %s\n\nUsage: mews %s\n"
	textNoVerb       = "mews: there is no verb %q\n"
	textMeant        = "Did you mean: %s\n"
	textWrongSince   = "--since %q: want a time such as " + spans.HelpText
	textNoSubcommand = "mews %s: there is no subcommand %q\n"
	textNoArgument   = "mews %s takes no argument %q\n"
	textNoName       = "mews %s needs %s\n"
)

// Texts of run, models, usage, reload and check.
const (
	textEscapesNoJSON   = "mews doctor: --escapes has no --json"
	textEmptyMessage    = "mews chat: TEXT is empty"
	textUserWithoutChat = "mews run: --user works only with --chat: it names the user who chats"
	textStartedWithout  = "mews: %v\nMews starts without these settings. Correct them, then start Mews again.\n"
	textModelNearby     = "%s runs at %s; to use its model: OPENAI_BASE_URL=%s OPENAI_MODEL=%s mews run"
	textWrongDays       = "mews usage: --days %d: want from 1 to %d\n"
	textDaysAndSince    = "mews usage: want --days or --since, not both\n"
	textUnchanged       = "nothing has changed"
	textAsTheService    = "This account may not read the configuration with its secrets. The running service reports:\n"
	textOfTheRunning    = "There is no configuration file here, but Mews is running. It reports about itself:\n"
)

// textPreflightPassed ends with the seconds that the migration takes, which mews-update reads.
const textPreflightPassed = "%s works on a copy of the data; seconds of its migration: %d\n"

// Texts of audit.
const (
	textAuditEmpty   = "mews audit: the log has no such row"
	textAuditEmptyOf = " of %q; `mews user list` says who there is"
	textWrongLimit   = "--limit %d: want 0 or more"
	textWrongHead    = "mews audit verify: --head %q: want 64 hexadecimal digits\n"
	textLogBroken    = "the audit log was changed, from row %d on. %s"
)

// Texts of run.
const (
	textRunsAlready     = "mews: Mews runs here already, since %s (process %d). This chat uses it: model %s, %s.\n"
	textNoTelegram      = "no Telegram"
	textVariablesUnused = "mews: The running Mews has its own settings, so these variables are not used: %s. " +
		"To use them, stop that Mews and start it again with them.\n"
)

// Texts about the end of a chat that ends its service.
const (
	textStops         = "Mews stops with this chat."
	textWaits         = " Until it runs again, these wait: %s."
	textNextJob       = "the next run is on %s"
	nextJobLayout     = "Mon 2 Jan 15:04"
	textTelegramStops = " Mews then answers nobody on Telegram."
	textKeepRunning   = "\n`mews run` keeps it running without a chat; `mews help service` says how it starts with " +
		"the machine.\n"
)

// Texts of user.
const (
	textRevoked       = "%s of %s taken back\n"
	textInvite        = "An invite for %s, good once and until %s:\n\n"
	textInviteAdmin   = "%s is an admin. The first person who uses the code can then manage Mews.\n\n"
	textInviteLink    = "\nThey open that link, or send this to the bot:\n\n"
	textInviteBotless = "%s Then they send this to the bot:\n\n"
	textInviteSend    = "They send this to the bot on Telegram:\n\n"
	textInviteEnrol   = "\nThen they can set up a second factor in the chat with the bot.\n"
	textDeleteAsk     = "\nThis can't be undone; `mews user export %s` saves the data first. Mews stops their running work, as /stop does, " +
		"and ends their worker. Type the name to delete everything: "
	textNotDeleted     = "Nothing was deleted: that is another name."
	textNotConfirmed   = "Nothing was deleted, because you typed no name. --yes deletes without this question."
	textCopiesDeleted  = "Copies of the database that were made before an update were deleted first."
	textDeleted        = "%s is deleted. Their rows in the audit log stay, and so does a folder outside the state folder.\n"
	textDeletion       = "Stored data of %s:\n\n%s"
	textExportTerminal = "An export can't be shown in a terminal. Name a file with --output FILE."
	textExported       = "%s holds all stored data of %s; if a file could not be read, its left-out.txt says so\n"
)

// Texts of totp.
const (
	textFactor       = "The second factor of %s. Scan this with an authenticator app:\n\n"
	textFactorSecret = "\nor type this secret into it:\n\n  %s\n\nRecovery codes, each good once, without the app. Keep them in a safe " +
		"place; they are not shown again:\n\n"
	textUnconfirmed = "no code was given, so the second factor is not active yet: run this again, or send the bot a code"
	textAskCode     = "The six digits that the app shows now: "
)

// textHomeAtAndVersion is the error about two flags that both choose a version.
const textHomeAtAndVersion = "Give either --at or --version.\n"

// Texts of the flags of `mews restore`.
const (
	flagRestoreUser     = "restore only the files of this `NAME`"
	flagRestoreTo       = "write these files into this empty `DIR`, instead of the person's folder"
	flagRestoreIdentity = "the `FILE` with the age key that opens sealed backups"
	flagRestoreDrill    = "try whether the backup can be restored, and restore nothing"
)

// Texts of `mews status`.
const (
	textStatusOneWay    = "mews status: use only one of --json, --watch and --check"
	textStatusNoAnswer  = "the service runs, but has not answered within 5 seconds"
	textStatusAdminOnly = "only an admin's account can check whether Mews is ready"
	textStatusAlarms    = "alarms: %s"
	textStatusReady     = "ready"
)
