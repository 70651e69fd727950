package outbound

import (
	"strings"
	"testing"
)

func TestValidateURL(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		address         string
		public, private bool
	}{
		{"https://rp.example.com/backchannel", true, true},
		{"https://rp.example.com:8443/a?tenant=1", true, true},
		{"https://93.184.216.34/", true, true},
		{"https://[2606:4700::1111]/", true, true},
		{"https://10.0.0.1/", false, true},
		{"https://localhost/", false, true},
		{"https://127.0.0.1/", false, true},
		{"https://127.1/", false, false},
		{"https://2130706433/", false, false},
		{"https://0/", false, false},
		{"https://0x7f000001/", false, false},
		{"https://0X7F.1./", false, false},
		{"https://017700000001/", false, false},
		{"https://127.0.0.1./", false, false},
		{"https://app.0x7f/", false, false},
		{"https://1.example/", true, true},
		{"https://0xbeef.example/", true, true},
		{"http://127.0.0.1:9000/", false, true},
		{"http://localhost:9000/", false, true},
		{"http://app.localhost/", false, true},
		{"http://[::1]:9000/", false, true},
		{"http://rp.example.com/", false, false},
		{"http://10.0.0.1/", false, false},
		{"https://169.254.169.254/latest/meta-data/", false, false},
		{"https://[::ffff:169.254.169.254]/", false, false},
		{"https://0.0.0.0/", false, false},
		{"https://user@rp.example.com/", false, false},
		{"https://rp.example.com/#a", false, false},
		{"https://rp.example.com/#", false, false},
		{"https://rp.example.com:0/", false, false},
		{"https://rp.example.com:65536/", false, false},
		{"https://rp.example.com:/", false, false},
		{"https:///path", false, false},
		{"https:rp.example.com", false, false},
		{"https://rp.example.com/a b", false, false},
		{"https://rp.example.com/\n", false, false},
		{"https://bücher.example/", false, false},
		{"ftp://rp.example.com/", false, false},
		{"file:///etc/passwd", false, false},
		{"/backchannel", false, false},
		{"", false, false},
		{"https://rp.example.com/" + strings.Repeat("a", 2048), false, false},
	} {
		if err := ValidateURL(test.address, false); (err == nil) != test.public {
			t.Errorf("%.60q without private networks: %v", test.address, err)
		}
		if err := ValidateURL(test.address, true); (err == nil) != test.private {
			t.Errorf("%.60q with private networks: %v", test.address, err)
		}
	}
}
