package offline

var showNotesPhrases = []string{
	"show|read|list|open|see|view|display|print|check|give|get|tell|what_are|what's_in|" +
		"what_is_in|look_at|i_want_to_see|let_me_see [me] [all] [of] my|the|our [quick] notes [file]",
	"what notes do|have i have|got|taken|made",
	"do i have [any] notes",
	"my notes",
	"what did i note [down]",
	"notes",
	"show|list notes",
}

var notePhrases = []string{
	"take|make|write|add|save|create|jot|leave|keep [down] [me] [a|another|this] [new|quick|" +
		"short|little] note [for_me]",
	"take|make|write|add|save|create|jot|leave|keep|put [down] [me] [a|another|this] [new|quick|" +
		"short|little] note [to_self|to_myself|for_me] [down] [that|saying|to|about|of|which_says] " +
		"{content:remark}",
	"note [to_self|to_myself|down] [that] {content:statement}",
	"new|quick note : {content}",
	"new|quick note [to_self|to_myself]",
	"take|make note of|that [that|the_fact_that] {content}",
	"jot|write|note this|that|it down : {content}",
	"jot down [that] {content}",
	"write down [that] {content}",
	"remember [this] [that] : {content}",
	"remember that {content:statement}",
	"keep in mind that {content:statement}",
	"save|remember|keep this : {content}",
	"add|put|write|save {content} to|in|into|under my|the notes",
}

var showTodosPhrases = []string{
	"show|read|list|open|see|view|display|print|check|give|get|tell|what_are|what's_on|" +
		"what_is_on|what's_in|look_at|i_want_to_see|let_me_see [me] [all] [of] [my|the|our] [open] " + todoList +
		" [list|lists|items]",
	"what do|must|should i have|need|got|do [to] [do] [today|next|now]",
	"what have i got to do [today]",
	"what's|what_is left to do",
	"what to-dos|todos|tasks do|have i have|got [left|open]",
	"my " + todoList + " [list]",
	"todos|to-dos|to-do_list|todo_list|task_list|tasks",
	"do i have [any|something|anything] [tasks|todos|to-dos] [to_do]",
	"what's|what_is next [on_my_list]",
}

var todoPhrases = []string{
	"add|create|make|new|put|write [a|an|another] [new] " + todoList + " [item|list_item]",
	"add|put|write|append [the|a] [new] [item|task] {content} to|on|onto|in|into my|the|our " + todoList +
		" [list]",
	"add|create|make|new|put|write|save [me] [a|an|another] [new] " + todoList +
		" [item|list_item] [to|for|called|saying|about] {content}",
	todoList + " : {content}",
	"todo|to-do|to_do {content:statement}",
	todoList + " add {content}",
	"add|put|write [something|an_item] to|on my|the " + todoList + " [list]",
	"remember to {content:statement}",
	"don't|do_not|dont forget to {content:statement}",
	"don't|do_not let me forget [to] {content:statement}",
	"i need|have|want to remember to {content:statement}",
}

var donePhrases = []string{
	"mark|set [the] [" + todoList + "] {content:query} as|to done|complete|completed|finished",
	"mark|set [the] [" + todoList + "] {content:query} done|complete|completed|finished",
	"tick|check|cross off {content:query} [from|on my|the " + todoList + " [list]]",
	"tick|check|cross {content:query} off [my|the] [" + todoList + "] [list]",
	"complete|finish [the] task|todo|to-do|item {content:query}",
	"done : {content:query}",
	"tick|check|cross off something",
	"mark|tick|complete [a] task|todo|to-do [as] [done]",
}
