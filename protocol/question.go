package protocol

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// MethodQuestionAsk asks the user a question of the model. It is a call during a turn. The worker
// only names the model's call; its arguments, which the supervisor has, are AskArguments. Until the
// user has answered, the call fails with CodeWaitsForUser. The worker then ends the turn with
// TurnEndWaitsForUser, and makes the same call again when the turn goes on.
//
//	{"turn":8,"call":"t8-2-1"}
//	{"text":"They chose: Blue"}
const MethodQuestionAsk = "question.ask"

// MaxQuestions bounds the questions of a model in one turn.
const MaxQuestions = 20

// QuestionAskParams names the model's call.
type QuestionAskParams struct {
	Turn int64  `json:"turn"`
	Call string `json:"call"`
}

// QuestionAskResult is the result of question.ask.
type QuestionAskResult struct {
	// text for the model: the user's answer, or a sentence that the user gave no answer
	Text  string `json:"text"`
	World bool   `json:"world,omitempty"` // the answer has words that are not the user's own
	None  bool   `json:"none,omitempty"`  // the user gave no answer
}

// AskKind is the kind of answer that a question wants.
type AskKind string

const (
	AskKindChoice   AskKind = "choice"   // the answer is one of Options
	AskKindSeveral  AskKind = "several"  // the answer is any number of Options
	AskKindConfirm  AskKind = "confirm"  // the answer is yes or no
	AskKindText     AskKind = "text"     // the answer is words of the user
	AskKindNumber   AskKind = "number"   // the answer is a number
	AskKindDate     AskKind = "date"     // a date, with a time of day or without
	AskKindLocation AskKind = "location" // the answer is a location on the map
	AskKindFile     AskKind = "file"     // the answer is one or several files
)

// Bounds of AskArguments, in characters and in options.
const (
	MaxAskTextCharacters   = 1000
	MaxAskOptions          = 12
	MaxAskOptionCharacters = 60
)

// AskArguments is a question of a model.
type AskArguments struct {
	Kind    AskKind  `json:"kind"`
	Text    string   `json:"question"`
	Options []string `json:"options,omitempty"` // possible answers, only with AskKindChoice and AskKindSeveral
	// the user may also answer in words, only with AskKindChoice and AskKindSeveral
	Other bool `json:"other,omitempty"`
	// time zone of the user's days; set by the supervisor
	Zone string `json:"zone,omitempty"`
}

// Validate describes the fault of a question to the model that asked it; nil means no fault.
func (a AskArguments) Validate() error {
	lists := a.Kind == AskKindChoice || a.Kind == AskKindSeveral
	switch {
	case !askKinds[a.Kind]:
		return fmt.Errorf("kind is %.40q; it must be choice, several, confirm, text, number, date, location or file", a.Kind)
	case strings.TrimSpace(a.Text) == "":
		return fmt.Errorf("question has no text")
	case utf8.RuneCountInString(a.Text) > MaxAskTextCharacters:
		return fmt.Errorf("question has %d characters, at most %d", utf8.RuneCountInString(a.Text),
			MaxAskTextCharacters)
	case !lists && (len(a.Options) > 0 || a.Other):
		return fmt.Errorf("options and other belong to the kinds choice and several, not to %s", a.Kind)
	case lists && (len(a.Options) < 2 || len(a.Options) > MaxAskOptions):
		return fmt.Errorf("there are %d options; %s needs 2 to %d", len(a.Options), a.Kind, MaxAskOptions)
	}
	return a.checkOptions()
}

func (a AskArguments) checkOptions() error {
	seen := map[string]bool{}
	for i, option := range a.Options {
		name := strings.ToLower(strings.TrimSpace(option))
		switch {
		case name == "":
			return fmt.Errorf("option %d is empty", i+1)
		case utf8.RuneCountInString(option) > MaxAskOptionCharacters:
			return fmt.Errorf("option %d has %d characters, at most %d", i+1, utf8.RuneCountInString(option),
				MaxAskOptionCharacters)
		case seen[name]:
			return fmt.Errorf("option %d is there twice: %q", i+1, option)
		}
		seen[name] = true
	}
	return nil
}

var askKinds = map[AskKind]bool{AskKindChoice: true, AskKindSeveral: true, AskKindConfirm: true, AskKindText: true,
	AskKindNumber: true, AskKindDate: true,
	AskKindLocation: true, AskKindFile: true}
