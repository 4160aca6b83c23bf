package supervisor

import (
	"errors"
	"fmt"
	"time"

	"mews/protocol"
)

// Question is a question to a user. It is stored before the user sees it, and survives a crash of
// the process. It is open until it ends, and ends once.
type Question struct {
	ID           int64
	Conversation Conversation // the conversation in which the user is asked
	Turn         int64        // the turn that waits; 0 means none
	// the command or press that waits; 0 means none, as with a Turn
	Inbound int64
	// the turn's call that waits; "" means the turn itself
	Call string
	Kind QuestionKind
	Tool string // the tool that needs the approval, with QuestionApproval and QuestionCode
	// SHA-256 of the exact subject, in hexadecimal; the answer counts only for this subject
	Subject   string
	Amount    int64                 // the wanted amount in millionths of a US dollar, with QuestionBudget
	Ask       protocol.AskArguments // the kind of answer, with QuestionAsk
	Text      string                // text for the user
	OpenFor   time.Duration
	CreatedAt time.Time
	ExpiresAt time.Time // end of the time limit: OpenFor after the delivery; zero before the delivery
	End       QuestionEnd
	Answer    Answer // the answer, with QuestionAnswered; zero before
}

// WaiterName names what waits for the answer, for a log: "turn 7", "inbound 3" or "nobody".
func (q Question) WaiterName() string {
	switch {
	case q.Turn != 0:
		return fmt.Sprint("turn ", q.Turn)
	case q.Inbound != 0:
		return fmt.Sprint("inbound ", q.Inbound)
	}
	return "nobody"
}

// ErrWaitsForAnswer means that a turn's user was asked and has not answered yet. The turn stops
// until the question has ended. Then the action is tried again.
var ErrWaitsForAnswer = errors.New("the person was asked and has not answered yet")

// QuestionKind is the kind of a question.
type QuestionKind string

const (
	QuestionBudget   QuestionKind = "budget"   // may the turn spend more?
	QuestionApproval QuestionKind = "approval" // may this effect leave the sandbox?
	QuestionCode     QuestionKind = "code"     // may this effect leave the sandbox? A code means yes
	QuestionAsk      QuestionKind = "ask"      // a question of the model
)

// QuestionEnd is the reason why a question has ended.
type QuestionEnd string

const (
	QuestionOpen        QuestionEnd = ""            // the question has not ended
	QuestionAnswered    QuestionEnd = "answered"    // the user has answered
	QuestionExpired     QuestionEnd = "expired"     // the user did not answer in time
	QuestionCancelled   QuestionEnd = "over"        // the turn or command that waited has ended
	QuestionNotNeeded   QuestionEnd = "unneeded"    // the answer is no longer needed
	QuestionUndelivered QuestionEnd = "undelivered" // the question could not be delivered
)

// Answer is a user's answer to a question.
type Answer struct {
	Say AnswerChoice `json:"say"`

	// The following fields hold the answer to a QuestionAsk, with SayThis. Only one of them is set.
	// If the user added words to options, Options and Text are set.
	Options []int `json:"options,omitempty"` // indexes in Ask.Options, from 0, ascending
	// the user's words, or a location in words; for AskKindNumber and AskKindDate the parsed form,
	// such as 12.5 or 2026-11-24 18:30
	Text  string          `json:"text,omitempty"`
	Parts []protocol.Part `json:"parts,omitempty"` // parts for the model about the files in the user's answer
	// Parts have words of others
	World bool `json:"world,omitempty"`

	// the user went on without an answer; Say is SayNo, and Text is what the user wrote instead, if
	// anything
	Skipped bool `json:"skipped,omitempty"`
}

// AnswerMessage is a message that may answer an open question.
type AnswerMessage struct {
	Text  string          // the typed text
	Words string          // the spoken words, if all the Parts are recordings
	Parts []protocol.Part // parts for the model about the message's files
	World bool            // the message has words of others
	Now   time.Time

	// the last message in the chat is the question or its Reminder, and has been sent
	BelowQuestion bool
	// the message replies to another message than the newest message or the question
	RepliesElsewhere bool
	Blocked          bool // the message's turn can't begin while the question is open
	Followup         bool // the user wants all other messages answered first
}

// AnswerChoice is the short form of an answer, such as once or always.
type AnswerChoice string

const (
	SayNothing AnswerChoice = ""       // no answer yet
	SayOnce    AnswerChoice = "once"   // yes, this time
	SayAlways  AnswerChoice = "always" // yes, and always for exactly this subject; only for approvals
	SayNo      AnswerChoice = "deny"
	SayThis    AnswerChoice = "this" // the answer is in the other fields of the Answer
)

// PressResult is the result of pressing a question's button. Only PressTaken and PressPicked change
// the question.
type PressResult string

const (
	PressTaken PressResult = "taken"
	// an option was added to or removed from the answer; the question stays open
	PressPicked PressResult = "picked"
	// the user will answer in words; the question stays open
	PressWantsWords     PressResult = "words"
	PressAnsweredBefore PressResult = "before"  // the question was answered before
	PressExpired        PressResult = "expired" // the question had expired before the press
	// the question had expired, and the press was stored as a message that quotes the question
	PressLate  PressResult = "late"
	PressEnded PressResult = "over" // the turn or command that waited has ended
	// no such question was asked of this user in this conversation
	PressUnknown PressResult = "foreign"
)

// QuestionPress is a press of a question's button.
type QuestionPress struct {
	Digest       string // SHA-256 of the button's nonce, in hexadecimal
	User         string // the pressing user
	Conversation int64  // the conversation of the press
	Word         string // the button's word: an AnswerChoice, or with QuestionAsk a word of package answer
}

// Grant is a user's lasting approval of one exact effect.
type Grant struct {
	ID        int64
	Tool      string
	Subject   string // the Subject of the approval question
	Text      string // the text of the approval question
	CreatedAt time.Time
}
