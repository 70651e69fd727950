package api

import (
	"net/http"

	"github.com/bonafide-id/bonafide/storage"
)

// readOut is the code that a caller has read out.
type readOut struct {
	Code string `json:"code" doc:"The digits that the caller has read out." max:"40"`
}

// proofRows are how a caller proves who they are.
func (a *API) proofRows() []operation {
	return []operation{
		{
			Method: http.MethodPost, Path: "/matters/{matter}/code", ID: "sendCallerCode", Title: "Mail the caller a code", Scope: ScopePeopleAct, Spend: acts,
			Text: "It goes to the recorded address. Who is signed in finds one on the page for calls in the account.",
			In:   nothing{}, Out: matter{}, serve: sendCode,
		},
		{
			Method: http.MethodPost, Path: "/matters/{matter}/proof", ID: "proveCaller", Title: "Take the code that the caller reads out", Scope: ScopePeopleAct, Spend: acts,
			Text: "It counts for five minutes. A code is good for one use and five tries.",
			In:   readOut{}, Out: matter{}, Problems: []kind{kindProof}, serve: proveCaller,
		},
	}
}

// openMatterOf returns the open matter of the path.
func (c *call) openMatterOf() (storage.Matter, error) {
	m, err := c.ownMatter(c.PathValue("matter"))
	if err != nil {
		return m, err
	}
	c.matter = &m
	c.acts()
	return m, c.mayUse(m)
}

func sendCode(c *call) (response, error) {
	if err := bind(c.tree, &nothing{}); err != nil {
		return response{}, err
	}
	m, err := c.openMatterOf()
	if err != nil {
		return response{}, err
	}
	return ok(asMatter(m)), c.api.Provider.Rooms().Accounts.SendCallerCode(c.Context(), m.Subject)
}

func proveCaller(c *call) (response, error) {
	var in readOut
	if err := bind(c.tree, &in); err != nil {
		return response{}, err
	}
	m, err := c.openMatterOf()
	if err != nil {
		return response{}, err
	}
	if m.Proof, m.ProvedUntil, err = c.api.Provider.Rooms().People.ProveCaller(c.Context(), m.ID, c.name(), m.Subject, in.Code); err != nil {
		return response{}, err
	}
	return ok(asMatter(m)), nil
}
