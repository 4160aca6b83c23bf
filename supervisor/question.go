package supervisor

import (
	"errors"
	"fmt"
	"time"

	"mews/protocol"
)

// Question is what a person is asked. It is on disk before they see it, and outlives the process
// that waits for the answer. It is open until it ends, and it ends once.
type Question struct {
	ID           int64
	Conversation Conversation // of the person, and where they are asked
	Turn         int64        // that waits; 0 where none does
	// the command or the press that waits, 0 where none does; not with a Turn
	Inbound int64
	// of the turn: the model's call that waits; "" where the turn itself does
	Call string
	Kind QuestionKind
	Tool string // with QuestionApproval and QuestionCode: what wants to be done
	// SHA-256 of exactly what is asked about, in hexadecimal: the answer counts for nothing else
	Subject   string
	Amount    int64        // with QuestionBudget: millionths of a US dollar
	Ask       protocol.Ask // with QuestionAsk: what answer is wanted
	Text      string       // for the person
	Stands    time.Duration
	CreatedAt time.Time
	ExpiresAt time.Time // Stands after it was delivered; the zero time until then
	Why       QuestionEnd
	Answer    Answer // with QuestionAnswered; the zero value before
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

// ErrWaits is why something of a turn's has not been done yet: its person was asked, and has not
// answered. The turn is left, and what was to be done is tried again when the question has ended.
var ErrWaits = errors.New("the person was asked and has not answered yet")

// QuestionKind is what sort of thing is asked.
type QuestionKind string

const (
	QuestionBudget   QuestionKind = "budget"   // may more be spent?
	QuestionApproval QuestionKind = "approval" // may this effect leave the walls?
	QuestionCode     QuestionKind = "code"     // the same, and a fresh code is the yes
	QuestionAsk      QuestionKind = "ask"      // what the model wants to know
)

// QuestionEnd is why a question has ended.
type QuestionEnd string

const (
	QuestionOpen        QuestionEnd = ""            // it has not
	QuestionAnswered    QuestionEnd = "answered"    // its person has answered
	QuestionExpired     QuestionEnd = "expired"     // nobody has answered in time
	QuestionOver        QuestionEnd = "over"        // the turn or the command that waited has ended
	QuestionNotNeeded   QuestionEnd = "unneeded"    // the answer is not needed any more
	QuestionUndelivered QuestionEnd = "undelivered" // it could not be put to its person
)

// Answer is what a person said to a question.
type Answer struct {
	Say Say `json:"say"`

	// With SayThis, to a question of the kind QuestionAsk: exactly one of these, or Options with
	// Text where something else was added.
	Options []int `json:"options,omitempty"` // places in Ask.Options, from 0, rising
	// the person's words, or the place that they sent in words; with AskNumber and AskDate as it is
	// read: 12.5, 2026-11-24 18:30
	Text  string          `json:"text,omitempty"`
	Parts []protocol.Part `json:"parts,omitempty"` // what the model reads of the files
	// with Parts: they have somebody else's words
	World bool `json:"world,omitempty"`
}

// AnswerMessage is what somebody sends while a question is open, as far as it may answer that.
type AnswerMessage struct {
	Text  string          // what they typed
	Words string          // what is heard in the Parts, where all of those are recordings
	Parts []protocol.Part // what a model reads of the files that came with that
	World bool            // somebody else's words are among it
	Now   time.Time

	Newest     string // what the question's chat shows last, if that is of the question's conversation
	NewestSent bool   // and it stands there
	// it replies to another message than the newest or the question's
	RepliesElsewhere bool
}

// Say is the gist of an answer.
type Say string

const (
	SayNothing Say = ""       // nothing yet
	SayOnce    Say = "once"   // yes, this time
	SayAlways  Say = "always" // yes, and always for exactly this; of approvals alone
	SayNo      Say = "deny"
	SayThis    Say = "this" // what the rest of the answer has
)

// PressResult is what has come of a press of a question's button. Only PressTaken and PressPicked
// change anything.
type PressResult string

const (
	PressTaken PressResult = "taken"
	// an option was added to the answer, or taken out; the question is open
	PressPicked PressResult = "picked"
	// the person will say it in words; the question is open
	PressAsksWords      PressResult = "words"
	PressAnsweredBefore PressResult = "before"  // it was answered before
	PressExpired        PressResult = "expired" // it came too late
	// as PressExpired, and it was kept as a message that quotes the question
	PressLate  PressResult = "late"
	PressEnded PressResult = "over" // the turn or the command that waited has ended
	// there is no such question, or it is another's, or was asked elsewhere
	PressForeign PressResult = "foreign"
)

// Press is a press of a question's button.
type Press struct {
	Digest       string // SHA-256 of the button's nonce, in hexadecimal
	User         string // who pressed
	Conversation int64  // and where
	Word         string // what the button says: a Say, or with QuestionAsk one of package answer's
}

// Grant is an effect that a person allows always: exactly this one.
type Grant struct {
	ID        int64
	Tool      string
	Subject   string // as that of the Question
	Text      string // as the person read it
	CreatedAt time.Time
}
