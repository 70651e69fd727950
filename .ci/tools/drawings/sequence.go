package main

import (
	"fmt"
	"strings"
)

// Sizes of a sequence, in pixels.
const (
	sequenceWidth  = 860
	sequenceMargin = 110
	headHeight     = 44
	stepHeight     = 26
	lineHeight     = 17
	// A line of so many characters fits between two neighbours.
	charsBetween = 42
)

// sequence is who takes part, from left to right, and what has been drawn so far.
type sequence struct {
	canvas

	who  []string // their keys
	name []string
	y    int
	step int
}

// drawSequence draws who sends what to whom, from top to bottom. Its lines are
//
//	who KEY NAME           somebody who takes part
//	KEY -> KEY: TEXT       a request, counted
//	KEY --> KEY: TEXT      an answer
//	KEY: TEXT              what somebody does, without sending anything
func drawSequence(a about, lines []string) (string, error) {
	s := &sequence{y: headHeight + 16}
	for _, line := range lines {
		if who, ok := strings.CutPrefix(line, "who "); ok {
			key, name, _ := strings.Cut(who, " ")
			s.who, s.name = append(s.who, key), append(s.name, name)
			continue
		}
		if len(s.who) < 2 {
			return "", fmt.Errorf("%q: fewer than two take part", line)
		}
		if err := s.draw(line); err != nil {
			return "", err
		}
	}
	height := s.y + 20
	var c canvas
	for i, name := range s.name {
		x := s.x(i)
		c.add(`<path class="life" d="M%d %dV%d"/>`, x, headHeight+12, height-12)
		class := "box"
		if i == len(s.name)-1 {
			class = "own"
		}
		c.rect(x-90, 12, 180, headHeight-6, class)
		c.text(x, 36, "middle", "name", name)
	}
	c.WriteString(s.String())
	return c.document(a, sequenceWidth, height), nil
}

// x is where somebody's line is.
func (s *sequence) x(i int) int {
	return sequenceMargin + i*(sequenceWidth-2*sequenceMargin)/(len(s.who)-1)
}

// draw draws one line of the text.
func (s *sequence) draw(line string) error {
	parts, text, ok := strings.Cut(line, ": ")
	if !ok {
		return fmt.Errorf("%q has no text", line)
	}
	class, arrow := "line", "->"
	if strings.Contains(parts, "-->") {
		class, arrow = "line back", "-->"
	}
	from, to, sends := strings.Cut(parts, arrow)
	a, b := s.index(from), s.index(to)
	if a < 0 || sends && b < 0 {
		return fmt.Errorf("%q: nobody is called so", parts)
	}
	if !sends {
		s.note(a, text)
		return nil
	}
	if arrow == "->" {
		s.step++
		text = fmt.Sprintf("%d. %s", s.step, text)
	}
	s.message(a, b, class, text)
	return nil
}

func (s *sequence) index(key string) int {
	for i, who := range s.who {
		if who == strings.TrimSpace(key) {
			return i
		}
	}
	return -1
}

// message draws an arrow under its text. The text has the colour of the sheet around it, where
// it crosses somebody's line.
func (s *sequence) message(a, b int, class, text string) {
	left, right := s.x(min(a, b)), s.x(max(a, b))
	s.y += 8
	for _, line := range wrap(text, charsBetween*max(b-a, a-b)) {
		s.y += lineHeight
		if max(b-a, a-b) > 1 {
			half := 4 * len([]rune(line))
			s.add(`<rect class="sheet" x="%d" y="%d" width="%d" height="%d"/>`, (left+right)/2-half, s.y-14, 2*half, lineHeight)
		}
		s.text((left+right)/2, s.y, "middle", "small", line)
	}
	s.y += 7
	end := s.x(b) - 2
	if b < a {
		end = s.x(b) + 2
	}
	s.add(`<path class="%s" marker-end="url(#tip)" d="M%d %dH%d"/>`, class, s.x(a), s.y, end)
}

// note draws a box over somebody's line.
func (s *sequence) note(at int, text string) {
	lines := wrap(text, 29)
	height := len(lines)*lineHeight + 12
	s.y += stepHeight - 12
	width := 208
	x := min(max(s.x(at)-width/2, 4), sequenceWidth-width-4)
	class := "box"
	if at == len(s.who)-1 {
		class = "own"
	}
	s.rect(x, s.y, width, height, class)
	for i, line := range lines {
		s.text(x+width/2, s.y+19+i*lineHeight, "middle", "small", line)
	}
	s.y += height
}
