package app_test

import (
	"crypto/rand"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"mews/supervisor/app"
	"mews/supervisor/app/apptest"
	"mews/supervisor/egress/egresstest"
	"mews/supervisor/model/modeltest"
	"mews/supervisor/sqlite"
)

// workCalendar is a calendar of others, with an alarm and an event at the time of a dentist.
const workCalendar = "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nBEGIN:VEVENT\r\nUID:standup@example.org\r\n" +
	"SUMMARY:Standup\r\nDTSTART:20301203T143000Z\r\nDURATION:PT1H\r\n" +
	"BEGIN:VALARM\r\nTRIGGER:-PT5M\r\nACTION:DISPLAY\r\nEND:VALARM\r\n" +
	"END:VEVENT\r\nEND:VCALENDAR\r\n"

// calendarServer is a server that sends a calendar to those who know its address.
type calendarServer struct {
	token  string
	status atomic.Int64 // status of each answer; 0 means a calendar
	asked  atomic.Int64
	same   atomic.Int64 // answers without a body
}

func (s *calendarServer) serve(w http.ResponseWriter, r *http.Request) {
	s.asked.Add(1)
	switch status := int(s.status.Load()); {
	case r.URL.Path != "/cal/"+s.token+"/basic.ics":
		w.WriteHeader(http.StatusNotFound)
	case status != 0:
		w.WriteHeader(status)
	case r.Header.Get("If-None-Match") == `"v1"`:
		s.same.Add(1)
		w.WriteHeader(http.StatusNotModified)
	default:
		w.Header().Set("ETag", `"v1"`)
		fmt.Fprint(w, strings.Replace(workCalendar, "VERSION", "SOURCE:https://"+r.Host+r.URL.Path+"\r\nVERSION", 1))
	}
}

// calendarModel lists the events of a day, or adds one.
func calendarModel(r modeltest.Request) modeltest.Answer {
	done := r.AnsweredCalls()
	switch {
	case len(done) == 0:
		return modeltest.Answer{Calls: []modeltest.Call{{Name: "find_tools", Args: `{"words":"calendar"}`}}}
	case len(done) > 1:
		return modeltest.Answer{Text: "Result: " + done[len(done)-1].Result}
	case strings.Contains(r.NewestUserMessage(), "dentist"):
		return modeltest.Answer{Calls: []modeltest.Call{{Name: "calendar_add",
			Args: `{"title":"Dentist","start":"2030-12-03T15:00","minutes":60,"zone":"UTC"}`}}}
	}
	return modeltest.Answer{Calls: []modeltest.Call{{Name: "calendar_list",
		Args: `{"from":"2030-12-03","to":"2030-12-03"}`}}}
}

// A subscribed calendar is shown everywhere beside the user's own. It taints, its address is nowhere,
// and its last copy outlives a failure of the server.
func TestSubscribe_ServerFails_KeepsCopyAndSecret(t *testing.T) {
	t.Parallel()
	server := &calendarServer{token: rand.Text()}
	web := egresstest.New(t)
	web.Serve("calendar.example.org", server.serve)
	l := lampService{approvalService: approvalService{newGatedService(t, calendarModel, "", "bob")}}
	app.SetInternetInTest(l.Config, web.Options())
	l.open()
	address := "webcal://calendar.example.org/cal/" + server.token + "/basic.ics"
	message := l.sayAndAwait("bob", "/calendar subscribe "+address+" work", "Calendar work from calendar.example.org")
	l.awaitDeleted("bob", message)
	l.sayAndAwait("bob", "/calendar 2030-12-03", "Tuesday, 3 December 2030")
	l.awaitNewest("bob", "Standup (calendar work)")
	l.sayAndAwait("bob", "the dentist, please", "Result: Added \"Dentist\".")
	l.awaitNewest("bob", "Conflict on 2030-12-03 with \"Standup\"", "(calendar work). Tell them.")
	l.sayAndAwait("bob", "what is on that day?", "Result: Tue 2030-12-03")
	l.awaitNewest("bob", "Standup (calendar work)", "\"Dentist\" is at the same time as \"Standup\"")
	if asked := server.asked.Load(); asked != 1 {
		t.Errorf("the server was asked %d times within the hour, want once", asked)
	}
	if n := l.QueryCount(`SELECT count(*) FROM message WHERE role = 'tool' AND source = 'world'
		AND parts LIKE '%"calendar:work"%'`); n != 2 {
		t.Errorf("%d results have words of the calendar, want 2", n)
	}
	if n := l.QueryCount(`SELECT count(*) FROM marked_file`); n != 0 {
		t.Error("the user's own calendar counts as words of others after an edit of the user's")
	}

	l.move(2 * time.Hour)
	l.sayAndAwait("bob", "/calendar 2030-12-03", "Tuesday")
	l.awaitNewest("bob", "Standup (calendar work)")
	if server.same.Load() != 1 {
		t.Error("the server was not asked whether the calendar has changed")
	}
	server.status.Store(http.StatusUnauthorized)
	l.move(2 * time.Hour)
	l.sayAndAwait("bob", "/calendar 2030-12-03", "Tuesday")
	l.awaitNewest("bob", "Standup (calendar work)", "The server asks for a password, or no longer accepts the address",
		"This copy is ")
	l.sayAndAwait("bob", "/calendar subscriptions", "Calendars of others")
	l.awaitNewest("bob", "work: calendar.example.org")
	l.shut()
	var export strings.Builder
	l.withDatabase(func(db *sqlite.DB) {
		if err := db.UserAccessStores().People.Export(t.Context(), "bob", &export); err != nil {
			t.Error(err)
		}
	})
	if strings.Contains(export.String(), server.token) || !strings.Contains(export.String(), `"name":"work"`) {
		t.Error("the export has the address, or lacks the name")
	}
	l.open()
	l.checkNoSecret(canaries{"calendar": server.token})
	l.sayAndAwait("bob", "/calendar unsubscribe work", "Calendar work is gone")
	if n := l.QueryCount(`SELECT (SELECT count(*) FROM calendar_subscription) +
		(SELECT count(*) FROM calendar_copy)`); n != 0 {
		t.Errorf("%d rows are left", n)
	}
}

// The service is killed while it fetches a configured calendar again. It shows the last copy.
func TestSubscribe_KilledInFetch_ShowsLastCopy(t *testing.T) {
	t.Parallel()
	var asked atomic.Int64
	again := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch asked.Add(1) {
		case 1:
			fmt.Fprint(w, workCalendar)
		case 2:
			close(again)
			<-r.Context().Done() // the service is killed meanwhile
		default:
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	}))
	t.Cleanup(server.Close)
	l := newGatedService(t, modeltest.EchoScript, fmt.Sprintf("calendars: {work: %q}\n", server.URL+"/work.ics"), "bob")
	l.Bin = apptest.LinkProgramsInTestFolder(t, apptest.BuildPrograms(t))
	l.Start()
	l.sayAndAwait("bob", "/calendar 2030-12-03", "Tuesday, 3 December 2030")
	l.awaitNewest("bob", "Standup (calendar work)")
	l.Stop()
	l.withDatabase(func(db *sqlite.DB) { // two hours go by
		store := db.CalendarSubscriptions()
		kept, found, err := store.FindCopy(t.Context(), "bob", "work")
		if err != nil || !found {
			t.Fatal(found, err)
		}
		kept.FetchedAt = kept.FetchedAt.Add(-2 * time.Hour)
		if err := store.KeepCopy(t.Context(), kept); err != nil {
			t.Fatal(err)
		}
	})
	l.Start()
	l.say("bob", "/calendar 2030-12-03")
	<-again
	at := time.Now()
	l.Kill()
	l.bot.RecordClientKill(at)
	l.CheckIntegrity()
	l.Start()
	l.awaitNewest("bob", "Standup (calendar work)", "The server has a problem of its own. This copy is 2")
	l.sayAndAwait("bob", "/calendar unsubscribe work", "An admin has set up the calendar work")
	l.Stop()
}
