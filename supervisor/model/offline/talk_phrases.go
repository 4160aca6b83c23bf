package offline

var connectPhrases = []string{
	"how do|can|could|would|should|to [i|we|you|one] connect|use|set_up|setup|configure|" +
		"switch_to|add|get|install|choose|select|change [to] [a|an|the|another|my|your|some] [real|" +
		"better|different|other|proper|actual|local|new] model|models|ai|llm|ollama|openai|chatgpt|" +
		"gpt|claude|gemini|llama|llama.cpp|language_model [instead]",
	"connect [me|us] [to|with] [a|an|the|another] [real|better|different|proper|actual|local] " +
		"model|ai|llm|ollama|openai|chatgpt|gpt|claude",
	"use|switch_to [a|an|the|another] [real|better|different|proper|local] model|ai|llm|ollama|" +
		"openai|chatgpt|gpt|claude",
}

var identityPhrases = []string{
	"who|what are|r you [exactly|really]",
	"who|what is|are mews",
	"who am i talking|speaking|chatting to|with",
	"are you [a|an] [real|actual|true|proper] ai|a.i.|bot|robot|human|person|machine|computer|" +
		"llm|model|chatgpt|gpt|claude|gemini|someone|real|alive|intelligent|conscious|sentient [or " + "{rest}]",
	"are you [a|an] artificial_intelligence|language_model|large_language_model|real_person|" + "human_being",
	"what's|what_is your name",
	"do you have a name",
	"is this [a|an] [real] ai|bot|human|person|model|llm",
	"what|which [kind_of|sort_of] model|ai|llm|bot are you|is_this|do_you_use|am_i_talking_to|" + "is_running",
	"tell me about yourself",
	"introduce yourself",
	"what can't|cannot you do",
	"what are your limits|limitations",
	"which|what model",
	"are you online|offline|connected",
}

var helpPhrases = []string{
	"help [me] [out]",
	"i need [some] help",
	"help me with|use [my] [files|this|mews|it]",
	"what can|could|do i|we ask|say|do [you|here|with_you|with_this]",
	"what can|could|do you do|understand|know|offer|handle|support [for_me|here|all]",
	"what are you able|good to|at [do] [do]",
	"what are you able_to|capable_of do|doing",
	"what [all] do you do|understand",
	"show [me] [the] help|commands|options",
	"what are|were your|the [available] skills|commands|abilities|capabilities|functions|" +
		"features|options|tools",
	"how can|do you help [me|us]",
	"how does this|it|mews work",
	"how do i|you use this|mews|it|you",
	"how do|does you|it|this|mews work|function",
	"commands|options|menu|usage|manual",
	"list [all] [your|the] commands|skills|abilities|tools",
	"can|could you help [me] [out]",
	"what now",
	"how do i [get] start|started",
	"what tools do you have",
	"what do you|i do",
	"/help",
	"?",
}

var recallPhrases = []string{
	"what did|have i [just] say|said|write|wrote|written|ask|asked|tell|told|type|typed|send|" +
		"sent [you] [just_now|before|last|earlier|a_moment_ago|again]",
	"what was|is my last|previous message|question|request|sentence|words",
	"what was|were my last words|message",
	"repeat|show [me] my [last|previous] message|question|words",
	"repeat what i [just] said|wrote|asked",
	"what was i [just] saying|asking",
}

var sayAgainPhrases = []string{
	"what did|have you [just] say|said|write|wrote|answer|answered [again|before|last|to_me]",
	"say|repeat that|it|this again",
	"repeat|pardon|come_again|what_was_that [that|it|yourself|please]",
	"repeat|show [me] your [last|previous] message|answer|reply",
	"what was your [last|previous] message|answer|reply",
	"i [did] not|didn't get|catch|understand that",
	"once more|again",
}

var echoPhrases = []string{
	"repeat after me {content}",
	"echo {content}",
	"say {content:quote}",
}

var howAreYouPhrases = []string{
	"how are|r you [doing|feeling|today|going] [today|mews]",
	"how's|how_is it going",
	"what's|what_is up",
	"how do you do|feel",
	"are you ok|okay|well|fine|there|awake|listening",
}

var greetingPhrases = []string{
	"hi|hello|hey|hiya|howdy|yo|hola|greetings|hallo|moin|servus|welcome|sup [there|mews|you|bot|" +
		"everyone|all|again|friend|world]",
	"good morning|afternoon|evening|day [mews|to_you|everyone|there]",
	"morning|evening",
	"hi|hello|hey hi|hello|hey|there [mews]",
	"nice|pleased|good to meet|see you",
	"is anyone|anybody|someone there|here|home",
	"anyone|anybody there|here|home",
	"test|testing|ping",
}

var thanksPhrases = []string{
	"thanks|thank_you|thx|ty|cheers|many_thanks|danke|gracias|merci [a_lot|so_much|very_much|" +
		"again|mews|for_that|for_your_help|for_the_help]",
	"thank you|u {rest}",
	"thanks for {rest}",
	"much appreciated",
	"i appreciate it|that",
	"that's|that_is|that_was|very|so helpful|kind|great|nice|perfect|all",
	"great|good|nice|well job|work|done",
}

var byePhrases = []string{
	"bye|goodbye|good_bye|ciao|farewell|cya|adios|tschüss|exit|quit|logout [bye|mews|for_now|then]",
	"see you|ya [later|soon|tomorrow|around]",
	"good night [mews]",
	"talk to you later|soon|tomorrow",
	"i'm|i_am|i_have_to|i've_to|i_must|gotta|got_to done|leaving|go|off [now]",
	"have a nice|good|great day|evening|night|weekend|one",
}

var acknowledgePhrases = []string{
	"yes|yeah|yep|yup|ok|okay|sure|fine|right|alright|all_right|cool|great|nice|perfect|good|wow|" +
		"awesome|understood|got_it|i_see|k|agreed|true|correct|exactly|of_course",
}

var howToPhrases = []string{
	"how|where do|can|could|would|should|does|to [i|we|you|one|people] {rest}",
	"what do i say|type|write to {rest}",
	"what's|what_is the command|way to|for {rest}",
	"can|could|may|should i {rest}",
	"are|is you|it able|possible to {rest}",
}

var cancelPhrases = []string{
	"never mind|that|it [about_it|that|it]",
	"nevermind|nvm|cancel|abort|stop|forget_it|forget_that|forget_about_it|skip_it|leave_it|" +
		"drop_it|no|nope|nothing|none|neither|nah [that|it|thanks|thank_you|mews|for_now|all_of_it]",
	"no|stop|wait do_not|don't|never {rest}",
	"no thanks|thank_you|need",
	"do nothing",
	"cancel|abort|stop that|this|it|everything|the_request",
	"wait|hold_on|hold_it|stop_it",
	"i changed my mind",
	"not now",
	"do_not|don't|dont|never delete|remove|erase|write|create|move|rename|change|edit|replace|" +
		"overwrite|touch|add|append|list|read|show|do|trash|save {rest}",
	"do_not|don't|dont",
}
