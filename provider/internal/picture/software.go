package picture

import (
	"bytes"
	"slices"
)

// Software are the programs that the metadata of a picture names. It proves nothing: metadata
// can be removed and forged, and a cropped scan has it, too.
type Software struct {
	// Editors are image editors, Generators programs that generate pictures, in
	// alphabetical order.
	Editors, Generators []string
}

// Marks that programs write into files, by the name that a reviewer reads. They are long
// enough not to occur in pixels. "Photoshop 3.0" alone is a format that cameras write, too.
var (
	editorMarks = map[string][]string{
		"Adobe Illustrator": {"Adobe Illustrator"},
		"Adobe Photoshop":   {"Adobe Photoshop"},
		"Affinity":          {"Affinity Photo", "Affinity Designer"},
		"Canva":             {"Canva (Renderer)", "www.canva.com", "Canva Pty"},
		"Figma":             {"figma.com", "Figma ("},
		"GIMP":              {"GIMP 2.", "GIMP 3.", "Created with GIMP"},
		"Inkscape":          {"www.inkscape.org", "inkscape.org"},
		"Lightroom":         {"Adobe Lightroom", "Photoshop Lightroom"},
		"paint.net":         {"paint.net", "Paint.NET"},
		"Photopea":          {"photopea.com", "Photopea"},
		"Picsart":           {"PicsArt", "Picsart"},
		"Pixelmator":        {"Pixelmator"},
		"Snapseed":          {"Snapseed"},
	}
	generatorMarks = map[string][]string{
		// A term of the IPTC that large generators write.
		"a generator (IPTC)": {"trainedAlgorithmicMedia", "compositeWithTrainedAlgorithmic"},
		"Adobe Firefly":      {"Adobe Firefly", "Adobe_Firefly"},
		"DALL·E":             {"DALL-E", "DALL·E", "OpenAI-API", "openai.com"},
		"Midjourney":         {"Midjourney", "midjourney.com"},
		"Stable Diffusion":   {"Stable Diffusion", "stable-diffusion", "sd-metadata", "CFG scale: "},
	}
)

// softwareOf searches the whole file for marks.
func softwareOf(raw []byte) Software {
	return Software{Editors: marked(raw, editorMarks), Generators: marked(raw, generatorMarks)}
}

func marked(raw []byte, marks map[string][]string) (names []string) {
	for name, all := range marks {
		if slices.ContainsFunc(all, func(mark string) bool { return bytes.Contains(raw, []byte(mark)) }) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}
