package admin

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"mews/supervisor"
	"mews/supervisor/access"
	"mews/supervisor/backup"
)

// EnrolledFactor is a new second factor, which is shown once.
type EnrolledFactor struct {
	User     string   `json:"user"`
	Secret   string   `json:"secret"` // the factor's secret in base32
	URL      string   `json:"url"`    // the factor's secret as a URL, otpauth://...
	Recovery []string `json:"recovery"`
}

// EnrollUser makes a second factor for a user. The factor is valid once the user has sent a code.
func (o *Service) EnrollUser(ctx context.Context, by Caller, q UserRequest) (EnrolledFactor, error) {
	u, err := o.userOrCaller(by, q.User)
	if err != nil {
		return EnrolledFactor{}, err
	}
	if u.Codes == supervisor.TOTPOff {
		return EnrolledFactor{}, supervisor.Errorf(supervisor.CodeInvalid, textFactorOff, u.Name)
	}
	made, err := o.Seal.NewEnrolment(u.Name)
	if err != nil {
		return EnrolledFactor{}, err
	}
	codes, digests := access.NewRecoveryCodes()
	if err := o.Store.Factors.Put(ctx, u.Name, made.Sealed, digests, auditEntry(by, u.Name, "totp.offered", "")); err != nil {
		return EnrolledFactor{}, err
	}
	return EnrolledFactor{User: u.Name, Secret: made.Secret.Reveal(), URL: made.URL.Reveal(),
		Recovery: access.RevealSecrets(codes)}, nil
}

// ConfirmFactorRequest are the parameters of totp.confirm.
type ConfirmFactorRequest struct {
	User string `json:"user,omitempty"`
	Code string `json:"code"`
}

// CodeCheckResult is the result of checking a code.
type CodeCheckResult struct {
	Right bool   `json:"right"`
	Over  bool   `json:"over"` // no further code is accepted for now
	Text  string `json:"text"`
}

// final are the suffixes of audit actions after which no other code is accepted.
var final = []string{".locked", ".barred", ".broken"}

// confirm checks a code that confirms a new second factor. A wrong code counts as a failure.
func (o *Service) confirm(ctx context.Context, by Caller, q ConfirmFactorRequest) (CodeCheckResult, error) {
	u, err := o.userOrCaller(by, q.User)
	if err != nil {
		return CodeCheckResult{}, err
	}
	v, err := o.Store.Factors.TryCode(ctx, u.Name, o.Gate.DecideEnrolment(u.Name, q.Code),
		"at the command line by "+by.String())
	answer := CodeCheckResult{Right: v.Right, Text: v.Text}
	for _, end := range final {
		answer.Over = answer.Over || strings.HasSuffix(v.Action, end)
	}
	return answer, err
}

// ResetFactor deletes a user's second factor, and tells the user.
func (o *Service) ResetFactor(ctx context.Context, by Caller, q UserRequest) (TextResult, error) {
	u, err := o.userOrCaller(by, q.User)
	if err != nil {
		return TextResult{}, err
	}
	there, told, err := o.Store.Factors.Reset(ctx, u.Name, auditEntry(by, u.Name, "totp.reset", ""))
	if err != nil {
		return TextResult{}, err
	}
	if there {
		o.acted(backup.ActRevoked, u.Name, "totp")
	}
	for _, conversation := range told {
		o.Queued(conversation)
	}
	if !there {
		return TextResult{fmt.Sprintf(textNoFactor, u.Name)}, nil
	}
	text := textFactorTaken
	next := textFactorOptional
	if u.Codes == supervisor.TOTPRequired {
		text += textFactorNeeded
		next = fmt.Sprintf(textFactorRequired, u.Name, u.Name)
	}
	return TextResult{fmt.Sprintf(textFactorGone, u.Name) + next},
		o.notify(ctx, u, text)
}

// unlockFactor deletes a user's wrong codes and lockout.
func (o *Service) unlockFactor(ctx context.Context, by Caller, q UserRequest) (TextResult, error) {
	u, err := o.userOrCaller(by, q.User)
	if err != nil {
		return TextResult{}, err
	}
	there, err := o.Store.Factors.Unlock(ctx, u.Name, auditEntry(by, u.Name, "totp.unlocked", ""))
	if err != nil {
		return TextResult{}, err
	}
	if !there {
		return TextResult{fmt.Sprintf(textNoFactor, u.Name)}, nil
	}
	return TextResult{fmt.Sprintf(textUnlocked, u.Name)}, nil
}

// FactorText describes a user's second factor for people.
func FactorText(f SecondFactor) string {
	text := map[string]string{
		FactorNone: "none", FactorUnconfirmed: "made, and not confirmed by a code yet", FactorConfirmed: "set up",
	}[f.State]
	if f.State == FactorNone && f.Mode == string(supervisor.TOTPRequired) {
		text = "NONE, and they can't speak without"
	}
	if !f.LockedUntil.IsZero() {
		text += ", LOCKED until " + f.LockedUntil.Local().Format("2006-01-02 15:04")
	}
	return cmp.Or(text, f.State) + " (" + f.Mode + ")"
}
