package offline

var remindersPhrases = []string{
	"remind me {rest}",
	"set|create|add|make [me] [a|an] alarm|timer|reminder|appointment|event [{rest}]",
	"wake me {rest}",
	"schedule|book {rest}",
	"add|put {old} to|in|on|into my calendar",
}

var programsPhrases = []string{
	"run|execute|launch|install|compile {rest}",
	"open|start [the] app|application|program|browser [{rest}]",
}

var theInternetPhrases = []string{
	"google {rest}",
	"search|browse [on|in] [the] web|internet|online|google [{rest}]",
	"search [for] {old} on|in the web|internet|google",
	"look {old} up online|on_the_web|on_the_internet",
	"look|go online [{rest}]",
	"open|fetch|download|visit|get|read|summarize http|https {rest}",
	"what's|what_is|how's|how_is the weather|temperature|news [{rest}]",
	"weather [{rest}]",
	"will it rain|snow {rest}",
	"is it raining|cold|warm|sunny|hot [{rest}]",
	"what's|what_is in the news",
	"news|headlines",
}

var understandingTextPhrases = []string{
	"summarise|summarize|translate|explain|rewrite|rephrase|proofread|improve|analyse|analyze|" +
		"review|paraphrase|compare {rest}",
	"write|tell|make|compose|draft|sing [me|us] [a|an|another] [short|long|funny|little|nice] " +
		"story|poem|joke|song|essay|letter|email|haiku|speech|program|script|function|article|report|" +
		"limerick [{rest}]",
	"write|generate [me|some] code [{rest}]",
	"calculate|compute|solve {rest}",
	"read me a [bedtime] story|poem",
}

var messagesPhrases = []string{
	"send|email|mail|text|call|phone|message|tweet|post {rest}",
}

var picturesPhrases = []string{
	"draw|paint|sketch {rest}",
	"generate|render|create|make [me] [a|an|the] picture|image|photo|drawing|chart|logo|video " + "[{rest}]",
	"play|speak|sing|record {rest}",
}

var copiesPhrases = []string{
	"copy|duplicate|cp|clone [{rest}]",
	"make a copy of {rest}",
	"back up|backup {rest}",
}

var foldersPhrases = []string{
	"create|make|add|mkdir [me] [a|an] [new] [empty] folder|directory [called|named] [{rest}]",
	"mkdir {rest}",
	"new folder|directory [{rest}]",
}

var undoingPhrases = []string{
	"undo|revert|restore|undelete|recover [{rest}]",
	"bring {old} back",
	"put it|that back",
}

var everythingAtOncePhrases = []string{
	"delete|remove|erase|trash|rm|wipe|clear|empty|destroy|get_rid_of|clean_up [absolutely] all|" +
		"everything|* [of] [the|my|it|them] [{rest}]",
	"delete|remove|erase|trash|rm|wipe|clear|empty|destroy -rf|-r {rest}",
	"delete|remove|erase|wipe every {rest}",
	"delete|remove|erase|trash|rm|wipe|destroy [the|my] {glob} [files]",
	"delete|remove|erase|trash|rm|wipe|destroy [the|my] {pattern} files",
	"format [the|my] disk|drive|computer",
	"delete|remove|erase|wipe|clear|empty|destroy [the|my|this] [whole|entire] home|disk|drive|" +
		"computer|account [{rest}]",
	"wipe|clean_up|tidy [up] [{rest}]",
}
