package app

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/approval"
	"mews/supervisor/feature"
	"mews/supervisor/hostcall"
	"mews/supervisor/taint"
)

// defaultPolicy returns the rules of a service without rules in its configuration.
func defaultPolicy() *approval.Policy {
	p := &approval.Policy{}
	p.SetTable(approval.RuleTable{All: rulesOf(DefaultEffectRules()), Tainted: rulesOf(TaintedEffectRules())})
	return p
}

// TestHostCalls_Methods_HaveTaintRows checks that each host call says whose words its answer has.
func TestHostCalls_Methods_HaveTaintRows(t *testing.T) {
	calls := collect(describeFeatures(), func(f feature.Feature) []feature.HostCall { return f.HostCalls })
	table, err := hostcall.NewCallTable(calls...)
	must(t, err)
	for _, method := range table.Methods() {
		if !taint.HasMethod(method) {
			t.Errorf("%s has no row: say whose words its answer has", method)
		}
	}
	for _, call := range calls {
		if _, says := reflect.TypeOf(call.NewResult()).Elem().FieldByName("World"); taint.FindMethod(call.Method) ==
			taint.Answered && !says {
			t.Errorf("the answer to %s does not say whose words it has", call.Method)
		}
	}
}

// TestPolicy_Injections_AskOrDeny checks the rule of each effect that words of others may want, in a
// turn that is tainted by each origin.
func TestPolicy_Injections_AskOrDeny(t *testing.T) {
	origins := []string{taint.OriginForward, taint.OriginQuote, taint.OriginOfFile("uploads/x.pdf"),
		taint.OriginReceivedFiles,
		"web:example.org", "service:shop", "calendar:work", taint.OriginJob, taint.OriginRecap,
		taint.OriginOfTool("a_new_tool")}
	effects := []struct {
		name    string
		request approval.Request
		want    approval.Rule
	}{
		{"a file into a group", approval.Request{Effect: approval.EffectSendFile, InGroup: true}, approval.RuleAsk},
		{"an answer in a group", approval.Request{Effect: approval.EffectAnswerInGroup, InGroup: true},
			approval.RuleAsk},
		{"a setting", approval.Request{Effect: approval.EffectChangeSetting}, approval.RuleAsk},
		{"a reminder", approval.Request{Effect: "jobs"}, approval.RuleAsk},
		{"a fact", approval.Request{Effect: "remember"}, approval.RuleAsk},
		{"a deletion of facts", approval.Request{Effect: "forget"}, approval.RuleAsk},
		{"a post in another group", approval.Request{Effect: "post_elsewhere"}, approval.RuleAsk},
		{"an effect that is none", approval.Request{Effect: "launch"}, approval.RuleDeny},
		{"a file to its user", approval.Request{Effect: approval.EffectSendFile}, approval.RuleAllow},
	}
	for _, c := range []struct {
		effect string
		want   approval.Rule
	}{{"web_search", approval.RuleAllow},
		{"web_known", approval.RuleAllow}, {"web_new", approval.RuleAsk}, {"service_read", approval.RuleAllow},
		{"service_write", approval.RuleAsk}} {
		if DefaultEffectRules()[c.effect] != "" {
			effects = append(effects, struct {
				name    string
				request approval.Request
				want    approval.Rule
			}{c.effect, approval.Request{Effect: c.effect}, c.want})
		}
	}
	policy, rows := defaultPolicy(), 0
	for _, origin := range origins {
		for _, e := range effects {
			rows++
			tainted := len(taint.Tainting([]string{origin})) > 0
			if got := policy.RuleOf(supervisor.User{Name: "ann", Role: supervisor.RoleUser}, e.request,
				tainted); got != e.want {
				t.Errorf("%s, wanted by %s: the rule is %s, want %s", e.name, origin, got, e.want)
			}
		}
	}
	if rows < 60 {
		t.Errorf("only %d rows", rows)
	}
}

// A rule of a role or a person can only make the rule of a tainted turn stricter.
func TestPolicy_TaintedRule_StricterHolds(t *testing.T) {
	ann, bob := supervisor.User{Name: "ann", Role: supervisor.RoleAdmin}, supervisor.User{Name: "bob",
		Role: supervisor.RoleUser}
	p := &approval.Policy{}
	p.SetTable(approval.RuleTable{
		All:   approval.Rules{"jobs": approval.RuleAllow},
		Roles: map[supervisor.Role]approval.Rules{supervisor.RoleAdmin: {"jobs": approval.RuleAllow}},
		Users: map[string]approval.Rules{"bob": {"jobs": approval.RuleStepUp, "settings": approval.RuleDeny}},
		Tainted: approval.Rules{"jobs": approval.RuleAsk, "settings": approval.RuleAllow,
			"send_file": approval.RuleDeny},
	})
	for _, c := range []struct {
		user    supervisor.User
		effect  string
		tainted bool
		want    approval.Rule
	}{
		{ann, "jobs", false, approval.RuleAllow}, {ann, "jobs", true, approval.RuleAsk},
		{bob, "jobs", false, approval.RuleStepUp}, {bob, "jobs", true, approval.RuleStepUp},
		{bob, "settings", true, approval.RuleDeny}, {ann, "settings", true, approval.RuleAllow},
		{ann, "send_file", false, approval.RuleAllow}, {ann, "send_file", true, approval.RuleDeny},
	} {
		if got := p.RuleOf(c.user, approval.Request{Effect: c.effect}, c.tainted); got != c.want {
			t.Errorf("%s of %s, tainted %t: %s, want %s", c.effect, c.user.Name, c.tainted, got, c.want)
		}
	}
}

// weekRequest is a row of the week: how often, what was read in the chat on that day, and what happens.
type weekRequest struct {
	times   int
	wish    string
	reads   []string // tools and their main argument, or "forward" for a message with words of others
	effect  string   // "" means only an answer
	group   bool
	ownSays bool // the user's own words ask for the effect
}

// week has 200 requests of a household's week. Its users have subscribed to no calendar.
var week = []weekRequest{
	// private, without words of others
	{6, "a question that needs nothing", nil, "", false, true},
	{5, "a text to translate or shorten, typed", nil, "", false, true},
	{8, "what is on my list", []string{"read_file todos.md"}, "", false, true},
	{10, "put milk on the list", []string{"read_file todos.md", "edit_file todos.md"}, "", false, true},
	{7, "remind me at 5 to call mum", nil, "jobs", false, true},
	{3, "cancel the reminder about mum", nil, "jobs", false, true},
	{4, "every Monday: put out the bins", nil, "jobs", false, true},
	{8, "find my note about the boiler", []string{"search_files boiler"}, "", false, true},
	{6, "send me the contract", []string{"read_file contracts/flat.pdf"}, "send_file", false, true},
	{8, "remember that I am allergic to nuts", nil, "", false, true},
	{6, "add up this table", []string{"run_python print(1)"}, "", false, true},
	{4, "what did we say last week", []string{"search_history plumber"}, "", false, true},
	{5, "a reminder answered with a button", nil, "", false, true},
	{4, "use a larger model", nil, "settings", false, true},
	{6, "what is on today", []string{"calendar_upcoming 1"}, "", false, true},
	{5, "the dentist on Thursday at 3", []string{"calendar_add dentist"}, "", false, true},
	{3, "move the dentist, and use a larger model", []string{"calendar_update dentist"}, "settings", false, true},
	{4, "turn the lamp on", nil, "service_write", false, true},
	{4, "turn the lamp off, after a look whether it is on", []string{"read_service lamp"}, "service_write", false,
		true},
	{1, "put the tiles on our Todoist list", nil, "service_write", false, true},
	// private, with words of others
	{10, "the weather tomorrow", []string{"get_weather Berlin"}, "", false, true},
	{14, "what does this page say", []string{"web_fetch https://example.org/"}, "", false, true},
	{10, "search the web for a recipe", []string{"web_search recipe"}, "", false, true},
	{6, "save the recipe", []string{"web_fetch https://example.org/", "write_file notes/soup.md"}, "", false, true},
	{6, "what is in this letter", []string{"forward", "read_file uploads/2026-11-30/letter.pdf"}, "", false, true},
	{5, "a forwarded message: what does he want", []string{"forward"}, "", false, true},
	{5, "after a forward: remind me on Friday of the dentist", []string{"forward"}, "jobs", false, true},
	{2, "after a forward: set it up as he says", []string{"forward"}, "jobs", false, false},
	{4, "after a page: remind me to call mum", []string{"web_fetch https://example.org/"}, "jobs", false, true},
	{4, "send me the letter as text", []string{"read_file uploads/2026-11-30/letter.pdf"}, "send_file", false, true},
	{4, "is the lamp on", []string{"read_service lamp"}, "", false, true},
	// groups
	{3, "group: a question that needs nothing", nil, "", true, true},
	{6, "group: who cleans this week", []string{"read_file plan.md"}, "answer_in_group", true, true},
	{5, "group: what does she mean, as a reply", []string{"forward"}, "", true, true},
	{4, "group: the weather for our walk", []string{"get_weather Berlin"}, "", true, true},
	{1, "group: reply to a message, then look into the plan", []string{"forward", "read_file plan.md"},
		"answer_in_group", true, false},
	{3, "group: send the plan", []string{"read_file plan.md"}, "send_file", true, true},
	{1, "group: send the file that she means", []string{"forward", "read_file plan.md"}, "send_file", true, false},
}

// allowedAlways are wishes whose effects the user has allowed for always in an earlier week, each
// exactly so.
var allowedAlways = []string{"turn the lamp on", "turn the lamp off, after a look whether it is on"}

// isTainted reports whether what a turn has read has words of others, by the rules of package taint.
func (r weekRequest) isTainted(t *testing.T) bool {
	t.Helper()
	var origins []string
	for _, read := range r.reads {
		if read == "forward" {
			origins = append(origins, taint.OriginForward)
			continue
		}
		call := protocol.ToolCall{Name: read[:slices.Index([]byte(read), ' ')], Arguments: json.RawMessage(`{}`)}
		argument := read[len(call.Name)+1:]
		arguments, err := json.Marshal(map[string]string{"path": argument, "code": argument})
		must(t, err)
		call.Arguments = arguments
		origins = append(origins, taint.Judge(call, protocol.ToolResult{Name: call.Name},
			taint.Facts{Turn: origins})...)
		if isCalendar := strings.HasPrefix(call.Name, "calendar_"); isCalendar &&
			taint.FindMethod(protocol.MethodCalendarSubscribed) == taint.Others {
			origins = append(origins, taint.OriginOfTool(call.Name))
		}
	}
	return len(taint.Tainting(origins)) > 0
}

// TestPolicy_OrdinaryWeek_AsksFiveTimes: the rules must not ask so often that people press Yes
// without reading.
func TestPolicy_OrdinaryWeek_AsksFiveTimes(t *testing.T) {
	policy, requests, asked := defaultPolicy(), 0, 0
	for _, r := range week {
		requests += r.times
		if r.effect == "" {
			continue
		}
		// as approval.Request.OwnWords: the schedule alone reads the user's own words
		tainted := r.isTainted(t) && (r.effect != "jobs" || !r.ownSays)
		rule := policy.RuleOf(supervisor.User{Name: "ann", Role: supervisor.RoleUser},
			approval.Request{Effect: r.effect, InGroup: r.group}, tainted)
		switch rule {
		case approval.RuleAllow:
		case approval.RuleAsk:
			if slices.Contains(allowedAlways, r.wish) {
				continue
			}
			asked += r.times
			t.Logf("%d times: %s", r.times, r.wish)
		default:
			t.Errorf("%s: the rule is %s", r.wish, rule)
		}
	}
	if requests != 200 || asked > 5 || asked == 0 {
		t.Errorf("%d requests ask %d times, want 200 and at most 5", requests, asked)
	}
}
