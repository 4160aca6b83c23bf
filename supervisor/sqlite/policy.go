package sqlite

// Policies holds the features' functions that transactions call. Each feature has a struct of pure
// functions. From the facts that a transaction has read, they return a decision or a text. They
// must be fast, since the transaction waits for them. No function may be nil.
//
// All features share one Policies, since one transaction may end a turn, its fire and its
// questions.
type Policies struct {
	Gate        GatePolicy
	Edits       EditPolicy
	Questions   QuestionAnswerPolicy
	Undo        UndoTexts
	PromptFiles PromptFileTexts
	Effects     EffectTexts
	History     HistoryTexts
	Outbox      OutboxTexts
	Jobs        JobPolicy
	Notices     NoticePolicy
}
