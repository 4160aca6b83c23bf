package sqlite

// Policies are what transactions ask of those who decide and speak: a struct for each feature, with
// functions from the facts that a transaction has to a decision or to words. Each is pure, for it
// is called while a transaction waits, and is not nil.
//
// They are given once, for one transaction may end a turn, the fire that it was for and the
// questions that it has asked.
type Policies struct {
	Gate        GatePolicy
	Edits       EditPolicy
	Questions   QuestionPolicy
	Undo        UndoPolicy
	PromptFiles PromptFilePolicy
	Effects     EffectPolicy
	History     HistoryPolicy
	Outbox      OutboxPolicy
	Jobs        JobPolicy
	Notices     NoticePolicy
}
