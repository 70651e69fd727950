package developer

import (
	"encoding/json"
	"net/http"

	screens "github.com/bonafide-id/bonafide/ui/developer"
)

// showInbox shows the sandbox's mails to addresses of the organization.
func (d *trialPages) showInbox(r *request) error {
	mails, err := d.Store.Mails(r.Request.Context(), r.org.ID, keptMails)
	if err != nil {
		return err
	}
	p, err := d.organizationPage(r, screens.SectionInbox)
	if err != nil {
		return err
	}
	p.Environment = screens.Sandbox
	view := screens.InboxView{Page: p, Example: "anybody@" + r.org.ID + inboxDomain}
	for _, m := range mails {
		var mail keptMail
		content, err := d.Provider.Rooms().People.Open(sealedMail, r.org.ID, m.Content)
		if err == nil {
			err = json.Unmarshal(content, &mail)
		}
		if d.toldUnreadable(r.Request.Context(), r.org.ID, sealedMail, err) {
			continue
		}
		view.Mails = append(view.Mails, screens.Mail{At: m.At, To: mail.To, Subject: mail.Subject, Text: mail.Text})
	}
	r.Render(http.StatusOK, screens.Inbox(view))
	return nil
}
