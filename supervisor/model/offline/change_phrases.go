package offline

var overwritePhrases = []string{
	"overwrite " + aFile + " " + asText + " {content}",
	"replace|set|change|update [the|all] [whole|entire] [content|contents|text] of|in " + aFile +
		" with|to|by {content}",
	"overwrite " + aFile + " : {content}",
	"replace everything|all in " + aFile + " with|by {content}",
	"overwrite " + aFile,
	"overwrite [a|the] file",
}

var emptyFilePhrases = []string{
	"create|make|touch|start|add [me] [a|an] new|empty|blank [empty|blank] [text] [file|" +
		"document] [called|named] {path:named} with_nothing|that_is_empty [in_it]",
	"create|make|start|add [me] [an|a] [new] empty|blank [new] [text|markdown] [file|document] " +
		"[called|named] {path:named}",
	"touch {path}",
}

var writePhrases = []string{
	"create|make|write|start|add|new|save|store|generate [me] " + aFile + " " + asText + " {content}",
	"write|save|store|create|make [the|this] [text|words|word|line|content] {content} to|into|in|" +
		"as|under|inside [a|the|my] [new] [text|markdown] [file|document] [called|named] {path:named}",
	"create|make|write|save|new " + aFile + " : {content}",
	"write|save [in|into|to] " + aFile + " {content:quote}",
	"in|into {path:named} write|put {content}",
	"create|make|write|start|add|new|save [me] " + aFile,
	"create|make|write|start|add|save [me] [a|an|the] [new] [text|markdown] file|document [for_me] " + asText +
		" {content}",
	"create|make|write|start|add|save|new [me] [a|an|the] [new] [text|markdown] file|document " + "[for_me]",
	"write|create|save|make [something|a_text] [to|in] [a|the] [file]",
}

var appendPhrases = []string{
	"add|append|put|insert [the|a|this|another] [new] [following] line|lines|text|words|word|" +
		"sentence|item|entry [saying|that_says|with] {content} " + atEnd + " " + aFile,
	"add|append [a|another] [new] line|text|something|item|entry " + atEnd + " " + aFile + " : {content}",
	"add|append " + atEnd + " " + aFile + " : {content}",
	"add|append " + atEnd + " " + aFile + " [the] [line|text|words] {content}",
	"append [the] [text|line] {content:quote} " + atEnd + " " + aFile,
	"add|append|insert [a|another] [new] line|text|something|item|entry " + atEnd + " " + aFile,
	"add|append " + atEnd + " " + aFile,
	"add|append|put|insert|also_write {content} " + atEnd + " " + aFile,
	"add|append {content} to my|the|a {vague} list|file|document",
	"append|add [something|a_line] [to] [a|the|my] [file]",
	"append {content:quote}",
}

var movePhrases = []string{
	"move|put|mv " + aFile + " [over] to|into|in [the|my|a] {folder} folder|directory",
	"move|mv " + aFile + " [over] into {folder}",
	"move|put|mv " + aFile + " [over] to|into|in [the|my|a] folder|directory [called|named] {folder}",
	"move|rename|mv " + aFile + " to|as|into|in {to}",
	"rename|move|mv [the|my] file|folder|directory [called|named] {path} to|as|into {to}",
	"mv|rename {path} {to}",
	"rename {path} to|as|into {to}",
	"move {path} to {to:named}",
	"change|set the name of " + aFile + " to {to}",
	"give " + aFile + " the [new] name {to}",
	"move|rename|mv " + aFile,
	"move|rename|mv [a|the|my] file",
	"move|rename [the|my] {vague} file",
	"move|rename|mv",
}

var removeTextPhrases = []string{
	"remove|delete|take|erase|cut [the] [word|words|text|phrase|line] {old} from|out_of " + aFile,
}

var replacePhrases = []string{
	"replace|substitute|swap|change {all} [the] [word|words|text|phrase] {old} with|by|for|to|" +
		"into {new} in|inside|of|throughout " + aFile,
	"replace|substitute|swap|change|exchange|correct [the] [word|words|text|phrase|line] {old} " +
		"with|by|to|into|for {new} in|inside|of|everywhere_in " + aFile,
	"in " + aFile + " replace|change|substitute {all} {old} with|by|to|into {new}",
	"in " + aFile + " replace|change|substitute [the] [word|text|line] {old} with|by|to|into {new}",
	"edit " + aFile + " and|to replace|change {old} with|to|into|by {new}",
	"replace|change|edit [some|a|the] [text|word|something|line] in " + aFile,
	"edit|change|modify " + aFile,
	"edit|change|modify [a|the] file",
	"replace|change|substitute [the] [word|text] {old} with|by|to|into {new}",
}

var deleteSeveralPhrases = []string{
	"delete|remove|erase|trash|rm|get_rid_of|throw_away|bin|discard|scrap [both|the|my] [files] " +
		"{paths} [files]",
}

var deletePhrases = []string{
	"delete|remove|erase|trash|rm|get_rid_of|throw_away|bin|discard|scrap " + aFile +
		" [completely|forever|permanently] [away]",
	"delete|remove|erase|trash|rm|get_rid_of|throw_away|bin|discard|scrap [the|my] file|folder|" +
		"document|directory [called|named] {path}",
	"delete|remove|rmdir|erase [the|my] {path} folder|directory|file",
	"throw|put|move " + aFile + " away|in_the_trash|in_the_bin|to_the_trash|into_the_trash",
	"delete|remove|erase|trash|rm|get_rid_of|throw_away|bin|discard|scrap [{vague}]",
}
