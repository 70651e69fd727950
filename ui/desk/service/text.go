package service

import "github.com/bonafide-id/bonafide/ui"

// text is what these screens say in a language.
type text struct {
	Common        commonText
	Applications  applicationsText
	Application   applicationText
	Hosts         hostsText
	Host          hostText
	Unknown       unknownText
	Organizations organizationsText
	Organization  organizationText
	Reviews       reviewsText
	Receivers     receiversText
	Keys          keysText
	Health        healthText
	Numbers       numbersText
	Trail         trailText
	Looks         looksText
	States        map[State]ui.Message
}

type commonText struct {
	More, Search, Find, Never  ui.Message
	Actions, Identifier, Lines ui.Message
	Table, Since, Reason, Day  ui.Message
}

type applicationsText struct {
	Heading, Text, Hint, ByName ui.Message
	All, Host, Empty, NotFound  ui.Message
}

type applicationText struct {
	About, Organization, Owners, NoOwner ui.Message
	Kind, Redirects, Scopes, AllScopes   ui.Message
	Secrets, NoSecrets, Created, Used    ui.Message
	Ends, Numbers, Requests, Errors      ui.Message
	NoRequests, Review                   ui.Message
}

type hostsText struct {
	Heading, Text, Hint, Wrong, Off   ui.Message
	Empty, Device, DeviceText         ui.Message
	Applications, People, First, Last ui.Message
}

type hostText struct {
	About, Above, By, First, Last   ui.Message
	People, Applications, Documents ui.Message
	List, Empty                     ui.Message
}

type unknownText struct {
	Heading, Calls, Nameless, Hosts      ui.Message
	Came, Goes, Document, Fetched, Fresh ui.Message
	Changed, Gone, Difference            ui.Message
}

type organizationsText struct {
	Heading, Text, Ownerless, OwnerlessText ui.Message
	Suspended, Found, NotFound, NoOwnerless ui.Message
	NoSuspended, Applications               ui.Message
	NoDashboard                             ui.Message
}

type organizationText struct {
	About, Created, Members, NoMembers ui.Message
	Applications, NoApplications       ui.Message
	Joined                             ui.Message
	Roles                              map[Role]ui.Message
}

type reviewsText struct{ Heading, Text, Empty ui.Message }

type receiversText struct {
	Heading, Text, Hint, Unread, Empty, NotFound ui.Message
	About, Of, OfHost, Kind, Waiting, Oldest     ui.Message
	Dead, Failing, Next                          ui.Message
	WaitingCount, OldestAt, DeadCount            ui.Message
	Messages, MessagesText, NoMessages           ui.Message
	Answer, Again, AgainOf                       ui.Message
	Kinds                                        map[ui.ReceiverKind]ui.Message
	States                                       map[ui.ReceiverState]ui.Message
	MessageStates                                map[ui.MessageState]ui.Message
}

type keysText struct {
	Heading, Text, Host, Created ui.Message
	From, Until, Published       ui.Message
	Turns                        map[Turn]ui.Message
}

type healthText struct {
	Heading, Text, Checks, Settings ui.Message
	SettingsText, Set, NotSet       ui.Message
	Report, ReportText, NoReport    ui.Message
	Checked                         map[Check]ui.Message
	Well, Wrong, NotYet             ui.Message
	Counts                          map[Count]ui.Message
}

type numbersText struct {
	Heading, Text, Total, Chart ui.Message
	Sum, Most, Bar              ui.Message
	Series                      map[SeriesName]ui.Message
}

type trailText struct {
	Heading, Text, Filter, Person  ui.Message
	PersonHint, Application, Staff ui.Message
	Matter, Event, EventHint       ui.Message
	Network, From, Until, Apply    ui.Message
	Clear, Earlier, Empty, Export  ui.Message
	CSV, JSON, Wrong               ui.Message
	Detail, Plan, PlanText         ui.Message
	PlanNew                        ui.Message
}

type looksText struct {
	Heading, Text, Person         ui.Message
	Parts, NoAction, Acted, Empty ui.Message
	Withheld, Release             ui.Message
	Staff, Earlier, Note          ui.Message
}
