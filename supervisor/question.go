package supervisor

import (
	"errors"
	"fmt"
	"time"

	"mews/protocol"
)

// Question is a question to a user. It is stored before the user sees it, and survives a crash of
// the process. A question ends once, and is open until then.
type Question struct {
	ID           int64
	Conversation Conversation // conversation for the question
	Turn         int64        // id of the turn that waits; 0 means none
	// id of the command or press that waits; 0 if no command or press waits
	Inbound int64
	// id of the tool call that waits; "" if the turn itself waits
	Call string
	Kind QuestionKind
	Tool string // name of the tool that needs the approval; only with QuestionApproval and QuestionLoginCode
	// SHA-256 of the exact subject, such as an effect, in hexadecimal; the answer is valid only for
	// this subject
	Subject   string
	Amount    int64                 // wanted amount in millionths of a US dollar; only with QuestionBudget
	Ask       protocol.AskArguments // the kind of answer that the model wants; only with QuestionFromModel
	Text      string                // text for the user
	OpenFor   time.Duration
	CreatedAt time.Time
	ExpiresAt time.Time // time when the question expires: OpenFor after its delivery; zero before the delivery
	End       QuestionEndReason
	Answer    Answer // the user's answer; zero unless the End is QuestionAnswered
}

// WaiterName names the turn or command that waits for the answer, for a log. Examples are "turn 7",
// "inbound 3" and "nobody".
func (q Question) WaiterName() string {
	switch {
	case q.Turn != 0:
		return fmt.Sprint("turn ", q.Turn)
	case q.Inbound != 0:
		return fmt.Sprint("inbound ", q.Inbound)
	}
	return "nobody"
}

// ErrWaitsForAnswer means that the service asked the turn's user, who has not answered yet. The
// turn stops until the question has ended. Then the turn repeats the action.
var ErrWaitsForAnswer = errors.New("the person was asked and has not answered yet")

// QuestionKind is the kind of a question.
type QuestionKind string

const (
	QuestionBudget   QuestionKind = "budget"   // asks whether a turn may spend more
	QuestionApproval QuestionKind = "approval" // asks whether an effect may leave the sandbox
	// asks whether an effect may leave the sandbox, and wants a code of the second factor as a yes
	QuestionLoginCode QuestionKind = "code"
	QuestionFromModel QuestionKind = "ask" // asks what a model wants to know
)

// AskKindJobChange asks for a job's new time, text or settings. No model can ask it.
const AskKindJobChange protocol.AskKind = "change"

// QuestionEndReason is the reason why a question has ended.
type QuestionEndReason string

const (
	QuestionOpen        QuestionEndReason = ""            // the question has not ended
	QuestionAnswered    QuestionEndReason = "answered"    // the user has answered
	QuestionExpired     QuestionEndReason = "expired"     // the user did not answer in time
	QuestionCancelled   QuestionEndReason = "over"        // the turn or command that waited has ended
	QuestionNotNeeded   QuestionEndReason = "unneeded"    // the turn no longer needs the answer
	QuestionUndelivered QuestionEndReason = "undelivered" // the question could not be delivered
)

// Answer is a user's answer to a question.
type Answer struct {
	Say AnswerChoice `json:"say"`

	// The answer to a QuestionFromModel, if Say is AnswerChoiceOther. Only one of these fields is
	// set. If the user added words to options, both Options and Text are set.
	Options []int `json:"options,omitempty"` // indexes of the picked options in Ask.Options, from 0, ascending
	// the user's words, or a location in words. For AskKindNumber and AskKindDate, the parsed form,
	// such as 12.5 or 2026-11-24 18:30.
	Text  string                 `json:"text,omitempty"`
	Parts []protocol.ContentPart `json:"parts,omitempty"` // parts for the model about the files in the user's answer
	// Parts may have words of others
	World bool `json:"world,omitempty"`

	// the user went on without an answer: Say is AnswerChoiceNo, and Text has the words that the
	// user wrote instead, if any
	Skipped bool `json:"skipped,omitempty"`
}

// AnswerMessage is a message that may answer an open question.
type AnswerMessage struct {
	Text  string                 // the typed text
	Words string                 // the spoken words, if all files of the message are recordings
	Parts []protocol.ContentPart // parts for the model about the message's files
	World bool                   // the message has words of others
	Now   time.Time

	// the question or its Reminder is the last message in the chat, apart from answers of commands
	BelowQuestion bool
	// the message replies to a message other than the newest one or the question
	RepliesElsewhere bool
	Blocked          bool // the message can't start a turn while the question is open
	Followup         bool // the user wants this message answered after all others
}

// AnswerChoice is the part of an answer that a button can give, such as once or always.
type AnswerChoice string

const (
	AnswerChoiceNone   AnswerChoice = ""       // no answer yet
	AnswerChoiceOnce   AnswerChoice = "once"   // yes, this time
	AnswerChoiceAlways AnswerChoice = "always" // yes, now and always for exactly this effect; only for approvals
	AnswerChoiceNo     AnswerChoice = "deny"
	AnswerChoiceOther  AnswerChoice = "this" // another answer, in the other fields of the Answer
)

// PressResult is the result of pressing a question's button. Only PressAccepted and
// PressToggledOption change the question.
type PressResult string

const (
	PressAccepted PressResult = "taken"
	// the press added or removed an option of the answer; the question stays open
	PressToggledOption PressResult = "picked"
	// the user will answer in words; the question stays open
	PressAwaitsText     PressResult = "words"
	PressAnsweredBefore PressResult = "before"  // the question was answered before
	PressExpired        PressResult = "expired" // the question had expired before the press
	// the question had expired; the press was stored as a message that quotes the question
	PressKeptAsMessage     PressResult = "late"
	PressQuestionCancelled PressResult = "over" // the turn or command that waited for the answer has ended
	// this user was not asked such a question in this conversation
	PressUnknown PressResult = "foreign"
)

// QuestionPress is a press of a question's button.
type QuestionPress struct {
	Digest       string // SHA-256 of the button's nonce, in hexadecimal
	User         string // name of the user who pressed the button
	Conversation int64  // id of the conversation of the press
	Word         string // word of the button: an AnswerChoice, or with QuestionFromModel a word of package answer
}

// Grant is a user's lasting approval of one exact effect.
type Grant struct {
	ID        int64
	Tool      string
	Subject   string // the Subject of the approval's question
	Text      string // the text of the approval's question
	CreatedAt time.Time
}

// Parts of the text that tells the model that its question has no answer. The first two stand after
// the user's name, and the last two enclose what the user wrote instead.
const (
	SkippedQuestionText = " skipped the question."
	NonAnswerPrefix     = " did not answer the question, and wrote instead:\n"
	NonAnswerSuffix     = "\n\nGo on"
)
