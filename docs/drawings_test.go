package docs_test

import (
	"maps"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// module is the path of the module.
const module = "github.com/bonafide-id/bonafide/"

// notDrawn begin the packages that measure and test, and those of one room of their own.
var notDrawn = []string{
	"docs", "examples/", "provider/internal/testkit", "provider/internal/lab", "provider/providertest", "provider/smtpmailer/mailtest", "provider/smtpmailer/servertest",
	"storage/storagetest", "storage/postgres/pgtest", "ui/internal/", "widget/test/", "provider/developer/internal/", "provider/desk/internal/", "provider/internal/engine/",
}

// TestDrawnRoomsAreTheImports compares the drawing of the rooms with the packages: each is in
// one box, a box imports what its arrows lead to, and an arrow that follows from others is not drawn.
func TestDrawnRoomsAreTheImports(t *testing.T) {
	t.Parallel()
	boxOf, drawn := readRooms(t)
	imports := map[string]map[string]bool{}
	for name, imported := range importsOfPackages(t) {
		if boxOf[name] == "" {
			t.Errorf("%s is in no box", name)
		}
		for _, other := range imported {
			if from, to := boxOf[name], boxOf[other]; from != to && from != "" && to != "" {
				add(imports, from, to)
			}
		}
	}
	for from := range imports {
		for to := range imports[from] {
			if !reaches(drawn, from, to) {
				t.Errorf("%s imports %s, and no arrow leads there", from, to)
			}
		}
	}
	for from := range drawn {
		for to := range drawn[from] {
			if !imports[from][to] {
				t.Errorf("%s -> %s is drawn, and nothing of %s imports anything of %s", from, to, from, to)
			}
			delete(drawn[from], to)
			if reaches(drawn, from, to) {
				t.Errorf("%s -> %s follows from other arrows", from, to)
			}
			drawn[from][to] = true
		}
	}
}

var (
	drawnBox   = regexp.MustCompile(`^  (\w+)\["[^<]*<br>(.*)"\]`)
	drawnArrow = regexp.MustCompile(`^  (\w+) --> (\w+)`)
)

// readRooms reads the drawing, which is Mermaid's: the box of each package, and the arrows.
func readRooms(t *testing.T) (boxOf map[string]string, drawn map[string]map[string]bool) {
	t.Helper()
	boxOf, drawn = map[string]string{}, map[string]map[string]bool{}
	for line := range strings.Lines(read(t, "docs/pictures/rooms.mmd")) {
		if box := drawnBox.FindStringSubmatch(line); box != nil {
			for name := range strings.FieldsSeq(box[2]) {
				if !strings.Contains(name, "/") && exists(t, "provider/internal/"+name) {
					name = "provider/internal/" + name
				}
				if boxOf[name] != "" || !exists(t, name) {
					t.Errorf("%s is drawn twice, or is no package", name)
				}
				boxOf[name] = box[1]
			}
		}
		if arrow := drawnArrow.FindStringSubmatch(line); arrow != nil {
			add(drawn, arrow[1], arrow[2])
		}
	}
	if len(drawn) == 0 {
		t.Fatal("the drawing has no arrow")
	}
	return boxOf, drawn
}

// importsOfPackages returns what each package of ours that is drawn imports of ours.
func importsOfPackages(t *testing.T) map[string][]string {
	t.Helper()
	list := exec.CommandContext(t.Context(), "go", "list", "-f", `{{.ImportPath}} {{join .Imports " "}}`, "./...")
	list.Dir, list.Stderr = root, os.Stderr
	out, err := list.Output()
	ok(t, err)
	all := map[string][]string{}
	for line := range strings.Lines(string(out)) {
		words := strings.Fields(line)
		name, ours := strings.CutPrefix(words[0], module)
		if !ours || slices.ContainsFunc(notDrawn, func(start string) bool { return strings.HasPrefix(name, start) }) {
			continue
		}
		all[name] = nil
		for _, imported := range words[1:] {
			if other, ours := strings.CutPrefix(imported, module); ours {
				all[name] = append(all[name], other)
			}
		}
	}
	if len(all) == 0 {
		t.Fatal("there are no packages")
	}
	return all
}

func add(graph map[string]map[string]bool, from, to string) {
	if graph[from] == nil {
		graph[from] = map[string]bool{}
	}
	graph[from][to] = true
}

// reaches reports whether arrows lead from one box to another, however many.
func reaches(graph map[string]map[string]bool, from, to string) bool {
	return slices.ContainsFunc(slices.Collect(maps.Keys(graph[from])), func(next string) bool {
		return next == to || reaches(graph, next, to)
	})
}
