package main

// help is the usage and the summary of a verb or a subcommand.
type help struct {
	usage   string // after the name
	summary string
}

// helps has the help of verbs and subcommands, by their names.
var helps = map[string]help{
	"run":              {"[--config FILE] [--chat [--user NAME]]", "serve; with --chat also drop into the chat"},
	"chat":             {"[--config FILE] [--user NAME] [--chat NAME] [--attach FILE]...", "talk to your assistant in the terminal"},
	"status":           {"[--config FILE] [--json]", "what runs, for whom, and what waits"},
	"models":           {"[--config FILE] [--json]", "which models there are, and which answers you"},
	"usage":            {"[--config FILE] [--user NAME] [--days N] [--json]", "what was asked of models, and what that cost"},
	"activity":         {"[--config FILE] [--user NAME] [--since WHEN] [--kind KIND] [--json]", "what was done for a person, and by whose word"},
	"job":              {"[WHAT] [JOB] [WORDS]... [--task] [--name NAME] [--files PATTERN] [--command COMMAND] [--ask QUESTION] [--auto-remove] [--notify-on-check] [--set NAME=VALUE]... [--config FILE] [--user NAME] [--json]", "reminders and tasks: list, show JOB, add WHEN: TEXT, edit JOB WHEN: TEXT, run JOB, pause JOB, resume JOB, delete JOB, results [JOB]"},
	"memory":           {"[WHAT] [ARGUMENT]... [--config FILE] [--user NAME] [--json]", "what is remembered of a person, and where each comes from: list, show ID, correct ID WORDS, forget ID, import PATH"},
	"search":           {"WORDS [--config FILE] [--user NAME] [--from TIME] [--to TIME] [--in WHAT] [--json]", "find what was said, and what the files of your folder hold"},
	"history":          {"[--config FILE] [--user NAME] [--from TIME] [--to TIME] [--format FORMAT] [--output FILE]", "write what was said, in order"},
	"user":             {"WHAT [NAME] [FLAG] ...", "who may talk: list, show, add, invite, disable, enable, remove, export, delete"},
	"totp":             {"WHAT [NAME] [FLAG] ...", "second factors: enroll, status, reset, unlock"},
	"audit":            {"[verify] [FLAG] ...", "who did what, and whether that log is what was written"},
	"reload":           {"[--config FILE] [--json]", "have the service read its configuration again"},
	"check":            {"[--config FILE]", "check the configuration, and say everything that is wrong with it"},
	"doctor":           {"[--config FILE] [--escapes]", "look for what may keep Mews from working, and say what to do"},
	"voice":            {"[test FILE] [--config FILE]", "list what hears recordings and speaks answers, and where it is; with test, have a file be heard"},
	"review":           {"[URL] [--diff FILE] [--range A..B] [--post] [--json] [--config FILE]", "have a change reviewed, and print what is wrong with it; exit 1 where that is critical"},
	"help":             {"[TOPIC]", "list the verbs and the pages of the manual, or show one of them"},
	"version":          {"", "print the version"},
	"github":           {"WHAT [ARGUMENT] [FLAG] ...", "repositories on GitHub: check, add, redeliver, status, quiet"},
	"voice test":       {"FILE [--user NAME] [--config FILE]", "have your worker hear a recording by the way of those that you send; nothing is said to your assistant, and nothing is kept of it"},
	"user list":        {"[--json]", "who may talk, and what lets them"},
	"user show":        {"NAME [--json]", "one person"},
	"user add":         {"NAME [--role admin|user] [--account A] [--timezone TZ] [--again]", "add a person without the configuration; they get a folder below the state folder"},
	"user invite":      {"NAME [--enrol=false] [--revoke]", "print a code that lets a person in on Telegram; with --revoke take back those that nobody has used"},
	"user disable":     {"NAME", "shut a person out for now, end their logins, and take back their invites"},
	"user enable":      {"NAME", "let a person who was disabled in again"},
	"user remove":      {"NAME", "take out a person who was added; what is theirs stays"},
	"user export":      {"NAME [--output FILE]", "write all that is kept of a person, and their files, as a .tar.gz; also of one who was removed"},
	"user delete":      {"NAME [--yes]", "delete all that is kept of a person who was removed, and their folder"},
	"totp enroll":      {"NAME", "set up a person's second factor: show it once, and have them prove that they have it"},
	"totp status":      {"[NAME] [--json]", "who has a second factor, and who is locked out"},
	"totp reset":       {"NAME", "take a person's second factor away, with its recovery codes and their logins"},
	"totp unlock":      {"NAME", "let a person who is locked out try codes again"},
	"github check":     {"[OWNER/REPO] [--json]", "what is missing on GitHub, and what to do: permissions, webhook, clock, limits"},
	"github add":       {"OWNER/REPO [--url URL] [--json]", "make a repository's webhook, and print what goes into the configuration"},
	"github redeliver": {"[ID] [--failed] [--json]", "have GitHub send a delivery again, or all of the last three days that were not taken"},
	"github status":    {"[OWNER/REPO] [--json]", "how each repository is read, what came, and what is to be done"},
	"github quiet":     {"[OWNER/REPO] [--pull N] [--label NAME] [--remove NUMBER] [--json]", "what reviews say nothing of; add to that, or take some of it back"},
	"audit verify":     {"[--head HEX] [--json]", "whether the audit log is what was written; --head is what an earlier run has printed"},
}

// textNoPoller is the error if the kernel has no epoll watch or file descriptor left.
const textNoPoller = "this machine has no epoll watches or no descriptors left for this account: %w. A program of this account holds " +
	"them. What an assistant runs is ended for it within seconds: try again. sysctl fs.epoll.max_user_watches has how many there are"

// Texts of the flags.
const (
	flagConfig        = "the configuration `FILE`"
	flagJobUser       = "of the user `NAME`; without it your own"
	flagJobTask       = "with add: your assistant does what TEXT says then; else you are reminded of it"
	flagJobFiles      = "with add: say TEXT, or with --task do it, when a file that matches `PATTERN` is new, changed or gone"
	flagJobCommand    = "with add: say TEXT, or with --task do it, when `COMMAND` exits with 0"
	flagJobAsk        = "with --files or --command: have a model answer `QUESTION` by what was found, when that has changed"
	flagJobNotify     = "of a check: tell what each look has found"
	flagJobAutoRemove = "of a check: end it once it has told you"
	flagJobName       = "with add: call it `NAME`, by which it can be named"
	flagJobSet        = "with add and edit, several times: `NAME=VALUE`, of on_miss, grace, overlap, priority, exact, model, workspace, steps, minutes, to"
	flagJSON          = "print it as JSON"
	flagReloadConfig  = "the configuration `FILE`; what is read again is the one that the service was started with"
	flagRunChat       = "drop into the chat; leaving it stops the service"
	flagRunUser       = "with --chat: speak as the user of this `NAME` (admins only)"
	flagChatUser      = "speak as the user of this `NAME` (admins only)"
	flagVoiceUser     = "have the worker of the user of this `NAME` hear it (admins only)"
	flagChatAttach    = "send this `FILE` with the first message; may be given several times"
	flagChatName      = "a conversation of its own, by `NAME`, beside the usual one"
	flagEscapes       = "have a worker try everything to get out of its walls, and show the table"
	flagUsageUser     = "the user `NAME`; without it, yourself, and for an admin everybody"
	flagMemoryUser    = "the user `NAME`; without it, yourself"
	flagActivityUser  = "the user `NAME`; without it, yourself, and for an admin counts of everybody's"
	flagActivityKind  = "of one `KIND` alone: changed, run, sent, asked, received"
	flagDays          = "how many `DAYS`, today the last of them"
	flagAuditUser     = "of the user `NAME` alone"
	flagAuditAction   = "whose action begins with `PREFIX`, such as login or totp."
	flagSince         = "not before `WHEN`: so long ago (24h, 7d), or a day (2026-11-22)"
	flagLimit         = "the newest `N` of them; 0 is all"
	flagAuditJSON     = "print them as JSON, a line each"
	flagHead          = "the `HEX` that an earlier run has printed as head: shows whether the end was cut off since"
	flagRole          = "the `ROLE`: admin or user"
	flagAccount       = "the OS `ACCOUNT` that is theirs; without it, the service's own"
	flagTimezone      = "where they live, such as Europe/Madrid: the `ZONE`; without it, the machine's"
	flagAgain         = "they were here before: give them back what is kept of them"
	flagEnrol         = "the invite also lets them set up a second factor in the chat"
	flagRevoke        = "take back the invites that nobody has used, and make none"
	flagYes           = "do not ask"
	flagDiff          = "a diff as git writes it, in this `FILE`; - is standard input"
	flagRange         = "what git has between two commits, such as main..HEAD: the `RANGE`"
	flagPost          = "review the pull request as if it had been asked for there: what is found is posted"
	flagQuietPull     = "review the pull request with the number `N` no more"
	flagQuietLabel    = "review no pull requests with the label `NAME`"
	flagQuietRemove   = "take back the mute with this `NUMBER`"
	flagHookURL       = "the `URL` at which GitHub reaches webhooks.listen, such as https://bot.example.org/webhook/github"
	flagFailed        = "all that were not taken"
	flagOutput        = "write it to `FILE`, which must not be there yet; without it, to standard output"
)

// Texts about a wrong command line, and of lists of verbs and pages.
const (
	textHelpHead     = "Mews: an assistant for the people of one household or team.\n\nUsage: mews VERB [flags]\n\n"
	textHelpEnd      = "\nmews VERB --help lists a verb's flags; mews help lists the pages of the manual.\n"
	textTopics       = "\nPages of the manual; mews help NAME shows one:\n\n"
	textAdminTopics  = "\nPages for admins:\n\n"
	textNoTopic      = "mews help: there is no verb or page %q\n"
	textTopicMeant   = "Near are: %s\n"
	textListTopics   = "mews help lists all of them.\n"
	textUsage        = "mews %s: %s\n\nUsage: mews %s\n"
	textNoVerb       = "mews: there is no verb %q\n\n"
	textWrongSince   = "--since %q: want so long ago, such as 24h or 7d, or a day such as 2026-11-22"
	textNoSubcommand = "mews %s: there is no %q\n\n"
	textNoArgument   = "mews %s takes no argument %q\n"
	textNoName       = "mews %s needs a name\n"
)

// Texts of run, models, usage, reload and check.
const (
	textUserWithoutChat = "mews run: --user needs --chat: it says as whom to chat"
	textStartedWithout  = "mews: %v\nMews starts, but without what is named here.\n"
	textModelNearby     = "%s answers at %s; to talk to a model of it: OPENAI_BASE_URL=%s OPENAI_MODEL=%s mews run"
	textWrongDays       = "mews usage: --days %d: want from 1 to %d\n"
	textUnchanged       = "nothing has changed"
	textNoConfigFile    = "no configuration file; what holds without one"
	textEmptyConfig     = "%s is empty; what holds without it"
	textAsTheService    = "This account may not read the configuration with its secrets. The service that runs sees:\n"
	textChecked         = "%s: in order\n  state  %s\n  model  %s\n"
	textCheckedTelegram = "  telegram, at %s\n"
	textCheckedUser     = "  user   %s (%s), folder %s%s\n"
	textCheckedHint     = "  note: %s\n"
)

// Texts of audit.
const (
	textAuditEmpty   = "mews audit: there is no such row in the log"
	textAuditEmptyOf = " of %q; `mews user list` says who there is"
	textWrongLimit   = "--limit %d: want 0 or more"
	textWrongHead    = "mews audit verify: --head %q: want 64 hexadecimal digits\n"
	textLogBroken    = "the audit log is not what was written, from row %d on. %s"
)

// Texts of user.
const (
	textRevoked       = "%s of %s taken back\n"
	textInvite        = "An invite for %s, good once and until %s:\n\n"
	textInviteLink    = "\nThey open that, or send the bot this:\n\n"
	textInviteBotless = "%s Then they send the bot this:\n\n"
	textInviteSend    = "They send the bot this on Telegram:\n\n"
	textInviteEnrol   = "\nWith it they can set up a second factor in that chat.\n"
	textDeleteAsk     = "\nThis can't be taken back; `mews user export %s` writes it down first. What Mews does for them at the moment is stopped, as " +
		"by /stop, and their worker ended. Type the name to delete it all: "
	textNotDeleted     = "Nothing was deleted: that is not the name."
	textDeleted        = "%s is deleted. What the audit log says of them stays, and so does a folder of theirs outside the state folder.\n"
	textDeletion       = "Of %s there are:\n\n%s"
	textExportTerminal = "An export is not text for a terminal. Say where it goes, with --output FILE."
	textExported       = "%s: all that is kept of %s; what could not be had is listed in its left-out.txt\n"
)

// Texts of totp.
const (
	textFactor       = "The second factor of %s. Scan this with an authenticator app:\n\n"
	textFactorSecret = "\nor type this secret into it:\n\n  %s\n\nRecovery codes, each good once, without the app. Keep them where you do not lose " +
		"them; they are not shown again:\n\n"
	textUnconfirmed = "no code was given, so the second factor counts for nothing yet: run this again, or send the bot a code"
	textAskCode     = "The six digits that the app shows now: "
)
