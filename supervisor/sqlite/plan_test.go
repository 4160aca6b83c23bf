package sqlite

import (
	"regexp"
	"slices"
	"strings"
	"testing"
)

// slow is a step that reads a whole table; waiting is one that reads all of an index that holds
// only what is not done, and is empty most of the time.
var (
	slow = regexp.MustCompile(`SCAN (?:[a-z] )?(i|o|t|m|p|n|inbox|outbox|turn|message|tool_call|c|conversation|post|` +
		`received|freeze|usage|operation|job|fire|review|review_mute|triage|repository_notice|repository_told|repository_check|attachment|setting|login|totp|recovery|binding|invite|r|webhook_delivery)\b`)
	waiting = regexp.MustCompile(`SCAN \w+ USING (COVERING )?INDEX (outbox_waiting|outbox_lost|turn_running|inbox_waiting|inbox_arriving|operation_open|review_due|review_active|webhook_delivery_size|triage_open|repository_notice_due)$`)
)

// What each turn or start runs must not read what is long done: its plan scans no table.
func TestQueriesReadWhatWaitsAndNotTheHistory(t *testing.T) {
	r := newRig(t)
	defer r.run()()
	for name, query := range map[string]string{
		"findConversation": findConversation, "findInboundByKey": findInboundByKey, "nextInbound": nextInbound,
		"unfinishedConversations": unfinishedConversations, "newOfKind": newOfKind, "findInbound": findInbound,
		"findRunningTurn": findRunningTurn, "listTurnMessages": listTurnMessages, "listBegun": listBegun,
		"listMessages": listMessages, "restartAt": restartAt, "listOpen": listOpen, "findCall": findCall,
		"listDeliveries": listDeliveries, "listPending": listPending, "newestDelivery": newestDelivery,
		"countUnsent": countUnsent, "findBlob": findBlob, "newestEnd": newestEnd, "listUnanswered": listUnanswered,
		"findOutcome": findOutcome, "moveOutcome": updateOutcome, "markTold": markTold, "listResendable": listResendable,
		"dueConversations": dueConversations, "listSpeeches": listSpeeches, "findSpeech": findSpeech, "findRecorded": findRecorded,
		"shownOtherwise": shownOtherwise, "listPendingIn": listPendingIn, "listUntoldOf": listUntoldOf,
		"listUndelivered": listUndelivered, "listMoving": listMoving, "movePosts": movePosts,
		"moveDeliveries": moveDeliveries, "findConversationByID": findConversationByID, "findDelivery": findDelivery,
		"listTurnPosts": listTurnPosts, "listDeliveryPosts": listDeliveryPosts, "findPost": findPost, "movePost": movePost,
		"ownPost": assignPost, "insertPost": insertPost, "firstInChat": firstInChat, "findSource": findSource, "moveSource": moveSource,
		"putRaw": putRaw, "forgetRaw": forgetRaw, "listFrozen": listFrozen, "deleteFrozen": deleteFrozen,
		"insertInbound": insertInbound, "findTurn": findTurn, "listMessagesSince": listMessagesSince, "refuseStopped": refuseStopped,
		"sumUser": sumUser, "sumAll": sumAll, "findTurnOf": findTurnOf, "findSetting": findSetting,
		"deleteSetting": deleteSetting, "findLogin": findLogin, "touchLogin": touchLogin, "openLogin": openLogin,
		"openHeld": openHeld, "listHeld": listHeld, "listAllHeld": listAllHeld, "endEnrol": endEnrol, "releaseHeld": releaseHeld, "holdInbound": holdInbound,
		"countHeld": countHeld, "countHeldAt": countHeldAt, "countChallenges": countChallenges, "findFactor": findFactor, "putFactor": putFactor,
		"useRecovery": useRecovery, "lastChain": lastChain, "useInvite": useInvite, "findBinding": findBinding,
		"unbindUser": unbindUser, "revokeInvites": revokeInvites, "listCleanings": listCleanings, "nextCleaning": nextCleaning,
		"deleteCleaning": deleteCleaning, "cleanPosts": cleanPosts, "cleanFiles": cleanFiles, "blankPosts": blankPosts, "sentBlobs": sentBlobs,
		"findTakable": findTakable, "listTakable": listTakable, "newestRole": newestRole, "listTaken": listTaken, "listWorked": listWorked,
		"listTakenBeside": listTakenBeside, "listChildren": listChildren, "findChild": findChild, "forgetAsked": forgetAsked, "insertTurn": insertTurn,
		"findOperation": findOperation, "listOperations": listOperations, "openOperations": openOperations,
		"moveOperation": moveOperation, "killOperation": killOperation, "listAttachments": listAttachments,
		"fetchAttachment": fetchAttachment, "redirectInbox": redirectInbox, "redirectTurns": redirectTurns, "walkStopped": findFirstMessage,
		"setUnread": setUnread, "findCounted": findCounted, "takeUnread": takeUnread, "addToText": addToText,
		"findReplied": findReplied, "findLastEdit": findLastEdit, "findToCorrect": findToCorrect, "endToldOf": endToldOf, "findEdited": findEdited,
		"findAnswerOf": findAnswerOf, "findSuperseding": findSuperseding, "listQueue": listQueue, "findBegun": findBegun, "findStarted": findStarted, "listed": listed,
		"failCheck": failCheck, "passCheck": passCheck, "dueNotices": dueNotices, "nextNotice": nextNotice, "deleteNotices": deleteNotices, "listTold": listTold,
		"wantReview": wantReview, "dueReviews": dueReviews, "nextReview": nextReview, "findReviewHead": findReviewHead, "listOfPull": listOfPull,
		"findOfTurn": findOfTurn, "findActive": findActive, "sumReview": sumReview, "buttonsOf": buttonsOf, "listActive": listActive, "listLost": listLost,
		"setPriority": setPriority, "listNewWebhookDeliveries": listNewWebhookDeliveries, "insertWebhookDelivery": insertWebhookDelivery,
		"endWebhookDelivery": endWebhookDelivery, "sumPayloads": sumPayloads, "pruneWebhooks": pruneWebhooks, "sizeWebhookDelivery": sizeWebhookDelivery, "findWebhookKey": findWebhookKey,
		"listReactable": listReactable, "listReacted": listReacted,
		"listDid": listDid, "listOpenQuestions": listOpenQuestions, "listPendingFiles": listPendingFiles, "sumHeldOf": sumHeldOf, "sumLostOf": sumLostOf,
		"findTriage": findTriage, "dueTriages": dueTriages, "findJob": findJob, "findJobMade": findJobMade, "listJobs": listJobs, "countJobs": countJobs, "listDueJobs": listDueJobs, "listDueOf": listDueOf,
		"findHeldOf": findHeldOf, "listHeldIn": listHeldIn, "oldestHeld": oldestHeld, "listHeldNow": listHeldNow, "nextFire": nextFire,
		"isChanging": isChanging, "lastEffect": lastEffect, "listFileEffects": listFileEffects,
		"redirectJobs": redirectJobs, "isAsItWas": isAsItWas, "fireJob": fireJob, "pruneFires": pruneFires, "pruneJobs": pruneJobs, "nextTriage": nextTriage, "keepTriage": keepTriage,
		"listOwnConversations": listOwnConversations, "listSaid": listSaid, "listSizes": listSizes, "countSaid": countSaid,
		"listAbandoned": listAbandoned, "countBelow": countBelow, "listBegin": listBegin, "leaseFire": leaseFire, "freeFires": freeFires,
		"lastWritten": lastWritten, "isOfFire": isOfFire, "moveFire": moveFire, "pauseChat": pauseChat, "boundFires": boundFires, "retryFire": retryFire, "lastFire": lastFire,
	} {
		for _, detail := range r.plan(query) {
			if slow.MatchString(detail) && !waiting.MatchString(detail) {
				t.Errorf("%s: %s", name, detail)
			}
		}
	}
}

// A person's month is looked up: the rows of other persons and of other months are not touched.
func TestAPersonsMonthIsReadAlone(t *testing.T) {
	r := newRig(t)
	defer r.run()()
	plan := r.plan(sumUser)
	const want = "SEARCH usage USING INDEX usage_cost (user=? AND created_at>? AND created_at<?)"
	if !slices.Contains(plan, want) {
		t.Errorf("the plan is %q, want it to have %q", plan, want)
	}
}

// What a closed gate holds may pile up: whether its person was told is looked up among the
// challenges alone.
func TestAClosedGateReadsItsChallengesAlone(t *testing.T) {
	r := newRig(t)
	defer r.run()()
	plan := r.plan(countChallenges)
	const want = "SEARCH inbox USING COVERING INDEX inbox_challenged (user=? AND conversation=? AND asked=? AND changed_at>? AND changed_at<?)"
	if !slices.Contains(plan, want) {
		t.Errorf("the plan is %q, want it to have %q", plan, want)
	}
}

// Whether a person is away, and which fire a message tells of, is looked up: it is asked at each
// time that a task is due, and at each message that a chat refuses.
func TestFiresAndWhoIsAwayAreLookedUp(t *testing.T) {
	r := newRig(t)
	defer r.run()()
	const byDelivery = "SEARCH fire USING INDEX fire_delivery (delivery=?)"
	for query, want := range map[string]string{
		lastWritten: "SEARCH inbox USING INDEX inbox_written (user=?)", isOfFire: "SEARCH fire USING COVERING INDEX fire_delivery (delivery=?)",
		moveFire: byDelivery, pauseChat: byDelivery,
	} {
		plan := r.plan(query)
		if !slices.Contains(plan, want) || slices.ContainsFunc(plan, func(step string) bool { return strings.Contains(step, "TEMP B-TREE") }) {
			t.Errorf("%s:\nthe plan is %q, want it to have %q", query, plan, want)
		}
	}
}
