//go:build cgo && unix

package opensslsigner

/*
#cgo linux LDFLAGS: -ldl
#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>

// What is used of OpenSSL's headers, so that building does not need them.
typedef struct evp_pkey_st EVP_PKEY;
typedef struct evp_pkey_ctx_st EVP_PKEY_CTX;
typedef struct evp_md_st EVP_MD;
enum { rsa_pkcs1_padding = 1, init_no_atexit = 0x00080000 };

typedef struct {
	int (*init)(uint64_t options, const void *settings);
	EVP_PKEY *(*decode)(EVP_PKEY **key, const unsigned char **der, long length);
	void (*free_key)(EVP_PKEY *key);
	EVP_PKEY_CTX *(*new_ctx)(EVP_PKEY *key, void *engine);
	void (*free_ctx)(EVP_PKEY_CTX *ctx);
	int (*sign_init)(EVP_PKEY_CTX *ctx);
	int (*set_padding)(EVP_PKEY_CTX *ctx, int padding);
	int (*set_md)(EVP_PKEY_CTX *ctx, const EVP_MD *md);
	int (*sign)(EVP_PKEY_CTX *ctx, unsigned char *signature, size_t *length, const unsigned char *digest, size_t digest_length);
	const EVP_MD *(*sha256)(void);
	unsigned long (*last_error)(void);
	void (*error_text)(unsigned long error, char *text, size_t length);
	void (*clear_errors)(void);
} libcrypto;

// resolve finds every function and returns the name of the first that is missing.
static const char *resolve(void *handle, libcrypto *c) {
	const struct { const char *name; void *function; } table[] = {
		{"OPENSSL_init_crypto", &c->init},
		{"d2i_AutoPrivateKey", &c->decode},
		{"EVP_PKEY_free", &c->free_key},
		{"EVP_PKEY_CTX_new", &c->new_ctx},
		{"EVP_PKEY_CTX_free", &c->free_ctx},
		{"EVP_PKEY_sign_init", &c->sign_init},
		{"EVP_PKEY_CTX_set_rsa_padding", &c->set_padding}, // since 3.0
		{"EVP_PKEY_CTX_set_signature_md", &c->set_md}, // since 3.0
		{"EVP_PKEY_sign", &c->sign},
		{"EVP_sha256", &c->sha256},
		{"ERR_peek_last_error", &c->last_error},
		{"ERR_error_string_n", &c->error_text},
		{"ERR_clear_error", &c->clear_errors},
	};
	for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
		void *found = dlsym(handle, table[i].name);
		if (!found) return table[i].name;
		*(void **)table[i].function = found;
	}
	return NULL;
}

// The threads that sign must not lose the library under them when the program
// exits: it is told not to clean up.
static int init(libcrypto *c) { return c->init(init_no_atexit, NULL); }

// explain moves the reason of a failure out of the thread's queue of errors. It must
// be called by the function that failed: the next call may be on another thread.
static void explain(libcrypto *c, char *reason, size_t length) {
	c->error_text(c->last_error(), reason, length);
	c->clear_errors();
}

static EVP_PKEY *decode(libcrypto *c, const unsigned char *der, long length, char *reason, size_t reason_length) {
	EVP_PKEY *key = c->decode(NULL, &der, length);
	if (!key) explain(c, reason, reason_length);
	return key;
}

static void free_key(libcrypto *c, EVP_PKEY *key) { c->free_key(key); }

static int sign(libcrypto *c, EVP_PKEY *key, const unsigned char *digest, size_t digest_length,
		unsigned char *signature, size_t *length, char *reason, size_t reason_length) {
	EVP_PKEY_CTX *ctx = c->new_ctx(key, NULL);
	int done = ctx
		&& c->sign_init(ctx) > 0
		&& c->set_padding(ctx, rsa_pkcs1_padding) > 0
		&& c->set_md(ctx, c->sha256()) > 0
		&& c->sign(ctx, signature, length, digest, digest_length) > 0;
	if (!done) explain(c, reason, reason_length);
	c->free_ctx(ctx);
	return done;
}
*/
import "C"

import (
	"crypto/rsa"
	"crypto/x509"
	"errors"
	"fmt"
	"runtime"
	"unsafe"
)

// library is OpenSSL's libcrypto, which stays loaded until the program ends.
type library struct{ functions C.libcrypto }

// load looks for a library of this name, and in it for what OpenSSL 3 has.
func load(name string) (*library, error) {
	file := C.CString(name)
	defer C.free(unsafe.Pointer(file))
	// dlerror tells of the last failure on the same thread.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	handle := C.dlopen(file, C.RTLD_NOW|C.RTLD_LOCAL)
	if handle == nil {
		return nil, fmt.Errorf("opensslsigner: load OpenSSL: %s", C.GoString(C.dlerror()))
	}
	lib := new(library)
	if missing := C.resolve(handle, &lib.functions); missing != nil {
		C.dlclose(handle)
		return nil, fmt.Errorf("opensslsigner: %s is not OpenSSL 3: it has no %s", name, C.GoString(missing))
	}
	if C.init(&lib.functions) != 1 {
		return nil, fmt.Errorf("opensslsigner: %s cannot be initialized", name)
	}
	return lib, nil
}

// privateKey is a key in OpenSSL's memory.
type privateKey struct {
	lib  *library
	key  *C.EVP_PKEY
	size int
}

func (l *library) newPrivateKey(key *rsa.PrivateKey) (*privateKey, error) {
	der := x509.MarshalPKCS1PrivateKey(key)
	defer clear(der)
	var why reason
	held := C.decode(&l.functions, (*C.uchar)(&der[0]), C.long(len(der)), &why[0], C.size_t(len(why)))
	if held == nil {
		return nil, why.err()
	}
	k := &privateKey{lib: l, key: held, size: key.Size()}
	// OpenSSL overwrites the numbers of a private key before it frees them.
	runtime.AddCleanup(k, func(held *C.EVP_PKEY) { C.free_key(&l.functions, held) }, held)
	return k, nil
}

// signSHA256 makes a PKCS #1 v1.5 signature. OpenSSL blinds it, and checks it before
// it lets it out, as Go's crypto does: one that a fault has spoiled would tell the
// key.
func (k *privateKey) signSHA256(digest []byte) ([]byte, error) {
	signature := make([]byte, k.size)
	length := C.size_t(len(signature))
	var why reason
	done := C.sign(&k.lib.functions, k.key, (*C.uchar)(&digest[0]), C.size_t(len(digest)),
		(*C.uchar)(&signature[0]), &length, &why[0], C.size_t(len(why)))
	runtime.KeepAlive(k)
	if done != 1 {
		return nil, why.err()
	}
	return signature[:length], nil
}

// reason is room for OpenSSL's text of an error.
type reason [256]C.char

func (r *reason) err() error { return errors.New(C.GoString(&r[0])) }
