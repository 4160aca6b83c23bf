package offline

var pythonPhrases = []string{
	"run|execute [this|the_following|some] python [code|script|program] : {content}",
	"python : {content}",
}

var runPhrases = []string{
	"run|execute [this|the|the_following|a] [shell|bash] [command|program] : {content}",
	"run|execute [the] [shell|bash] [command|program] {quote} [for_me]",
	"$ {content}",
}
