package ui

type developerLogText struct {
	Heading, Text, TextForever             message
	Empty, EmptyText, Try, NothingFound    message
	Filter, Event, Outcome, RequestID, All message
	Apply, Clear, Refresh, Live, CSV       message
	Request, User, Network, Counted        message
	From, To, Kept                         message
	Trace, TraceHeading, TraceText         message
	TraceMore, Back, Since                 message
	Events, Outcomes                       map[string]message
}

type developerNumbersText struct {
	Heading, Text, Most, Sum      message
	Total, Chart, Bar, Table, Day message
	Errors, ErrorsText, NoErrors  message
	Event, Error, Count, NoCode   message
	Series, SeriesText            map[DeveloperSeriesName]message
}
