package supervisor

import "time"

// RoutineDigest is the routine that tells what there is today, what jobs did, which files are new,
// and what waits for its person.
const RoutineDigest = "digest"

// DigestRows are what the rows of a person say for their digest.
type DigestRows struct {
	Did     []JobDid
	Waiting []Waiting
}

// JobDid is what came of one job's fires.
type JobDid struct {
	Job   Job // without its Conversation
	Count map[FireState]int
	Cost  int64 // millionths of a US dollar
	World bool  // its title may have words of somebody else than the person
}

// WaitingKind is what waits for a person.
type WaitingKind string

const (
	WaitingQuestion   WaitingKind = "question"    // it has an answer to come
	WaitingPromptFile WaitingKind = "prompt_file" // it has changed, and is to be accepted
	WaitingHeld       WaitingKind = "held"        // messages that a gate holds
	WaitingLost       WaitingKind = "lost"        // messages that may not have arrived
	WaitingJob        WaitingKind = "job"         // it is to be started
)

// Waiting is something that waits for a person.
type Waiting struct {
	Kind  WaitingKind
	Text  string    // what was asked, or the path of a file
	Count int       // of messages
	Since time.Time // of several the last
	World bool      // its text may have words of somebody else than the person
}

// HomeFile is a file of a person's home, as the index has it.
type HomeFile struct {
	Path     string
	Modified time.Time
}
