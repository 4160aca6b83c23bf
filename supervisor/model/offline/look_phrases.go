package offline

var howManyPhrases = []string{
	"how many files|documents do|have i have|got [in_total]",
	"how many files|documents are|is there [in_total]",
	"count [all] [of] [the|my] files|documents",
	"how many files|documents are [there] in|inside [the|my] {folder} [folder|directory]",
	"how many files do i have in [the|my] {folder} [folder|directory]",
	"how many files [are_there] [in_total]",
	"count [all] [the|my] files in [the|my] {folder} [folder|directory]",
}

var listPhrases = []string{
	"ls|dir|ll",
	"ls|dir {path}",
	showing + "|what [me] [all] [the|my|of] {pattern} files|documents|images [do_i_have|are_there]",
	showing + " [me] [all] [the|my|of] {pattern} files|documents in|inside|under|of|from [the|my] {folder} " +
		"[folder|directory]",
	showing + " [me] [all] [the|my] files|documents matching|named|like|ending_in|ending_with {pattern}",
	showing + " [me] [all] [of] [the|my] {pattern}",
	showing + " [me] [a] list of [all] [the|my] files|documents",
	showing + " [me] [all] [the|my] [files|documents|everything] in|under [the|my] {folder} [folder|" +
		"directory] {deep}",
	"ls|dir|list {pattern} in [the|my] {folder} [folder|directory]",
	showing + " [me] [all|everything] [of] [the|my|your|our|these|those] [files|documents] {deep}",
	showing + " [me] [all] [of] [the|my|your|our] files|documents|everything|stuff|things [in|inside|of] " +
		"[the|my|this] {deep}",
	"list recursively",
	"tree",
	"show [me] [the] tree",
	showing + " [me] [all] [of] [what's|what_is] [in|inside] [the|my|your|our|this|all] [current|home|main|" +
		"whole|of] [my|the] files|documents|folder|directory|everything|contents|content|stuff|" +
		"file_list|home|workspace [here|there|i_have|are_there|there_are|in_here] [in|of] [my|the|" +
		"this] [folder|directory|home|workspace]",
	showing + " [me] [all] [of] [the|my|your|our] files|documents|everything|contents|content|stuff that|" +
		"which|i [are|is|have] [here|there|in_here]",
	"what|which files|documents|things|stuff do|have|can i|you have|got|see [here|there|now]",
	"what do i have [here|in_my_folder|in_here]",
	"what|which files|documents are|is [there|here] [in] [here|there|this_folder|my_folder|" + "the_folder]",
	"what's|what_is|whats [there] [in|inside] [my|this|the|here] [home] folder|directory|here|" + "workspace",
	"what's|what_is here|there",
	showing + " [me] [all] [of] [the|my] [files|documents|contents|content|everything|stuff] [that_are|" +
		"which_are|that_is] in|inside|under|of|from [the|my|folder|directory] [folder|directory] " +
		"[called|named] {folder} [folder|directory]",
	"list [the|my] [folder|directory] {folder} [folder|directory]",
	"open|show [me] [the|my] {folder} folder|directory",
	"open|show [me] [the|my] folder|directory {folder}",
	"what|which files|documents are|is [there] in|inside|under [the|my] [folder|directory] " +
		"{folder} [folder|directory]",
	"what|which files|documents do i have in [the|my] [folder|directory] {folder} [folder|directory]",
	"what|which files does [the|my] {folder} [folder|directory] have|contain|hold",
	"what's|what_is|whats|look in|inside|into [the|my] [folder|directory] {folder} [folder|directory]",
	"look around",
	"files",
	"my files",
	"do i have [any] files|documents",
}

var timePhrases = []string{
	"what|which time|day|date|month|year|weekday [of_the_week] is|do [it|today|we|this] [now|" +
		"today|have|currently] [right_now]",
	"what's|what_is|whats|tell_me|give_me|show_me|do_you_know|do_you_have|have_you_got|got [the|" +
		"today's|todays] [current|exact|local] time|date|day|weekday|hour|year|clock|date_and_time|" +
		"time_and_date|date_today|day_today|day_is_it|today|the_date_today [now|today|right_now|" +
		"is_it|it_is|here|please]",
	"what time|day|date|hour is it|today in|at {zone}",
	"what time|day|hour is it",
	"what's|what_is|whats|tell_me|give_me [the] [current|local] time|date in|at {zone}",
	"time|date|clock|now|today|the_time|date_and_time",
	"time|date in {zone}",
	"what time|day it is",
	"which|what day [of_the_week] [is] [it|today]",
	"tell|show|give me what|which time|day|date it|today is",
	"how late is it",
}
