package claim

var english = language{
	needsSubject:     true,
	onlyAfterOpening: true,
	letters:          []string{"subject:", "dear "},
	classes: map[class]string{
		subject:   "i",
		auxiliary: "have ve",
		filler: `have ve just only also now already gone went ahead then successfully finally quickly even both carefully too indeed
			again all_of directly immediately simply accordingly duly even`,
		join:     "and then plus &",
		opening:  "then so but now next also today here there finally first second instead additionally afterwards meanwhile since because while",
		negation: "not t never nothing neither nor cannot without unable none nobody mentally",
		condition: `if when whenever once unless would could might may maybe perhaps should whether until suppose imagine pretend wish shall d
			example story tale novel hypothetically supposedly almost nearly`,
		link: "that which who whom whose what",
		earlier: `yesterday earlier ago previously last_week last_month last_year last_night last_time last_monday last_tuesday last_wednesday
			last_thursday last_friday last_saturday last_sunday other_day as_i formerly originally  back_then`,
		already:   "already",
		yes:       "yes yep yeah yup indeed correct",
		done:      "done finished ready all_set all_done there_you all_gone fixed",
		aside:     "ok okay great alright sure good perfect right got_it no_problem thanks understood noted",
		owned:     "your",
		article:   "the a an this that these those my our their his her its no some any every each",
		passive:   "has_been have_been have_now has_now been",
		state:     "is are was were s re",
		other:     "has had can will ll must",
		agent:     "by",
		target:    "to up in into as under at on for with it them all both you him her everything and",
		shortened: "dr mr mrs ms prof vs eg e.g approx",
		shown:     "below above following",
		draft:     `draft title headline tweet joke quote bio  subject email mail letter message reply poem story haiku version paragraph translation caption toast text post wording phrasing sentence speech lyrics`,
		undo:      "ran_into ran_out read_your set_out set_off put_together looked_like looked_at checked_in saved_you saved_us saved_me made_sure paid_attention paid_off paid_special paid_close",
	},
	cues: map[cue]string{
		file: `file files folder folders directory directories document documents spreadsheet csv pdf note notes readme repository repo
			disk journal diary thesis backup backups branch config configuration logs log
			attachment attachments invoices receipts uploads archive changelog workspace entry entries`,
		picture:  "photo photos picture pictures image images scan scans",
		list:     "list lists todo to-do todos to-dos tasks task",
		calendar: "calendar reminder reminders alarm alarms timer timers appointment appointments event events cron cronjob job schedule",
		memory:   "memory memories note_of note_that remember",
		fact:     "that_you",
		program: `test tests script scripts command commands program server service build benchmark benchmarks linter suite code
			container migration query app compiler notebook job`,
		source: `web internet online google wikipedia website websites site sites page pages docs documentation inbox emails
			database logs log history weather news forum forums repository repo codebase folder timetable`,
		message: "message messages mail mails email emails pdf file document link photo picture slides invoice invoices report copy attachment",
	},
	verbs: map[*verb]string{
		store:  "saved stored persisted",
		add:    "added appended entered recorded logged +put written wrote filed moved placed crossed ticked marked checked_off inserted",
		note:   "noted jotted",
		update: "updated",
		change: `created backed_up changed edited modified fixed replaced renamed copied converted merged rewrote rewritten made took taken
			corrected overwrote overwritten reorganized reorganised sorted exported generated downloaded extracted extended adjusted patched
			restored refactored archived unzipped compressed cleaned formatted translated prepared split`,
		erase:    "deleted erased trashed",
		remove:   "removed cleared wiped emptied took_off taken_off dropped purged cancelled canceled",
		send:     "sent emailed e-mailed mailed forwarded texted messaged resent",
		share:    "shared attached posted published submitted delivered",
		execute:  "executed reran compiled installed restarted rebooted benchmarked",
		run:      "ran tested started launched built stopped rebuilt deployed ve_run have_run",
		schedule: "scheduled rescheduled",
		set:      "+set postponed in_place",
		buy:      "booked paid purchased bought wired",
		search:   "searched googled looked_up looked_it",
		read:     "checked double-checked looked +read opened scanned consulted browsed skimmed reviewed examined inspected went_through gone_through queried fetched",
		memorize: "memorized memorised remembered_that remembered_it remembered_this",
	},
}
