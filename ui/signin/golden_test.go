package signin

import (
	"slices"
	"testing"

	"github.com/bonafide-id/bonafide/ui/internal/audiencetest"
)

var audience = audiencetest.Audience{Section: "Factors", Files: files, Fixtures: slices.Concat(factorFixtures, recoveryFixtures, connectFixtures), One: "recover-app"}

func TestScreensMatchGoldenFiles(t *testing.T)        { audience.Golden(t) }
func TestScreensAreWholeInEveryLanguage(t *testing.T) { audience.Markup(t) }
func TestGallery(t *testing.T)                        { audience.Gallery(t) }
func TestLanguages(t *testing.T)                      { audience.Texts(t) }

func TestScreensSayAllSentencesAndNothingElse(t *testing.T) { audience.Said(t, nil) }
