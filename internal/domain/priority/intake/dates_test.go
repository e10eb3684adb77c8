package intake

import (
	"strings"
	"testing"
	"time"
)

// added is a Thursday.
var added = time.Date(2026, 11, 19, 21, 30, 0, 0, time.UTC)

// shown has the days of the tasks of a text, such as "due 2026-11-20, from 2026-11-23".
func shown(text string) string {
	var all []string
	for _, t := range Tasks("doc", text, added) {
		said := "–"
		switch {
		case t.DueDate != "" && t.NotBefore != "":
			said = "due " + t.DueDate + ", from " + t.NotBefore
		case t.DueDate != "":
			said = "due " + t.DueDate
		case t.NotBefore != "":
			said = "from " + t.NotBefore
		}
		all = append(all, said)
	}
	return strings.Join(all, " | ")
}

func TestATaskKeepsTheDaysThatItsTextNames(t *testing.T) {
	for text, want := range map[string]string{
		// Ways to say by when.
		"Send the invoice, due Friday":                        "due 2026-11-20",
		"Send the invoice (due: 2027-03-03)":                  "due 2027-03-03",
		"Send the invoice by 3 March 2027":                    "due 2027-03-03",
		"Send the invoice by March 3rd, 2027 (2h)":            "due 2027-03-03",
		"Send the invoice no later than the 3rd of March":     "due 2027-03-03",
		"Send the invoice before Monday":                      "due 2026-11-22",
		"Keep the receipts until end of March":                "due 2027-03-31",
		"Send the invoice on Friday":                          "due 2026-11-20",
		"Send the invoice by tomorrow":                        "due 2026-11-20",
		"Send the invoice (Friday)":                           "due 2026-11-20",
		"Send the invoice – 8 January":                        "due 2027-01-08",
		"Renew the insurance 2027-03-03":                      "due 2027-03-03",
		"Pay the rent, deadline: Friday, 4 December":          "due 2026-11-20",
		"Finish by the end of the week":                       "due 2026-11-20",
		"Finish by the end of this month":                     "due 2026-11-30",
		"Prüfe den Vertrag bis Freitag":                       "due 2026-11-20",
		"Prüfe den Vertrag bis spätestens zum 3. März 2027":   "due 2027-03-03",
		"Prüfe den Vertrag, fällig am 20.01.2027":             "due 2027-01-20",
		"Rechnung vor dem 20. Januar bezahlen":                "due 2027-01-19",
		"Rechnung bezahlen, spätestens übermorgen":            "due 2026-11-21",
		"Bericht bis Ende März abgeben":                       "due 2027-03-31",
		"Send the invoice by next Monday":                     "due 2026-11-23",
		"Send the invoice by next Friday":                     "due 2026-11-27",
		"Send the invoice, due Thursday":                      "due 2026-11-19",
		"Send the invoice, which was due 3 November":          "due 2026-11-03",
		"Send the invoice by 3 September":                     "due 2027-09-03",
		"Celebrate by 29 February":                            "due 2028-02-29",
		"Order the hall by 2026-12-01, not before 2026-11-25": "due 2026-12-01, from 2026-11-25",
		// Ways to say from when.
		"Call the office, not before Monday":                     "from 2026-11-23",
		"Ask Anna (away until 20 January) for the contract":      "from 2027-01-20",
		"Ask Anna for the contract, she is back on 20 January":   "from 2027-01-20",
		"Order paper after 20 January":                           "from 2027-01-21",
		"Book seats, tickets are available from 3 March":         "from 2027-03-03",
		"Frag Anna nach dem Vertrag, sie ist bis 20. Januar weg": "from 2027-01-20",
		"Angebot einholen, erst ab Montag":                       "from 2026-11-23",
		"Kündige nicht vor dem 1. Februar 2027":                  "from 2027-02-01",
		// No days, or those of something else.
		"Send the invoice":                               "–",
		"Answer Friday's mail":                           "–",
		"Send the minutes of the meeting on Tuesday":     "–",
		"Check the backup of 2026-11-01":                 "–",
		"Write by hand before we print":                  "–",
		"Send the invoice by 31 February 2027":           "–",
		"March to the office and fix it by may":          "–",
		"Design the page after choosing a name (2 days)": "–",
		"Plan the Monday lunch":                          "–",
	} {
		if got := shown("- " + text); got != want {
			t.Errorf("%s: %s, not %s", text, got, want)
		}
	}
}

func TestATaskHasTheDaysOfWhatStandsAroundIt(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"a heading":          {"# Due by 8 January\n- Write it\n- Print it (Friday)\n## More\n- Bind it\n# Later\n- Sell it", "due 2027-01-08 | due 2026-11-20 | due 2027-01-08 | –"},
		"a line with colon":  {"Before Monday:\n- Write it\n- Print it\n\nSome day:\n- Sell it", "due 2026-11-22 | due 2026-11-22 | –"},
		"an item above":      {"- Not before Monday:\n  - Write it\n  - Print it\n- Sell it", "from 2026-11-23 | from 2026-11-23 | –"},
		"a line below":       {"- Write the letter\n  and send it, due Friday\n- Sell it", "due 2026-11-20 | –"},
		"everything":         {"Everything is due on 8 January.\n\n- Write it\n- Print it by Friday", "due 2027-01-08 | due 2026-11-20"},
		"a name":             {"Met on Tuesday. Anna is away until 20 January, so she has to wait.\n\n- Ask Anna for the contract\n- Collect Anna's keys\n- Sign the contract", "from 2027-01-20 | from 2027-01-20 | –"},
		"a thing":            {"The print shop is closed until Monday.\n- Order cards from the print shop\n- Print letters\n- Shop for shoes", "from 2026-11-23 | – | –"},
		"German":             {"Frau Weber ist bis 20. Januar im Urlaub.\n- Vertrag mit Frau Weber klären\n- Rechnung bezahlen", "from 2027-01-20 | –"},
		"a note in the list": {"- Anna is away until 20 January\n- Ask Anna for the contract", "from 2027-01-20"},
		"no name":            {"I am away until 20 January. It is closed until Monday.\n- Ask Anna for the contract", "–"},
		"a due date of one":  {"The report is due Friday.\n- Read the report", "–"},
		"a date of notes":    {"# Meeting 2026-11-12\n- Write it", "–"},
	} {
		if got := shown(c.text); got != c.want {
			t.Errorf("%s: %s, not %s", name, got, c.want)
		}
	}
}

// Days are those of the text: the same task has others when it, or what stands around it, changes.
func TestDaysFollowTheText(t *testing.T) {
	before := Tasks("doc", "Anna is away until 20 January.\n- Ask Anna for the contract", added)[0]
	after := Tasks("doc", "Anna is away until 27 January.\n- Ask Anna for the contract", added)[0]
	if before.ID != after.ID || before.NotBefore != "2027-01-20" || after.NotBefore != "2027-01-27" {
		t.Errorf("%+v became %+v", before, after)
	}
	if later := Tasks("doc", "- Call Anna by Friday", added.AddDate(0, 0, 7))[0]; later.DueDate != "2026-11-27" {
		t.Errorf("added a week later it is %+v", later)
	}
}

func TestDaysThatAModelReportsAreRead(t *testing.T) {
	for _, c := range []struct {
		Reported
		due, notBefore string
	}{
		{Reported{Text: "Appeler Anna avant le 3 mars", DueDate: "2027-03-03", NotBefore: ""}, "2027-03-03", ""},
		{Reported{Text: "Call Anna", DueDate: "Friday", NotBefore: "2026-11-20T09:00:00Z"}, "2026-11-20", "2026-11-20"},
		{Reported{Text: "Call Anna by Friday", DueDate: "soon", NotBefore: "2027-02-30"}, "2026-11-20", ""},
		{Reported{Text: "Call Anna by Friday", DueDate: "2026-11-27"}, "2026-11-27", ""},
		{Reported{Text: "Call Anna", DueDate: "null", NotBefore: "none"}, "", ""},
	} {
		if got := FromModel("doc", []Reported{c.Reported}, added)[0]; got.DueDate != c.due || got.NotBefore != c.notBefore {
			t.Errorf("%+v became %+v", c.Reported, got)
		}
	}
}

// A text of half a megabyte that is all dates takes no long time.
func BenchmarkDates(b *testing.B) {
	for name, line := range map[string]string{
		"statements": "Anna is away until 20 January.\n", "items": "- Ask Anna on Friday, due 3 March 2027 (on on on on - - - -)\n", "one line": "on (Friday) - by until ",
	} {
		text := strings.Repeat(line, 512<<10/len(line))
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				Tasks("doc", text, added)
			}
		})
	}
}
