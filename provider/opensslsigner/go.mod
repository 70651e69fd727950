module github.com/bonafide-id/bonafide/provider/opensslsigner

go 1.25.0
