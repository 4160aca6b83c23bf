package app

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"mews/config"
	"mews/protocol"
	"mews/protocol/amount"
	"mews/supervisor"
	"mews/supervisor/access"
	"mews/supervisor/control"
	"mews/supervisor/memory"
	"mews/supervisor/printable"
	"mews/supervisor/sqlite"
)

// memory is what decides what is kept of people.
func (s *service) memory() *memory.Memory {
	return &memory.Memory{Store: memoryStore{s.db.Memories(), s}, Approver: newApprover(s), Asker: asker{s}, PromptFiles: s.db.PromptFiles(), Now: s.now,
		Zone: func(user string) *time.Location {
			u, _ := s.settings.Find(user)
			return u.Zone()
		}}
}

// memoryStore has the words of forgotten facts go, once the turn that has them forgotten is done.
type memoryStore struct {
	sqlite.Memories
	service *service
}

func (s memoryStore) Forget(ctx context.Context, user string, facts []supervisor.ForgottenFact) error {
	defer s.service.forgetter.Wake()
	return s.Memories.Forget(ctx, user, facts)
}

// memories are people's facts for the commands. Their workers see to them.
type memories struct{ *service }

// See has a person's worker list, correct, forget or take in facts. What is forgotten is not taken
// up again.
func (m memories) See(ctx context.Context, user string, p protocol.MemoryParameters) (r protocol.MemoryResult, err error) {
	// before the file, so that a crash leaves nothing that may come back
	if p.Action == protocol.MemoryForget {
		shown, err := m.operate(ctx, user, protocol.MemoryParameters{Action: protocol.MemoryShow, ID: p.ID})
		if err != nil || len(shown.Facts) == 0 {
			return shown, err
		}
		f := shown.Facts[0]
		if err := m.db.Memories().Forget(ctx, user, []supervisor.ForgottenFact{{ID: f.ID, Text: f.Text, Message: f.Message}}); err != nil {
			return shown, err
		}
	}
	if p.Action == protocol.MemoryImport {
		p.Forgotten, err = m.db.Memories().Digests(ctx, user)
	}
	if err == nil {
		_, _, p.After, err = m.db.Memories().Forgotten(ctx, user, 0, "")
	}
	if err == nil {
		r, err = m.operate(ctx, user, p)
	}
	changed := r.Before != r.After
	if err == nil && (changed || r.Notes > 0) {
		e := supervisor.Effect{User: user, Kind: effectsOfMemory[p.Action], Target: cmp.Or(p.ID, p.Path)}
		if p.Action == protocol.MemoryImport {
			e.Detail = amount.Plural(r.Added, "fact", "facts") + ", " + amount.Plural(r.Notes, "note", "notes")
		}
		err = m.db.Effects().Put(ctx, e)
	}
	if err == nil && changed {
		if err = m.memory().Changed(ctx, user, protocol.MemoryChanged{Before: r.Before, After: r.After, Text: r.Text}); err == nil {
			err = m.db.SystemTexts().Renew(ctx, user) // the person has done it by hand
		}
	}
	if err == nil && p.Action == protocol.MemoryForget {
		err = m.forgetter.ForgetFacts(ctx, user)
	}
	r.Text = nil
	return r, err
}

// Mentions counts the rows in which the words of a fact stand, by table.
func (m memories) Mentions(ctx context.Context, user string, f protocol.MemoryFact) (map[string]int64, error) {
	return m.db.Memories().CountMentions(ctx, user, supervisor.ForgottenFact{ID: f.ID, Text: f.Text})
}

// effectsOfMemory are the kinds of effects of what people have done with their memory.
var effectsOfMemory = map[protocol.MemoryAction]string{protocol.MemoryCorrect: supervisor.EffectCorrected,
	protocol.MemoryForget: supervisor.EffectForgotten, protocol.MemoryImport: supervisor.EffectImported}

// Of counts what stands in a person's home of some turns: facts, notes and exchanges in the log.
// With gone it is taken out, and no fact of it is taken up again.
func (m memories) Of(ctx context.Context, user string, of protocol.MemoryExchanges, gone bool) (n supervisor.ForgetCounts, err error) {
	r, err := m.operate(ctx, user, protocol.MemoryParameters{Action: protocol.MemoryShow, Of: &of})
	n = supervisor.ForgetCounts{Facts: int64(len(r.Facts)), Notes: int64(r.Notes), Logged: int64(r.Logs)}
	if err != nil || !gone || n == (supervisor.ForgetCounts{}) {
		return n, err
	}
	// before the file, so that a crash leaves nothing that may come back
	var facts []supervisor.ForgottenFact
	for _, f := range r.Facts {
		facts = append(facts, supervisor.ForgottenFact{ID: f.ID, Text: f.Text, Message: f.Message})
	}
	if err = m.db.Memories().Forget(ctx, user, facts); err == nil {
		r, err = m.operate(ctx, user, protocol.MemoryParameters{Action: protocol.MemoryForget, Of: &of})
	}
	if err == nil && r.Before != r.After {
		err = m.memory().Changed(ctx, user, protocol.MemoryChanged{Before: r.Before, After: r.After, Text: r.Text})
	}
	if err == nil {
		err = m.db.PromptFiles().Blank(ctx, user, of.Notes)
	}
	return n, err
}

// operate has a person's worker do something with their memory. The row of it, in which words of
// theirs stand, goes.
func (m memories) operate(ctx context.Context, user string, p protocol.MemoryParameters) (r protocol.MemoryResult, err error) {
	parameters, _ := json.Marshal(p) // which always can be
	op, err := m.operations.Start(ctx, supervisor.Operation{User: user, Kind: protocol.OperationMemory, Parameters: string(parameters)})
	if err == nil {
		op, err = m.operations.Wait(ctx, op.ID)
	}
	if err == nil {
		err = m.db.Operations().Delete(ctx, op.ID)
	}
	switch {
	case err != nil:
		return r, fmt.Errorf("%s the memory of %s: %w", p.Action, user, err)
	case op.State != supervisor.OperationDone:
		return r, supervisor.Errorf(supervisor.CodeUnavailable, textMemoryFailed, op.Result)
	}
	if err = json.Unmarshal([]byte(op.Result), &r); err == nil && r.Refused != "" {
		err = supervisor.Errorf(supervisor.CodeInvalid, textMemoryRefused, printable.Text(r.Refused))
	}
	return r, err
}

// MethodMemory is what the control socket answers to a MemoryQuestion with a protocol.MemoryResult.
// Anybody with an account may ask for their own; admins for somebody's, which is in the audit log
// then.
const MethodMemory = "memory"

// MemoryQuestion says whose memory is to be seen to, and how.
type MemoryQuestion struct {
	User       string                    `json:"user,omitempty"` // "" is whoever asks
	Parameters protocol.MemoryParameters `json:"parameters"`
}

// memoryMethods answers `mews memory` over the control socket.
type memoryMethods struct {
	memories
	people *access.People
}

func (m memoryMethods) answer(ctx context.Context, uid uint32, req *protocol.Request) (any, error) {
	var q MemoryQuestion
	if err := req.Decode(&q); err != nil {
		return nil, err
	}
	user, err := m.people.Speaker(uid, q.User)
	if err != nil {
		return nil, err
	}
	if own, err := m.people.Speaker(uid, ""); err != nil || own.Name != user.Name {
		m.audit.Note(user.Name, "memory."+string(q.Parameters.Action), fmt.Sprintf("by uid %d", uid))
	}
	return m.See(ctx, user.Name, q.Parameters)
}

// answers are the methods by name.
func (m memoryMethods) answers() map[string]control.Method {
	return map[string]control.Method{MethodMemory: m.answer}
}

// SeeMemory has the running service see to a person's memory. Of a list it has all pages.
func SeeMemory(ctx context.Context, cfg *config.Config, q MemoryQuestion) (all protocol.MemoryResult, err error) {
	for {
		var page protocol.MemoryResult
		if err := control.Ask(ctx, SocketPath(cfg), MethodMemory, q, &page); err != nil {
			return all, err
		}
		page.Facts = append(all.Facts, page.Facts...)
		if all = page; q.Parameters.Action != protocol.MemoryList || len(all.Facts) >= all.Total || len(all.Facts) == q.Parameters.Offset {
			return all, nil
		}
		q.Parameters.Offset = len(all.Facts)
	}
}

// MemoryText is facts, or what was taken in, for people.
func MemoryText(action protocol.MemoryAction, r protocol.MemoryResult) string {
	var b strings.Builder
	for _, f := range r.Facts {
		fmt.Fprintf(&b, textMemoryFact, f.ID, printable.Text(f.Text), f.Kind, f.Confidence, printable.Text(f.Source), f.Line)
	}
	switch {
	case action == protocol.MemoryImport:
		fmt.Fprintf(&b, textMemoryTaken, r.Added, r.Notes, r.Known, len(r.Left)+r.More)
		for _, left := range r.Left {
			fmt.Fprintln(&b, "  "+printable.Text(left))
		}
	case len(r.Facts) == 0:
		b.WriteString(textMemoryNone)
	case action == protocol.MemoryForget:
		b.WriteString(textMemoryForgotten)
	}
	return b.String()
}
