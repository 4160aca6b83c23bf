package claim

var spanish = language{
	needsAuxiliary: true,
	letters:        []string{"asunto:", "estimad", "querid"},
	endings:        []string{"ado", "ada", "ados", "adas", "=é", "-ar", "-arlo", "-arla", "-arte", "-arle"},
	classes: map[class]string{
		auxiliary: "he hemos",
		recent:    "acabo_de",
		filler: `lo la los las le les te me se os nos ya también además luego ahora entonces recién igualmente por_fin finalmente
			automáticamente correctamente vuelto_a volví_a ambos`,
		join:     "y e luego",
		opening:  "ahora luego también",
		negation: "no nunca tampoco ni nada nadie sin jamás mentalmente",
		condition: `si cuento historia novela cuando hubiera hubiese haya habría podría podríamos quizá quizás tal_vez puede_que una_vez en_cuanto ojalá aunque ejemplo
			supongamos imagina imagínate posiblemente debería casi de_haber`,
		link: "que que_te que_tu que_no que_eres que_tienes que_usas quien donde como cuando si cual cuanto",
		earlier: `ayer anteayer anteriormente dije_antes mencioné_antes comenté_antes hace semana_pasada mes_pasado año_pasado vez_pasada otro_día como_te como_le como_ya como_dije
			 entonces_te anoche`,
		already:   "ya",
		yes:       "sí claro efectivamente correcto",
		done:      "listo terminado ya_está todo_listo ahí_lo",
		aside:     "vale entendido perfecto bien ok apuntado de_acuerdo gracias claro",
		owned:     "tu tus su sus",
		article:   "el la los las un una unos unas este esta mi",
		passive:   "se_ha se_han ha_sido han_sido ha_quedado han_quedado quedó",
		state:     "es son está están queda quedan",
		other:     "has ha han había habían hay",
		shortened: "dr dra sr sra ud uds núm pág aprox",
		agent:     "por",
		target:    "en a al como con para de del junto el la los las todo",
		shown:     "abajo arriba continuación siguiente siguientes",
		draft:     `borrador tuit chiste cita título asunto correo carta mensaje respuesta poema cuento historia haiku versión párrafo traducción brindis texto discurso frase`,
		undo:      "guardé_silencio puesto_que dado_que visto_que",
		subject:   "yo",
	},
	cues: map[cue]string{
		file: `archivo archivos fichero ficheros carpeta carpetas directorio documento documentos hoja csv pdf nota notas diario tesis 			copia copias repositorio readme configuración factura facturas recibos adjunto adjuntos registro registros
			entrada disco descargas`,
		picture: "foto fotos imagen imágenes",
		list:    "lista listas tarea tareas pendientes",
		calendar: `calendario agenda recordatorio recordatorios alarma alarmas temporizador cita evento eventos cron despertador
			aviso`,
		memory:  "memoria recordarlo nota_de próxima_vez",
		fact:    "que_eres que_prefieres que_tienes que_te que_tu que_no que_vives que_trabajas que_odias que_usas",
		program: "prueba pruebas test tests script comando programa servidor servicio compilación benchmark búsqueda suite código contenedor app",
		source: `web internet línea google wikipedia página páginas sitio sitios documentación bandeja base historial foro foros repositorio
			calendario correos`,
		message: "mensaje mensajes correo correos pdf archivo documento enlace foto diapositivas factura facturas informe copia",
	},
	verbs: map[*verb]string{
		store: "guard* almacen* grab*",
		add: `añadido añadida añadidos añadidas =añadí -añadir agreg* registr* puesto puesta puestos puestas =puse -poner metido
			metida =metí -meter escrito escrita escritos escritas =escribí -escribir incluido =incluí -incluir coloc* marc* tach* archiv* introducido =introduje movido movida movidos =moví -mover`,
		note: "apunt* anot* tomado =tomé -tomar",
		change: `creado creada creados creadas =creé -crear actualiz* cambi* edit* modific* corregido corregida =corregí -corregir
			reemplazado reemplazada =reemplacé sustituido sustituida =sustituí -sustituir renombr* copi* convertido convertida =convertí
			reescrito reescrita =reescribí hecho hecha =hice -hacer arregl* export* gener* descarg* extraído =extraje orden* organizado
			organizada =organicé ajust* restaur* adapt* comprimido =comprimí`,
		erase:  "borr* elimin*",
		remove: "quit* vaci* retir* limpi* cancel* suprimido suprimida =suprimí",
		send:   "envi* reenvi* mand*",
		share: `compartido compartida compartidos compartidas =compartí -compartir public* entregado entregada =entregué adjunt* pasado
			=pasé`,
		execute:  "ejecut* compil* instal* reinici*",
		run:      "corrido =corrí -correr prob* lanzado lanzada =lancé -lanzar arrancado =arranqué iniciado =inicié -iniciar detenido =detuve",
		schedule: "program* reprogram*",
		set:      "configur* activ* agendado agendada =agendé establecido establecida =establecí fij*",
		search:   "googleado =googleé",
		read:     `buscado buscada =busqué -buscar leído leída =leí -leer consult* revis* mir* abierto abierta =abrí -abrir comprob* verificado =verifiqué examin* recorrido =recorrí repas*`,
		memorize: "memorizado =memoricé",
	},
}
