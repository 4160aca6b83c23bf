package offline

var readSeveralPhrases = []string{
	reading + " [me] [the|my|both] [files|file] {paths} [file|files]",
	"what's|what_is in [the|my] [files] {paths}",
}

var readLinesPhrases = []string{
	reading + " [me] [only|just] [the] line|lines [from] {n} to|-|–|through|until|till|and [line] {m} of|" +
		"from|in " + aFile,
	reading + " [me] [only|just] [the] line|lines {span} of|from|in " + aFile,
	reading + " [me] " + aFile + " line|lines [from] {n} to|-|–|through|until|and {m}",
	reading + " [me] " + aFile + " line|lines {span}",
	"line|lines {span} of|from|in " + aFile,
	"line|lines {n} to|-|through {m} of|from|in " + aFile,
	reading + " [me] " + aFile + " from|starting [at|from] line {start} [on|onwards]",
	reading + " [me] " + aFile + " from [line] {n} to [line] {m}",
	"what's|what_is|what_does in|on [line] line {span} of|in|from " + aFile + " [say]",
	reading + " [me] line|lines {span}",
}

var readFirstPhrases = []string{
	reading + " [me] [only|just] [the] first|top {n} lines of|from|in " + aFile,
	reading + " [me] [only|just] [the] {first} of|from|in " + aFile,
	"head -n {n} " + aFile,
	"head " + aFile,
	"what's|what_is|what_are [the] first|top {n} lines of|in " + aFile,
	"what's|what_is [the] {first} of|in " + aFile,
	"first {n} lines of|from|in " + aFile,
}

var readLastPhrases = []string{
	reading + " [me] [only|just] [the] last|final|bottom {n} lines of|from|in " + aFile,
	reading + " [me] [only|just] [the] {last} of|from|in " + aFile,
	"tail -n {n} " + aFile,
	"tail " + aFile,
	"what's|what_is|what_are [the] last {n} lines of|in " + aFile,
	"what's|what_is [the] {last} of|in " + aFile,
	"last {n} lines of|from|in " + aFile,
}

var countPhrases = []string{
	"how many {unit} are|is|does|do [there] [in|inside] " + aFile + " [have|has|contain|contains]",
	"how many {unit} in|has " + aFile,
	"count [all] [the] {unit} in|of " + aFile,
	"how long is " + aFile,
	"wc [-l|-w] " + aFile,
	"word|line count of|for|in " + aFile,
	"count [the] {unit}",
}

var sizePhrases = []string{
	"how big|large|heavy|old|new is " + aFile,
	"what's|what_is [the] size|date|age of " + aFile,
	"size of " + aFile,
	"when was " + aFile + " last|modified|changed|written|edited|created [modified|changed|written|edited]",
	"what size is|has " + aFile,
	"stat " + aFile,
	"how big|large|old is [the|a|my] file",
}

var readPhrases = []string{
	reading + " [me] [out] [all] [of] [what's|what_is] [in|inside] [the] [content|contents|text] [of|from] " +
		aFile + " [to_me|for_me|out|aloud]",
	"what's|what_is|whats|what_does [written] [in|inside|on] " + aFile +
		" [say|contain|contains|says|look_like]",
	"what's|what_is|what_are [the] content|contents|text of " + aFile,
	"what does|do " + aFile + " say|contain|hold|have [in_it|inside]",
	"look at|into|in|inside " + aFile,
	"have a look at|into " + aFile,
	"take a look at|into " + aFile,
	"can|could|may i see|read|have [the] [content|contents] [of] " + aFile,
	"i want|need|would_like|'d_like to see|read|look_at " + aFile,
	"what did i write in " + aFile,
	"check|examine|inspect " + aFile,
	reading + " [me] [the|a|my] file|document|note that_is_about|about|mentioning|containing|with {query}",
	reading + " [me] [the|a|my|some] [text] [file|files|document|one|something]",
	"read|show|open|view|display|print|cat [me] [out] [the|a|my] [file|document|note] {vague} " +
		"[file|document|to_me|out]",
}
