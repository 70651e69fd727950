package developer

import "github.com/bonafide-id/bonafide/ui"

type logText struct {
	Heading, Text, TextForever             ui.Message
	Empty, EmptyText, Try, NothingFound    ui.Message
	Filter, Event, Outcome, RequestID, All ui.Message
	Apply, Clear, Refresh, Live, CSV       ui.Message
	Request, User, Network, Counted        ui.Message
	From, To, Kept                         ui.Message
	Trace, TraceHeading, TraceText         ui.Message
	TraceMore, Back, Since                 ui.Message
	Events, Outcomes                       map[string]ui.Message
}

type numbersText struct {
	Heading, Text, Most, Sum      ui.Message
	Total, Chart, Bar, Table, Day ui.Message
	Errors, ErrorsText, NoErrors  ui.Message
	Event, Error, Count, NoCode   ui.Message
	Series, SeriesText            map[SeriesName]ui.Message
}
