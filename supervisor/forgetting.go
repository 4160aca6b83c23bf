package supervisor

import "time"

// Forgetting is what a person wants to be forgotten: all that was sent in a span of time, with what
// came of it.
type Forgetting struct {
	ID           int64
	User         string
	Inbound      int64 // the press or the command that wants it
	Conversation int64 // 0 is all that they have
	Since, Until time.Time
	Next         int64 // nothing is left of what was sent before this inbound
	Counts       ForgetCounts
	Ended        bool // nothing is left
	// Expired: nobody has asked for it, it is all older than the configuration keeps. ID, Inbound
	// and Conversation are 0 then. What a conversation's window has stays, and so does what came of
	// it in the home.
	Expired bool
}

// ForgetCounts says how much is forgotten, or would be.
type ForgetCounts struct {
	Messages int64 `json:"messages,omitempty"` // that the person sent
	Answers  int64 `json:"answers,omitempty"`
	Results  int64 `json:"results,omitempty"` // of tools
	Undos    int64 `json:"undos,omitempty"`   // copies of files from before they were changed
	Files    int64 `json:"files,omitempty"`   // that were sent along
	Changed  int64 `json:"changed,omitempty"` // files that were changed; they are not touched
	Facts    int64 `json:"facts,omitempty"`   // of MEMORY.md that came of it
	Notes    int64 `json:"notes,omitempty"`   // lines of daily notes, likewise
	Logged   int64 `json:"logged,omitempty"`  // exchanges in the home's logs
	// of the messages, those that are not answered or delivered yet
	Waiting int64 `json:"waiting,omitempty"`
}

// Plus is what c and more come to together.
func (c ForgetCounts) Plus(more ForgetCounts) ForgetCounts {
	return ForgetCounts{
		Messages: c.Messages + more.Messages, Answers: c.Answers + more.Answers, Results: c.Results + more.Results, Undos: c.Undos + more.Undos,
		Facts: c.Facts + more.Facts, Notes: c.Notes + more.Notes, Logged: c.Logged + more.Logged, Files: c.Files + more.Files, Changed: c.Changed + more.Changed, Waiting: c.Waiting + more.Waiting,
	}
}

// ForgottenPiece is what came of forgetting for a moment.
type ForgottenPiece struct {
	Forgetting
	Messages []int64 // that are gone from the transcript
}
