// Package supervisor holds the words of the supervisor's side: types that its packages share. It
// does no I/O and starts no goroutine.
//
// The glossary is for code, commands, tools and the manual. One word has one meaning.
//
//	activity       the list of effects that /activity and mews activity show
//	answer         the text of a turn for its user
//	approval       a user's permission for one effect, asked for by a question
//	attachment     a file that came with an inbound
//	audit log      who did what to the service; each row has the hash of the row before
//	ballast        files that only take room, and are deleted when the disk is full
//	blob           bytes in the spool, named by their SHA-256
//	budget         limits of what a user may spend on models
//	capability     what a channel can do: edit, delete, buttons, files
//	channel        where a user talks: telegram, terminal, web; or where nobody does: job, github
//	check          a job that tests a condition, by files or a command, before it speaks
//	claim          a sentence in an answer that something was done, or will be done later
//	control        the Unix socket of the command line
//	conversation   user, channel, chat and thread; it has one history and one turn at a time
//	delivery       one message to a channel; it is in the outbox until the channel has taken it
//	destination    the conversation of a turn's answer and questions
//	drill          a try to restore the newest backup into a scratch folder
//	effect         something that a turn changed or sent; a row of the ledger
//	fact           one thing that the assistant remembers of a user
//	feature        a capability of the product in one folder, with its commands, tools and tests
//	file history   earlier versions of a home's files, kept by its worker
//	finding        one problem that a review reports
//	fire           one due time of a job
//	gate           the check for a second factor, before anything is kept
//	grant          an approval that holds until it is revoked
//	heartbeat      the routine that works through HEARTBEAT.md
//	history        the messages of a conversation that a model still sees
//	home           a user's folder
//	hook           a webhook of the configuration, for other programs
//	host call      a request of a worker to the supervisor
//	inbound        one message, press or call to the service, kept in the inbox
//	job            something due at a time: a reminder, a task, a check or a routine
//	lease          money set aside for one call of a model
//	ledger         the effects of all turns
//	message        a row of the transcript, as a model sees it
//	mute           a finding, or a kind of them, that later reviews leave out
//	named service  a program with an API that an admin configured; assistants call it by its name
//	notice         a message about a repository or files that nobody asked for
//	operation      work of a worker that is no turn: receive, transcribe, archive
//	origin         whose words a message has: own or world; of words of others, where they came from
//	outbox         deliveries that are not done
//	park           stop trying something that ended three workers
//	part           something that runs for as long as the service does
//	pool           the running workers
//	post           one call of a channel that sends or edits a part of a delivery
//	pot            money that several calls may spend together
//	preflight      a try of a new version on a copy of the data, before it serves anybody
//	press          the use of a button
//	prompt file    a file of the home that is part of the system prompt, such as AGENTS.md
//	question       what a turn or command waits for a user to answer
//	reply          an answer while it grows
//	restore        making a file, a folder or a home as it was in an earlier version
//	review         a turn that reads a pull request
//	routine        a built-in job: digest, heartbeat, notifications
//	safe mode      a service without workers that only answers, after several crashes in a row
//	second look    the call of a model that tries to refute a grave finding
//	session        the goroutine that runs the turns of one conversation
//	spool          the folder of blobs that wait
//	step           one call of a model and the tool calls that it asked for
//	tainted        with words of others in the request, so that effects have stricter rules
//	task           a job that runs a turn
//	triage         a turn that sorts an issue
//	trial          one message that a service of its own answers, with an empty state
//	turn           the work for one or several inbounds: started, stepped, ended
//	upstream       a server that an admin configured for fetches; it may be private
//	user           a person who may talk; has a name, a role, a home, a budget
//	version        a file or folder as it was at one moment
//	worker         the walled-off process of one user; a one-shot worker ends after one turn or operation
//	workspace      the folder in which a turn works
//	world          words of others: forwarded, quoted, from files or the web
package supervisor
