// Prints the occurrences that ical.js computes: one JSON list of times for each calendar on standard input.
// node compare.mjs FOLDER_OF_ICAL_JS < calendars.json
import { readFileSync } from 'node:fs'
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'
import { pathToFileURL } from 'node:url'

const ICAL = (await import(pathToFileURL((isMainThread ? process.argv[2] : workerData.folder) + '/dist/ical.js'))).default
const pad = n => String(n).padStart(2, '0')

// A date is itself; a time is its Unix time; a floating time is its wall time.
const text = t => {
	const day = `${t.year}-${pad(t.month)}-${pad(t.day)}`
	if (t.isDate) return day
	if (t.zone === ICAL.Timezone.localTimezone) return `${day}T${pad(t.hour)}:${pad(t.minute)}:${pad(t.second)}`
	return String(t.toUnixTime())
}

function occurrences(c) {
	const found = []
	const root = new ICAL.Component(ICAL.parse(c.text))
	ICAL.TimezoneService.reset()
	for (const z of root.getAllSubcomponents('vtimezone')) ICAL.TimezoneService.register(new ICAL.Timezone(z))
	const events = root.getAllSubcomponents('vevent').map(e => new ICAL.Event(e))
	for (const m of events.filter(e => !e.isRecurrenceException())) {
		for (const e of events) if (e.isRecurrenceException() && e.uid === m.uid) m.relateException(e)
		if (!m.isRecurring()) {
			found.push([text(m.startDate), text(m.endDate)])
			continue
		}
		const next = m.iterator()
		for (let at = next.next(), n = 0; at && n < 3000 && at.year <= c.year; at = next.next(), n++) {
			const d = m.getOccurrenceDetails(at)
			found.push([text(d.startDate), text(d.endDate)])
		}
	}
	return found
}

// Some rules keep ical.js busy for ever. So it runs in a thread that is ended after a while.
function main(calendars) {
	const results = []
	const start = from => {
		const worker = new Worker(new URL(import.meta.url), { workerData: { folder: process.argv[2], calendars, from } })
		let timer
		const wait = () => {
			clearTimeout(timer)
			if (results.length === calendars.length) {
				worker.terminate()
				for (const r of results) console.log(JSON.stringify(r))
				return
			}
			timer = setTimeout(() => {
				worker.terminate()
				results.push([['error', 'it does not end']])
				start(results.length)
			}, 1000)
		}
		worker.on('message', r => {
			results.push(r)
			wait()
		})
		wait()
	}
	if (calendars.length > 0) start(0)
}

if (isMainThread) {
	main(JSON.parse(readFileSync(0)))
} else {
	for (const c of workerData.calendars.slice(workerData.from)) {
		try {
			parentPort.postMessage(occurrences(c))
		} catch (e) {
			parentPort.postMessage([['error', String(e)]])
		}
	}
}
