package provider_test

import (
	"context"
	"fmt"
	"log"

	"github.com/bonafide-id/bonafide/provider"
)

// outbox hands mails to a worker of the host. A mail that was taken over must not be
// lost: a real one writes it to a table, and returns when that is durable.
type outbox chan provider.Mail

// Send implements provider.Mailer. It ends with its context: a person waits for the page.
func (o outbox) Send(ctx context.Context, m provider.Mail) error {
	select {
	case o <- m:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func ExampleMailer() {
	mails := make(outbox, 1)
	idp, cleanUp := newExample(provider.Config{BaseURL: "https://id.example.com", Mailer: mails})
	defer cleanUp()
	_ = idp // it sends codes and notices by mails.Send now, as here:

	err := mails.Send(context.Background(), provider.Mail{To: "maria@example.com", Subject: "Your code", Text: "12345678"})
	if err != nil {
		log.Fatal(err)
	}
	mail := <-mails
	fmt.Println(mail.To, "gets", mail.Subject)
	// Output: maria@example.com gets Your code
}
