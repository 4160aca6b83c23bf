package app_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"mews/supervisor/api"
	"mews/supervisor/app/apptest"
	"mews/supervisor/control"
	"mews/supervisor/model/modeltest"
)

// forgetSpan sends alice's /forget with arguments, and confirms it.
func (l *aliceService) forgetSpan(arguments string) {
	l.T.Helper()
	l.say("alice", "/forget "+arguments)
	l.pressButton("I delete this for good", "Forget it")
	l.WaitUntilTrue(apptest.DefaultTestTimeout, "it to be forgotten", func() bool {
		return slices.ContainsFunc(l.told("alice"), func(text string) bool { return strings.HasPrefix(text, "Forgotten") })
	})
}

// workerPID returns the process id of alice's worker.
func (l *aliceService) workerPID() int {
	l.T.Helper()
	var s api.Status
	if err := control.CallOnce(l.T.Context(), l.Socket, api.MethodStatus, nil, &s); err != nil {
		l.T.Fatal(err)
	}
	return s.Users[0].PID
}

// A minute after a day was forgotten, the conversation continues in the same worker. No later
// request contains a word of that day, in messages, facts or another conversation's recap. Later
// messages stay.
func TestForget_LaterRequests_OmitForgottenText(t *testing.T) {
	t.Parallel()
	script := scriptedModel{{"I take quetzal", calls("remember", `{"text":"Takes quetzal tea","kind":"preference"}`), "Quetzal tea it is."}}
	l := newAliceService(t, providerKinds["openai"], script.answer, "", aliceInMadrid)
	l.at = time.Date(2025, 11, 20, 22, 50, 0, 0, time.UTC) // ten minutes to midnight in Madrid
	l.open()
	l.sayInChat("I take quetzal tea.")
	l.move(7 * time.Minute) // after this time the system text is renewed
	l.sayInChat("A quetzal is a bird.")
	l.sayInChat("Today is a keepsake.")
	l.attachTerminal()
	l.sayInTerminal("Another day, another keepsake.")
	has := func(r modeltest.Request, word string) (n int) {
		for _, text := range []string{r.System, string(r.Raw)} {
			n += strings.Count(strings.ToLower(text), word)
		}
		return n
	}
	for _, r := range []modeltest.Request{l.sayInChat("And here?"), l.sayInTerminal("And there?")} {
		if strings.Count(strings.ToLower(r.System), "quetzal") != 1 || has(r, "quetzal") < 4 {
			t.Fatalf("a request before has too little of it: %s", r.Raw)
		}
	}
	worker, before := l.workerPID(), l.model.CountRequests()
	l.forgetSpan("2025-11-20")
	l.sayInChat("What did I say?")
	l.sayInTerminal("What do I take?")
	l.sayInChat("What do I take?")
	later := l.model.Requests()[before:]
	for i, r := range later {
		if has(r, "quetzal") > 0 || has(r, "keepsake") == 0 {
			t.Errorf("request %d has what was forgotten, or has lost what was not: %s", i, r.Raw)
		}
	}
	if len(later) != 3 || l.workerPID() != worker {
		t.Errorf("%d requests of worker %d, want 3 of %d", len(later), l.workerPID(), worker)
	}
}
