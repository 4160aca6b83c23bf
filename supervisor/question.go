package supervisor

import (
	"errors"
	"fmt"
	"time"
)

// Question is what a person is asked before something is done. It is on disk before they see it, and outlives the process
// that waits for the answer.
type Question struct {
	ID           int64
	Conversation Conversation // of the person, and where they are asked
	Turn         int64        // that waits; 0 where none does
	Inbound      int64        // the command or the press that waits, 0 where none does; not with a Turn
	Kind         QuestionKind
	Tool         string // with QuestionApproval: what wants to be done
	Subject      string // SHA-256 of exactly what is asked about, in hexadecimal: the answer counts for nothing else
	Amount       int64  // with QuestionBudget: millionths of a US dollar
	Text         string // for the person
	Answer       Answer
	ExpiresAt    time.Time // from then on it counts as denied
}

// Asker is who waits for the answer, for a log: "turn 7", "inbound 3" or "nobody".
func (q Question) Asker() string {
	switch {
	case q.Turn != 0:
		return fmt.Sprint("turn ", q.Turn)
	case q.Inbound != 0:
		return fmt.Sprint("inbound ", q.Inbound)
	}
	return "nobody"
}

// ErrAnswerNotNeeded is the cause of the end of a context in which a person is asked what nobody needs to know any more: the question
// is withdrawn.
var ErrAnswerNotNeeded = errors.New("the answer is not needed any more")

// QuestionKind is what sort of thing is asked.
type QuestionKind string

const (
	QuestionBudget   QuestionKind = "budget"   // may more be spent?
	QuestionApproval QuestionKind = "approval" // may this effect leave the walls?
)

// Answer is what a person said.
type Answer string

const (
	AnswerNone   Answer = ""       // nothing yet
	AnswerOnce   Answer = "once"   // yes, this time
	AnswerAlways Answer = "always" // yes, and always for exactly this; of approvals alone
	AnswerDeny   Answer = "deny"
)

// PressResult is what has come of a press of a question's button. Only PressTaken changes anything.
type PressResult string

const (
	PressTaken          PressResult = "taken"
	PressAnsweredBefore PressResult = "before"  // it was answered before
	PressExpired        PressResult = "expired" // it came too late
	PressEnded          PressResult = "over"    // the turn or the command that waited has ended
	PressForeign        PressResult = "foreign" // there is no such question, or it is another's, or was asked elsewhere
)

// Press is a press of a question's button.
type Press struct {
	Digest       string // SHA-256 of the button's nonce, in hexadecimal
	User         string // who pressed
	Conversation int64  // and where
	Answer       Answer // what the button says
}

// Grant is an effect that a person allows always: exactly this one.
type Grant struct {
	ID        int64
	Tool      string
	Subject   string // as that of the Question
	Text      string // as the person read it
	CreatedAt time.Time
}
