package telegramtest

import (
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"
)

// maxEntities is the most entities of a message.
const maxEntities = 100

// Entity is a mark on a part of a text, in the Bot API's form.
type Entity struct {
	Type     string `json:"type"`
	Offset   int    `json:"offset"`
	Length   int    `json:"length"`
	URL      string `json:"url,omitempty"`
	Language string `json:"language,omitempty"`
}

// Types of entities. The server finds entities of foundTypes in texts by itself, and ignores such
// entities from a bot. A bot may give entities of givenTypes. (Client.cpp: get_text_entity_type.)
var (
	foundTypes = strings.Fields("mention hashtag cashtag bot_command url email phone_number bank_card_number")
	givenTypes = strings.Fields("bold italic underline strikethrough spoiler blockquote expandable_blockquote code pre " +
		"text_link text_mention custom_emoji")
)

// readEntities reads the entities of a text. It refuses invalid entities.
func readEntities(p params, name string) ([]Entity, answer) {
	var raw []json.RawMessage
	if err := p.decode(name, &raw); err != nil {
		return nil, badRequest("can't parse entities: %v", err)
	}
	var entities []Entity
	for _, r := range raw {
		var e struct {
			Entity
			Offset *int `json:"offset"`
			Length *int `json:"length"`
		}
		if err := json.Unmarshal(r, &e); err != nil {
			return nil, badRequest("can't parse MessageEntity: %v", err)
		}
		if fault := missingField(e.Entity, e.Offset, e.Length); fault != "" {
			return nil, badRequest("can't parse MessageEntity: %s", fault)
		}
		e.Entity.Offset, e.Entity.Length = *e.Offset, *e.Length
		if !slices.Contains(foundTypes, e.Type) {
			entities = append(entities, e.Entity)
		}
	}
	return entities, checkLinks(entities)
}

// missingField returns the name of a field that the entity needs and lacks; "" if there is none.
func missingField(e Entity, offset, length *int) string {
	switch {
	case offset == nil:
		return `Can't find field "offset"`
	case length == nil:
		return `Can't find field "length"`
	case e.Type == "":
		return `Can't find field "type"`
	case !slices.Contains(foundTypes, e.Type) && !slices.Contains(givenTypes, e.Type):
		return "Unsupported type specified"
	case e.Type == "text_link" && e.URL == "":
		return `Can't find field "url"`
	}
	return ""
}

// checkLinks refuses links outside the internet. (TDLib: LinkManager::check_link.)
func checkLinks(entities []Entity) answer {
	for _, e := range entities {
		if e.Type != "text_link" {
			continue
		}
		if fault := linkProblem(e.URL); fault != "" {
			return badRequest("entity URL '%s' is invalid: %s", e.URL, fault)
		}
	}
	return answer{}
}

func linkProblem(link string) string {
	scheme, _, ok := strings.Cut(link, ":")
	if !ok || strings.ContainsAny(scheme, "./?#@") {
		link, scheme = "http://"+link, "http"
	}
	u, err := url.Parse(link)
	switch scheme = strings.ToLower(scheme); {
	case err != nil:
		return "Wrong HTTP URL"
	case scheme == "tg" || scheme == "ton" || scheme == "tonsite":
		return ""
	case scheme != "http" && scheme != "https":
		return "Unsupported URL protocol"
	case !strings.ContainsAny(strings.Trim(u.Hostname(), "."), ".:"):
		return "Wrong HTTP URL"
	}
	return ""
}

// checkBounds refuses entities outside the text, or with an end within a surrogate pair.
func checkBounds(text string, entities []Entity) answer {
	length := -1
	for _, e := range entities {
		if length < 0 {
			length = utf16Length(text)
		}
		if a := inBounds(text, length, e); a.code != 0 {
			return a
		}
	}
	return answer{}
}

func inBounds(text string, length int, e Entity) answer {
	end := e.Offset + e.Length
	begins, exactly := 0, true
	if e.Offset >= 0 && e.Offset <= length {
		begins, exactly = byteOffset(text, e.Offset)
	}
	ends, endsExactly := byteOffset(text, end)
	switch {
	case e.Offset < 0 || e.Offset > 1000000:
		return badRequest("receive an entity with incorrect offset %d", e.Offset)
	case e.Length < 0 || e.Length > 1000000:
		return badRequest("receive an entity with incorrect length %d", e.Length)
	case e.Offset > length:
		return badRequest("entity begins after the end of the text at UTF-16 offset %d", e.Offset)
	case end > length:
		return badRequest("entity beginning at UTF-16 offset %d ends after the end of the text at UTF-16 offset %d", e.Offset, end)
	case !exactly:
		return badRequest("entity begins in a middle of a UTF-16 symbol at byte offset %d", begins)
	case !endsExactly:
		return badRequest("entity beginning at UTF-16 offset %d ends in a middle of a UTF-16 symbol at byte offset %d", e.Offset, ends)
	}
	return answer{}
}

// checkNesting checks the nesting of sorted entities. It refuses overlaps. (Telegram's server
// splits overlapping entities, but clients should not rely on that.) The violations are nestings
// that Telegram accepts and changes.
func checkNesting(entities []Entity) (a answer, violations []string) {
	var open []Entity
	for _, e := range entities {
		for len(open) > 0 && open[len(open)-1].Offset+open[len(open)-1].Length <= e.Offset {
			open = open[:len(open)-1]
		}
		for _, around := range open {
			if e.Offset+e.Length > around.Offset+around.Length {
				return badRequest("can't parse entities: %s at %d overlaps %s at %d", e.Type, e.Offset, around.Type, around.Offset), nil
			}
			if mayNotNest(around.Type, e.Type) {
				violations = append(violations, fmt.Sprintf("a %s at %d is within a %s", e.Type, e.Offset, around.Type))
			}
		}
		open = append(open, e)
	}
	return answer{}, violations
}

// mayNotNest reports whether a mark may not be within another. (Bot API, formatting options.)
func mayNotNest(around, within string) bool {
	quote := func(t string) bool { return strings.HasSuffix(t, "blockquote") }
	return around == "code" || around == "pre" || quote(around) && quote(within) || around == within && around == "text_link"
}
