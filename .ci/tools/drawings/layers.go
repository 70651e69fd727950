package main

import (
	"fmt"
	"strings"
)

// Sizes of layers, in pixels.
const (
	layersWidth = 860
	rowGap      = 44
	boxGap      = 24
	edge        = 16
	memberWidth = 7.4 // of a character
)

// box is one group of packages in a row.
type box struct {
	key, name string
	own       bool
	members   []string
	row       int
	x, y      int
	width     int
	height    int
	lines     []string
}

// drawLayers draws groups in rows and which one imports which. Its lines are
//
//	row                    the boxes after it are below those before
//	box KEY NAME           a group; "own" in place of "box" for one in the project's colour
//	KEY has MEMBER …       what is in it
//	KEY -> KEY             an arrow, from a higher row to a lower one
func drawLayers(a about, lines []string) (string, error) {
	boxes, arrows, err := parseLayers(lines)
	if err != nil {
		return "", err
	}
	height := place(boxes)
	var c canvas
	for _, arrow := range arrows {
		connect(&c, arrow[0], arrow[1], boxes)
	}
	for _, b := range boxes {
		class := "box"
		if b.own {
			class = "own"
		}
		c.rect(b.x, b.y, b.width, b.height, class)
		c.text(b.x+12, b.y+22, "start", "name", b.name)
		for i, line := range b.lines {
			c.text(b.x+12, b.y+42+i*lineHeight, "start", "mono", line)
		}
	}
	return c.document(a, layersWidth, height), nil
}

// parseLayers reads the text.
func parseLayers(lines []string) ([]*box, [][2]*box, error) {
	var boxes []*box
	var arrows [][2]*box
	byKey := map[string]*box{}
	row := 0
	for _, line := range lines {
		words := strings.Fields(line)
		switch {
		case line == "row":
			row++
		case len(words) > 2 && (words[0] == "box" || words[0] == "own"):
			b := &box{key: words[1], name: strings.Join(words[2:], " "), own: words[0] == "own", row: row}
			boxes, byKey[b.key] = append(boxes, b), b
		case len(words) > 2 && words[1] == "has" && byKey[words[0]] != nil:
			b := byKey[words[0]]
			b.members = append(b.members, words[2:]...)
		case len(words) == 3 && words[1] == "->":
			from, to := byKey[words[0]], byKey[words[2]]
			if from == nil || to == nil || from.row >= to.row {
				return nil, nil, fmt.Errorf("%q: an arrow leads from a box to one in a lower row", line)
			}
			arrows = append(arrows, [2]*box{from, to})
		default:
			return nil, nil, fmt.Errorf("%q is no line of such a drawing", line)
		}
	}
	if len(boxes) == 0 {
		return nil, nil, fmt.Errorf("there is no box")
	}
	return boxes, arrows, nil
}

// place gives every box its size and its place, and returns the height of all.
func place(boxes []*box) int {
	y := edge
	for at := 0; at < len(boxes); {
		end, weight := at, 0
		for ; end < len(boxes) && boxes[end].row == boxes[at].row; end++ {
			weight += boxes[end].weight()
		}
		free, x, height := layersWidth-2*edge-(end-at-1)*boxGap, edge, 0
		for _, b := range boxes[at:end] {
			b.x, b.y, b.width = x, y, free*b.weight()/weight
			b.lines = wrap(strings.Join(b.members, " "), int(float64(b.width-24)/memberWidth))
			height = max(height, 34+len(b.lines)*lineHeight)
			x += b.width + boxGap
		}
		for _, b := range boxes[at:end] {
			b.height = height
		}
		y, at = y+height+rowGap, end
	}
	return y - rowGap + edge
}

// weight is how much of its row a box takes: more with more members, within bounds.
func (b *box) weight() int {
	return min(max(len(strings.Join(b.members, " ")), 45), 90)
}

// connect draws an arrow: straight down where the boxes are above each other, and otherwise by a
// bend in the gap below the first.
func connect(c *canvas, from, to *box, all []*box) {
	start, end := from.y+from.height, to.y-2
	left, right := max(from.x, to.x), min(from.x+from.width, to.x+to.width)
	x := (left + right) / 2
	if right-left > 40 && free(x, start, end, all) {
		c.add(`<path class="line" marker-end="url(#tip)" d="M%d %dV%d"/>`, x, start, end)
		return
	}
	from1, to1 := from.x+from.width/2, to.x+to.width/2
	c.add(`<path class="line" marker-end="url(#tip)" d="M%d %dC%d %d %d %d %d %d"/>`, from1, start, from1, start+30, to1, end-30, to1, end)
}

// free reports whether no box is on the way down.
func free(x, from, to int, all []*box) bool {
	for _, b := range all {
		if b.y > from-1 && b.y+b.height < to && x > b.x-6 && x < b.x+b.width+6 {
			return false
		}
	}
	return true
}
