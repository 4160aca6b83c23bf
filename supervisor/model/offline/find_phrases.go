package offline

var findNamedPhrases = []string{
	looking + "|is_there|do_i_have|do_you_have|have_i_got [me] [all|any|every|a|an|the|my] [of] [the|my] " +
		"file|files|document|documents|note [that_is|that_are|which_is] called|named|with_name|" +
		"with_the_name|like|matching|whose_name_contains {vague}",
	looking + "|is_there|do_i_have|show|list [me] [all|any|every|a|the|my] file|files|document|documents " +
		"with {vague} in the|their|its name|names|title|filename",
}

var searchPhrases = []string{
	"search|grep|look|scan|find [in|inside|through] {path:named} for [the] [word|text|phrase] {query}",
	"search|grep|look|find [for] [the] [word|text|phrase|string] {query} in|inside [the|my] " +
		"[file] {path:named}",
	"search|grep|look|find [for] [the] [word|text|phrase|string] {query} in|inside [the|my] " +
		"{folder} folder|directory|notes",
	"search|grep|look|scan [in|inside|through|all|all_of] [the|my] [all|whole] files|notes|" +
		"documents|folder|everything for [the] [word|text|phrase] {query}",
	"search|grep|look|find for|the|all [the] word|text|phrase|string|mentions|occurrences|lines|" +
		"mention|places [of|with|containing|that_mention] {query} [in] [all] [my|the] [files|notes|" +
		"documents|folder]",
	looking + " [all|any|every|the] files|file|documents|document|notes|note|anything|something|everything|" +
		"lines|text containing|mentioning|about|that_contains|that_contain|that_mention|" +
		"that_mentions|with_the_word|with_the_text|which_contain|which_mention|with [the] [word|" +
		"text] {query}",
	"which|what files|file|notes|note|documents|document|lines contain|contains|mention|mentions|" +
		"have|has|talk_about|talks_about|are_about|is_about [the] [word|text] {query}",
	"in which|what file|files|note is {query}",
	"where did|do|have i write|written|mention|mentioned|note|noted [down] [about] {query}",
	"where is {query:quote} [mentioned|written|used]",
	"where is {query} mentioned|written",
	"do i have anything|something|notes [written] about|on {query}",
	"what did i write|note [down] about {query}",
	"search|grep [for] {query} in [all] [my|the] files|notes|documents|folder",
	"find|locate {query} in [all] [my|the] files|notes|documents",
	"find|locate {query:quote}",
	"search|grep [for] [the] {query}",
	"look for [the] {query}",
	"search|grep|search_for|look_for|search_files|search_my_files [for] [something|text|a_word]",
	"search|grep",
	"is there anything|something about {query} [in_my_files|in_my_notes]",
}

var findPhrases = []string{
	looking + "|is_there|do_i_have [me] [a|the|my] [file] {vague:named}",
	"where [is|did_i_put|can_i_find] [the|my] [file] {vague:named}",
	looking + "|where [me] [is] [all|any|every|the|my] [of] [the|my] {pattern} files|documents [are]",
	"where's|where_is|where_did_i_put|which_folder_is [the|my] {vague} file|list|document|note [in]",
	"find|locate [me] [the|my] {vague} [file|files|document]",
	"find|locate [a|my|the] file|files|document",
	"find|locate",
	"where is my file",
	"does [the|a] [file] {vague:named} exist",
	"is there [a|the] [file] {vague:named} [here]",
}
