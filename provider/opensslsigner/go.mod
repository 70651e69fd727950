module github.com/bonafide-id/bonafide/provider/opensslsigner

go 1.26.0

require github.com/golang-fips/openssl/v2 v2.0.3
