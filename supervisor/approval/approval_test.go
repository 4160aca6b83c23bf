package approval_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	_ "mews/internal/fixedseed"
	"mews/supervisor"
	"mews/supervisor/approval"
	"mews/supervisor/problem"
)

// fakeUser is a fake user who is asked; it records the questions.
type fakeUser struct {
	says    supervisor.AnswerChoice
	skips   bool
	writes  string // text that the user writes instead of an answer, if skips is true
	err     error
	asked   []supervisor.Question
	granted map[string]bool // allowed effects, by user and subject

	meanwhile func() // called while the question is open
}

func (p *fakeUser) Ask(ctx context.Context, q supervisor.Question) (supervisor.Question, error) {
	p.asked = append(p.asked, q)
	if p.meanwhile != nil {
		p.meanwhile()
	}
	if p.err == nil && p.says == supervisor.AnswerChoiceAlways {
		p.granted[q.Conversation.User+q.Subject] = true
	}
	if ctx.Err() != nil {
		return q, context.Cause(ctx)
	}
	q.Answer.Say, q.Answer.Skipped, q.Answer.Text = p.says, p.skips, p.writes
	return q, p.err
}

func (p *fakeUser) HasGrant(_ context.Context, user, subject string) (bool, error) {
	return p.granted[user+subject], nil
}

// fakeConfirmer is a Confirmer that returns err for every question.
type fakeConfirmer struct{ err error }

func (c fakeConfirmer) RefuseSecondQuestion(context.Context, supervisor.Question) error { return c.err }

type rig struct {
	approval.Approver
	person  *fakeUser
	policy  *approval.Policy
	audited []string
}

func newRig(rule approval.Rule) *rig {
	r := &rig{person: &fakeUser{granted: map[string]bool{}}, policy: &approval.Policy{}}
	r.policy.SetTable(approval.RuleTable{All: approval.Rules{approval.EffectSendFile: rule}})
	r.Approver = approval.Approver{
		FindUser: func(name string) (supervisor.User, bool) {
			return supervisor.User{Name: name, Role: supervisor.RoleUser}, name == "ann"
		},
		Policy: r.policy, Grants: r.person, Asker: r.person, Confirmer: fakeConfirmer{},
		Audit: func(user, action, detail string) { r.audited = append(r.audited, user+" "+action+" "+detail) },
	}
	return r
}

func request() approval.Request {
	return approval.Request{User: "ann", Conversation: supervisor.Conversation{ID: 3, User: "ann"}, Turn: 7,
		Call:   "t7-1-1",
		Effect: approval.EffectSendFile, Arguments: []string{"3", "secret plans.png"}, Content: "ab", Text: "Send it?"}
}

// The denial quotes the text that the user wrote instead of an answer. The audit log does not
// contain that text.
func TestApprover_TextInsteadOfAnswer_IsInDenial(t *testing.T) {
	for _, rule := range []approval.Rule{approval.RuleAsk, approval.RuleStepUp} {
		for words, want := range map[string]string{
			"what is in it?": "not now, ann wrote: what is in it?\n",
			"":               "not now: ann skipped the question.",
		} {
			r := newRig(rule)
			r.person.says, r.person.skips, r.person.writes = supervisor.AnswerChoiceNo, true, words
			err := r.Allow(t.Context(), request())
			if supervisor.ErrorCodeOf(err) != supervisor.CodeForbidden ||
				!strings.HasPrefix(problem.UserText(err), want) {
				t.Errorf("%q: got %v", words, err)
			}
			if len(r.audited) != 1 || !strings.Contains(r.audited[0], "approval.denied") ||
				words != "" && strings.Contains(r.audited[0], words) {
				t.Errorf("%q: audited %q", words, r.audited)
			}
		}
	}
}

func TestApprover_EachOutcome_IsShownAndAudited(t *testing.T) {
	for name, c := range map[string]struct {
		rule    approval.Rule
		change  func(*rig, *approval.Request)
		code    supervisor.ErrorCode // the error code of the denial; "" means allowed
		audited string
	}{
		"allowed":        {approval.RuleAllow, nil, "", "ann approval.allowed send_file by rule; turn 7, call \"t7-1-1\", subject "},
		"denied":         {approval.RuleDeny, nil, supervisor.CodeForbidden, "approval.denied send_file by rule"},
		"unknown rule":   {"Allow", nil, supervisor.CodeForbidden, "approval.denied send_file by rule"},
		"unknown effect": {approval.RuleAllow, func(_ *rig, q *approval.Request) { q.Effect = "launch" }, supervisor.CodeForbidden, "launch by rule"},
		"unknown user":   {approval.RuleAllow, func(_ *rig, q *approval.Request) { q.User = "bob" }, supervisor.CodeForbidden, "bob approval.denied"},
		"once": {approval.RuleAsk, func(r *rig,
			_ *approval.Request) {
			r.person.says = supervisor.AnswerChoiceOnce
		}, "", "by the person, once"},
		"always": {approval.RuleAsk, func(r *rig,
			_ *approval.Request) {
			r.person.says = supervisor.AnswerChoiceAlways
		}, "", "by the person, always"},
		"no": {approval.RuleAsk, func(r *rig, _ *approval.Request) { r.person.says = supervisor.AnswerChoiceNo },
			supervisor.CodeForbidden, "approval.denied send_file by the person"},
		"no answer": {approval.RuleAsk, nil, supervisor.CodeForbidden, "no answer"},
		"granted before": {approval.RuleAsk, func(r *rig, q *approval.Request) {
			r.person.granted["ann"+q.Subject()], r.person.says = true, supervisor.AnswerChoiceNo
		}, "", "approval.allowed send_file for always"},
		"asking fails": {approval.RuleAsk, func(r *rig, _ *approval.Request) { r.person.err = errors.New("disk") }, supervisor.CodeInternal, "approval.failed"},
		"with a code": {approval.RuleStepUp, func(r *rig,
			_ *approval.Request) {
			r.person.says = supervisor.AnswerChoiceOnce
		}, "", "by the person, once"},
		"always with a code": {approval.RuleStepUp, func(r *rig, q *approval.Request) {
			r.person.granted["ann"+q.Subject()] = true
			r.person.says = supervisor.AnswerChoiceAlways
		}, supervisor.CodeForbidden, "no answer"},
		"no second factor": {approval.RuleStepUp, func(r *rig, _ *approval.Request) {
			r.Confirmer = fakeConfirmer{&supervisor.Error{Code: supervisor.CodeForbidden,
				Message: "Codes are for our private chat."}}
		}, supervisor.CodeForbidden, "approval.denied send_file no code can be asked for"},
		"asking for a code fails": {approval.RuleStepUp, func(r *rig, _ *approval.Request) {
			r.Confirmer = fakeConfirmer{errors.New("disk")}
		}, supervisor.CodeInternal, "approval.failed"},
	} {
		t.Run(name, func(t *testing.T) {
			r, q := newRig(c.rule), request()
			if c.change != nil {
				c.change(r, &q)
			}
			if err := r.Allow(t.Context(), q); supervisor.ErrorCodeOf(err) != c.code {
				t.Errorf("got %v", err)
			}
			if len(r.audited) != 1 || !strings.Contains(r.audited[0], c.audited) || !strings.Contains(r.audited[0], q.Subject()) {
				t.Errorf("audited was %q", r.audited)
			}
			if strings.Contains(fmt.Sprint(r.audited), "plans") || strings.Contains(fmt.Sprint(r.audited), "Send it?") {
				t.Errorf("somebody's words are in the audit log: %q", r.audited)
			}
		})
	}
}

// An hour may pass before the user answers. The rules at the time of the answer decide.
func TestApprover_RulesChangedMeanwhile_Rechecks(t *testing.T) {
	const gone = approval.Rule("gone") // the user is unknown at the time of the answer
	for _, c := range []struct {
		asked, then approval.Rule
		says        supervisor.AnswerChoice
		code        supervisor.ErrorCode
		words       string
	}{
		{approval.RuleAsk, approval.RuleAsk, supervisor.AnswerChoiceOnce, "", "by the person, once"},
		{approval.RuleAsk, approval.RuleAllow, supervisor.AnswerChoiceAlways, "", "by the person, always"},
		{approval.RuleAsk, approval.RuleStepUp, supervisor.AnswerChoiceOnce, supervisor.CodeForbidden,
			"now ask for more (step_up)"},
		{approval.RuleAsk, approval.RuleDeny, supervisor.AnswerChoiceAlways, supervisor.CodeForbidden,
			"do not let ann do this any more (send_file)"},
		{approval.RuleAsk, "Allow", supervisor.AnswerChoiceOnce, supervisor.CodeForbidden,
			"do not let ann do this any more (send_file)"},
		{approval.RuleAsk, gone, supervisor.AnswerChoiceOnce, supervisor.CodeForbidden,
			"ann may not speak here any more"},
		{approval.RuleAsk, gone, supervisor.AnswerChoiceNo, supervisor.CodeForbidden, "ann was asked and said no"},
		{approval.RuleStepUp, approval.RuleStepUp, supervisor.AnswerChoiceOnce, "", "by the person, once"},
		{approval.RuleStepUp, approval.RuleAsk, supervisor.AnswerChoiceOnce, "", "by the person, once"},
		{approval.RuleStepUp, approval.RuleDeny, supervisor.AnswerChoiceOnce, supervisor.CodeForbidden,
			"do not let ann do this any more"},
		{approval.RuleStepUp, gone, supervisor.AnswerChoiceOnce, supervisor.CodeForbidden,
			"ann may not speak here any more"},
	} {
		r := newRig(c.asked)
		meanwhile := func() {
			r.policy.SetTable(approval.RuleTable{All: approval.Rules{approval.EffectSendFile: c.then}})
			if c.then == gone {
				r.FindUser = func(string) (supervisor.User, bool) { return supervisor.User{}, false }
			}
		}
		r.person.says, r.person.meanwhile = c.says, meanwhile
		err := r.Allow(t.Context(), request())
		said := fmt.Sprint(err, r.audited)
		if supervisor.ErrorCodeOf(err) != c.code || !strings.Contains(said, c.words) || len(r.audited) != 1 {
			t.Errorf("asked by %s, then %s, says %s: %v, audited %q", c.asked, c.then, c.says, err, r.audited)
		}
	}
}

func TestApprover_Question_NamesExactEffect(t *testing.T) {
	r, q := newRig(approval.RuleAsk), request()
	r.person.says = supervisor.AnswerChoiceAlways
	for range 2 {
		if err := r.Allow(t.Context(), q); err != nil {
			t.Fatal(err)
		}
	}
	want := supervisor.Question{Conversation: q.Conversation, Turn: 7, Call: "t7-1-1", Kind: supervisor.QuestionApproval, Tool: "send_file",
		Subject: q.Subject(), Text: "Send it?"}
	if len(r.person.asked) != 1 || !cmp.Equal(r.person.asked[0], want) {
		t.Errorf("asked was %+v", r.person.asked)
	}
	q.Content = "cd"
	r.person.says = supervisor.AnswerChoiceNo
	if err := r.Allow(t.Context(), q); supervisor.ErrorCodeOf(err) != supervisor.CodeForbidden ||
		len(r.person.asked) != 2 {
		t.Errorf("another file: got %v, asked %d times", err, len(r.person.asked))
	}
}

func TestApprover_StoppedTurn_WithdrawsQuestion(t *testing.T) {
	r := newRig(approval.RuleAsk)
	stopped := errors.New("stopped")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(stopped)
	if err := r.Allow(ctx, request()); err != stopped || !strings.Contains(r.audited[0], "approval.withdrew") {
		t.Errorf("got %v, audited %q", err, r.audited)
	}
}

// If the user of a turn has not answered, the turn asks again later. So there is nothing to audit
// yet.
func TestApprover_WaitingTurn_AuditsNothing(t *testing.T) {
	for _, rule := range []approval.Rule{approval.RuleAsk, approval.RuleStepUp} {
		r := newRig(rule)
		r.person.err = fmt.Errorf("ask ann: %w", supervisor.ErrWaitsForAnswer)
		if err := r.Allow(t.Context(), request()); !errors.Is(err, supervisor.ErrWaitsForAnswer) || len(r.audited) != 0 {
			t.Errorf("%s: got %v, audited %q", rule, err, r.audited)
		}
	}
}

func TestRuleTable_SeveralRules_MostSpecificWins(t *testing.T) {
	const effect = approval.EffectInvite
	table := approval.RuleTable{
		All:   approval.Rules{effect: approval.RuleAsk},
		Roles: map[supervisor.Role]approval.Rules{supervisor.RoleAdmin: {effect: approval.RuleStepUp}},
		Users: map[string]approval.Rules{"root": {effect: approval.RuleDeny}, "ann": {approval.EffectSendFile: approval.RuleDeny}},
	}
	for _, c := range []struct {
		user string
		role supervisor.Role
		want approval.Rule
	}{
		{"ann", supervisor.RoleUser, approval.RuleAsk},
		{"ann", supervisor.RoleAdmin, approval.RuleStepUp},
		{"root", supervisor.RoleAdmin, approval.RuleDeny},
	} {
		if got := table.Rule(supervisor.User{Name: c.user, Role: c.role}, effect); got != c.want {
			t.Errorf("%+v: got %s", c, got)
		}
	}
	var policy approval.Policy
	user := supervisor.User{Name: "root"}
	if got := policy.Rule(user, effect); got != approval.RuleAllow {
		t.Errorf("with no rules: got %s", got)
	}
	policy.SetTable(table)
	if got := policy.Rule(user, effect); got != approval.RuleDeny {
		t.Errorf("with new rules: got %s", got)
	}
}

// Two requests have the same subject if and only if they are about the same effect.
func TestSubject_OtherEffect_Differs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringMatching(`[ab\x00]{0,3}`)
		draw := func(name string) approval.Request {
			return approval.Request{User: text.Draw(t, name+"'s user"), Effect: text.Draw(t, name+"'s effect"),
				Content: text.Draw(t, name+"'s content"), Arguments: rapid.SliceOfN(text, 0, 3).Draw(t, name+"'s arguments")}
		}
		a, b := draw("a"), draw("b")
		same := a.User == b.User && a.Effect == b.Effect && a.Content == b.Content && slices.Equal(a.Arguments, b.Arguments)
		if (a.Subject() == b.Subject()) != same || len(a.Subject()) != 64 {
			t.Fatalf("%+v is %s, %+v is %s", a, a.Subject(), b, b.Subject())
		}
		b = a
		b.Turn, b.Call, b.Text = 9, "x", "another text" // none of these fields identifies the effect
		if a.Subject() != b.Subject() {
			t.Fatal("the same effect is another subject")
		}
	})
}

// A request that nobody may be asked about is allowed only by the rule allow.
func TestApprover_UnaskedRequest_AsksNobody(t *testing.T) {
	for rule, want := range map[approval.Rule]string{
		approval.RuleAllow: "", approval.RuleDeny: "do not let ann",
		approval.RuleAsk: "ann must be asked first", approval.RuleStepUp: "ann must be asked first",
	} {
		r, q := newRig(rule), request()
		r.person.says, q.Unasked = supervisor.AnswerChoiceAlways, true
		r.person.granted["ann"+q.Subject()] = true
		err := r.Allow(t.Context(), q)
		if (err == nil) != (want == "") || err != nil && !strings.Contains(problem.UserText(err), want) {
			t.Errorf("%s: got %v", rule, err)
		}
		if len(r.audited) != 1 {
			t.Errorf("%s: audited %q", rule, r.audited)
		}
	}
}

// The user's own words spare the question of a tainted turn, but no stricter rule.
func TestApprover_OwnWords_KeepStricterRule(t *testing.T) {
	for _, c := range []struct {
		usual, tainted approval.Rule
		own            bool
		asked          int
		allowed        bool
	}{
		{approval.RuleAllow, approval.RuleAsk, false, 1, true},
		{approval.RuleAllow, approval.RuleAsk, true, 0, true},
		{approval.RuleAsk, approval.RuleAsk, true, 1, true},
		{approval.RuleAllow, approval.RuleDeny, true, 0, false},
		{approval.RuleAllow, approval.RuleStepUp, true, 1, true},
	} {
		r := newRig(c.usual)
		r.policy.SetTable(approval.RuleTable{All: approval.Rules{approval.EffectSendFile: c.usual},
			Tainted: approval.Rules{approval.EffectSendFile: c.tainted}})
		r.Origins = func(context.Context, int64) ([]string, error) { return []string{"web:example.org"}, nil }
		r.person.says = supervisor.AnswerChoiceOnce
		q := request()
		q.OwnWords = c.own
		if err := r.Allow(t.Context(), q); (err == nil) != c.allowed || len(r.person.asked) != c.asked {
			t.Errorf("%+v: got %v, asked %d times", c, err, len(r.person.asked))
		}
	}
}
