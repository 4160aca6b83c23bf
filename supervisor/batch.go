package supervisor

// Batch is what came in one piece from a source.
type Batch struct {
	Source string // the Source of its inbounds; theirs is not read
	Next   int64  // where the source's next batch begins; 0 leaves that as it is
	Items  []Item
}

// Item is one thing that a person sent, and what is kept with it.
type Item struct {
	Inbound Inbound
	Update  int64  // the source's own number of it
	Raw     string // what the source sent, as it sent it; "" keeps none
	// Answer, where it is not "", answers it at once, whatever gate it meets, and no turn begins: it says nothing that is
	// anybody's.
	Answer   string
	Decision GateDecision // what its gate has said; one that is refused is not kept as it is, but with an Answer or not at all
}

// Receipt is what has come of a batch.
type Receipt struct {
	Kept     []Inbound // each item's, in order; what was there before as it is
	Released []Inbound // those that a code in the batch has let through, oldest first; they may be among Kept as held
	Queued   []int64   // conversations for which something was put into the outbox, each once
}
