/*
 * Loaded before libc (LD_PRELOAD), it writes down in RECORD_TO, in their order, all that a program does to the files
 * below RECORD_ROOT and what it says on stdout. An entry: kind, length of the path, offset, length of the data (little
 * endian), path, data. Kinds: C create, M mkdir, U unlink, R rename (data: the new path), W write, T truncate (offset:
 * the new size), S sync of a file or directory, A said on stdout.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static int is_recorded(const char *path) {
  const char *root = getenv("RECORD_ROOT");
  size_t length = root ? strlen(root) : 0;
  size_t own = strlen(path);
  return root && strncmp(path, root, length) == 0 && !(own > 4 && strcmp(path + own - 4, "-shm") == 0);
}

static void put(int to, const void *data, size_t length) {
  const char *at = data;
  while (length > 0) {
    long written = syscall(SYS_write, to, at, length);
    if (written <= 0) abort();
    at += written;
    length -= (size_t)written;
  }
}

static void record(char kind, const char *path, uint64_t offset, const void *data, uint32_t length) {
  static int to = -1;
  pthread_mutex_lock(&lock);
  if (to < 0)
    to = (int)syscall(SYS_openat, AT_FDCWD, getenv("RECORD_TO"), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  uint32_t path_length = (uint32_t)strlen(path);
  put(to, &kind, 1);
  put(to, &path_length, 4);
  put(to, &offset, 8);
  put(to, &length, 4);
  put(to, path, path_length);
  put(to, data, length);
  pthread_mutex_unlock(&lock);
}

/* The path of what is open, if it is recorded and was not removed. */
static int path_of(int descriptor, char *path) {
  char link[64];
  snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
  ssize_t length = readlink(link, path, PATH_MAX - 1);
  if (length <= 0) return 0;
  path[length] = 0;
  return is_recorded(path) && !strstr(path, " (deleted)");
}

static int absolute(const char *path) { return path[0] == '/' && is_recorded(path); }

static int opened(const char *path, int flags, mode_t mode) {
  int creates = (flags & O_CREAT) && absolute(path) && access(path, F_OK) != 0;
  int descriptor = (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
  if (descriptor >= 0 && creates) record('C', path, 0, "", 0);
  if (descriptor >= 0 && !creates && (flags & O_TRUNC) && absolute(path)) record('T', path, 0, "", 0);
  return descriptor;
}

#define OPEN(name)                                  \
  int name(const char *path, int flags, ...) {      \
    va_list more;                                   \
    va_start(more, flags);                          \
    mode_t mode = (mode_t)va_arg(more, int);        \
    va_end(more);                                   \
    return opened(path, flags, mode);               \
  }
OPEN(open)
OPEN(open64)

int mkdir(const char *path, mode_t mode) {
  int result = REAL(mkdir)(path, mode);
  if (result == 0 && absolute(path)) record('M', path, 0, "", 0);
  return result;
}

int unlink(const char *path) {
  int result = REAL(unlink)(path);
  if (result == 0 && absolute(path)) record('U', path, 0, "", 0);
  return result;
}

int rename(const char *from, const char *to) {
  int result = REAL(rename)(from, to);
  if (result == 0 && absolute(from)) record('R', from, 0, to, (uint32_t)strlen(to));
  return result;
}

static void wrote(int descriptor, const void *data, ssize_t length, off_t offset) {
  char path[PATH_MAX];
  if (length > 0 && path_of(descriptor, path)) record('W', path, (uint64_t)offset, data, (uint32_t)length);
}

ssize_t pwrite64(int descriptor, const void *data, size_t length, off64_t offset) {
  ssize_t written = REAL(pwrite64)(descriptor, data, length, offset);
  wrote(descriptor, data, written, offset);
  return written;
}

ssize_t pwrite(int descriptor, const void *data, size_t length, off_t offset) {
  return pwrite64(descriptor, data, length, offset);
}

ssize_t write(int descriptor, const void *data, size_t length) {
  /* before it is said, so that nothing counts as done later than anybody could know of it */
  if (descriptor == 1 && getenv("RECORD_TO")) record('A', "", 0, data, (uint32_t)length);
  char path[PATH_MAX];
  int known = descriptor > 2 && path_of(descriptor, path);
  long written = syscall(SYS_write, descriptor, data, length);
  if (known && written > 0) {
    off_t end = lseek(descriptor, 0, SEEK_CUR);
    wrote(descriptor, data, written, end - written);
  }
  return written;
}

ssize_t writev(int descriptor, const struct iovec *pieces, int count) {
  if (descriptor == 1 && getenv("RECORD_TO"))
    for (int i = 0; i < count; i++) record('A', "", 0, pieces[i].iov_base, (uint32_t)pieces[i].iov_len);
  return REAL(writev)(descriptor, pieces, count);
}

static void truncated(int descriptor, off_t size) {
  char path[PATH_MAX];
  if (path_of(descriptor, path)) record('T', path, (uint64_t)size, "", 0);
}

int ftruncate64(int descriptor, off64_t size) {
  int result = REAL(ftruncate64)(descriptor, size);
  if (result == 0) truncated(descriptor, size);
  return result;
}

int ftruncate(int descriptor, off_t size) { return ftruncate64(descriptor, size); }

static int synced(int descriptor, int result) {
  char path[PATH_MAX];
  if (result == 0 && path_of(descriptor, path)) record('S', path, 0, "", 0);
  return result;
}

int fsync(int descriptor) { return synced(descriptor, (int)syscall(SYS_fsync, descriptor)); }
int fdatasync(int descriptor) { return synced(descriptor, (int)syscall(SYS_fdatasync, descriptor)); }
