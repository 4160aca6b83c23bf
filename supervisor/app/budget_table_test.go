package app_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"text/tabwriter"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/go-hclog"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/budget"
	"mews/supervisor/hostcall"
	"mews/supervisor/internal/money"
	"mews/supervisor/model"
	"mews/supervisor/model/modeltest"
	"mews/supervisor/problem"
	"mews/supervisor/reply"
	"mews/supervisor/spool"
	"mews/supervisor/sqlite"
	"mews/supervisor/sqlite/sqlitetest"
)

// sellers are models at their makers' prices. Each has a small model that costs almost nothing.
var sellers = []struct {
	spec  string
	price model.Price
}{
	{"claude/claude-opus-4-1", model.Price{Input: 15, Output: 75, CacheRead: 1.50, CacheWrite5m: 18.75, CacheWrite1h: 30}},
	{"claude/claude-fable-5", model.Price{Input: 10, Output: 50, CacheRead: 1, CacheWrite5m: 12.50, CacheWrite1h: 20}},
	{"claude/claude-opus-4-5", model.Price{Input: 5, Output: 25, CacheRead: 0.50, CacheWrite5m: 6.25, CacheWrite1h: 10}},
	{"claude/claude-sonnet-4-5", model.Price{Input: 3, Output: 15, CacheRead: 0.30, CacheWrite5m: 3.75, CacheWrite1h: 6}},
	{"claude/claude-haiku-4-5", model.Price{Input: 1, Output: 5, CacheRead: 0.10, CacheWrite5m: 1.25, CacheWrite1h: 2}},
	{"gpt/gpt-5.5", model.Price{Input: 5, Output: 30, CacheRead: 0.50}},
	{"gpt/gpt-5.1", model.Price{Input: 1.25, Output: 10, CacheRead: 0.125}},
	{"gpt/gpt-5-nano", model.Price{Input: 0.05, Output: 0.40, CacheRead: 0.005}},
}

const smallModel = "gpt/tiny" // name of the small model

// budgetRig is a service with a model but without workers. The test makes the host calls of
// workers.
type budgetRig struct {
	*testing.T
	db       *sqlite.DB
	models   *model.Catalogue
	advances *budget.Advances
	terms    budget.Options
	files    *spool.Spool

	mu           sync.Mutex // guards the fields below
	askedAmounts []string   // amounts for which the user was asked
	outputLimits []int      // values of max_tokens in the requests to models
	modelNames   []string   // names of the models in the requests to them
}

func newBudgetRig(t *testing.T, spec, small string, limits supervisor.Budget, script modeltest.Script) *budgetRig {
	t.Helper()
	m := &budgetRig{T: t, db: sqlitetest.Open(t), terms: budget.Options{Limits: limits}}
	_, base := modeltest.NewServer(t, func(r modeltest.Request) modeltest.Answer {
		m.mu.Lock()
		m.outputLimits, m.modelNames = append(m.outputLimits, r.Limit), append(m.modelNames, r.Model)
		m.mu.Unlock()
		return script(r)
	})
	o := model.Options{Default: spec, Small: small, Calls: 100, Prices: map[string]model.Price{smallModel: {Input: 0.01, Output: 0.01}},
		Providers: []model.ProviderOptions{{Name: "claude", Kind: "anthropic", BaseURL: base, APIKey: "k"}, {Name: "gpt", Kind: "openai", BaseURL: base}}}
	for _, s := range sellers {
		o.Prices[s.spec] = s.price
	}
	var err error
	if m.models, err = model.NewCatalogue(o); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(m.models.Close)
	m.files, err = spool.Open(t.TempDir())
	m.must(err)
	t.Cleanup(func() { m.files.Close() })
	m.terms.Leases, m.terms.Asker = m.db.Leases(), m
	m.advances = &budget.Advances{Leases: m.db.Leases(), Terms: func(c supervisor.Conversation) (budget.Options, bool) {
		o := m.terms
		o.Conversation = c
		return o, true
	}}
	m.terms.Advances = m.advances
	return m
}

// Ask answers each question with yes, as the user would.
func (m *budgetRig) Ask(_ context.Context, q supervisor.Question) (supervisor.Question, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.askedAmounts = append(m.askedAmounts, money.FormatDollars(q.Amount))
	q.End, q.Answer = supervisor.QuestionAnswered, supervisor.Answer{Say: supervisor.AnswerChoiceOnce}
	return q, nil
}

// host returns a connection for a user's worker.
func (m *budgetRig) host(user string) *hostcall.Conn {
	host := hostcall.NewConn(&hostcall.Options{
		ModelDependencies: hostcall.ModelDependencies{Transcript: m.db.Transcript(), Models: m.models, Usage: m.db.Usage(), Systems: m.db.SystemTexts(), History: 32_000},
		StepDependencies:  hostcall.StepDependencies{Steps: m.db.Turns()}, Log: hclog.NewNullLogger(),
		BlobDependencies: hostcall.BlobDependencies{Blobs: m.db.Blobs(), Spool: m.files}, Now: time.Now,
		Audit: func(_, _, detail string) { m.Error(detail) }}, user, func(reason error) { m.Error(reason) })
	host.OnHandshake(protocol.HelloResult{Tools: []protocol.Tool{{Name: "read_file",
		Schema: json.RawMessage(`{"type":"object"}`)}}})
	return host
}

// prompt is a system text of realistic length.
var prompt = strings.Repeat("You help the person whose folder this is. ", 140)

// turn runs a turn with a text. It returns the answer, or the notice if there is no answer.
func (m *budgetRig) turn(host *hostcall.Conn, user, chat, text string) string {
	m.Helper()
	in, _, err := m.db.Inbox().StoreInbound(m.Context(), supervisor.Inbound{Source: "terminal", Key: user + chat + text,
		Kind: supervisor.KindText, Text: text,
		Conversation: supervisor.Conversation{User: user, Channel: supervisor.ChannelTerminal, Chat: chat}})
	m.must(err)
	claim := m.advances.NextTurnLease(in.Conversation)
	turn, lease, err := m.db.Turns().Start(m.Context(), in.ID, claim)
	m.must(err)
	if lease.ID != 0 {
		m.advances.BeginTurn(turn.ID, lease, *claim)
	}
	o := m.terms
	o.Turn, o.Conversation, o.Destination = turn.ID, turn.Conversation, turn.AnswerConversation()
	stream := new(reply.Feeds).OpenStream(turn, "")
	host.BeginTurn(hostcall.Turn{ID: turn.ID, Conversation: turn.Conversation.ID, Kind: supervisor.TurnChat, Reply: stream,
		Limits: protocol.TurnLimits{Steps: 50}, Reserver: budget.New(o)})
	said, why := m.askModel(host, turn), protocol.TurnEndDone
	if said == "" {
		why = protocol.TurnEndError
	}
	if failed := host.EndTurn(turn.ID, why).Failure; said == "" && failed != nil {
		said = problem.UserText(failed)
	}
	m.must(m.advances.EndAttempt(m.Context(), turn.ID))
	_, err = m.db.Turns().Finish(m.Context(), sqlite.TurnEnding{Turn: turn.ID, Why: why,
		State: supervisor.InboundAnswered})
	m.must(err)
	return said
}

// askModel calls the model until it calls no tool. It returns the model's last text, or "" if a
// call fails.
func (m *budgetRig) askModel(host *hostcall.Conn, turn supervisor.Turn) string {
	m.Helper()
	messages, err := m.db.Transcript().ListMessages(m.Context(), turn.Conversation.ID)
	m.must(err)
	after := messages[len(messages)-1].ID
	for {
		result, err := host.HandleCall(m.Context(), request(protocol.MethodModelStream,
			protocol.ModelStreamParams{Turn: turn.ID, After: after,
				System: protocol.SystemTextRef{Hash: hash(prompt), Text: prompt},
				Tools:  protocol.ToolListRef{Hash: hash("read_file\n"), Names: []string{"read_file"}}}))
		if err != nil {
			return ""
		}
		said := result.(protocol.ModelStreamResult).Message
		if len(said.ToolCalls()) == 0 {
			return said.Text()
		}
		for _, c := range said.ToolCalls() {
			kept, err := host.HandleCall(m.Context(), request(protocol.MethodStepCommit,
				protocol.StepCommitParams{Turn: turn.ID, Call: c.ID,
					State: protocol.CallStateDone, Result: &protocol.ToolResult{Call: c.ID, Name: c.Name,
						Text: strings.Repeat("a line of a file\n", 600)}}))
			m.must(err)
			after = kept.(protocol.StepCommitResult).Message
		}
	}
}

func (m *budgetRig) must(err error) {
	m.Helper()
	if err != nil {
		m.Fatal(err)
	}
}

// essay is a long answer, of 4,000 tokens.
var essay = strings.Repeat("It goes on and on. ", 842) + "That is all."

// essayModel says hello, or reads three files and then says the essay, as far as its limit allows.
// It counts four bytes as a token.
func essayModel(r modeltest.Request) (a modeltest.Answer) {
	last := r.Messages[len(r.Messages)-1]
	switch {
	case last.Role == "user" && last.Content == "hi":
		a.Text = "Hello. What can I do for you?"
	case last.Role == "user" && strings.HasPrefix(last.Content, "Go on exactly"):
		a.Text = essay[len(r.Messages[len(r.Messages)-2].Content):]
	case len(r.AnsweredCalls()) < 3:
		a.Calls = []modeltest.Call{{Name: "read_file", Args: `{"path": "notes.md"}`}}
	default:
		a.Text = essay
	}
	if most := 4 * r.Limit; len(a.Text) > most {
		a.Text, a.Stop = a.Text[:most], modeltest.StopReasonLength
	}
	a.Usage = &modeltest.AnswerUsage{Prompt: int64(len(r.Raw) / 4), Completion: int64(len(a.Text)/4 + 20*len(a.Calls) +
		1)}
	return a
}

// row runs a turn and returns its row of the table. The column max_tokens shows the value of the
// turn's first call and of its last call.
func (m *budgetRig) row(host *hostcall.Conn, name, text string) (cells []string, turn int64) {
	m.Helper()
	m.askedAmounts, m.outputLimits, m.modelNames = nil, nil, nil
	said := m.turn(host, "ann", "", text)
	look := func(query string) (n int64) {
		_, err := fmt.Sscan(sqlitetest.QueryColumn(m, m.db, query)[0], &n)
		m.must(err)
		return n
	}
	turn = look("SELECT max(id) FROM turn")
	switch {
	case said == essay || strings.HasPrefix(said, "Hello."):
		said = "whole"
	case strings.HasPrefix(said, essay[:100]):
		said = fmt.Sprintf("%d %%, and %s", 100*strings.Index(said, "\n")/len(essay), said[strings.Index(said, "["):])
	}
	most := "-"
	if n := len(m.outputLimits); n > 0 {
		most = fmt.Sprintf("%d to %d", m.outputLimits[0], m.outputLimits[n-1])
	}
	slices.Sort(m.modelNames)
	cells = []string{name, text, strings.Join(m.askedAmounts, " "), fmt.Sprint(len(m.outputLimits)), strings.Join(slices.Compact(m.modelNames), " "), most,
		fmt.Sprintf("$%.4f", float64(look(fmt.Sprintf("SELECT coalesce(sum(cost), 0) FROM usage WHERE turn = %d", turn)))/1e6), said}
	return cells, turn
}

// budgets are the limits in the table. The first limits are those of the example configuration.
var budgets = []struct {
	name   string
	limits supervisor.Budget
}{
	{"turn: 0.50, day: 2, month: 30, extend: 1", supervisor.Budget{Turn: 500_000, Day: 2_000_000, Month: 30_000_000, Extend: 1_000_000}},
	{"day: 0.30, extend: 2", supervisor.Budget{Day: 300_000, Extend: 2_000_000}},
	{"day: 0.60", supervisor.Budget{Day: 600_000}},
	{"turn: 0.01, extend: 2", supervisor.Budget{Turn: 10_000, Extend: 2_000_000}},
}

// Eight models answer a greeting, and a question that needs three files and a long answer, within
// each of four budgets. The user always says yes. MEWS_UPDATE_GOLDEN=1 writes the table to
// testdata/budgets.golden.
func TestBudgets_EightModels_MatchGoldenTable(t *testing.T) {
	t.Parallel()
	example, err := os.ReadFile(filepath.Join("..", "..", "deploy", "mews.example.yaml"))
	if err != nil || !strings.Contains(string(example), "budget: {"+budgets[0].name) {
		t.Errorf("the example has other limits than %s: %v", budgets[0].name, err)
	}
	var out strings.Builder
	table := tabwriter.NewWriter(&out, 0, 0, 2, ' ', 0)
	line := func(cells ...string) { fmt.Fprintln(table, strings.Join(cells, "\t")) }
	for _, s := range sellers {
		fmt.Fprintf(table, "%s, $%v and $%v for a million tokens\n\n", s.spec, s.price.Input, s.price.Output)
		line("BUDGET", "SAID", "ASKED FOR", "CALLS", "OF", "MAX_TOKENS", "SPENT", "ANSWER")
		for _, b := range budgets {
			m := newBudgetRig(t, s.spec, smallModel, b.limits, essayModel)
			host := m.host("ann")
			for _, text := range []string{"hi", "read"} {
				cells, turn := m.row(host, b.name, text)
				line(cells...)
				if name := strings.SplitN(s.spec, "/", 2)[1]; text == "hi" && (cells[4] != name || cells[7] != "whole") {
					t.Errorf("%s within %s: a greeting is answered with %q", s.spec, b.name, cells)
				}
				m.checkLimits(turn, b.limits)
			}
		}
		line()
	}
	if err := table.Flush(); err != nil {
		t.Fatal(err)
	}
	got := strings.ReplaceAll(out.String(), " \n", "\n")
	file := filepath.Join("testdata", "budgets.golden")
	if os.Getenv("MEWS_UPDATE_GOLDEN") != "" {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if d := cmp.Diff(string(want), got); err != nil || d != "" {
		t.Errorf("%v (-want +got)\n%s", err, d)
	}
}

// The conversation continues after its worker has died and the known length in tokens is lost. The
// length is not estimated as one token for each byte.
func TestLongConversation_FitsItsBudget(t *testing.T) {
	m := newBudgetRig(t, "claude/claude-sonnet-4-5", smallModel, supervisor.Budget{}, essayModel)
	host := m.host("ann")
	for i := range 2 {
		if said := m.turn(host, "ann", "", fmt.Sprint("read ", i)); said != essay {
			t.Fatalf("turn %d: %.200q", i, said)
		}
	}
	m.modelNames, m.terms.Limits.Turn = nil, 300_000
	said := m.turn(m.host("ann"), "ann", "", "hi")
	if m.mu.Lock(); said != "Hello. What can I do for you?" || len(m.askedAmounts) > 0 || !slices.Equal(m.modelNames, []string{"claude-sonnet-4-5"}) {
		t.Errorf("%q by %v, who may say %v; asked for %v", said, m.modelNames, m.outputLimits, m.askedAmounts)
	}
	m.mu.Unlock()
}

// checkLimits fails if a limit was exceeded or a lease is left.
func (m *budgetRig) checkLimits(turn int64, limits supervisor.Budget) {
	m.Helper()
	for what, query := range map[string]string{
		"the turn's limit is exceeded": fmt.Sprintf(`SELECT 'by ' || x FROM (SELECT (SELECT sum(cost) FROM usage WHERE turn = %[1]d) -
			(SELECT coalesce(sum(amount), 0) FROM extension WHERE turn = %[1]d) - %[2]d x) WHERE x > 0 AND %[2]d > 0`, turn, limits.Turn),
		"the day's limit is exceeded": fmt.Sprintf(`SELECT 'by ' || x FROM (SELECT (SELECT sum(cost) FROM usage) -
			(SELECT coalesce(sum(amount), 0) FROM extension) - %[1]d x) WHERE x > 0 AND %[1]d > 0`, limits.Day),
		"a lease is left": `SELECT amount FROM lease`,
	} {
		if found := sqlitetest.QueryColumn(m, m.db, query); len(found) > 0 {
			m.Errorf("%s: %q", what, found)
		}
	}
}

// 25 users run 75 turns at once, whose answers cost as much as allowed. A turn, a day, a month and
// the installation have limits. At no moment do costs and leases exceed a limit.
func TestConcurrentTurns_StayWithinLimits(t *testing.T) {
	limits, all := supervisor.Budget{Turn: 40_000, Day: 60_000, Month: 55_000}, int64(600_000)
	over := fmt.Sprintf(`WITH paid AS (SELECT user, turn, cost FROM usage UNION ALL SELECT user, turn, amount FROM lease)
		SELECT 'all ' || sum(cost) FROM paid HAVING sum(cost) > %d
		UNION ALL SELECT user || ' ' || sum(cost) FROM paid GROUP BY user HAVING sum(cost) > %d
		UNION ALL SELECT 'turn ' || sum(cost) FROM paid GROUP BY turn HAVING sum(cost) > %d`, all, min(limits.Day, limits.Month), limits.Turn)
	var m *budgetRig
	m = newBudgetRig(t, "claude/claude-haiku-4-5", "", limits, func(r modeltest.Request) modeltest.Answer {
		if found := sqlitetest.QueryColumn(t, m.db, over); len(found) > 0 {
			t.Errorf("over: %q", found)
		}
		return modeltest.Answer{Text: "Yes.", Usage: &modeltest.AnswerUsage{Prompt: int64(len(r.Raw) / 2),
			Completion: int64(r.Limit)}}
	})
	m.terms.Installation, m.terms.Asker = all, nil
	var group sync.WaitGroup
	answers := make(chan string, 75)
	for i := range 75 {
		user, chat := fmt.Sprint("p", i%25), fmt.Sprint(i/25)
		host := m.host(user)
		group.Go(func() { answers <- m.turn(host, user, chat, "hi") })
	}
	group.Wait()
	close(answers)
	counts := map[bool]int{}
	for text := range answers {
		counts[text == "Yes."]++
		if text != "Yes." && !strings.Contains(text, "would go beyond") {
			t.Errorf("told %q", text)
		}
	}
	if found := sqlitetest.QueryColumn(t, m.db, over); len(found) > 0 {
		t.Errorf("over: %q", found)
	}
	// the unspent rest of the limit is less than the cost of the shortest answer
	total := sqlitetest.QueryColumn(t, m.db, "SELECT sum(cost) > 550000 FROM usage")
	if left := sqlitetest.QueryColumn(t, m.db, "SELECT id FROM lease"); len(left) > 0 || total[0] != "1" ||
		counts[true] < 10 || counts[false] == 0 {
		t.Errorf("%v were answered and not; spent enough: %v; left set aside: %v", counts, total, left)
	}
}
