package service

import (
	"strings"
	"time"

	"github.com/bonafide-id/bonafide/ui"
)

// HostsView lists the hosts of applications that nobody has registered.
type HostsView struct {
	Page
	// SearchURL takes [FieldSearch] and leads to a host; Search is what was sought, and Wrong
	// reports that it is none.
	SearchURL, Search string
	Wrong             bool
	// Off reports that no such application is let in.
	Off     bool
	Rows    []HostRow
	MoreURL string
}

// HostRow is a host in a list.
type HostRow struct {
	Host, URL string
	// Device reports that it stands for programs on a device.
	Device bool
	State  State
	// Applications, Documents and People are numbers, with a plus where counting has stopped.
	Applications, Documents, People string
	// First and Last are when an application was seen, and used; zero for never.
	First, Last time.Time
}

// HostView is one host.
type HostView struct {
	Page
	HostRow
	ListURL string
	Denial  *Denial
	Apps    []ApplicationRow
	MoreURL string
	Acts    []Act
}

// Denial is what keeps the applications of a host out.
type Denial struct {
	// Host is the host, or one above it, with the page at URL.
	Host, URL  string
	Reason, By string
	At         time.Time
}

// Unknown is what is known of an application that nobody has registered.
type Unknown struct {
	// Calls is what it calls itself, or empty where that must not be shown.
	Calls string
	Hosts []Link
	// Came is when it was first seen, Goes when it is removed; zero for never.
	Came, Goes time.Time
	Document   *Document
}

// Link is a text that leads somewhere.
type Link struct{ Text, URL string }

// Document is the document with the metadata of an application.
type Document struct {
	Fetched, Fresh time.Time
	// Gone is since when it is missing, Changed when it was another one; zero for never.
	Gone, Changed time.Time
	Lines         []DocumentLine
}

// DocumentLine is a line of a document.
type DocumentLine struct {
	Kind LineKind
	Text string
}

// LineKind is whether a line is in the document, or was.
type LineKind string

// The kinds of lines.
const (
	LineKept LineKind = "kept"
	LineGone LineKind = "gone"
	LineNew  LineKind = "new"
)

// shown is a line as it is read, with its indentation.
func (v DocumentLine) shown() string {
	text := strings.TrimLeft(v.Text, " ")
	return strings.Repeat(" ", min(len(v.Text)-len(text), 20)) + ui.Clean(text, maxReason)
}
