package provider

import (
	"log/slog"

	"github.com/bonafide-id/bonafide/ui"
)

// readTexts returns the languages of the screens, with the host's texts. It logs the
// languages with parts in English: a user would see two languages on one page.
func (c Config) readTexts() (*ui.LocaleSet, error) {
	locales, err := ui.NewLocaleSet(c.Texts)
	if err != nil || c.Texts == nil {
		return locales, err
	}
	for _, l := range locales.All() {
		if missing := l.Missing(); len(missing) > 0 {
			c.Logger.Info("texts of a language are partly in English",
				slog.String("language", l.Lang), slog.Int("sentences", len(missing)), slog.String("first", missing[0]))
		}
	}
	return locales, nil
}
