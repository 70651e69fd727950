package verification

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/internal/mailbox"
	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/ui"
)

// The limits on mailed codes: of one person, to one mailbox, and of one person to it. A wrong
// code counts for its person, whatever the case and the mailbox: with some forty guesses at
// eight digits in the first month, and twenty in each later one, a hundred thousand accounts
// hit one code in two years.
var (
	codesOfPerson  = provider.Limit{Burst: 8, Every: 10 * time.Minute}
	codesToMailbox = provider.Limit{Burst: 5, Every: 30 * time.Minute}
	codesOfOneTo   = provider.Limit{Burst: 4, Every: time.Hour}
	wrongCodes     = provider.Limit{Burst: 20, Every: 36 * time.Hour}
)

// allowCode counts a code for an address before it is made. It counts by the mailbox, as the
// proof does, of which anybody has any number of spellings. Strangers cannot use up the share of
// a person whose account has the mailbox, nor one stranger that of all others. A LimitError is
// all that anybody learns about the address.
func (s *core) allowCode(ctx context.Context, userID, address string) error {
	own, err := s.Provider.Rooms().People.VerifiedEmail(ctx, userID)
	if err != nil {
		return err
	}
	mailbox := mailboxOf(address)
	digest := s.Provider.Rooms().People.Digest("mail", mailbox)
	key, whose := hex.EncodeToString(digest[:16]), "verification code to a mailbox"
	if own != "" && mailboxOf(own) == mailbox {
		whose = "verification code to an own mailbox"
	}
	return s.allow(ctx,
		limited{"verification code", userID, codesOfPerson},
		limited{"verification code of one to a mailbox", userID + " " + key, codesOfOneTo},
		limited{whose, key, codesToMailbox})
}

// mailboxOf returns one spelling of all addresses that reach a mailbox.
func mailboxOf(address string) string {
	if box, err := mailbox.Parse(address); err == nil {
		return box.Fingerprint()
	}
	normal, err := mailbox.EmailKey(address)
	if err != nil {
		return address
	}
	return normal
}

// errMaybeSent means that a mailer has failed and may have sent the mail all the same, because
// it has not answered in time. What was counted for it stays so, or anybody could bury a
// mailbox behind a mail server that confirms slowly.
var errMaybeSent = errors.New("the mail may have been sent")

// mailCode mails the code of a case.
func (s *core) mailCode(ctx context.Context, c storage.Case, k content, v ui.MailView) error {
	of := k.check(c.Method)
	if of == nil || of.Step == nil || of.Step.Code == nil {
		return nil
	}
	return s.mail(ctx, of.Step.Code.Address, c, v)
}

// mailNews tells a person to look at a case: neither what has become of it, nor which group
// it is about. Others may see the screen of a phone.
func (s *core) mailNews(ctx context.Context, c storage.Case) {
	s.tell(ctx, c, ui.MailView{Kind: ui.MailVerificationNews})
}

// tell mails the owner of a case, if the account has a verified address. What the mail is
// about has happened, and a page shows it: a failure is logged.
func (s *core) tell(ctx context.Context, c storage.Case, v ui.MailView) {
	if s.Mailer == nil {
		return
	}
	to, err := s.Provider.Rooms().People.VerifiedEmail(ctx, c.Subject)
	if err == nil && to != "" {
		k, _ := s.open(c) // of a case that cannot be read the language is unknown, too
		if v.Locale, err = s.Provider.Rooms().People.Locale(ctx, c.Subject, k.Language); err == nil {
			err = s.mail(ctx, to, c, v)
		}
	}
	if err != nil {
		s.Logger.WarnContext(ctx, "a person could not be mailed about a verification", slog.Any("error", err))
	}
}

// mail sends a mail about a case in the look of the provider.
func (s *core) mail(ctx context.Context, to string, c storage.Case, v ui.MailView) error {
	v.Time = s.Clock()
	v.SignInURL = s.absolute(s.path("case", c.ID))
	mail := s.Provider.Rooms().Pages.ComposeMail(to, v)
	_, err := call(ctx, s.places(callMailer), func(ctx context.Context) (struct{}, error) {
		return struct{}{}, s.Mailer.Send(ctx, mail)
	})
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) {
		return fmt.Errorf("%w: %w", errMaybeSent, err)
	}
	return err
}
