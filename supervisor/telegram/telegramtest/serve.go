package telegramtest

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"time"
)

// request is one call of a method.
type request struct {
	call   int    // its place in the journal
	method string // as it is in the table
	params params
	files  map[string]File // by their parameters
	chat   int64
}

// methods is what the server can do, by lower-case name.
var methods = map[string]func(context.Context, *world, *request) answer{
	"getme":                  atOnce(getMe),
	"getupdates":             getUpdates,
	"sendmessage":            atOnce(sendMessage),
	"editmessagetext":        atOnce(editMessageText),
	"sendphoto":              atOnce(sendFile("photo", photo)),
	"senddocument":           atOnce(sendFile("document", anyFile)),
	"editmessagecaption":     atOnce(editMessageCaption),
	"editmessagereplymarkup": atOnce(editMessageReplyMarkup),
	"deletemessage":          atOnce(deleteMessage),
	"sendchataction":         atOnce(sendChatAction),
	"answercallbackquery":    atOnce(answerCallbackQuery),
	"setmycommands":          atOnce(setMyCommands),
	"getmycommands":          atOnce(getMyCommands),
	"deletemycommands":       atOnce(deleteMyCommands),
	"setwebhook":             atOnce(setWebhook),
	"deletewebhook":          atOnce(deleteWebhook),
	"getwebhookinfo":         atOnce(getWebhookInfo),
	"getfile":                atOnce(getFile),
	"close":                  atOnce(yes),
	"logout":                 atOnce(yes),
}

// atOnce is a method that waits for nothing.
func atOnce(run func(*world, *request) answer) func(context.Context, *world, *request) answer {
	return func(_ context.Context, w *world, r *request) answer {
		var a answer
		w.do(func() { a = run(w, r) })
		return a
	}
}

func yes(*world, *request) answer { return good(true) }

func getMe(w *world, _ *request) answer {
	me := w.bot.user.json()
	me["can_join_groups"], me["can_read_all_group_messages"], me["supports_inline_queries"] = true, false, false
	return good(me)
}

// ServeHTTP answers a request of the Bot API, or for a file.
func (s *Server) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	if !s.w.enter() {
		panic(http.ErrAbortHandler)
	}
	defer s.w.life.Done()
	if rest, ok := strings.CutPrefix(r.URL.Path, "/file/bot"); ok {
		token, path, _ := strings.Cut(rest, "/")
		s.download(rw, token, path)
		return
	}
	rest, ok := strings.CutPrefix(r.URL.Path, "/bot")
	token, method, named := strings.Cut(rest, "/")
	if !ok || !named {
		notFound().write(rw)
		return
	}
	s.call(rw, r, token, method)
}

func notFound() answer { return refuse(http.StatusNotFound, "Not Found") }

// call keeps a request, lets it through or not, and answers it as it is to be answered.
func (s *Server) call(rw http.ResponseWriter, r *http.Request, token, method string) {
	p, files, broken := readParams(r)
	req := &request{method: strings.ToLower(method), params: p, files: files, chat: p.number("chat_id")}
	var f *fault
	var a answer
	var came Call
	s.w.do(func() {
		now := s.w.now()
		req.call = s.w.journal.arrive(method, req, now)
		came = s.w.journal.calls[req.call]
		if f = s.w.faults.match(req, now); f == nil || f.After {
			a = s.w.gate(token, req, now)
		}
		if f != nil && f.Kind == Flood {
			a = s.w.limits.freeze(f.Fault, req, now)
		}
	})
	if s.w.options.Seen != nil {
		s.w.options.Seen(came)
	}
	if broken != nil {
		a = unreadable(broken)
	}
	if a.code == 0 && (f == nil || f.After) {
		a = methods[req.method](r.Context(), s.w, req)
	}
	s.answer(rw, r, req, a, f)
}

// unreadable is what the server says to what it can't read.
func unreadable(err error) answer {
	if large := new(http.MaxBytesError); errors.As(err, &large) {
		return refuse(http.StatusRequestEntityTooLarge, "Request Entity Too Large")
	}
	return bad("can't parse the request: %v", err)
}

// answer writes an answer, spoilt where there is a fault. That it was given is in the journal before.
func (s *Server) answer(rw http.ResponseWriter, r *http.Request, req *request, a answer, f *fault) {
	spoil := spoils[plainly]
	var given Fault
	if f != nil {
		spoil, given = spoils[f.Kind], f.Fault
	}
	code := spoil.code(given, a)
	s.w.do(func() { s.w.journal.answered(req.call, code, a.ok()) })
	if code != 0 || f != nil && !(f.After && a.code == 0) {
		spoil.write(rw, r, given, a)
	}
}

// gate is why a request is not even looked at. The caller is in do.
func (w *world) gate(token string, r *request, now time.Time) answer {
	if a := w.bot.admit(token); a.code != 0 {
		return a
	}
	if methods[r.method] == nil {
		return notFound()
	}
	a, violation := w.limits.hold(r, now)
	if violation != "" {
		w.journal.violate("%s", violation)
	}
	return a
}

// admit refuses a token that is not the bot's: another with 401, what is no token at all with 404.
func (b *bot) admit(token string) answer {
	if token == b.token && !b.revoked {
		return answer{}
	}
	if _, err := newBot(token, ""); err != nil {
		return notFound()
	}
	return refuse(http.StatusUnauthorized, "Unauthorized")
}
