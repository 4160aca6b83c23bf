package telegramtest

import (
	"context"
	"errors"
	"net"
	"net/http"
	"strings"
	"time"
)

// request is one call of an API method.
type request struct {
	call   int    // position of the call in the log
	method string // the method's name, spelled as in the table
	params params
	files  map[string]File // uploaded files, by parameter
	chat   int64
	conn   net.Conn // the connection of the request
}

// connKey is the context key of a request's connection.
type connKey struct{}

func withConn(ctx context.Context, c net.Conn) context.Context {
	return context.WithValue(ctx, connKey{}, c)
}

// requestConn returns the connection of a request.
func requestConn(ctx context.Context) net.Conn {
	c, _ := ctx.Value(connKey{}).(net.Conn) // nil if a test calls the handler directly
	return c
}

// methods are the API methods of the server, by lower-case name.
var methods = map[string]func(context.Context, *serverState, *request) answer{
	"getme":                  withoutWait(getMe),
	"getupdates":             getUpdates,
	"sendmessage":            withoutWait(sendMessage),
	"editmessagetext":        withoutWait(editMessageText),
	"sendphoto":              withoutWait(sendFile(photos)),
	"senddocument":           withoutWait(sendFile(documents)),
	"sendvoice":              withoutWait(sendFile(voices)),
	"sendaudio":              withoutWait(sendFile(audios)),
	"sendvideo":              withoutWait(sendFile(videos)),
	"sendanimation":          withoutWait(sendFile(movies)),
	"sendmediagroup":         withoutWait(sendMediaGroup),
	"editmessagecaption":     withoutWait(editMessageCaption),
	"editmessagereplymarkup": withoutWait(editMessageReplyMarkup),
	"deletemessage":          withoutWait(deleteMessage),
	"deletemessages":         withoutWait(deleteMessages),
	"setmessagereaction":     withoutWait(setMessageReaction),
	"sendchataction":         withoutWait(sendChatAction),
	"answercallbackquery":    withoutWait(answerCallbackQuery),
	"setmycommands":          withoutWait(setMyCommands),
	"getmycommands":          withoutWait(getMyCommands),
	"deletemycommands":       withoutWait(deleteMyCommands),
	"setwebhook":             withoutWait(setWebhook),
	"deletewebhook":          withoutWait(deleteWebhook),
	"getwebhookinfo":         withoutWait(getWebhookInfo),
	"getfile":                withoutWait(getFile),
	"close":                  withoutWait(alwaysTrue),
	"logout":                 withoutWait(alwaysTrue),
}

// withoutWait adapts a method that never waits to the type of the methods table.
func withoutWait(run func(*serverState, *request) answer) func(context.Context, *serverState, *request) answer {
	return func(_ context.Context, w *serverState, r *request) answer {
		var a answer
		w.change(func() { a = run(w, r) })
		return a
	}
}

func alwaysTrue(*serverState, *request) answer { return good(true) }

func getMe(w *serverState, _ *request) answer {
	me := w.bot.user.json()
	me["can_join_groups"], me["can_read_all_group_messages"], me["supports_inline_queries"] = true, false, false
	return good(me)
}

// ServeHTTP answers an API request or a download.
func (s *Server) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	if !s.state.begin() {
		panic(http.ErrAbortHandler)
	}
	defer s.state.lifetime.Done()
	if rest, ok := strings.CutPrefix(r.URL.Path, "/file/bot"); ok {
		token, path, _ := strings.Cut(rest, "/")
		s.download(rw, r, token, path)
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

// call records a request, checks its limits, and answers it. A request that is incomplete because
// the client has gone is ignored.
func (s *Server) call(rw http.ResponseWriter, r *http.Request, token, method string) {
	whole := &requestBody{ReadCloser: r.Body}
	r.Body = whole
	p, files, broken := readParams(r)
	if whole.cut {
		panic(http.ErrAbortHandler)
	}
	req := &request{method: strings.ToLower(method), params: p, files: files, chat: p.number("chat_id"), conn: requestConn(r.Context())}
	var f *fault
	var a answer
	var came APICall
	s.state.change(func() {
		now := s.state.now()
		req.call = s.state.log.arrive(method, req, now)
		came = s.state.log.calls[req.call]
		if f = s.state.faults.match(req, now); f == nil || f.After {
			a = s.state.refuseUnread(token, req, now)
		}
		if f != nil && f.Kind == FloodFault {
			a = s.state.limits.floodByFault(f.Fault, req, now)
		}
	})
	if s.state.options.OnRequest != nil {
		s.state.options.OnRequest(came)
	}
	if broken != nil {
		a = refuseUnreadable(broken)
	}
	if a.code == 0 && (f == nil || f.After) {
		a = methods[req.method](r.Context(), s.state, req)
	}
	s.answer(rw, r, req, a, f)
}

// refuseUnreadable returns the refusal of a request that could not be read.
func refuseUnreadable(err error) answer {
	if large := new(http.MaxBytesError); errors.As(err, &large) {
		return refuse(http.StatusRequestEntityTooLarge, "Request Entity Too Large")
	}
	return badRequest("can't parse the request: %v", err)
}

// answer writes an answer, or the fault f instead. It records the answer first.
func (s *Server) answer(rw http.ResponseWriter, r *http.Request, req *request, a answer, f *fault) {
	spoil := faultEffects[noFault]
	var given Fault
	if f != nil {
		spoil, given = faultEffects[f.Kind], f.Fault
	}
	code := spoil.code(given, a)
	s.state.change(func() { s.state.log.answered(req.call, code, a.ok()) })
	if code != 0 || f != nil && !(f.After && a.code == 0) {
		spoil.write(rw, r, given, a)
	}
}

// refuseUnread returns the refusal of a request that is refused before it is read. The caller runs
// within serverState.change.
func (w *serverState) refuseUnread(token string, r *request, now time.Time) answer {
	if a := w.bot.checkToken(token); a.code != 0 {
		return a
	}
	if methods[r.method] == nil {
		return notFound()
	}
	a, violation := w.limits.refuseFlooding(r, now)
	if violation != "" {
		w.log.violate("%s", violation)
	}
	return a
}

// checkToken refuses a wrong token with 401, or with 404 if the token is malformed.
func (b *bot) checkToken(token string) answer {
	if token == b.token && !b.revoked {
		return answer{}
	}
	if _, err := newBot(token, ""); err != nil {
		return notFound()
	}
	return refuse(http.StatusUnauthorized, "Unauthorized")
}
