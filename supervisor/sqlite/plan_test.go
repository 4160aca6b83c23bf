package sqlite

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"mews/supervisor/internal/engine/enginetest"
)

// allowedScan is a step of a query plan that reads a whole table or index. It has the reason why
// the test allows the step.
type allowedScan struct {
	step    *regexp.Regexp
	because string
}

// harmlessScans lists steps of query plans that are allowed in any statement.
var harmlessScans = []allowedScan{
	{regexp.MustCompile(`^SCAN (CONSTANT ROW|\(subquery-\d+\))$`), "it is no table"},
	{regexp.MustCompile(`VIRTUAL TABLE INDEX`), "the elements of a JSON text, or a pragma's rows"},
	{regexp.MustCompile(`^SCAN (below|chain|leveled)$`), "a recursive query reads its own rows"},
	{regexp.MustCompile(`USING (COVERING )?INDEX (outbox_waiting|outbox_lost|turn_running|inbox_waiting|inbox_arriving|inbox_held|` +
		`operation_open|review_due|review_active|webhook_delivery_size|triage_open|repository_notice_due|cleaning_due|forgetting_open|` +
		`question_waits|question_expires|speech_only|file_reminder_zone)$`),
		"the index holds only what is not done, and is empty most of the time"},
	{regexp.MustCompile(`^SCAN held_notice USING INDEX`), "it holds what is said at the end of quiet hours"},
	{regexp.MustCompile(`^SCAN external_blob( |$)`), "it holds the answers of calls that run"},
	{regexp.MustCompile(`^SCAN (lease|l)$`), "there is a lease for each call that runs"},
	{regexp.MustCompile(`^SCAN (file_reminder_day|person|login|allowed_group|suspended|totp|binding USING (COVERING )?INDEX binding_user|invite USING INDEX invite_user)$`),
		"there are few rows for each person"},
	{regexp.MustCompile(`^SCAN sqlite_(sequence|master|schema)$`), "there is a row for each table"},
}

// wholesaleStatement matches statements on all rows of a user or of a table. Their table name is
// set at run time.
var wholesaleStatement = regexp.MustCompile(`^(SELECT count\(\*\)|SELECT \*|DELETE) FROM \w+ WHERE user = \?( AND rowid > \? AND rowid <= \?)?$`)

// allowedStatements lists the statements that may scan a table, and why.
var allowedStatements = map[string]string{
	countEffects:                    "an admin counts what was done, of everybody",
	countInbounds:                   "an admin counts what there is",
	countOthers:                     "an admin counts what there is",
	findRepositoryStatus:            "an admin asks how a repository is",
	listSettingUsers:                "the folder of homes is missing at a start",
	findDeletionStep:                "an admin adds or deletes a user",
	listBegunDeletions:              "an admin lists the users",
	listUnchained:                   "the first start after an update gives the log its digests",
	listPosted:                      "the reviews that were posted are read once in a while",
	cleanShown:                      "it holds what is to be deleted from chats soon",
	moveInbounds:                    "a chat has got another name",
	deleteUpdates:                   "a person has something forgotten",
	listFacts:                       "it holds the words of facts until they are gone",
	isOthersBlob:                    "a person has something forgotten",
	listQuotes:                      "m is what is forgotten just now",
	listBegin:                       "b is what begins just now",
	listSpeeches:                    "it holds what is not spoken yet",
	findCode:                        "a code is typed a few times a day",
	listExpired:                     "it is asked once a question has expired",
	pruneSeen:                       "a job that is done is kept for 90 days",
	deleteOldWebAddress:             "addresses of three days are cleaned once a day",
	deleteOldWebFetch:               "fetches of three days are cleaned once a day",
	insertConversation:              "a table that names conversations is scanned where a row waits for its own, which none does",
	eraseStatements["conversation"]: "a person is erased, one conversation at a time",
}

// restoreScans are statements that read whole tables while a backup is restored, once.
var restoreScans = []string{dropRepoNotices, dropRestoredEdits, dropRestoredHeld, dropRestoredSeen, dropRestoredSpeech,
	endAllInvites, ignoreRestoredDeliveries, listRestoredHeld, listRestoredInbox, listRestoredOpen, listRestoredOutbox,
	listRestoredTurns, loseRestoredPosts, missRestoredFires, revokeAllGrants, skipRestoredReviews, withdrawEnrols}

// QueryPlanFault returns the step of a statement's plan that reads finished work; "" means none.
// Statements of turns and of the start must not read finished work.
func QueryPlanFault(s enginetest.Statement) string {
	for _, step := range s.Plan {
		isHarmless := slices.ContainsFunc(harmlessScans, func(s allowedScan) bool { return s.step.MatchString(step) })
		if strings.HasPrefix(step, "SCAN") && !isHarmless && allowedStatements[s.Text] == "" &&
			!slices.Contains(restoreScans, s.Text) && !wholesaleStatement.MatchString(s.Text) {
			return step
		}
	}
	return ""
}

// The query for a user's month uses an index. It reads no rows of other users and months.
func TestUsageQueryPlan_UserMonth_UsesIndex(t *testing.T) {
	r := newRig(t)
	defer r.run()()
	plan := r.plan(sumUser)
	const want = "SEARCH usage USING INDEX usage_cost (user=? AND created_at>? AND created_at<?)"
	if !slices.Contains(plan, want) {
		t.Errorf("the plan is %q, want it to have %q", plan, want)
	}
}

// There may be many held inbounds. So the check for earlier challenges reads only the challenges.
func TestChallengeQueryPlan_HeldInbound_IsNotRead(t *testing.T) {
	r := newRig(t)
	defer r.run()()
	plan := r.plan(countChallenges)
	const want = "SEARCH inbox USING COVERING INDEX inbox_challenged (user=? AND conversation=? AND asked=? AND changed_at>? AND changed_at<?)"
	if !slices.Contains(plan, want) {
		t.Errorf("the plan is %q, want it to have %q", plan, want)
	}
}

// Each due task checks whether its user is away. Each refused message looks up its fire. Both
// queries use an index.
func TestFireQueryPlan_Fires_UseIndexes(t *testing.T) {
	r := newRig(t)
	defer r.run()()
	const byDelivery = "SEARCH fire USING INDEX fire_delivery (delivery=?)"
	for query, want := range map[string]string{
		lastWritten: "SEARCH inbox USING INDEX inbox_written (user=?)", isOfFire: "SEARCH fire USING COVERING INDEX fire_delivery (delivery=?)",
		moveFire: byDelivery, restoreDue: "SEARCH f USING INDEX fire_delivery (delivery=?)", dropRestored: byDelivery,
	} {
		plan := r.plan(query)
		if !slices.Contains(plan, want) || slices.ContainsFunc(plan, func(step string) bool { return strings.Contains(step, "TEMP B-TREE") }) {
			t.Errorf("%s:\nthe plan is %q, want it to have %q", query, plan, want)
		}
	}
}
