package verification

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/bonafide-id/bonafide/provider/verification/internal/rosterfile"
)

func students() RosterConfig {
	return RosterConfig{
		Roster: "students", Source: "Register of students",
		Columns: []RosterColumn{
			{Name: "number", Label: english("Student number")},
			{Name: "family", Label: english("Last name"), Kind: "family_name"},
			{Name: "born", Header: "Born", Label: english("Date of birth"), Kind: "date"},
		},
	}
}

func TestRoster(t *testing.T) {
	t.Parallel()
	v := Roster(students())
	if err := v.check("Rule"); err != nil {
		t.Fatal(err)
	}
	until := time.Date(2027, 10, 1, 0, 0, 0, 0, time.UTC)
	const ada = "6:s123456:obrien10:1990-12-31"
	known := fakeLookup{rows: map[string]rosterRow{"students " + ada: {Subgroup: "University", Until: until}}}
	enter := func(t *testing.T, l lookup, number, family, born string, at time.Time) Result {
		t.Helper()
		form := map[string]string{"number": number, "family": family, "born": born, "role": "admin"}
		return next(t, v, &Case{Subgroups: []string{"University"}, lookup: l}, Event{Kind: Answered, Form: form, At: at})
	}
	t.Run("MatchesHoweverItIsWritten", func(t *testing.T) {
		t.Parallel()
		for _, row := range [][3]string{
			{"S12345", "O'Brien", "1990-12-31"}, {" s-123 45 ", "OBRIEN", "31.12.1990"}, {"ｓ12345", "o’briÉn", "19901231"},
		} {
			want := Accept{
				Subgroups: []string{"University"}, Until: until, Source: "Register of students",
				Name: Name{Family: strings.TrimSpace(row[1])}, Proved: []Fact{{"roster_students", ada}},
			}
			if diff := cmp.Diff(Result(want), enter(t, known, row[0], row[1], row[2], until.Add(-1))); diff != "" {
				t.Error(row, diff)
			}
		}
	})
	t.Run("LeavesOutSubgroupsOfOtherGroups", func(t *testing.T) {
		t.Parallel()
		form := map[string]string{"number": "S12345", "family": "OBrien", "born": "1990-12-31"}
		got, ok := next(t, v, &Case{Subgroups: []string{"Staff"}, lookup: known}, Event{Kind: Answered, Form: form}).(Accept)
		if !ok || len(got.Subgroups) != 0 {
			t.Errorf("%+v", got)
		}
	})
	t.Run("IsOneListInAllPolicies", func(t *testing.T) {
		t.Parallel()
		other := students()
		other.Columns = other.Columns[:2]
		for _, policies := range []Policies{
			{{Rule: By(Roster(students()))}, {Rule: AnyOf(By(Invitation()), By(Roster(other)))}}, {{Rule: AnyOf(By(v), By(Roster(other)))}},
		} {
			if err := policies.checkRosters(); err == nil || !strings.Contains(err.Error(), `"students" has other Columns`) {
				t.Errorf("%v", err)
			}
		}
		if err := (Policies{{Rule: By(v)}, {Rule: By(Roster(students()))}}).checkRosters(); err != nil {
			t.Error(err)
		}
	})
	t.Run("HasOneAnswerForWhatDoesNotMatch", func(t *testing.T) {
		t.Parallel()
		want := enter(t, known, "S99999", "Nobody", "1990-12-31", time.Time{})
		if want.(Ask).Problem != ReasonNoMatch {
			t.Errorf("%+v", want)
		}
		for name, got := range map[string]Result{
			"OtherName": enter(t, known, "S12345", "Nobody", "1990-12-31", time.Time{}),
			"OtherDay":  enter(t, known, "S12345", "OBrien", "1990-12-30", time.Time{}),
			"Shifted":   enter(t, known, "S1234", "5OBrien", "1990-12-31", time.Time{}),
			"Over":      enter(t, known, "S12345", "OBrien", "1990-12-31", until),
		} {
			if diff := cmp.Diff(want, got); diff != "" {
				t.Error(name, diff)
			}
		}
	})
	t.Run("AsksForWhatIsMissing", func(t *testing.T) {
		t.Parallel()
		for _, row := range [][3]string{
			{"", "OBrien", "1990-12-31"}, {"S12345", " - ", "1990-12-31"}, {"S12345", "OBrien", "1990-02-31"},
			{strings.Repeat("9", 513), "OBrien", "1990-12-31"}, {"S12345", "OBrien", "12/31/1990"},
		} {
			if got := enter(t, known, row[0], row[1], row[2], time.Time{}).(Ask); got.Problem != ReasonIncomplete || len(got.Fields) != 3 {
				t.Errorf("%.60q: %+v", row, got)
			}
		}
	})
	t.Run("TellsLimitFromFailure", func(t *testing.T) {
		t.Parallel()
		got := enter(t, fakeLookup{err: errTooMany}, "S12345", "OBrien", "1990-12-31", time.Time{})
		if !cmp.Equal(got, Result(Refuse{[]Reason{ReasonLimit}})) {
			t.Errorf("%+v", got)
		}
	})
	t.Run("KeepsNamesApart", func(t *testing.T) {
		t.Parallel()
		seen := map[string]string{}
		for _, name := range []string{"Müller", "Mueller", "Đỗ", "Dao", "李小龙", "李小明", "محمد", "محمود", "อี", "อา", "Łukasz", "Jose", "Straße"} {
			if other, ok := seen[bare(name)]; ok || bare(name) == "" {
				t.Errorf("%q is %q, as is %q", name, bare(name), other)
			}
			seen[bare(name)] = name
		}
		for a, b := range map[string]string{"Straße": "STRASSE", "José": "Jose\u0301", "Łukasz": "lukasz", "van der Berg": "Van-der-Berg"} {
			if bare(a) != bare(b) {
				t.Errorf("%q is %q, and %q is %q", a, bare(a), b, bare(b))
			}
		}
	})
	t.Run("NamesTheWrongField", func(t *testing.T) {
		t.Parallel()
		for want, change := range map[string]func(*RosterConfig){
			"Rule.Roster":           func(c *RosterConfig) { c.Roster = "Students" },
			"Rule.Columns":          func(c *RosterConfig) { c.Columns = nil },
			"Rule.Columns[1].Name":  func(c *RosterConfig) { c.Columns[1].Name = "number" },
			"Rule.Columns[0].Label": func(c *RosterConfig) { c.Columns[0].Label = Text{} },
			"Rule.Columns[2].Kind":  func(c *RosterConfig) { c.Columns[2].Kind = "day" },
			"Rule.Grace":            func(c *RosterConfig) { c.Grace = -1 },
		} {
			cfg := students()
			change(&cfg)
			if err := Roster(cfg).check("Rule"); err == nil || !strings.HasPrefix(err.Error(), want+": ") {
				t.Errorf("%v, want %s", err, want)
			}
		}
	})
}

// readAll returns the members of a file, and how many rows were skipped.
func readAll(f RosterFile) (all []rosterfile.Member, skipped int, err error) {
	cfg := students()
	r, err := (&roster{cfg}).newReader(f, func(s string) bool { return s == "University" }, new([][]string))
	if err != nil {
		return nil, 0, err
	}
	for {
		m, err := r.Next()
		if err == io.EOF {
			return all, r.Skipped(), nil
		}
		if err != nil {
			return nil, 0, fileError(err)
		}
		all = append(all, m)
	}
}

func TestRosterFile(t *testing.T) {
	t.Parallel()
	one := []rosterfile.Member{{Value: "6:s123456:obrien10:1990-12-31"}}
	t.Run("ReadsWhatProgramsWrite", func(t *testing.T) {
		t.Parallel()
		for name, content := range map[string]string{
			"Commas":       "number,family,born\nS12345,O'Brien,1990-12-31\n",
			"Semicolons":   "number;family;born\r\nS12345;\"O'Brien\";31.12.1990\r\n",
			"Tabs":         "Number\tFAMILY\tborn\nS12345\tO'Brien\t1990-12-31",
			"Mark":         "\ufeffnumber,family,born\nS12345,O'Brien,1990-12-31\n",
			"OtherColumns": "note,born,family,number,note\n=1+1,1990-12-31,O'Brien,S12345,@SUM(A1)\n",
			"Quoted":       "number,family,born\n\"S12345\",\"O'\"\"Brien\",\"1990-12-31\"\n",
		} {
			got, skipped, err := readAll(RosterFile{Content: strings.NewReader(content)})
			if diff := cmp.Diff(one, got); diff != "" || skipped != 0 || err != nil {
				t.Errorf("%s: %d skipped, %v %s", name, skipped, err, diff)
			}
		}
	})
	t.Run("ReadsColumnsByTheirHeaders", func(t *testing.T) {
		t.Parallel()
		got, _, err := readAll(RosterFile{
			Content:  strings.NewReader("Matrikel,Nachname,Geburt,Art,Bis\nS12345,O'Brien,12/31/1990,University,09/30/2027\n"),
			Headers:  map[string]string{"number": "matrikel", "family": "nachname", "born": "geburt"},
			Subgroup: "art", Until: "bis", DateLayout: "01/02/2006",
		})
		want := []rosterfile.Member{{Value: one[0].Value, Subgroup: "University", Until: time.Date(2027, 10, 1, 0, 0, 0, 0, time.UTC)}}
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Error(err, diff)
		}
	})
	t.Run("ReadsColumnsByTheHeadersOfThePolicy", func(t *testing.T) {
		t.Parallel()
		cfg := students()
		cfg.Columns[0].Header = "Matrikel"
		r, err := (&roster{cfg}).newReader(RosterFile{Content: strings.NewReader("MATRIKEL,family,born\nS12345,O'Brien,1990-12-31\n")}, nil, new([][]string))
		if err != nil {
			t.Fatal(err)
		}
		if m, err := r.Next(); err != nil || m.Value != one[0].Value {
			t.Errorf("%+v, %v", m, err)
		}
	})
	t.Run("SkipsRowsOfNobody", func(t *testing.T) {
		t.Parallel()
		got, skipped, err := readAll(RosterFile{Content: strings.NewReader(
			"number,family,born\n,O'Brien,1990-12-31\nS12345,O'Brien,\nS12345,O'Brien,1990-12-31\nS12345,-,1990-12-31\nS12345,O'Brien,never\n")})
		if len(got) != 1 || skipped != 4 || err != nil {
			t.Errorf("%d rows, %d skipped, %v", len(got), skipped, err)
		}
	})
	const canary = "=HYPERLINK(secret)"
	for name, test := range map[string]struct {
		content string
		want    string
	}{
		"Empty":          {"", "is empty"},
		"Blank":          {"\n\n", "is empty"},
		"OtherHeaders":   {"a,b\n1,2\n", `line 1: there are not all of the columns ["number" "family" "Born"]`},
		"TwoHeaders":     {"number,family,family,born\n1,2,3,4\n", `line 1: there are two columns "family"`},
		"OtherComma":     {"number|family|born\nS1|O|1990-12-31\n", `line 1: there are not all of the columns ["number" "family" "Born"]`},
		"Picture":        {"\x89PNG\r\n\x1a\n" + canary, "line 1: the text is not in UTF-8"},
		"UTF16":          {"\xff\xfen\x00u\x00m\x00", "line 1: the text is not in UTF-8"},
		"Latin1":         {"number,family,born\nS1," + canary + ",1990-12-31\nS1,M\xfcller,1990-12-31\n", "line 3: the text is not in UTF-8"},
		"Zero":           {"number,family,born\nS1,a\x00b,1990-12-31\n", "line 2: the text is not in UTF-8"},
		"Short":          {"number,family,born\n" + canary + "\n", "line 2: wrong number of fields"},
		"LooseQuote":     {"number,family,born\nS1,a\"" + canary + ",1990-12-31\n", `line 2: bare " in non-quoted-field`},
		"UnknownGroup":   {"number,family,born,sub\nS1,a,1990-12-31," + canary + "\n", "line 2: the subgroup is not one of the group"},
		"WrongLastDay":   {"number,family,born,end\nS1,a,1990-12-31," + canary + "\n", "line 2: the last day is not a date"},
		"OpenQuote":      {"number,family,born\nS1,\"" + canary + strings.Repeat("a,b\n", 1<<18), "a quotation mark may be missing"},
		"LongLine":       {"number,family,born\nS1," + strings.Repeat("a", 64<<10) + ",1990-12-31\n", "a quotation mark may be missing"},
		"EndlessHeaders": {strings.Repeat("a", 1<<20), "a quotation mark may be missing"},
		"ManyCells":      {strings.Repeat("a,", 257) + "\n", "line 1: there are more than 256 cells"},
	} {
		t.Run("Refuses"+name, func(t *testing.T) {
			t.Parallel()
			f := RosterFile{Content: strings.NewReader(test.content)}
			if strings.Contains(test.content, "sub\n") {
				f.Subgroup = "sub"
			}
			if strings.Contains(test.content, "end\n") {
				f.Until = "end"
			}
			_, _, err := readAll(f)
			var wrong *RosterFileError
			if !errors.As(err, &wrong) || !strings.HasSuffix(err.Error(), test.want) {
				t.Fatalf("%v, want %s", err, test.want)
			}
			if strings.Contains(err.Error(), "secret") || strings.Contains(err.Error(), "=") {
				t.Errorf("the error repeats a cell: %v", err)
			}
		})
	}
	t.Run("TellsAFailingReader", func(t *testing.T) {
		t.Parallel()
		broken := errors.New("no such disk")
		_, _, err := readAll(RosterFile{Content: io.MultiReader(strings.NewReader("number,family,born\nS1,"), failing{broken})})
		var wrong *RosterFileError
		if !errors.Is(err, broken) || errors.As(err, &wrong) {
			t.Errorf("%v", err)
		}
	})
}

type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

// FuzzRosterFile tests that no file panics, and that no error repeats what is in one.
func FuzzRosterFile(f *testing.F) {
	f.Add([]byte("number,family,born\nS12345,O'Brien,1990-12-31\n"))
	f.Add([]byte("\xef\xbb\xbfnumber;family;born\r\n\"S1\";\"a\"\"b\";31.12.1990\r\n"))
	f.Add([]byte("number\tfamily\tborn\n\"SECRET\n"))
	f.Fuzz(func(t *testing.T, content []byte) {
		content = bytes.ReplaceAll(content, []byte("S"), []byte("XXSECRETXX"))
		all, _, err := readAll(RosterFile{Content: bytes.NewReader(content)})
		if err != nil && strings.Contains(err.Error(), "SECRET") {
			t.Errorf("the error repeats a cell: %v", err)
		}
		for _, m := range all {
			if len(m.Value) < 6 {
				t.Errorf("a row matches %q", m.Value)
			}
		}
	})
}
