package sampleclient

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
)

// maxAnswer bounds what is read of an answer.
const maxAnswer = 1 << 20

// fetch sends a request and returns the body of a 200. An error never quotes the
// address, which may hold a token.
func fetch(r *http.Request) ([]byte, error) {
	response, err := httpClient.Do(r)
	if err != nil {
		var withAddress *url.Error
		if errors.As(err, &withAddress) {
			err = withAddress.Err
		}
		return nil, fmt.Errorf("ask %s: %w", r.URL.Path, err)
	}
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(io.LimitReader(response.Body, maxAnswer))
	if err != nil {
		return nil, fmt.Errorf("read answer of %s: %w", r.URL.Path, err)
	}
	if response.StatusCode != http.StatusOK {
		var failure struct {
			Code        string `json:"error"`
			Description string `json:"error_description"`
		}
		if json.Unmarshal(body, &failure) == nil && failure.Code != "" {
			return nil, refused(failure.Code, failure.Description)
		}
		return nil, fmt.Errorf("%s answered %s", r.URL.Path, response.Status)
	}
	return body, nil
}
