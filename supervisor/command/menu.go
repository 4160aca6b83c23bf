package command

// summary says in a few words what a command does, by language: a code of ISO 639-1, or english.
type summary map[string]string

// english is the language of /help, of the README, and of everybody whose own is not here.
const english = ""

var summaries = map[string]summary{
	"start": {
		english: "what Mews is, and how to begin",
		"es":    "qué es Mews y cómo empezar",
		"de":    "was Mews ist und wie man beginnt",
		"fr":    "ce qu’est Mews et comment commencer",
	},
	"help": {
		english: "this list",
		"es":    "esta lista",
		"de":    "diese Liste",
		"fr":    "cette liste",
	},
	"new": {
		english: "begin a new topic: what was said so far is left out from now on",
		"es":    "empezar un tema nuevo: lo dicho hasta ahora ya no se tiene en cuenta",
		"de":    "ein neues Thema beginnen: das bisher Gesagte bleibt ab jetzt außen vor",
		"fr":    "commencer un nouveau sujet : ce qui a été dit jusqu’ici n’est plus pris en compte",
	},
	"stop": {
		english: "end the running answer at once",
		"es":    "terminar ahora mismo la respuesta en curso",
		"de":    "die laufende Antwort sofort beenden",
		"fr":    "arrêter tout de suite la réponse en cours",
	},
	"status": {
		english: "what runs, for whom, with which model and walls",
		"es":    "qué se ejecuta, para quién, con qué modelo y qué aislamiento",
		"de":    "was läuft, für wen, mit welchem Modell und welcher Abschottung",
		"fr":    "ce qui tourne, pour qui, avec quel modèle et quel cloisonnement",
	},
	"model": {
		english: "which model answers you; /model PROVIDER/MODEL chooses one, /model default takes that back",
		"es":    "qué modelo te responde; /model PROVEEDOR/MODELO elige uno, /model default lo deshace",
		"de":    "welches Modell dir antwortet; /model ANBIETER/MODELL wählt eines, /model default nimmt das zurück",
		"fr":    "quel modèle vous répond ; /model FOURNISSEUR/MODÈLE en choisit un, /model default annule ce choix",
	},
	"models": {
		english: "which models there are; /models WORD lists those with that word in their names",
		"es":    "qué modelos hay; /models PALABRA muestra los que la llevan en su nombre",
		"de":    "welche Modelle es gibt; /models WORT zeigt die mit diesem Wort im Namen",
		"fr":    "quels modèles il y a ; /models MOT montre ceux dont le nom le contient",
	},
	"settings": {
		english: "what is set for you; /settings NAME VALUE sets one of it, /settings NAME default takes that back",
		"es":    "lo que está ajustado para ti; /settings NOMBRE VALOR cambia algo, /settings NOMBRE default lo deshace",
		"de":    "was für dich eingestellt ist; /settings NAME WERT stellt etwas ein, /settings NAME default nimmt das zurück",
		"fr":    "vos réglages ; /settings NOM VALEUR en change un, /settings NOM default annule ce choix",
	},
	"usage": {
		english: "what you asked of models, what it cost, and what is left to spend",
		"es":    "lo que pediste a los modelos, cuánto costó y cuánto queda por gastar",
		"de":    "was du von Modellen verlangt hast, was es kostete und was noch ausgegeben werden darf",
		"fr":    "ce que vous avez demandé aux modèles, ce que cela a coûté et ce qu’il reste à dépenser",
	},
	"grants": {
		english: "what you allow for always; /grants revoke NUMBER takes one back",
		"es":    "lo que permites para siempre; /grants revoke NÚMERO retira un permiso",
		"de":    "was du für immer erlaubst; /grants revoke NUMMER nimmt etwas zurück",
		"fr":    "ce que vous autorisez pour toujours ; /grants revoke NUMÉRO en retire une autorisation",
	},
	"lock": {
		english: "lock this chat at once; /lock all locks all of yours",
		"es":    "bloquear este chat ahora mismo; /lock all los bloquea todos",
		"de":    "diesen Chat sofort sperren; /lock all sperrt alle deine Chats",
		"fr":    "verrouiller tout de suite cette discussion ; /lock all les verrouille toutes",
	},
	"invite": {
		english: "let somebody in: /invite NAME makes a code for them (for admins)",
		"es":    "dejar entrar a alguien: /invite NOMBRE crea un código (para administradores)",
		"de":    "jemanden einlassen: /invite NAME erzeugt einen Code (für Admins)",
		"fr":    "faire entrer quelqu’un : /invite NOM crée un code (pour les administrateurs)",
	},
	"allow": {
		english: "let people speak with me in this group (for admins)",
		"es":    "permitir que se hable conmigo en este grupo (para administradores)",
		"de":    "erlauben, dass man in dieser Gruppe mit mir spricht (für Admins)",
		"fr":    "permettre que l’on me parle dans ce groupe (pour les administrateurs)",
	},
	"disallow": {
		english: "answer nobody in this group any more (for admins)",
		"es":    "no responder más a nadie en este grupo (para administradores)",
		"de":    "in dieser Gruppe niemandem mehr antworten (für Admins)",
		"fr":    "ne plus répondre à personne dans ce groupe (pour les administrateurs)",
	},
	"resend": {
		english: "send again what may not have reached you",
		"es":    "reenviar lo que quizá no te llegó",
		"de":    "noch einmal senden, was dich vielleicht nicht erreicht hat",
		"fr":    "renvoyer ce qui ne vous est peut-être pas parvenu",
	},
}

// MenuEntry is a command as a channel's menu shows it.
type MenuEntry struct {
	Name    string // without the slash
	Summary string
}

// Menu lists the commands by language, for a channel that shows them to choose from; "" is English, for everybody whose
// language is not there. /start is not in it: such a channel offers that by itself, to those who have not begun.
func Menu() map[string][]MenuEntry {
	menu := map[string][]MenuEntry{}
	for _, row := range commandTable() {
		if row.name == "start" {
			continue
		}
		for language, words := range summaries[row.name] {
			menu[language] = append(menu[language], MenuEntry{Name: row.name, Summary: words})
		}
	}
	return menu
}
