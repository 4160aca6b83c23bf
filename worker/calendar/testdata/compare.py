"""Prints the occurrences that recurring_ical_events computes: one JSON list for each calendar on standard input."""
import datetime, json, signal, sys
import icalendar, recurring_ical_events


def stop(*_):
    raise TimeoutError


signal.signal(signal.SIGALRM, stop)


def text(t):
    """A date is itself; a time is its Unix time; a floating time is its wall time."""
    if not isinstance(t, datetime.datetime):
        return t.isoformat()
    return str(int(t.timestamp())) if t.tzinfo else t.replace(microsecond=0).isoformat()


for c in json.load(sys.stdin):
    try:
        signal.alarm(5)  # ends a calendar that keeps the library busy
        first = datetime.datetime.fromtimestamp(c["from"], datetime.timezone.utc)
        last = datetime.datetime.fromtimestamp(c["to"], datetime.timezone.utc)
        calendar = icalendar.Calendar.from_ical(c["text"])
        found = []
        for e in recurring_ical_events.of(calendar).between(first, last):
            start = e["DTSTART"].dt
            if "DTEND" in e:
                end = e["DTEND"].dt
            elif "DURATION" in e:
                end = start + e["DURATION"].dt
            else:
                end = start if isinstance(start, datetime.datetime) else start + datetime.timedelta(days=1)
            found.append([text(start), text(end)])
        print(json.dumps(found))
    except (Exception, TimeoutError) as e:  # a library that refuses a calendar says why
        print(json.dumps([["error", repr(e)]]))
