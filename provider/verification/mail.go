package verification

import (
	"context"
	"encoding/hex"
	"log/slog"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/ui"
)

// The limits on mailed codes, of one person and to one address.
var (
	codesOfPerson  = provider.Limit{Burst: 8, Every: 10 * time.Minute}
	codesToAddress = provider.Limit{Burst: 5, Every: 30 * time.Minute}
)

// allowCode counts a code for an address before it is made. A LimitError is all that anybody
// learns about the address.
func (s *Service) allowCode(ctx context.Context, userID, address string) error {
	key := s.Provider.People().Digest("mail", address)
	if normal, err := provider.NormalizeEmail(address); err == nil {
		key = s.Provider.People().Digest("mail", normal)
	}
	return s.allow(ctx,
		limited{"verification code", userID, codesOfPerson},
		limited{"verification code to an address", hex.EncodeToString(key[:16]), codesToAddress})
}

// mailCode mails the code of a case.
func (s *Service) mailCode(ctx context.Context, c storage.Case, k content, mailed string) error {
	of := k.check(c.Method)
	if of == nil || of.Step == nil || of.Step.Code == nil {
		return nil
	}
	return s.mail(ctx, of.Step.Code.Address, c, ui.MailView{Kind: ui.MailVerificationCode, Code: mailed, ValidFor: codeLife})
}

// mailNews tells a person to look at a case: neither what has become of it, nor which group
// it is about. Others may see the screen of a phone.
func (s *Service) mailNews(ctx context.Context, c storage.Case) {
	s.tell(ctx, c, ui.MailView{Kind: ui.MailVerificationNews})
}

// tell mails the owner of a case, if the account has a verified address. What the mail is
// about has happened, and a page shows it: a failure is logged.
func (s *Service) tell(ctx context.Context, c storage.Case, v ui.MailView) {
	if s.Mailer == nil {
		return
	}
	to, err := s.Provider.People().VerifiedEmail(ctx, c.Subject)
	if err == nil && to != "" {
		err = s.mail(ctx, to, c, v)
	}
	if err != nil {
		s.Logger.WarnContext(ctx, "a person could not be mailed about a verification", slog.Any("error", err))
	}
}

// mail sends a mail about a case in the look of the provider.
func (s *Service) mail(ctx context.Context, to string, c storage.Case, v ui.MailView) error {
	locale, err := s.Provider.People().Locale(ctx, c.Subject)
	if err != nil {
		return err
	}
	v.Locale, v.Time = locale, s.Clock()
	v.SignInURL = s.absolute(s.path("case", c.ID))
	v = s.Provider.Pages().DressMail(v)
	_, err = call(ctx, s, func(ctx context.Context) (struct{}, error) {
		return struct{}{}, s.Mailer.Send(ctx, provider.ComposeMail(to, v))
	})
	return err
}
