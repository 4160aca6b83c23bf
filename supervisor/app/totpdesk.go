package app

import (
	"cmp"
	"context"
	"strings"

	"mews/supervisor"
	"mews/supervisor/access"
)

// Enrolled is a second factor as it is shown once.
type Enrolled struct {
	User     string   `json:"user"`
	Secret   string   `json:"secret"` // in base32
	URL      string   `json:"url"`    // otpauth://..., which holds the same
	Recovery []string `json:"recovery"`
}

// enroll makes a second factor for a person. It counts once a code of it was sent.
func (o factors) enroll(ctx context.Context, by clerk, q Named) (Enrolled, error) {
	u, err := o.person(by, q.User)
	if err != nil {
		return Enrolled{}, err
	}
	if u.Codes == supervisor.CodesOff {
		return Enrolled{}, Refused(supervisor.CodeInvalid, "%s is not to have a second factor: `totp: off` stands in the configuration.", u.Name)
	}
	made, err := o.seal.Enrol(u.Name)
	if err != nil {
		return Enrolled{}, err
	}
	codes, digests := access.NewRecovery()
	if err := o.store.Factors.Put(ctx, u.Name, made.Sealed, digests, entry(by, u.Name, "totp.offered", "")); err != nil {
		return Enrolled{}, err
	}
	return Enrolled{User: u.Name, Secret: made.Secret.Reveal(), URL: made.URL.Reveal(), Recovery: access.RevealAll(codes)}, nil
}

// Proof are the parameters of totp.confirm.
type Proof struct {
	User string `json:"user,omitempty"`
	Code string `json:"code"`
}

// Verdict is what became of a code.
type Verdict struct {
	Right bool   `json:"right"`
	Over  bool   `json:"over"` // another one would not be taken for now
	Text  string `json:"text"`
}

// final are the endings of actions after which another code would not be taken.
var final = []string{".locked", ".barred", ".broken"}

// confirm holds a code against a factor that was just made. Wrong ones count as they do everywhere.
func (o factors) confirm(ctx context.Context, by clerk, q Proof) (Verdict, error) {
	u, err := o.person(by, q.User)
	if err != nil {
		return Verdict{}, err
	}
	v, err := o.store.Factors.Attempt(ctx, u.Name, o.gate.DecideEnrol(u.Name, q.Code), "at the command line by "+by.String())
	answer := Verdict{Right: v.Right, Text: v.Text}
	for _, end := range final {
		answer.Over = answer.Over || strings.HasSuffix(v.Action, end)
	}
	return answer, err
}

// resetFactor forgets a person's second factor, and tells them.
func (o factors) resetFactor(ctx context.Context, by clerk, q Named) (Outcome, error) {
	u, err := o.person(by, q.User)
	if err != nil {
		return Outcome{}, err
	}
	there, told, err := o.store.Factors.Reset(ctx, u.Name, entry(by, u.Name, "totp.reset", ""))
	if err != nil {
		return Outcome{}, err
	}
	for _, conversation := range told {
		o.said(conversation)
	}
	if !there {
		return Outcome{u.Name + " has no second factor."}, nil
	}
	text := "An admin has taken your second factor away, with its recovery codes, and ended your logins."
	next := "They need none until they set up another."
	if u.Codes == supervisor.CodesRequired {
		text += " You need a new one to speak here: ask for an invite."
		next = "They can't speak until they have another: `mews totp enroll " + u.Name + "`, or `mews user invite " + u.Name + " --enrol`."
	}
	return Outcome{u.Name + "'s second factor is gone, with its recovery codes and their logins. They are told so. " + next},
		o.notify(ctx, u, text)
}

// unlockFactor forgets the wrong codes of a person.
func (o factors) unlockFactor(ctx context.Context, by clerk, q Named) (Outcome, error) {
	u, err := o.person(by, q.User)
	if err != nil {
		return Outcome{}, err
	}
	there, err := o.store.Factors.Unlock(ctx, u.Name, entry(by, u.Name, "totp.unlocked", ""))
	if err != nil {
		return Outcome{}, err
	}
	if !there {
		return Outcome{u.Name + " has no second factor."}, nil
	}
	return Outcome{"Codes of " + u.Name + " are taken again."}, nil
}

// FactorText is how it stands with somebody's second factor, for people.
func FactorText(f factor) string {
	text := map[string]string{
		factorNone: "none", factorOffered: "made, and not confirmed by a code yet", FactorConfirmed: "set up",
	}[f.State]
	if f.State == factorNone && f.Mode == string(supervisor.CodesRequired) {
		text = "NONE, and they can't speak without"
	}
	if !f.LockedUntil.IsZero() {
		text += ", LOCKED until " + f.LockedUntil.Local().Format("2006-01-02 15:04")
	}
	return cmp.Or(text, f.State) + " (" + f.Mode + ")"
}
