package ui

// In returns the picture of one scheme alone, for pages that do not follow the device.
// SchemeAuto returns p.
func (p Picture) In(s Scheme) Picture {
	switch {
	case s == SchemeLight:
		return Picture{URL: p.URL, Plate: p.Plate, DarkPlate: p.Plate}
	case s == SchemeDark && p.DarkURL != "":
		return Picture{URL: p.DarkURL, Plate: p.DarkPlate, DarkPlate: p.DarkPlate}
	case s == SchemeDark:
		return Picture{URL: p.URL, Plate: p.DarkPlate, DarkPlate: p.DarkPlate}
	default:
		return p
	}
}

// classes adds to a class those of what the picture is shown on.
func (p Picture) classes(class string) string {
	if p.Plate != PlateNone {
		class += " day-" + string(p.Plate)
	}
	if p.DarkPlate != PlateNone {
		class += " night-" + string(p.DarkPlate)
	}
	return class
}
