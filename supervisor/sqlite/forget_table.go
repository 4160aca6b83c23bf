package sqlite

// tableForgetting says how to forget a user's rows of a table.
type tableForgetting struct {
	table string
	// exchange is the statement that forgets the rows of an exchange. Its parameters are JSON
	// arrays: ?1 of the turns, ?2 of the inbounds, ?3 of the names of commands that end a turn.
	exchange string
	// span is the statement that forgets rows of no exchange. ?1 is the user, ?2 the start, ?3 the
	// end, ?4 the conversation (0 means all). It handles the rowids above ?5 up to ?6. Unfinished
	// rows stay.
	span string
	// expired replaces span if old rows expire. It forgets rows that are older than the
	// configuration allows.
	expired string
	reason  string // the reason why the table has no statements
}

// deliveriesOfExchange selects the deliveries of an exchange.
const deliveriesOfExchange = `(SELECT id FROM outbox WHERE inbound IN (SELECT value FROM json_each(?2)) UNION ALL
	SELECT id FROM outbox WHERE turn IN (SELECT value FROM json_each(?1)))`

const (
	ofTurns    = ` turn IN (SELECT value FROM json_each(?1))`
	ofInbounds = ` inbound IN (SELECT value FROM json_each(?2))`
	inSpan     = ` user = ?1 AND created_at >= ?2 AND created_at < ?3 AND rowid > ?5 AND rowid <= ?6`
	// blankSent removes the text of deliveries. The deliveries then count as sent, so that nobody
	// sends them again.
	blankSent = `UPDATE outbox SET text = '', buttons = '', files = '', effects = '', why = '', outcome = 'sent', told = 1 WHERE `
	// blankFire removes the text of fires. The fires then count as told, so that no turn reads
	// about them.
	blankFire = `UPDATE fire SET text = '', material = '', told = iif(state IN ('claimed', 'running', 'asked'), told, 1) WHERE`
)

// forgetTable lists the tables with rows of users, in the order of forgetting. A table comes before
// the tables that it refers to. A row stays without its words if other rows refer to it. A row also
// stays without its words if it serves to detect repeated messages. Tables without texts are not
// listed.
var forgetTable = []tableForgetting{
	{table: "repository_told", exchange: `DELETE FROM repository_told WHERE delivery IN ` + deliveriesOfExchange},
	{table: "speech", exchange: `DELETE FROM speech WHERE delivery IN ` + deliveriesOfExchange},
	{table: "question_reminder", exchange: `DELETE FROM question_reminder
		WHERE question IN (SELECT id FROM question WHERE` + ofTurns + ` OR` + ofInbounds + `)`},
	{table: "question", exchange: `DELETE FROM question WHERE` + ofTurns + ` OR` + ofInbounds},
	{table: "post", exchange: `DELETE FROM post WHERE` + ofTurns + ` OR delivery IN ` + deliveriesOfExchange,
		span: `DELETE FROM post WHERE user = ?1 AND (?4 = 0 OR conversation = ?4) AND changed_at >= ?2 AND rowid > ?5 AND rowid <= ?6 AND turn IS NULL
			AND delivery IN (SELECT id FROM outbox o WHERE o.turn IS NULL AND o.inbound IS NULL AND o.created_at >= ?2 AND o.created_at < ?3
				AND o.delivered_at IS NOT NULL) AND NOT EXISTS (SELECT 1 FROM question q WHERE q.delivery = post.delivery AND q.why IS NULL)`},
	{table: "outbox", exchange: blankSent + `id IN ` + deliveriesOfExchange,
		span: blankSent + inSpan + ` AND (?4 = 0 OR conversation = ?4) AND turn IS NULL AND inbound IS NULL AND delivered_at IS NOT NULL AND text <> ''
			AND NOT EXISTS (SELECT 1 FROM question q WHERE q.delivery = outbox.id AND q.why IS NULL)`},
	{table: "undo", exchange: `DELETE FROM undo WHERE` + ofTurns},
	{table: "effect", exchange: `UPDATE effect SET target = '', detail = '', told = 1 WHERE` + ofTurns,
		span: `UPDATE effect SET target = '', detail = '' WHERE` + inSpan + ` AND ?4 = 0 AND turn IS NULL AND (target <> '' OR detail <> '')`},
	{table: "external_blob", exchange: `DELETE FROM external_blob WHERE` + ofTurns},
	{table: "external_call", exchange: `DELETE FROM external_call WHERE` + ofTurns},
	{table: "web_address", exchange: `DELETE FROM web_address WHERE` + ofTurns},
	{table: "web_fetch", exchange: `DELETE FROM web_fetch WHERE` + ofTurns},
	{table: "tool_call", exchange: `DELETE FROM tool_call WHERE` + ofTurns},
	{table: "usage", exchange: `UPDATE usage SET message = NULL WHERE message IN (SELECT id FROM message WHERE` + ofTurns + `)`},
	{table: "message", exchange: `DELETE FROM message WHERE` + ofTurns},
	{table: "attachment", exchange: `DELETE FROM attachment WHERE` + ofInbounds},
	{table: "operation", exchange: `DELETE FROM operation WHERE` + ofInbounds,
		span: `DELETE FROM operation WHERE` + inSpan + ` AND ?4 = 0 AND inbound IS NULL AND state IN ('done', 'failed', 'parked')`},
	{table: "inbox", exchange: `UPDATE inbox SET text = '', parts = NULL, quote = '', told = NULL, replies_to = '', unread = 0,
		command = iif(command IN (SELECT value FROM json_each(?3)), command, NULL) WHERE id IN (SELECT value FROM json_each(?2))`},
	{table: "review_finding", exchange: `DELETE FROM review_finding WHERE` + ofTurns},
	{table: "review", exchange: `UPDATE review SET text = '', result = '' WHERE` + ofTurns},
	// All raw updates are deleted, since they repeat other messages: the message that the sender
	// answers, and the message above a pressed button.
	{table: "received",
		span:    `DELETE FROM received WHERE user = ?1 AND rowid > ?5 AND rowid <= ?6 AND ?2 <= ?3 AND ?4 >= 0`,
		expired: `DELETE FROM received WHERE user = ?1 AND rowid > ?5 AND rowid <= ?6 AND ?2 <= received_at AND received_at < ?3 AND ?4 = 0`},
	{table: "webhook_delivery", span: `UPDATE webhook_delivery SET event = '{}' WHERE` + inSpan + ` AND ?4 = 0 AND state <> 'new' AND event <> '{}'`},
	{table: "triage", span: `UPDATE triage SET report = '' WHERE report <> '' AND user = ?1 AND wanted_at >= ?2 AND wanted_at < ?3 AND ?4 = 0 AND rowid > ?5 AND rowid <= ?6
		AND state IN ('done', 'skipped', 'failed')`},

	// A request deletes the jobs that were made in the span. Expiry keeps jobs that are still due.
	{table: "job",
		span:    `UPDATE job SET text = '', name = '', rule = '{}', options = '{}', state = 'done', next = NULL, expires_at = NULL, version = version + 1 WHERE` + inSpan + ` AND (?4 = 0 OR conversation = ?4) AND text <> ''`,
		expired: `UPDATE job SET text = '', name = '', rule = '{}', options = '{}', version = version + 1 WHERE` + inSpan + ` AND ?4 = 0 AND state = 'done' AND text <> ''`},
	{table: "fire", exchange: blankFire + ofInbounds,
		span: blankFire + ` user = ?1 AND rowid > ?5 AND rowid <= ?6 AND (fired_at >= ?2 AND fired_at < ?3 OR ended_at >= ?2 AND ended_at < ?3
				OR delivery IN (SELECT id FROM outbox WHERE user = ?1 AND created_at >= ?2 AND created_at < ?3))
			AND (?4 = 0 OR job IN (SELECT id FROM job WHERE user = ?1 AND conversation = ?4) OR delivery IN (SELECT id FROM outbox WHERE conversation = ?4)
				OR held IN (SELECT id FROM held_notice WHERE conversation = ?4))
			AND (text <> '' OR material <> '' OR told = 0)`,
		expired: blankFire + ` ?2 <= fired_at AND fired_at < ?3 AND user = ?1 AND rowid > ?5 AND rowid <= ?6 AND ?4 = 0 AND (text <> '' OR material <> '')`},

	{table: "held_notice", exchange: `DELETE FROM held_notice WHERE id IN (SELECT held FROM fire WHERE` + ofInbounds + `)`,
		span: `DELETE FROM held_notice WHERE` + inSpan + ` AND (?4 = 0 OR conversation = ?4)
			AND NOT EXISTS (SELECT 1 FROM question q WHERE q.held = held_notice.id)`},
	// A reminder that waits has the words of a file in the home, and is dropped with them.
	{table: "file_reminder", span: `UPDATE file_reminder SET title = '', told = 1 WHERE` + inSpan + ` AND ?4 = 0
		AND state <> 'waiting' AND title <> ''`},
	{table: "file_reminder_day", reason: "it counts"},
	{table: "todo_section", reason: "it has digests only"},
	{table: "refusing_chat", reason: "it is gone once the chat takes messages again"},
	{table: "job_seen", reason: "it names files, which are there or not, and goes with its job"},

	// The path stays: the file may still have the words.
	{table: "marked_file", exchange: `UPDATE marked_file SET origins = '["forgotten"]' WHERE` + ofTurns},
	{table: "marked_content", exchange: `UPDATE marked_content SET origins = '["forgotten"]' WHERE` + ofTurns},

	{table: "operation_piece", reason: "it is gone once its operation has ended"},
	{table: "turn", reason: "others name it, and it has no words"},
	{table: "conversation", reason: "it has no words"},
	{table: "blob", reason: "markForgottenBlobs marks those of which nothing else speaks"},
	{table: "lease", reason: "it is money"},
	{table: "cleaning", reason: "it is gone once it is done, and what is forgotten waits for that"},
	{table: "repository_notice", reason: "it is gone once it is told"},
	{table: "repository_check", reason: "it is nobody's"},
	{table: "review_mute", reason: "it is a setting"},
	{table: "setting", reason: "it is a setting"},
	{table: "calendar_subscription", reason: "it is a setting"},
	{table: "calendar_copy", reason: "it goes with its calendar"},
	{table: "granted", reason: "it is a setting"},
	{table: "prompt_file", reason: "it is the person's file, as it is in their home"},
	{table: "system_text", reason: "renewSystemText empties it"},
	{table: "opened_tool", reason: "it names tools"},
	{table: "forgotten", reason: "it keeps what is forgotten from being taken up again, and has no words"},
	{table: "forgotten_turn", reason: "it is gone once the home has been seen to"},
	{table: "forgotten_fact", reason: "it is gone once nothing is left of its words"},
	{table: "fact_use", reason: "it counts"},
	{table: "forgetting", reason: "it has no words"},
	{table: "audit", reason: "it has no words, and is only ever added to"},
	{table: "person", reason: "it is the account"},
	{table: "binding", reason: "it is the account"},
	{table: "invite", reason: "it is the account"},
	{table: "totp", reason: "it is the account"},
	{table: "recovery", reason: "it is the account"},
	{table: "login", reason: "it is the account"},
}
