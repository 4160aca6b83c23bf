package claim

var french = language{
	needsSubject:   true,
	needsAuxiliary: true,
	letters:        []string{"objet:", "objet :", "madame", "monsieur", "cher ", "chère "},
	endings:        []string{"é", "ée", "és", "ées", "-er"},
	classes: map[class]string{
		subject:   "j je",
		auxiliary: "ai",
		recent:    "viens_de viens_d",
		filler: `l t m s te vous les y en lui leur la le déjà bien aussi également donc ensuite juste tout me nous enfin d alors
			automatiquement directement`,
		join:     "et puis ainsi",
		opening:  "ensuite puis donc",
		negation: "n ne pas rien jamais ni aucun aucune sans personne mentalement plus_rien",
		condition: `si histoire conte roman quand lorsque dès une_fois aurais aurait avais pourrais pourrait peut-être peut_être devrais devrait voudrais
			supposer supposons imagine imaginons exemple aurai presque comptais aie`,
		link: "que que_tu que_vous que_ton que_ta que_votre que_vos qu qui dont où quoi quand comme",
		earlier: `hier avant-hier précédemment auparavant autrefois semaine_dernière mois_dernier année_dernière fois_précédente dernière_fois
			autre_jour comme_je l_heure plus_tôt lundi_dernier mardi_dernier mercredi_dernier jeudi_dernier vendredi_dernier matin_même`,
		already:   "déjà",
		yes:       "oui absolument exact exactement",
		done:      "fait voilà prêt terminé",
		aside:     "entendu parfait c_est d_accord bien_reçu ok merci",
		owned:     "ton ta tes votre vos",
		article:   "le la les l un une des ce cette mon ma",
		passive:   "a_été ont_été",
		state:     "est sont",
		other:     "a as ont avez avait avaient",
		shortened: "m mme dr st env",
		agent:     "par",
		target:    "dans à au en sous comme pour sur avec le la les vers tout",
		shown:     "ci-dessous ci-dessus dessous suivant suivante",
		draft:     `brouillon tweet blague citation titre objet projet courriel mail lettre message réponse poème histoire haïku version paragraphe traduction texte discours phrase mot`,
		undo:      "mis_à_part",
	},
	cues: map[cue]string{
		file: `fichier fichiers dossier dossiers répertoire document documents feuille tableau note notes csv pdf journal 			copie copies sauvegarde sauvegardes dépôt readme configuration facture factures reçus reçu brouillons pièce bureau
			téléchargements entrée`,
		picture:  "photo photos image images",
		list:     "liste listes tâches tâche",
		calendar: "agenda calendrier rappel rappels réveil alarme alarmes minuteur rendez-vous événement cron",
		memory:   "mémoire note_de note_que prochaine_fois",
		fact:     "que_tu que_vous que_ton que_ta que_votre que_vos",
		program:  "test tests script scripts commande programme serveur service compilation projet recherche suite code conteneur application",
		source: `web internet ligne google wikipédia site sites page pages documentation boîte base historique forum agenda calendrier
			recherche`,
		message: "message messages courriel courriels mail mails pdf fichier document lien photo diaporama facture contrats rapport copie",
	},
	verbs: map[*verb]string{
		store: "enregistr* sauvegard* stock* consign*",
		add: `ajout* inscrit inscrite inscrits inscrites -inscrire mis mise mises -mettre écrit écrite écrits écrites -écrire report* rang*
			plac* déplac* coch* barr* intégr* joint`,
		note: "not* pris prise -prendre",
		change: `cré* mis_à modifi* chang* corrig* remplac* renomm* copi* converti convertie rédig* réécrit réécrite réparé réparée
			export* génér* télécharg* extrait extraite tri* réorganis* fusionn* adapt* restaur* archiv* décompress*`,
		erase:    "supprim* effac*",
		remove:   "retir* vid* enlev* ôt* annul* nettoy*",
		send:     "envoy* transmis transmise -transmettre transfér* réexpédi* expédi* fait_suivre renvoy*",
		share:    "partag* publi* remis remise diffus*",
		execute:  `exécut* compil* install* redémarr*`,
		run:      "lanc* relanc* test* démarr* essay* arrêt*",
		schedule: "programm* planifi*",
		set:      "régl* en_place fix*",
		search:   "recherch* parcouru parcourue",
		read:     "cherch* lu lue lus lues -lire consult* vérifi* regard* ouvert ouverte ouverts -ouvrir examin* trouv*",
		memorize: "mémoris* retenu retenue -retenir",
	},
}
