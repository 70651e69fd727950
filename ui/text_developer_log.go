package ui

type developerLogText struct {
	Heading, Text, TextForever             Message
	Empty, EmptyText, Try, NothingFound    Message
	Filter, Event, Outcome, RequestID, All Message
	Apply, Clear, Refresh, Live, CSV       Message
	Request, User, Network, Counted        Message
	From, To, Kept                         Message
	Trace, TraceHeading, TraceText         Message
	TraceMore, Back, Since                 Message
	Events, Outcomes                       map[string]Message
}

type developerNumbersText struct {
	Heading, Text, Most, Sum      Message
	Total, Chart, Bar, Table, Day Message
	Errors, ErrorsText, NoErrors  Message
	Event, Error, Count, NoCode   Message
	Series, SeriesText            map[DeveloperSeriesName]Message
}
