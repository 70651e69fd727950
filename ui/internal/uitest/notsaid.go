package uitest

// notSaid are words and phrases that no sentence of a language has, and what to say instead.
// They match without regard to case, unless a pattern says (?-i); \b is beside no letter of any
// alphabet.
var notSaid = map[string][]struct{ pattern, instead string }{
	"en": {
		{`\banew\b`, "again"},
		{`\bthose who\b|\bwhoever\b`, "name them: the operator, the reviewer"},
		{`\bletter by letter\b|\bto the letter\b`, "exactly"},
		{`\bsome?body\b|\banybody\b`, "someone, anyone"},
		{`\bmay see\b|\bmay use\b`, "can"},
		{`\btoo much\b|\btoo old\b`, "too large, expired"},
		{`\bwhat is (new|to)\b|^of these pages`, "a noun"},
		{`\bwaits? for (you|a review)\b|\bnothing waits\b`, "waiting for review"},
		{`\bin force\b|\bworks? no more\b|\bruns again\b`, "active, revoked, reactivated"},
		{`\bmake a new (secret|one)\b|\bsecret (made|ended)\b`, "create, revoke"},
		{`\bin your name\b|\bact for you\b`, "on your behalf"},
		{`\bstands? for nothing\b|\bstand for you\b`, "what it is"},
		{`\b(it was not you|you did not)\b`, "Wasn’t you? Didn’t request this?"},
		{`\bis to get\b|\bare to see\b`, "will, after approval"},
		{`\bbe pressed\b|\bby night\b|\bby itself\b`, "interactive, dark mode, automatically"},
		{`\bbeing checked\b|\bwe will tell you\b`, "in review, let you know"},
		{`\baccess of \{client\}`, "{client}’s access"},
		{`\be-mail\b`, "email"},
		{`\b(color|colors|recognize\w*)\b`, "colour, recognise"},
	},
	"de": {
		{`^dieser seiten$`, "Sprache dieser Seiten"},
		{`\bweiter löschen\b`, "Trotzdem löschen"},
		{`\bin ihre e-mails\b`, "Postfach"},
		{`\bes ist nicht mehr diese\b|\bschreiben sie (eine|die) ganze\b|\bworum die anwendung\b`, "Geben Sie … ein"},
		{`\bzu (alt|viel)\b`, "abgelaufen, zu groß"},
		{`\bverifizier`, "bestätigt"},
		{`\b(du|dich|dir|deine?[rmns]?)\b`, "Sie, Ihr"},
	},
	"fr": {
		{`^de ces pages`, "Langue de ces pages"},
		{`aussi en votre absence`, "Même en votre absence"},
		{`\bécrivez (une|l’)`, "Saisissez"},
		{`c’était trop\b|trop ancien\b|pas de compte pour vous`, "trop volumineux, expiré, nous ne trouvons pas"},
		{`\b(ton|tes|toi)\b`, "vous, votre"},
	},
	"es": {
		{`^de estas páginas`, "Idioma de estas páginas"},
		{`demasiado antiguo|fue demasiado`, "caducado, demasiado grande"},
		{`\b(tus|contigo|vosotros)\b|\btu (cuenta|correo|contraseña|nombre)\b`, "usted, su"},
	},
	"it": {
		{`(?-i)[^.?!:«] (Lei|Suo|Sua|Suoi|Sue|Le|La)\b|(?-i)\w(Lo|La|Le)\b`, "tu"},
		{`\blei\b|\bgliel[oa]\b|(?-i)\b(Il|La|I|Le) (Suo|Sua|Suoi|Sue)\b`, "tu"},
		{`(?-i)\b(Vuole|Scelga|Inserisca|Scriva|Usi|Attenda|Riprovi|Torni|Acceda|Confermi|Continui|Controlli|Guardi|Ometta|Ignori|Apra|Veda|Chieda|Lasci|Crei|Metta|Elimini|Rimuova|Salvi|Modifichi|Registri|Copi|Faccia|Vada|Completi|Dica|Tenga|Aspetti|Incolli|Aggiunga|Verifichi|Invii|Conservi|Confronti|Tolga|Imposti|Firmi) (un|il|lo|la|l’|i|gli|le|al|di|che|ogni|prima|già|subito|solo|anche|su|questo|questa|response_type|code_)`, "Scegli, Inserisci: imperatives of tu"},
		{`(?-i)^(Eliminare|Cambiare|Scaricare|Salvare|Inviare|Conservare|Continuare|Scegliere|Vedere|Ricominciare)\b[^?]*$`, "Elimina, Cambia: buttons are imperatives"},
		{`\be-mail\b`, "email"},
		{`troppo vecchio|era troppo|^di queste pagine`, "scaduto, troppo grande, Lingua di queste pagine"},
	},
	"pt": {
		{`^destas páginas`, "Idioma destas páginas"},
		{`velho demais|antigo demais|isso foi demais`, "expirou, grande demais"},
		{`socorrista`, "Profissional de emergência"},
		{`\b(registos?|utilizador(es)?|ecrã|ficheiros?|telemóvel|palavra-passe|contactos?)\b`, "registro, usuário, tela: Brazilian"},
	},
	"zh": {
		{`急救人员`, "应急救援人员"},
		{`账户`, "账号"},
	},
	"ar": {
		{`اً`, "ًا"},
	},
}
