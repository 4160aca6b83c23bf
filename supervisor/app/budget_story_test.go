package app_test

import (
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"mews/supervisor/app/apptest"
	"mews/supervisor/model/modeltest"
	"mews/supervisor/telegram/telegramtest"
)

// pricedConfig configures a model that costs a dollar for a million tokens, and a small model at a
// hundredth of that price.
const pricedConfig = "limits: {steps: 200}\nmodels: {default: test/big, small: test/little, prices: {test/big: {input: 1, output: 1}, " +
	"test/little: {input: 0.01, output: 0.01}}, providers: {test: {kind: openai, base_url: MODEL_URL}}}\n"

// dearConfig is pricedConfig without the small model.
var dearConfig = strings.ReplaceAll(pricedConfig, "small: test/little, ", "")

// endlessModel is a model that lists a folder in each step, for 5,000 tokens each time.
func endlessModel(r modeltest.Request) modeltest.Answer {
	return modeltest.Answer{Calls: []modeltest.Call{{Name: "list_files",
		Args: fmt.Sprintf(`{"limit": %d}`, len(r.AnsweredCalls())+1)}},
		Usage: &modeltest.AnswerUsage{Prompt: 3000, Completion: 2000}}
}

// totalSpent returns the cost of all calls, in millionths of a dollar.
func totalSpent(l *gatedService) int { return l.QueryCount("SELECT coalesce(sum(cost), 0) FROM usage") }

// checkSpentCloseTo fails unless the total cost is just below a limit and no lease is left.
func checkSpentCloseTo(l *gatedService, limit int) {
	l.T.Helper()
	l.WaitUntilTrue(apptest.DefaultTestTimeout, "nothing to be set aside",
		func() bool { return l.QueryCount("SELECT count(*) FROM lease") == 0 })
	if n := totalSpent(l); n > limit || n < limit-50_000 {
		l.T.Errorf("%d millionths of a dollar were spent, of %d", n, limit)
	}
	if n := l.QueryCount("SELECT count(*) FROM usage WHERE cost IS NULL"); n != 0 {
		l.T.Errorf("of %d calls nobody knows what they cost", n)
	}
}

// awaitNewest waits until the newest text to a user contains all the words. A picture has no text.
func (l *gatedService) awaitNewest(name string, words ...string) {
	l.T.Helper()
	l.bot.WaitUntil(l.T, fmt.Sprintf("%s to be told %q", name, words), func() bool {
		told := slices.DeleteFunc(l.told(name), func(text string) bool { return text == "" })
		text := lastOf(told)
		return !slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(text, w) })
	})
}

// A turn that would never end stops at the turn's budget. The next turn stops at the day's budget.
// Neither turn exceeds its budget by a millionth of a dollar.
func TestEndlessTurn_StopsAtBudgetLimit(t *testing.T) {
	t.Parallel()
	l := newGatedService(t, endlessModel, dearConfig+"budget: {users: {turn: 0.1, day: 0.15}}\n", "bob, totp: off")
	l.open()
	l.say("bob", "go")
	l.awaitNewest("bob", "beyond your limit for one answer, $0.10", "Every message that you send has a budget of its own")
	checkSpentCloseTo(l, 100_000)
	l.say("bob", "go on")
	l.awaitNewest("bob", "beyond your limit for a day, $0.15", "The limit begins anew on ")
	checkSpentCloseTo(l, 150_000)
	before := l.model.CountRequests()
	l.move(24 * time.Hour)
	l.say("bob", "go on today")
	l.awaitNewest("bob", "beyond your limit for one answer, $0.10")
	if l.model.CountRequests() == before {
		t.Error("nothing may be spent on the next day")
	}
	if n := l.QueryCount("SELECT count(*) FROM question"); n != 0 {
		t.Errorf("bob was asked %d times, and may lengthen nothing", n)
	}
}

// If each call costs its whole lease, the calls spend the limit to the last millionth of a dollar.
// If the limit is lower by a millionth, the last answer must be shorter. If even its shortest
// answer costs too much, the call is not made.
func TestBudgetLimit_IsExactToAMillionth(t *testing.T) {
	t.Parallel()
	calls := costliestTurn(t, 1_000_000)[:3]
	sum := calls[0] + calls[1] + calls[2]
	const longest, shortest = 16_384, 1_024 // limits of the length of an answer, in tokens
	input := calls[2] - longest
	for limit, want := range map[int][]int{sum: calls, sum - 1: {calls[0], calls[1], calls[2] - 1},
		sum - longest + shortest: {calls[0], calls[1], input + shortest}, sum - longest + shortest - 1: calls[:2]} {
		if got := costliestTurn(t, limit); !slices.Equal(got, want) {
			t.Errorf("of %d millionths of a dollar the calls cost %d, want %d", limit, got, want)
		}
	}
}

// costliestTurn runs a turn whose calls cost as much as allowed, until its limit or three steps. It
// returns the costs of the calls, in millionths of a dollar.
func costliestTurn(t *testing.T, limit int) (costs []int) {
	t.Helper()
	made := make(chan *gatedService, 1) // the model's goroutines take the service out and put it back
	l := newGatedService(t, func(r modeltest.Request) modeltest.Answer {
		service := <-made
		cost := service.QueryCount("SELECT amount FROM lease")
		made <- service
		costs = append(costs, cost)
		if len(costs) > 3 {
			return modeltest.Answer{Text: "That will do."}
		}
		a := endlessModel(r)
		a.Usage = &modeltest.AnswerUsage{Prompt: int64(cost) - 1, Completion: 1}
		return a
	}, dearConfig+fmt.Sprintf("budget: {users: {turn: %.6f}}\n", float64(limit)/1e6), "bob, totp: off")
	made <- l
	l.open()
	l.say("bob", "go")
	l.bot.WaitUntil(t, "an answer", func() bool { return len(l.told("bob")) > 0 })
	l.WaitUntilTrue(apptest.DefaultTestTimeout, "nothing to be set aside",
		func() bool { return l.QueryCount("SELECT count(*) FROM lease") == 0 })
	if n := totalSpent(l); n > limit {
		t.Errorf("%d were spent of %d", n, limit)
	}
	l.shut()
	return costs
}

// The user is asked once for each further amount. After a yes the turn continues; after a no it
// ends.
func TestBudget_Exhausted_AsksUserForMore(t *testing.T) {
	t.Parallel()
	l := newGatedService(t, endlessModel, dearConfig+"budget: {users: {turn: 0.1, extend: 0.25}}\n", "bob, totp: off", "carol, totp: off")
	l.open()
	l.say("bob", "go")
	card := l.awaitCard("bob", "May I go on, and spend up to $0.10 more?")
	if want := []string{"Go on, up to $0.10 more", "Stop", "Skip"}; !slices.Equal(labels(card), want) {
		t.Errorf("the buttons are %q, want %q", labels(card), want)
	}
	if n := totalSpent(l); n > 100_000 {
		t.Errorf("%d were spent before bob was asked", n)
	}
	pressForeignCard(l, card)
	l.pressRow("bob", card, 0)
	l.awaitUnbuttoned("bob", card)
	second := l.awaitCard("bob", "raised by $0.10")
	if n := totalSpent(l); n > 200_000 || n <= 100_000 {
		t.Errorf("%d were spent of 0.20 dollars", n)
	}
	l.pressRow("bob", second, 1)
	l.awaitUnbuttoned("bob", second)
	l.awaitNewest("bob", "I asked whether I may spend more, and you did not say yes in time.")
	checkSpentCloseTo(l, 200_000)
	l.WaitUntilTrue(apptest.DefaultTestTimeout, "the presses to be acknowledged",
		func() bool { return len(l.bot.PressAcks()) >= 3 })
	if n := l.QueryCount("SELECT count(*) FROM question"); n != 2 {
		t.Errorf("bob was asked %d times", n)
	}
	if n := l.QueryCount("SELECT sum(amount) FROM extension WHERE user = 'bob'"); n != 100_000 {
		t.Errorf("bob has lengthened by %d", n)
	}
}

// A question about money stays until it is answered, even if other models are available. After a no
// the small model answers.
func TestBudgetQuestion_FallbackExists_StaysOpen(t *testing.T) {
	t.Parallel()
	fallback := strings.ReplaceAll(dearConfig, "prices:", "fallback: [test/little], prices:")
	for name, c := range map[string]struct {
		config string
		row    int // index of the row with the button that the user presses
		model  string
	}{
		"small model, yes": {pricedConfig, 0, "big"},
		"small model, no":  {pricedConfig, 1, "little"},
		"fallback, yes":    {fallback, 0, "big"},
		"fallback, no":     {fallback, 1, "little"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := newGatedService(t, func(r modeltest.Request) modeltest.Answer {
				return modeltest.Answer{Text: "I am " + r.Model + ".", Usage: answerCost}
			}, c.config+"budget: {users: {day: 0.005, extend: 1}}\n", "bob, totp: off")
			l.open()
			l.say("bob", "hello")
			card := l.awaitCard("bob", "May I go on")
			l.WaitUntilTrue(apptest.DefaultTestTimeout, "the question to be delivered", l.allDelivered)
			if n := l.QueryCount("SELECT count(*) FROM question WHERE why IS NULL"); n != 1 ||
				l.model.CountRequests() != 0 {
				t.Errorf("%d open questions, %d requests", n, l.model.CountRequests())
			}
			l.pressRow("bob", card, c.row)
			l.awaitNewest("bob", "I am "+c.model+".")
			if n := l.model.CountRequests(); n != 1 {
				t.Errorf("%d requests", n)
			}
			l.shut()
		})
	}
}

// awaitCard waits for a message to a user with buttons and these words.
func (l *gatedService) awaitCard(name, words string) (m telegramtest.Message) {
	l.T.Helper()
	l.bot.WaitUntil(l.T, fmt.Sprintf("a message with buttons and %q for %s", words, name), func() bool {
		for _, m = range l.bot.BotMessages(l.telegramUser(name).ID) {
			if len(m.Keyboard) > 0 && strings.Contains(m.Text, words) {
				return true
			}
		}
		return false
	})
	return m
}

// labels returns the texts of a message's buttons.
func labels(m telegramtest.Message) (texts []string) {
	for _, row := range m.Keyboard {
		for _, b := range row {
			texts = append(texts, b.Text)
		}
	}
	return texts
}

// pressRow presses the first button in a given row of a message.
func (l *gatedService) pressRow(name string, m telegramtest.Message, row int) {
	l.T.Helper()
	u := l.telegramUser(name)
	if _, _, err := l.bot.PressButton(telegramtest.PrivateChat(u), u, m.ID, m.Keyboard[row][0].Data); err != nil {
		l.T.Fatal(err)
	}
}

// awaitUnbuttoned waits until a message has lost its buttons.
func (l *gatedService) awaitUnbuttoned(name string, m telegramtest.Message) {
	l.T.Helper()
	l.bot.WaitUntil(l.T, "the buttons to go away", func() bool {
		return slices.ContainsFunc(l.bot.BotMessages(l.telegramUser(name).ID), func(now telegramtest.Message) bool {
			return now.ID == m.ID && len(now.Keyboard) == 0
		})
	})
}

// pressForeignCard lets carol press bob's buttons in her own chat, and waits until the press is
// refused.
func pressForeignCard(l *gatedService, card telegramtest.Message) {
	l.T.Helper()
	carol := l.telegramUser("carol")
	l.sayAndAwait("carol", "/status", "")
	mine := l.bot.BotMessages(carol.ID)[0]
	l.bot.PushUpdate(map[string]any{"callback_query": map[string]any{
		"id": "7", "from": map[string]any{"id": carol.ID, "is_bot": false, "first_name": "carol"}, "data": card.Keyboard[0][0].Data,
		"chat_instance": "1", "message": map[string]any{"message_id": mine.ID, "date": time.Now().Unix(), "text": mine.Text,
			"from": map[string]any{"id": 42, "is_bot": true, "first_name": "Mews"},
			"chat": map[string]any{"id": carol.ID, "type": "private", "first_name": "carol"}},
	}})
	l.awaitNewest("carol", "This button does nothing here")
	if n := l.QueryCount("SELECT count(*) FROM question WHERE answer <> ''"); n != 0 {
		l.T.Error("carol has answered for bob")
	}
	if n := l.QueryCount("SELECT count(*) FROM audit WHERE user = 'carol' AND action = 'question.foreign'"); n != 1 {
		l.T.Errorf("%d rows in the audit log of what carol has pressed", n)
	}
}

// If the budget is too small for the user's model, the small model continues the turn, and the user
// is told.
func TestBudget_TooSmall_UsesSmallModel(t *testing.T) {
	t.Parallel()
	l := newGatedService(t, func(r modeltest.Request) modeltest.Answer { return modeltest.Answer{Text: "I am " + r.Model} },
		pricedConfig+"budget: {users: {turn: 0.005}}\n", "bob, totp: off")
	l.open()
	l.say("bob", "hello")
	l.awaitNewest("bob", "I am little", "test/big", "costs more than the money that was left")
	if n := totalSpent(l); n > 5_000 {
		t.Errorf("%d were spent", n)
	}
}

// A small budget is enough for models at their makers' prices. The turn does not fall back to the
// cheaper small model.
func TestSmallBudget_PaysOrdinaryModels(t *testing.T) {
	t.Parallel()
	const sonnet, opus = "input: 3, output: 15", "input: 15, output: 75"
	for _, c := range []struct{ price, budget, told string }{
		{sonnet, "turn: 0.50", "I am big"},
		{sonnet, "day: 0.30, extend: 2", "I am big"},
		{opus, "day: 0.60", "I am big"},
		{opus, "turn: 0.01, extend: 2", "even a short answer may cost up to $0."},
	} {
		t.Run(c.price+" within "+c.budget, func(t *testing.T) {
			l := newGatedService(t, func(r modeltest.Request) modeltest.Answer { return modeltest.Answer{Text: "I am " + r.Model} },
				"models: {default: test/big, small: test/little, fallback: [test/little], prices: {test/big: {"+c.price+"}, test/little: "+
					"{input: 0.01, output: 0.01}}, providers: {test: {kind: anthropic, api_key: k, base_url: MODEL_ROOT}}}\n"+
					"budget: {users: {"+c.budget+"}}\n", "bob, totp: off")
			l.open()
			l.say("bob", "hi")
			l.bot.WaitUntil(t, "bob to be told something", func() bool { return len(l.told("bob")) > 0 })
			if told := l.told("bob")[0]; !strings.Contains(told, c.told) {
				t.Errorf("bob was told %q, want %q", told, c.told)
			}
		})
	}
}

// The cost of a killed call is unknown, so the call costs its whole lease. The turn continues after
// the restart.
func TestKilledModelCall_CostsItsWholeLease(t *testing.T) {
	t.Parallel()
	var hung atomic.Bool
	reached := make(chan struct{})
	l := newGatedService(t, func(r modeltest.Request) modeltest.Answer {
		switch {
		case len(r.AnsweredCalls()) < 2:
			return endlessModel(r)
		case hung.CompareAndSwap(false, true):
			close(reached)
			return modeltest.Answer{Text: "This is never said to its end.", Chunk: 4, CutAfter: 300, Hang: true}
		}
		return modeltest.Answer{Text: "Here I am again.", Usage: &modeltest.AnswerUsage{Prompt: 3000, Completion: 10}}
	}, dearConfig+"budget: {users: {turn: 0.1}}\n", "bob, totp: off")
	l.Start()
	l.say("bob", "go")
	select {
	case <-reached:
	case <-time.After(apptest.DefaultTestTimeout):
		t.Fatal("the model was not asked a third time")
	}
	aside := l.QueryCount("SELECT coalesce(sum(amount), 0) FROM lease")
	l.Kill()
	if aside < 16_384 || totalSpent(l) != 10_000 {
		t.Fatalf("%d were set aside for the call, %d spent before", aside, totalSpent(l))
	}
	l.CheckIntegrity()
	l.Start()
	l.awaitNewest("bob", "Here I am again.")
	l.WaitUntilTrue(apptest.DefaultTestTimeout, "the call to be paid for",
		func() bool { return l.QueryCount("SELECT count(*) FROM lease") == 0 })
	if n := l.QueryCount("SELECT coalesce(sum(cost), 0) FROM usage WHERE class = 'unknown'"); n != aside {
		t.Errorf("the call that was killed counts %d, and %d were set aside for it", n, aside)
	}
	if n, want := totalSpent(l), 10_000+aside+3010; n != want || n > 100_000 {
		t.Errorf("%d were spent, want %d", n, want)
	}
	l.Stop()
}
