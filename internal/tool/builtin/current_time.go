package builtin

import (
	"context"
	"fmt"
	"time"
	_ "time/tzdata" // time zones, also where the system has none

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/tool"
)

const currentTimeDescription = `Returns the date and time in a time zone, with weekday, ISO week and offset from UTC.`

func currentTime(now func() time.Time) *tool.Tool {
	type input struct {
		TimeZone string `json:"timeZone,omitempty" jsonschema:"IANA name such as Europe/Berlin; UTC if left out"`
	}
	spec := tool.Spec{Name: "current_time", Description: currentTimeDescription, Effect: tool.Pure, Local: true}
	return tool.Func(spec, func(_ context.Context, _ tool.Call, in input) (string, error) {
		// The names "" and "Local" would tell where the server stands.
		name := in.TimeZone
		if name == "" {
			name = "UTC"
		}
		zone, err := time.LoadLocation(name)
		if err != nil || name == "Local" {
			return "", nestor.Errorf(nestor.CodeInvalid, "%q is not an IANA time zone; give a name such as Europe/Berlin, Asia/Tokyo or UTC", name)
		}
		t := now().In(zone)
		_, week := t.ISOWeek()
		return fmt.Sprintf("%s (%s, week %d, %s, UTC%s)", t.Format("2006-01-02T15:04:05Z07:00"),
			t.Weekday(), week, name, t.Format("-07:00")), nil
	})
}
