package trail

import (
	"bytes"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/storage"
)

func TestEveryByteOfALineCounts(t *testing.T) {
	lines, size := 1000, 8
	if testing.Short() {
		lines = 10 * size
	}
	whole := newLog(t, lines, size)
	changed := 0
	for i := range lines {
		block, _, _ := whole.BlockEvents(t.Context(), int64(i/size+1))
		b := whole.blocks[i/size]
		v := verifier{keys: whole.keys, erased: map[string]Finding{}}
		log, marks, err := treeOf(b.Number, b.Edge)
		if err != nil || log.size != b.Number {
			t.Fatal(err)
		}
		e := &block[i%size]
		check := func(what string) {
			changed++
			f := v.compare(b, marks, block, nil)
			if f == nil || f.Line != whole.events[i].ID || f.Cause != LineChanged {
				t.Fatalf("%s of line %d: found %v", what, whole.events[i].ID, f)
			}
		}
		for _, text := range []*string{&e.Name, &e.Subject, &e.ClientID, &e.Address, &e.Detail, &e.Actor, &e.Matter} {
			was := *text
			for at := range len(was) {
				raw := []byte(was)
				raw[at] ^= 1 << (at % 8)
				*text = string(raw)
				check(was)
			}
			*text = was + "x"
			check(was)
			*text = was
		}
		at := e.At
		for shift := range 62 {
			e.At = time.UnixMicro(at.UnixMicro() ^ 1<<shift)
			check("the time")
		}
		e.At = at
	}
	if changed < 100*lines {
		t.Errorf("%d changes", changed)
	}
}

func FuzzLine(f *testing.F) {
	f.Add(int64(1), int64(2), "a", "b", "c", "d", "e", int64(1), int64(2), "a", "bc", "", "d", "e")
	f.Fuzz(func(t *testing.T, id1, at1 int64, name1, client1, detail1, actor1, matter1 string, id2, at2 int64, name2, client2, detail2, actor2, matter2 string) {
		event := func(id, at int64, name, client, detail, actor, matter string) storage.Event {
			return storage.Event{ID: id, At: time.UnixMicro(at), Name: name, ClientID: client, Detail: detail, Actor: actor, Matter: matter}
		}
		a, b := event(id1, at1, name1, client1, detail1, actor1, matter1), event(id2, at2, name2, client2, detail2, actor2, matter2)
		if bytes.Equal(encodeLine(a, storage.Erasure{}), encodeLine(b, storage.Erasure{})) != (a == b) {
			t.Errorf("%+v and %+v", a, b)
		}
	})
}
