package telegramtest

import "slices"

// contentField gives the message a content that is neither a file nor a text.
func contentField(kind string, value map[string]any) MessageOption {
	return func(s *personMessage) { s.Media, s.more[kind] = kind, value }
}

func place(latitude, longitude float64) map[string]any {
	return map[string]any{"latitude": latitude, "longitude": longitude}
}

// WithLocation makes the message a place on the map.
func WithLocation(latitude, longitude float64) MessageOption {
	return contentField("location", place(latitude, longitude))
}

// WithLiveLocation makes the message a place that moves for a quarter of an hour. Each movement is
// an edit of the message.
func WithLiveLocation(latitude, longitude float64) MessageOption {
	where := place(latitude, longitude)
	where["live_period"] = 900
	return contentField("location", where)
}

// WithVenue makes the message a place with a name. The server also shows it as a location.
func WithVenue(title, address string, latitude, longitude float64) MessageOption {
	where := place(latitude, longitude)
	show := contentField("venue", map[string]any{"title": title, "address": address, "location": where})
	return func(s *personMessage) {
		show(s)
		s.more["location"] = where
	}
}

// WithContact makes the message somebody's phone number.
func WithContact(first, phone string) MessageOption {
	return contentField("contact", map[string]any{"first_name": first, "phone_number": phone})
}

// WithPoll makes the message a poll; kind is regular or quiz.
func WithPoll(kind, question string, options ...string) MessageOption {
	shown := []any{}
	for _, option := range options {
		shown = append(shown, map[string]any{"text": option, "voter_count": 0})
	}
	return contentField("poll",
		map[string]any{"id": "1", "type": kind, "question": question, "options": shown, "total_voter_count": 0,
			"is_closed": false, "is_anonymous": true, "allows_multiple_answers": false})
}

// WithDice makes the message a throw of dice.
func WithDice(emoji string, value int) MessageOption {
	return contentField("dice", map[string]any{"emoji": emoji, "value": value})
}

// WithChecklist makes the message a list of tasks, the done tasks first.
func WithChecklist(title string, done, open []string) MessageOption {
	shown := []any{}
	for i, task := range slices.Concat(done, open) {
		one := map[string]any{"id": i + 1, "text": task}
		if i < len(done) {
			one["completion_date"] = 1760000000
		}
		shown = append(shown, one)
	}
	return contentField("checklist", map[string]any{"title": title, "tasks": shown})
}

// WithGame makes the message a game, which a bot does not get.
func WithGame(title string) MessageOption {
	return contentField("game", map[string]any{"title": title, "description": "", "photo": []any{}})
}

// WithStory makes the message a story of another chat.
func WithStory(of Chat) MessageOption {
	return contentField("story", map[string]any{"chat": of.json(), "id": 3})
}

// WithPaidMedia makes the message paid media, whose content a bot does not get. It may have a
// caption.
func WithPaidMedia() MessageOption {
	return contentField("paid_media", map[string]any{"star_count": 5, "paid_media": []any{map[string]any{"type": "preview"}}})
}
