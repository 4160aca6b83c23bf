package sqlite

// Policies hold the decisions and texts of features that a transaction needs. Each feature has a
// struct of pure functions, which return a decision or a text for the facts that the transaction
// read. They must be fast, since the transaction waits for them. No function may be nil.
//
// There is one value for all, since one transaction may end a turn, its fire and its questions.
type Policies struct {
	Gate        GatePolicy
	Edits       EditPolicy
	Questions   QuestionPolicy
	Undo        UndoTexts
	PromptFiles PromptFileTexts
	Effects     EffectTexts
	History     HistoryTexts
	Outbox      OutboxTexts
	Jobs        JobPolicy
	Notices     NoticePolicy
}
