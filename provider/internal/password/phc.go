package password

import (
	"encoding/base64"
	"fmt"
	"strconv"
	"strings"

	"golang.org/x/crypto/argon2"
)

// params are the parameters of argon2id (RFC 9106 section 3.1): memory in KiB,
// passes, and lanes.
type params struct {
	memory uint32
	time   uint32
	lanes  uint8
}

// current are the parameters of new hashes.
var current = params{memory: 19 * 1024, time: 2, lanes: 1}

// light are the parameters of Light.
var light = params{memory: 2 * 1024, time: 1, lanes: 1}

const (
	saltSize = 16
	tagSize  = 32
)

// Bounds on the parameters of a stored hash. They admit the second recommended option of
// RFC 9106 section 4. A hash that an attacker writes into the database cannot make a check
// take the memory or the time of the whole machine.
const (
	maxMemory = 64 * 1024
	maxTime   = 10
	maxLanes  = 8
	minSalt   = 8
	minTag    = 16
	maxField  = 64
	maxPHC    = 256
)

// hash is a parsed argon2id hash.
type hash struct {
	params
	salt, tag []byte
}

// String returns the hash in PHC string format.
func (h hash) String() string {
	encoding := base64.RawStdEncoding
	return fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=%d$%s$%s", argon2.Version, h.memory, h.time, h.lanes,
		encoding.EncodeToString(h.salt), encoding.EncodeToString(h.tag))
}

// isCurrent reports whether a hash has the parameters and sizes of a new one.
func (h hash) isCurrent() bool {
	return h.params == current && len(h.salt) == saltSize && len(h.tag) == tagSize
}

// parse reads a hash in PHC string format, and reports whether it is argon2id within
// bounds. Each hash has one valid encoding.
func parse(phc string) (h hash, ok bool) {
	if len(phc) > maxPHC {
		return hash{}, false
	}
	parts := strings.Split(phc, "$")
	if len(parts) != 6 || parts[0] != "" || parts[1] != "argon2id" || parts[2] != "v="+strconv.Itoa(argon2.Version) {
		return hash{}, false
	}
	settings := strings.Split(parts[3], ",")
	if len(settings) != 3 {
		return hash{}, false
	}
	lanes, lanesOK := parseSetting(settings[2], "p=", 1, maxLanes)
	memory, memoryOK := parseSetting(settings[0], "m=", 8*lanes, maxMemory)
	time, timeOK := parseSetting(settings[1], "t=", 1, maxTime)
	salt, saltOK := parseField(parts[4], minSalt)
	tag, tagOK := parseField(parts[5], minTag)
	if !lanesOK || !memoryOK || !timeOK || !saltOK || !tagOK {
		return hash{}, false
	}
	return hash{params: params{memory: memory, time: time, lanes: uint8(lanes)}, salt: salt, tag: tag}, true
}

func parseSetting(s, name string, least, most uint32) (uint32, bool) {
	digits, found := strings.CutPrefix(s, name)
	parsed, err := strconv.ParseUint(digits, 10, 32)
	if !found || err != nil || strconv.FormatUint(parsed, 10) != digits {
		return 0, false
	}
	n := uint32(parsed)
	return n, n >= least && n <= most
}

func parseField(s string, least int) ([]byte, bool) {
	b, err := base64.RawStdEncoding.Strict().DecodeString(s)
	if err != nil || strings.ContainsAny(s, "\r\n") {
		return nil, false
	}
	return b, len(b) >= least && len(b) <= maxField
}
