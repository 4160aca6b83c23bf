package claim

var german = language{
	needsSubject:   true,
	needsAuxiliary: true,
	far:            true,
	compounds:      true,
	letters:        []string{"betreff:", "sehr geehrte", "liebe"},
	classes: map[class]string{
		subject:   "ich",
		auxiliary: "habe hab bin",
		filler:    "gerade soeben eben auch schon bereits nun jetzt dann außerdem zusätzlich es sie das ihn dir ihnen mir nochmal",
		join:      "und dann sowie",
		opening:   "dann jetzt nun so also",
		negation:  "nicht nichts nie niemals kein keine keinen keinem keiner weder noch_nicht noch_nichts ohne niemand",
		condition: `wenn geschichte roman falls sobald hätte hätten würde würden könnte könnten vielleicht möglicherweise ob sollte sollten müsste wäre
			angenommen beispiel solange wollte womöglich vermutlich wahrscheinlich kann will werde soll fast beinahe`,
		link:  "dass der die das den dem was wer welche welcher welches wo",
		other: "du er ihr wir man hast hat haben habt hatte hatten jemand hattest",
		earlier: `gestern vorgestern vorhin früher neulich damals einst letzte_woche letzten_monat letztes_jahr letztes_mal letzten_montag
			letzten_dienstag letzten_mittwoch letzten_donnerstag letzten_freitag vorige_woche wie_ich wie_gesagt  zuvor`,
		already:   "schon bereits",
		yes:       "ja genau stimmt richtig",
		done:      "fertig erledigt bitte_sehr alles_erledigt alles_weg geschafft",
		aside:     "passt gut ok okay alles_klar verstanden so danke gern",
		owned:     "dein deine deinen deiner ihr ihre ihren",
		article:   "der die das ein eine einen dem den dieser diese dieses mein meine",
		passive:   "wurde wurden worden",
		state:     "ist sind steht liegt",
		shortened: "dr hr fr nr z b bzw ca prof st str usw",
		month:     "januar februar märz april mai juni juli august september oktober november dezember",
		agent:     "von vom durch",
		target:    "in im an am als auf unter nach zu für bei mit ins und",
		shown:     "oben unten folgend folgende",
		draft:     "entwurf tweet witz zitat titel betreff überschrift mail e-mail brief nachricht antwort gedicht geschichte haiku fassung absatz übersetzung rede text beitrag satz",
		undo:      "zum_beispiel",
	},
	cues: map[cue]string{
		file: `datei dateien ordner verzeichnis dokument dokumente tabelle notiz notizen csv pdf tagebuch kopie kopien
			sicherung readme repository konfiguration rechnung rechnungen beleg belege anhang protokoll eintrag archiv`,
		picture:  "foto fotos bild bilder",
		list:     "liste listen aufgaben aufgabenliste todo",
		calendar: "kalender erinnerung erinnerungen wecker timer termin termine cronjob ",
		memory:   "gedächtnis nächstes_mal nächste_mal künftig",
		fact:     "dass_du dass_sie dass_dein dass_deine mir",
		program:  "test tests skript skripte befehl programm server dienst build benchmark suche code container app abfrage",
		source: `netz internet web online google wikipedia seite seiten webseite website dokumentation postfach datenbank verlauf kalender
			forum foren`,
		message: "nachricht nachrichten mail mails e-mail pdf datei link foto folien rechnung rechnungen bericht kopie",
	},
	verbs: map[*verb]string{
		store: "gespeichert abgespeichert gesichert abgelegt hinterlegt",
		add: `hinzugefügt eingetragen geschrieben gesetzt ergänzt angehängt aufgenommen eingefügt hineingelegt
			gelegt verschoben festgehalten abgehakt gepackt`,
		note:   "notiert vermerkt aufgeschrieben",
		update: "aktualisiert",
		change: `angelegt erstellt geändert bearbeitet angepasst ersetzt umbenannt kopiert umgewandelt zusammengeführt repariert
			korrigiert erzeugt exportiert sortiert heruntergeladen entpackt überschrieben behoben wiederhergestellt umgeschrieben formatiert
			generiert verbessert archiviert`,
		erase:  "gelöscht",
		remove: "entfernt gestrichen geleert weggeworfen rausgenommen herausgenommen abgesagt aufgeräumt",
		send: `geschickt gesendet verschickt versandt gemailt weitergeleitet zugeschickt abgeschickt abgesendet
			rausgeschickt`,
		share:    "geteilt veröffentlicht hochgeladen eingereicht",
		execute:  "ausgeführt kompiliert installiert",
		run:      "gestartet getestet neu_gestartet laufen_lassen laufenlassen ausprobiert gebaut angehalten",
		schedule: "eingeplant terminiert",
		set:      "gestellt eingestellt eingerichtet geplant verlegt",
		search:   "gegoogelt nachgeschlagen recherchiert durchsucht",
		read:     "gesucht nachgesehen nachgeschaut gelesen durchgegangen geöffnet geprüft überprüft angesehen angeschaut durchgelesen geschaut",
		memorize: "gemerkt eingeprägt =merke_mir",
		buy:      "gebucht bezahlt überwiesen gekauft bestellt reserviert",
	},
}
