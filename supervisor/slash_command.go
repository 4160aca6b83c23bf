package supervisor

// SlashCommand is what is known of a slash command before it runs. Its row in package command says
// so, and everything below that package is given it by name.
type SlashCommand struct {
	Name string // lower case, without the slash
	Help string // what it does, in a few words that begin with a small letter
	// Urgent commands are taken however fast they come, and wait for no other command.
	Urgent bool
	// Open commands run while the gate is closed: nobody gains anything by them.
	Open bool
	// EndsTurn says that what was sent behind it is not for the turn that runs: that turn takes in
	// nothing of it.
	EndsTurn   bool
	AdminsOnly bool
	// Locks is which gates it closes as it is kept, by its arguments in lower case. With other
	// arguments it closes none.
	Locks map[string]Lock
}
