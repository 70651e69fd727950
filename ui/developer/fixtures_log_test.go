package developer

import (
	"time"

	"github.com/a-h/templ"

	"github.com/bonafide-id/bonafide/ui"
	"github.com/bonafide-id/bonafide/ui/internal/audiencetest"
)

var logEvents, logOutcomes = []string{
	"authorize", "consent", "token", "refresh", "userinfo", "attributes", "revoke", "introspect", "device", "push", "wallet", "sign_out", "backchannel_logout",
}, []string{"ok", "denied", "error"}

// sampleLog is a log with lines, whose details strangers have chosen.
func sampleLog(p ui.Page) LogView {
	return LogView{
		Page: applicationPage(p, SectionLog), Events: logEvents, Outcomes: logOutcomes, Days: 30, Live: true,
		Successes: 1000, Failures: 50000,
		LogURL: "/developer/o/1/sandbox/c1/log", RefreshURL: "/developer/o/1/sandbox/c1/log", CSVURL: "/developer/o/1/sandbox/c1/log.csv",
		EarlierURL: "?before=3",
		Lines: []LogLine{
			{At: audiencetest.Now, Event: "token", Outcome: "error", Error: "invalid_grant", Requests: 4711},
			{At: audiencetest.Now, Event: "token", Outcome: "error", Error: "invalid_grant",
				Diagnosis: "redirect_uri_differs",
				Details: []ui.Field{
					{Name: "redirect_uri", Value: "https://shop.example/cb/"}, {Name: "registered", Value: "https://shop.example/cb"},
					{Name: "difference", Value: `goes on with "/" after "https://shop.example/cb", where registered ends`},
				},
				RequestID: "5f0c8e1b2a3d4c5e", User: "9b1c04a77d20e5f3", Address: "192.0.2.0/24",
				UserURL: "?user=9b1c04a77d20e5f3", TraceURL: "/developer/o/1/sandbox/c1/log/0c8e1b2a3d4c5e5f"},
			{At: audiencetest.Now.Add(-2 * time.Second), Event: "authorize", Outcome: "ok", RequestID: "1b2a3d4c5e5f0c8e", User: "9b1c04a77d20e5f3", Address: "192.0.2.0/24"},
			{At: audiencetest.Now.Add(-time.Minute), Event: "authorize", Outcome: "denied", Error: "access_denied", Diagnosis: "user_denied",
				RequestID: "3d4c5e5f0c8e1b2a", Address: "2001:db8::/48"},
			{At: audiencetest.Now.Add(-time.Hour), Event: "<img src=x onerror=alert(1)>", Outcome: "error", Error: "\u202e<b>", Diagnosis: "<b>",
				Details: []ui.Field{{Name: "scope", Value: "</dd><script>alert(1)</script>"}}, RequestID: "\"><script>", Address: "192.0.2.0/24"},
		},
	}
}

// sampleTrace is a sign-in whose code came twice.
func sampleTrace(p ui.Page) TraceView {
	v := TraceView{Page: applicationPage(p, SectionLog), LogURL: "/developer/o/1/sandbox/c1/log"}
	ids := []string{"5f0c8e1b2a3d4c50", "5f0c8e1b2a3d4c51", "5f0c8e1b2a3d4c52", "5f0c8e1b2a3d4c53", "5f0c8e1b2a3d4c54", "5f0c8e1b2a3d4c55"}
	for i, line := range []LogLine{
		{Event: "push", Outcome: "ok"},
		{Event: "consent", Outcome: "ok", User: "9b1c04a77d20e5f3", Details: []ui.Field{{Name: "scope", Value: "openid military"}}},
		{Event: "authorize", Outcome: "ok", User: "9b1c04a77d20e5f3", Details: []ui.Field{
			{Name: "redirect_uri", Value: "https://shop.example/cb"}, {Name: "response_type", Value: "code"}, {Name: "scope", Value: "openid military"}}},
		{Event: "token", Outcome: "ok", User: "9b1c04a77d20e5f3"},
		{Event: "token", Outcome: "error", Error: "invalid_grant", Diagnosis: "code_used"},
		{Event: "userinfo", Outcome: "error", Error: "invalid_token", Diagnosis: "token_revoked", User: "9b1c04a77d20e5f3"},
	} {
		line.Since = time.Duration(i) * 1234567 * time.Microsecond
		line.At, line.RequestID, line.Address = audiencetest.Now.Add(line.Since), ids[i], "192.0.2.0/24"
		v.Lines = append(v.Lines, line)
	}
	return v
}

// sampleNumbers are numbers of a month.
func sampleNumbers(p ui.Page) NumbersView {
	v := NumbersView{Page: applicationPage(p, SectionNumbers), LogURL: "/log"}
	for i := range 30 {
		v.Days = append(v.Days, audiencetest.Now.Truncate(24*time.Hour).AddDate(0, 0, i-29))
	}
	v.Series = []Series{ // 133, 76, 13 and 45 in all
		{SeriesSignIns, []int{0, 2, 3, 3, 4, 1, 1, 5, 4, 6, 5, 3, 2, 2, 6, 7, 5, 6, 4, 3, 2, 5, 8, 9, 7, 8, 4, 3, 6, 9}},
		{SeriesConsents, []int{0, 2, 2, 1, 3, 1, 0, 3, 2, 4, 3, 1, 1, 2, 4, 4, 3, 3, 2, 2, 1, 3, 4, 5, 4, 4, 2, 2, 3, 5}},
		{SeriesDenials, []int{0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 0, 0, 0, 0, 2, 1, 0, 0, 1, 0, 0, 1, 0, 2, 0, 1, 0, 0, 1, 1}},
		{SeriesErrors, []int{0, 9, 7, 4, 5, 3, 0, 1, 2, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 6, 4, 2, 1, 0, 0, 0}},
	}
	v.Errors = []ErrorCount{{"token", "invalid_grant", 41, "/log?event=token"}, {"authorize", "invalid_scope", 3, "/log"}, {"userinfo", "", 1, "/log"}}
	return v
}

var logFixtures = []audiencetest.Fixture{
	{Name: "log", Render: func(p ui.Page) templ.Component { return Log(sampleLog(p)) }},
	{Name: "log-empty", Render: func(p ui.Page) templ.Component {
		v := sampleLog(p)
		v.Lines, v.EarlierURL, v.TryURL, v.Days = nil, "", "/developer/o/1/sandbox/c1/try", 0
		return Log(v)
	}},
	{Name: "log-filtered", Render: func(p ui.Page) templ.Component {
		v := sampleLog(p)
		v.Lines, v.EarlierURL, v.Event, v.Outcome, v.RequestID = nil, "", "token", "error", "5f0c8e1b2a3d4c5e"
		v.User, v.From, v.To = "9b1c04a77d20e5f3", audiencetest.Now.Add(-time.Hour), audiencetest.Now
		v.Page = inProduction(v.Page)
		return Log(v)
	}},
	{Name: "trace", Render: func(p ui.Page) templ.Component { return Trace(sampleTrace(p)) }},
	{Name: "trace-long", Render: func(p ui.Page) templ.Component {
		v := sampleTrace(p)
		v.Lines, v.More = v.Lines[:1], true
		return Trace(v)
	}},
	{Name: "numbers", Render: func(p ui.Page) templ.Component { return Numbers(sampleNumbers(p)) }},
	{Name: "numbers-empty", Render: func(p ui.Page) templ.Component {
		v := sampleNumbers(p)
		v.Errors = nil
		for i := range v.Series {
			v.Series[i].Counts = make([]int, 30)
		}
		return Numbers(v)
	}},
}
