package sqlite

import (
	"regexp"
	"strings"
	"testing"
)

// What each turn or start runs must not read what is long done: its plan scans no table.
func TestQueriesReadWhatWaitsAndNotTheHistory(t *testing.T) {
	r := newRig(t)
	defer r.run()()
	slow := regexp.MustCompile(`SCAN (?:[a-z] )?(i|o|t|m|inbox|outbox|turn|message|tool_call|c|conversation)\b`)
	for name, query := range map[string]string{
		"findConversation": findConversation, "findInboundByKey": findInboundByKey, "nextInbound": nextInbound,
		"unfinishedConversations": unfinishedConversations, "newCommands": newCommands, "findInbound": findInbound,
		"findRunningTurn": findRunningTurn, "listTurnMessages": listTurnMessages, "listBegun": listBegun,
		"listMessages": listMessages, "restartAt": restartAt, "listOpen": listOpen, "findCall": findCall,
		"listDeliveries": listDeliveries, "listPending": listPending, "newestDelivery": newestDelivery,
		"countUndelivered": countUndelivered, "findBlob": findBlob, "newestEnd": newestEnd, "listUnanswered": listUnanswered,
	} {
		rows, err := r.db.readers.QueryContext(t.Context(), "EXPLAIN QUERY PLAN "+query,
			make([]any, parameters(query))...)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for rows.Next() {
			var id, parent, unused int
			var detail string
			if err := rows.Scan(&id, &parent, &unused, &detail); err != nil {
				t.Fatal(err)
			}
			if slow.MatchString(detail) {
				t.Errorf("%s: %s", name, detail)
			}
		}
		if err := rows.Err(); err != nil {
			t.Fatal(err)
		}
	}
}

// parameters is how many values query takes.
func parameters(query string) int {
	if strings.Contains(query, "?1") {
		return 1
	}
	return strings.Count(query, "?")
}
