package sampleclient

import (
	"encoding/json"
	"fmt"
	"net/http"
)

// toolsPath is where the site has tools for assistants: a server of the Model Context Protocol
// (Streamable HTTP, without sessions), for tokens of the last of the providers.
const (
	toolsPath         = "/mcp"
	toolsMetadataPath = "/.well-known/oauth-protected-resource" + toolsPath
)

// call is a message of JSON-RPC 2.0. A notification has no ID.
type call struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params struct {
		Version string `json:"protocolVersion"`
		Name    string `json:"name"`
	} `json:"params"`
}

// toolsService is the provider of the tools: the sandbox, if there is one.
func (s *Site) toolsService() *service { return s.services[len(s.services)-1] }

// tools answers an assistant whose access token is for the tools.
func (s *Site) tools(w http.ResponseWriter, r *http.Request) {
	who, ok := s.authorize(w, r, s.toolsService(), s.base+toolsPath, toolsMetadataPath)
	if !ok {
		return
	}
	var c call
	if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, 64<<10)).Decode(&c); err != nil {
		http.Error(w, "the body is no message of JSON-RPC", http.StatusBadRequest)
		return
	}
	if len(c.ID) == 0 {
		w.WriteHeader(http.StatusAccepted)
		return
	}
	response := map[string]any{"jsonrpc": "2.0", "id": c.ID}
	if result := c.result(who); result != nil {
		response["result"] = result
	} else {
		response["error"] = map[string]any{"code": -32601, "message": "there is no such method, or tool"}
	}
	answer(w, response)
}

// noStream says that there are no events to listen for, which assistants try.
func noStream(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Allow", http.MethodPost)
	http.Error(w, "send a POST", http.StatusMethodNotAllowed)
}

// result is what a call results in; nil if there is no such method.
func (c call) result(who caller) any {
	const tool = "whoami"
	switch {
	case c.Method == "initialize":
		return map[string]any{
			"protocolVersion": c.Params.Version, "capabilities": map[string]any{"tools": map[string]any{}},
			"serverInfo": map[string]string{"name": Name, "version": "1"},
		}
	case c.Method == "ping":
		return map[string]any{}
	case c.Method == "tools/list":
		return map[string]any{"tools": []any{map[string]any{
			"name": tool, "description": "Says whose access token the assistant has.", "inputSchema": map[string]string{"type": "object"},
		}}}
	case c.Method == "tools/call" && c.Params.Name == tool:
		return map[string]any{"content": []any{map[string]string{"type": "text", "text": fmt.Sprintf("user %s by client %s", who.Subject, who.ClientID)}}}
	}
	return nil
}

// toolsMetadata says for which provider's tokens the tools are (RFC 9728), and with which scopes:
// some assistants request all that the provider has where a server names none.
func (s *Site) toolsMetadata(w http.ResponseWriter, _ *http.Request) {
	metadata := protected(s.base+toolsPath, s.toolsService())
	metadata["scopes_supported"] = []string{"openid"}
	answer(w, metadata)
}
