package job

import (
	"encoding/json"
	"testing"
	"time"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/sqlite"
)

var noon = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

func TestIsPausedWhileAway_ModelJob_IsTrue(t *testing.T) {
	old, long := noon.Add(-60*24*time.Hour), noon.Add(-30*24*time.Hour-time.Millisecond)
	task := supervisor.Job{Kind: supervisor.JobTask, CreatedAt: old}
	resumed := task
	resumed.Options.ResumedAt = noon.Add(-time.Hour).UnixMilli()
	for name, c := range map[string]struct {
		job     supervisor.Job
		written time.Time
		want    bool
	}{
		"never wrote":                {task, time.Time{}, true},
		"wrote long ago":             {task, long, true},
		"wrote exactly at the limit": {task, noon.Add(-30 * 24 * time.Hour), false},
		"a new task":                 {supervisor.Job{Kind: supervisor.JobTask, CreatedAt: noon}, time.Time{}, false},
		"resumed task":               {resumed, time.Time{}, false},
		"a reminder": {supervisor.Job{Kind: supervisor.JobReminder, CreatedAt: old}, time.Time{},
			false},
	} {
		if got := IsPausedWhileAway(c.job, c.written, noon); got != c.want {
			t.Errorf("%s: rests %t", name, got)
		}
	}
}

func TestMaxQuestionTime_EndsBeforeNextDue(t *testing.T) {
	for next, want := range map[time.Time]time.Duration{
		{}: 24 * time.Hour, noon.Add(48 * time.Hour): 24 * time.Hour, noon.Add(time.Hour): 59 * time.Minute,
		noon.Add(time.Minute): time.Minute, noon.Add(-time.Hour): time.Minute,
	} {
		if got := MaxQuestionTime(next, noon); got != want {
			t.Errorf("due again at %v: %v, want %v", next, got, want)
		}
	}
}

func TestRetryDelay_Tries_AreLimited(t *testing.T) {
	for i, want := range RetryDelays {
		if got, again := RetryDelay(i); got != want || !again {
			t.Errorf("after %d: %v, %t", i, got, again)
		}
	}
	if _, again := RetryDelay(len(RetryDelays)); again {
		t.Error("it is tried again for ever")
	}
}

// said returns the messages of a turn that ends with a text.
func said(words string) []protocol.Message {
	return []protocol.Message{{Role: protocol.RoleAssistant, Parts: []protocol.ContentPart{{Text: words}}}}
}

// gave returns the messages of a turn that ends with a call of the result tool.
func gave(r protocol.JobResultArguments) []protocol.Message {
	arguments, _ := json.Marshal(r)
	return []protocol.Message{
		{Role: protocol.RoleAssistant, Parts: []protocol.ContentPart{{Call: &protocol.ToolCall{ID: "c",
			Name: supervisor.JobResultToolName, Arguments: arguments}}}},
		{Role: protocol.RoleTool, Parts: []protocol.ContentPart{{Result: &protocol.ToolResult{Call: "c",
			Name: supervisor.JobResultToolName}}}}}
}

func TestDecideFireOutcome_TurnEnds_GivesResult(t *testing.T) {
	task := supervisor.Job{Kind: supervisor.JobTask, FailuresInARow: 1}
	check := supervisor.Job{Kind: supervisor.JobCheck, FailuresInARow: 1, Options: supervisor.JobOptions{Check: supervisor.CheckCondition{Files: "x", Ask: "Is it?"}}}
	telling := check
	telling.Options.Check.NotifyOnCheck = true
	yes, no := true, false
	for name, c := range map[string]struct {
		end  sqlite.FireEnd
		want sqlite.FireOutcome
	}{
		"words": {sqlite.FireEnd{Job: task, Why: protocol.TurnEndDone, Said: said("hello")},
			sqlite.FireOutcome{State: supervisor.FireSentMessage, Text: "hello", Met: true}},
		"nothing": {sqlite.FireEnd{Job: task, Why: protocol.TurnEndDone, Said: said(" ")},
			sqlite.FireOutcome{State: supervisor.FireSilent}},
		"stopped": {sqlite.FireEnd{Job: task, Why: protocol.TurnEndStopped, Failed: "no"},
			sqlite.FireOutcome{State: supervisor.FireFailed, Text: "no", Failures: 1}},
		"failed": {sqlite.FireEnd{Job: task, Why: protocol.TurnEndError, Failed: "no"},
			sqlite.FireOutcome{State: supervisor.FireFailed, Text: "no", Failures: 2}},
		"short": {sqlite.FireEnd{Job: task, Why: protocol.TurnEndError, Failed: "no",
			OverBudget: true}, sqlite.FireOutcome{State: supervisor.FireFailed, Text: "no", Reason: "budget",
			Failures: 1}},
		"over budget, already told": {sqlite.FireEnd{Job: task, Why: protocol.TurnEndError, OverBudget: true,
			ToldOverBudget: true}, sqlite.FireOutcome{State: supervisor.FireFailed, Reason: "budget", Failures: 1,
			Told: true}},
		"met": {sqlite.FireEnd{Job: check, Why: protocol.TurnEndDone,
			Said: gave(protocol.JobResultArguments{Say: "it is", Met: &yes})},
			sqlite.FireOutcome{State: supervisor.FireSentMessage, Text: "it is", Met: true}},
		"met by words": {sqlite.FireEnd{Job: check, Why: protocol.TurnEndDone,
			Said: said("CONDITION_MET: it is")}, sqlite.FireOutcome{State: supervisor.FireSentMessage, Text: "it is",
			Met: true}},
		"not met": {sqlite.FireEnd{Job: check, Why: protocol.TurnEndDone,
			Said: gave(protocol.JobResultArguments{Say: "it is not", Met: &no})},
			sqlite.FireOutcome{State: supervisor.FireSilent}},
		"not met, notify on check": {sqlite.FireEnd{Job: telling, Why: protocol.TurnEndDone,
			Said: gave(protocol.JobResultArguments{Say: "it is not", Met: &no})},
			sqlite.FireOutcome{State: supervisor.FireSentMessage, Text: "I have checked, and the condition is not " +
				"met yet.\nit is not"}},
	} {
		if got := DecideFireOutcome(c.end); got != c.want {
			t.Errorf("%s: got %+v, want %+v", name, got, c.want)
		}
	}
}
