package vector

import "strings"

// stopWords are words without a meaning of their own, as [words] returns them.
var stopWords = func() map[string]bool {
	all := map[string]bool{}
	for _, w := range strings.Fields(english + german) {
		all[w] = true
	}
	return all
}()

const english = `a about above after again all also am an and any are as at be because been before being below between
both but by can could did do does doing down during each few for from further had has have having he her here hers him his how i if
in into is it its just me more most my no nor not now of off on once only or other our ours out over own same she should so some
such than that the their theirs them then there these they this those through to too under until up us very was we were what when
where which while who whom why will with would you your yours dont im ive lets please need needs
`

const german = `aber alle allem allen aller alles als also am an ander andere anderen auch auf aus bei beim bin bis bist da damit dann
das dass dein deine dem den denn der des dessen die dies diese diesem diesen dieser dieses doch dort du durch ein eine einem einen
einer eines er es etwas euch euer fur gegen habe haben hat hatte hier hin hinter ich ihm ihn ihnen ihr ihre im in ins ist ja jede jedem
jeden jeder jedes jetzt kann kein keine konnen machen man mein meine mich mir mit muss mussen nach nicht nichts noch nun nur ob oder ohne
sehr sein seine sich sie sind so soll sollen sollte sondern sonst uber um und uns unser unsere unter vom von vor war waren was weg weil
welche wenn wer werde werden wie wieder will wir wird wo zu zum zur zwischen bitte
`
