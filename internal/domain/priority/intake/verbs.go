package intake

import (
	"strings"
	"unicode"
)

// verbClass is a group of verbs that take about the same time.
type verbClass struct{ hours float64 }

// The verbs that make a line read like a task. English ones stand first ("Call
// Anna"), German ones first as an imperative ("Prüfe den Vertrag") or last as an
// infinitive ("Vertrag prüfen").
var (
	quick = verbClass{0.5}
	usual = verbClass{2}
	long  = verbClass{6}

	englishVerbs = classes(map[verbClass]string{
		quick: `add answer approve archive ask assign book buy call cancel check clear close collect confirm contact copy delete disable
			download email enable fill find follow forward get give install invite join list mail mark meet message move notify
			order pay phone pick ping post print publish put register remind remove rename renew replace reply request reserve
			return save schedule send set share sign stop submit subscribe switch tag tell text thank transfer turn
			unsubscribe upload upgrade vote wash water`,
		usual: `adjust agree allow apply arrange attend avoid bring change choose clarify clean compare complete configure connect
			consider convert correct cover cut debug decide define deliver describe discuss document draft drop edit ensure
			establish estimate evaluate examine expand explain explore export extend file finalise finalize finish fix gather
			handle hire identify import improve include inspect introduce investigate keep learn let look make map measure merge
			monitor negotiate note organise organize outline pack paint plan practice practise prepare present prevent
			prioritise prioritize propose prove provide read record recruit reduce refine reject release repair report resolve
			review revise run sell setup show simplify sort split start study summarise summarize support sync talk teach test
			track train translate triage try tune update use validate verify visit watch write`,
		long: `analyse analyze automate benchmark build create deploy design develop implement integrate launch migrate model
			overhaul prototype rebuild redesign refactor renovate research rework rewrite scale ship`,
	})
	germanVerbs = classes(map[verbClass]string{
		quick: `abgeben abholen ablegen abmelden abonnieren absagen abschicken anfordern anfragen anmelden anrufen antworten
			aufräumen ausdrucken ausfüllen beantragen beantworten bestellen bestätigen bezahlen buchen drucken einkaufen einladen
			entfernen fragen freigeben holen informieren kaufen kündigen leeren löschen melden mitteilen nachfragen
			reservieren schicken senden speichern teilen termin überweisen umbenennen unterschreiben vereinbaren verlängern
			verschicken versenden weiterleiten zahlen zusagen`,
		usual: `abstimmen aktualisieren anlegen anpassen auswerten backen beheben beschreiben besprechen besuchen bewerten
			dokumentieren einrichten entscheiden erfassen ergänzen erklären erledigen erstellen festlegen formulieren gießen
			klären kochen kontrollieren korrigieren lernen lesen machen messen nachbereiten ordnen organisieren packen planen
			präsentieren priorisieren prüfen putzen reinigen reparieren sammeln schreiben sichten sortieren streichen suchen
			testen übersetzen überarbeiten überprüfen untersuchen vergleichen verbessern veröffentlichen vorbereiten vorstellen
			waschen zusammenfassen zusammenstellen`,
		long: `analysieren aufbauen automatisieren bauen entwerfen entwickeln gestalten implementieren integrieren konzipieren
			migrieren recherchieren renovieren umbauen umsetzen umziehen`,
	})
	sizeWords = map[string]float64{
		"quick": 0.5, "quickly": 0.5, "small": 0.5, "minor": 0.5, "short": 0.5, "brief": 0.5, "tiny": 0.5, "simple": 0.5,
		"kurz": 0.5, "kurze": 0.5, "kurzen": 0.5, "kleine": 0.5, "kleinen": 0.5, "kleines": 0.5, "schnell": 0.5,
		"all": 2, "whole": 2, "entire": 2, "complete": 2, "full": 2, "large": 2, "major": 2, "big": 2, "end-to-end": 2,
		"alle": 2, "gesamte": 2, "gesamten": 2, "ganze": 2, "ganzen": 2, "komplette": 2, "kompletten": 2, "große": 2, "großen": 2,
	}
	// lead-ins stand before the verb and do not make a text less of a task.
	leadIns = []string{
		"please", "bitte", "we need to", "i need to", "you need to", "need to", "we must", "we should", "we have to", "i have to", "have to",
		"remember to", "don't forget to", "make sure to",
	}
	// notAfterVerb are second words that show that the first one is a noun: "Test is", "Plan of".
	notAfterVerb = words(`is are was were has have had of and or will would can could should may must does did & = – - →`)
	// titleNouns end titles of two words: "Launch plan", "Release notes".
	titleNouns = words(`plan plans notes results overview list lists report reports log logs strategy guide guides process checklist
		summary details section status history schedule steps order cases case data model models suite center centre page pages file
		files form forms system set sets team teams time times line lines items item points point type types rules rule`)
)

// readsLikeTask reports whether a text asks for something to be done.
func readsLikeTask(text string) bool {
	_, ok := verbOf(text)
	return ok
}

// verbOf finds the verb of a task. An effort is none of its words.
func verbOf(text string) (verbClass, bool) {
	if hasDigit(text) {
		text = plainEffort.ReplaceAllString(statedEffort.ReplaceAllString(text, " "), " ")
	}
	all := strings.Fields(text)
	for _, lead := range leadIns {
		parts := strings.Fields(lead)
		if len(all) > len(parts) && strings.EqualFold(strings.Join(all[:len(parts)], " "), lead) {
			all = all[len(parts):]
			break
		}
	}
	if len(all) < 2 || strings.HasSuffix(all[0], ":") {
		return verbClass{}, false
	}
	first, last := bare(all[0]), bare(all[len(all)-1])
	if class, ok := englishVerbs[first]; ok && !notAfterVerb[strings.ToLower(all[1])] && !(len(all) == 2 && titleNouns[last]) {
		return class, true
	}
	if class, ok := germanVerbs[last]; ok && len(all) <= 12 && !strings.HasSuffix(all[len(all)-1], "?") {
		return class, true
	}
	if class, ok := germanVerbs[first]; ok && !notAfterVerb[strings.ToLower(all[1])] {
		return class, true
	}
	for _, ending := range []string{"n", "en"} { // prüfe, sende, such → prüfen, senden, suchen
		if class, ok := germanVerbs[first+ending]; ok && len(first) > 3 && !notAfterVerb[strings.ToLower(all[1])] {
			return class, true
		}
	}
	return verbClass{}, false
}

// bare is a word in lower case without the punctuation and Markdown around it.
func bare(word string) string {
	return strings.ToLower(strings.TrimFunc(word, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }))
}

func classes(byClass map[verbClass]string) map[string]verbClass {
	all := map[string]verbClass{}
	for class, list := range byClass {
		for _, verb := range strings.Fields(list) {
			all[verb] = class
		}
	}
	return all
}

func words(list string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(list) {
		set[w] = true
	}
	return set
}
