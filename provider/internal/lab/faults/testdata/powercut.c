// Stands between SQLite and the C library and keeps, of every database file, a copy
// with just what has been synchronised: what a disk may be left with when its power is
// cut. The folder POWERCUT holds the copies under the names of the files. With
// POWERCUT_LIES set, synchronising does nothing to them: a disk that lies.
//
//	cc -shared -fPIC -o powercut.so powercut.c -ldl -lpthread
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

struct file {
	dev_t dev;
	ino_t ino;
	int copy;
	off_t from, to; // what was written since the last synchronisation lies between
	struct file *next;
};

enum { MAX_FD = 4096 };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct file *files;
static struct file *opened[MAX_FD];

static void die(const char *what) {
	perror(what);
	_exit(70);
}

// transfer makes the copy equal to the file between two places, and its size too.
static void transfer(int fd, struct file *f) {
	char block[65536];
	struct stat s;
	if (fstat(fd, &s) != 0) die("powercut: fstat");
	off_t to = f->to < s.st_size ? f->to : s.st_size;
	for (off_t at = f->from; at < to;) {
		size_t left = (size_t)(to - at), size = left < sizeof block ? left : sizeof block;
		ssize_t n = pread(fd, block, size, at);
		if (n <= 0 || REAL(pwrite)(f->copy, block, (size_t)n, at) != n) die("powercut: copy");
		at += n;
	}
	if (REAL(ftruncate)(f->copy, s.st_size) != 0) die("powercut: ftruncate");
	f->from = f->to = 0;
}

static int is_database(const char *path) {
	const char *dot = strrchr(path, '.');
	return dot && (!strcmp(dot, ".db") || !strcmp(dot, ".db-wal") || !strcmp(dot, ".db-journal"));
}

static void copy_path(const char *path, char *copy, size_t size) {
	const char *slash = strrchr(path, '/');
	snprintf(copy, size, "%s/%s", getenv("POWERCUT"), slash ? slash + 1 : path);
}

static int note_open(int fd, const char *path) {
	struct stat s;
	if (fd < 0 || !is_database(path)) return fd;
	if (fd >= MAX_FD || fstat(fd, &s) != 0) die("powercut: open");
	pthread_mutex_lock(&lock);
	struct file *f = files;
	while (f && (f->dev != s.st_dev || f->ino != s.st_ino)) f = f->next;
	if (!f) { // what was there when the power came on is durable
		char copy[4096];
		copy_path(path, copy, sizeof copy);
		if (!(f = calloc(1, sizeof *f))) die("powercut: calloc");
		f->dev = s.st_dev, f->ino = s.st_ino, f->next = files, files = f;
		f->copy = REAL(open)(copy, O_RDWR | O_CREAT | O_TRUNC, 0600);
		if (f->copy < 0) die("powercut: open copy");
		f->to = s.st_size;
		transfer(fd, f);
	}
	opened[fd] = f;
	pthread_mutex_unlock(&lock);
	return fd;
}

static struct file *of(int fd) { return fd >= 0 && fd < MAX_FD ? opened[fd] : NULL; }

static void note_write(int fd, off_t from, off_t to) {
	struct file *f = of(fd);
	if (!f) return;
	pthread_mutex_lock(&lock);
	if (f->from == f->to || from < f->from) f->from = from;
	if (to > f->to) f->to = to;
	pthread_mutex_unlock(&lock);
}

static int note_sync(int fd, int result) {
	struct file *f = of(fd);
	if (!f || result != 0 || getenv("POWERCUT_LIES")) return result;
	pthread_mutex_lock(&lock);
	transfer(fd, f);
	pthread_mutex_unlock(&lock);
	return result;
}

static mode_t mode_of(int flags, va_list args) { return flags & O_CREAT ? va_arg(args, mode_t) : 0; }

#define OPEN(name)                                                 \
	int name(const char *path, int flags, ...) {               \
		va_list args;                                      \
		va_start(args, flags);                             \
		mode_t mode = mode_of(flags, args);                \
		va_end(args);                                      \
		return note_open(REAL(name)(path, flags, mode), path); \
	}
OPEN(open)
OPEN(open64)

#define PWRITE(name, offset)                                             \
	ssize_t name(int fd, const void *b, size_t size, offset at) {    \
		ssize_t n = REAL(name)(fd, b, size, at);                 \
		if (n > 0) note_write(fd, (off_t)at, (off_t)at + n);     \
		return n;                                                \
	}
PWRITE(pwrite, off_t)
PWRITE(pwrite64, off64_t)

int fsync(int fd) { return note_sync(fd, REAL(fsync)(fd)); }
int fdatasync(int fd) { return note_sync(fd, REAL(fdatasync)(fd)); }

// forget ends the watch of a file that is removed: another may get its number.
static void forget(const struct stat *s) {
	pthread_mutex_lock(&lock);
	for (struct file **f = &files; *f; f = &(*f)->next)
		if ((*f)->dev == s->st_dev && (*f)->ino == s->st_ino) {
			*f = (*f)->next;
			break;
		}
	pthread_mutex_unlock(&lock);
}

int unlink(const char *path) {
	struct stat s;
	int known = is_database(path) && stat(path, &s) == 0;
	int result = REAL(unlink)(path);
	if (known && result == 0) {
		char copy[4096];
		copy_path(path, copy, sizeof copy);
		REAL(unlink)(copy);
		forget(&s);
	}
	return result;
}

int close(int fd) {
	if (of(fd)) opened[fd] = NULL;
	return REAL(close)(fd);
}
