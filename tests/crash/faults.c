// Loaded into a server (LD_PRELOAD) by faults.py: notes in FAULTS_JOURNAL what the server does to the names and files below
// FAULTS_DATA and what of it it syncs, keeps what it removes in FAULTS_TRASH, and shifts the machine's clock by the
// nanoseconds that stand in the file FAULTS_CLOCK. A line is written after what it tells: a server that is killed between
// has done a little more than is known, which is taken for durable.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static int journal = -1;
static const char* data;
static const char* trash;
static volatile int64_t* shift;
static int kept;

__attribute__((constructor)) static void begin(void) {
  data = getenv("FAULTS_DATA");
  trash = getenv("FAULTS_TRASH");
  const char* const path = getenv("FAULTS_JOURNAL");
  int (*real_open)(const char*, int, ...) = dlsym(RTLD_NEXT, "open");
  if (path) journal = real_open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  const char* const clock = getenv("FAULTS_CLOCK");
  const int file = clock ? real_open(clock, O_RDONLY | O_CLOEXEC) : -1;
  if (file < 0) return;
  void* const memory = mmap(NULL, sizeof(int64_t), PROT_READ, MAP_SHARED, file, 0);
  if (memory != MAP_FAILED) shift = memory;
  close(file);
}

static int is_ours(const char* path) {
  return journal >= 0 && data && strncmp(path, data, strlen(data)) == 0 && path[strlen(data)] == '/';
}

static void note(const char* form, ...) {
  char line[3 * PATH_MAX];
  const int before = errno;
  va_list values;
  va_start(values, form);
  const int size = vsnprintf(line, sizeof line, form, values);
  va_end(values);
  if (write(journal, line, (size_t)size) != size) abort();
  errno = before;
}

static void absolute(int directory, const char* path, char* result) {
  char link[64], base[PATH_MAX];
  ssize_t size = -1;
  if (path[0] != '/' && directory != AT_FDCWD) {
    snprintf(link, sizeof link, "/proc/self/fd/%d", directory);
    size = readlink(link, base, sizeof base - 1);
  }
  if (size > 0) snprintf(result, PATH_MAX, "%.*s/%s", (int)size, base, path);
  else snprintf(result, PATH_MAX, "%s", path);
}

// What stands there under a name of its own, so that its removal can be undone; 0: nothing.
static int keep(const char* path) {
  struct stat status;
  if (stat(path, &status) != 0 || !S_ISREG(status.st_mode)) return 0;
  char name[PATH_MAX];
  const int number = (int)getpid() * 10000 + __atomic_add_fetch(&kept, 1, __ATOMIC_RELAXED);
  snprintf(name, sizeof name, "%s/%d", trash, number);
  return linkat(AT_FDCWD, path, AT_FDCWD, name, 0) == 0 ? number : 0;
}

static int open_noting(const char* name, int directory, const char* path, int flags, mode_t mode) {
  int (*real)(int, const char*, int, ...) = dlsym(RTLD_NEXT, name);
  char whole[PATH_MAX];
  absolute(directory, path, whole);
  struct stat status;
  const int is_new = (flags & O_CREAT) && is_ours(whole) && stat(whole, &status) != 0;
  const int file = real(directory, path, flags, mode);
  if (file >= 0 && is_new) note("C %s\n", whole);
  return file;
}

#define MODE_OF(flags)                                                   \
  mode_t mode = 0;                                                       \
  if ((flags) & (O_CREAT | O_TMPFILE)) {                                 \
    va_list values;                                                      \
    va_start(values, flags);                                             \
    mode = va_arg(values, mode_t);                                       \
    va_end(values);                                                      \
  }

int open(const char* path, int flags, ...) { MODE_OF(flags) return open_noting("openat", AT_FDCWD, path, flags, mode); }
int open64(const char* path, int flags, ...) { MODE_OF(flags) return open_noting("openat64", AT_FDCWD, path, flags, mode); }
int openat(int directory, const char* path, int flags, ...) {
  MODE_OF(flags) return open_noting("openat", directory, path, flags, mode);
}
int openat64(int directory, const char* path, int flags, ...) {
  MODE_OF(flags) return open_noting("openat64", directory, path, flags, mode);
}

int mkdir(const char* path, mode_t mode) {
  int (*real)(const char*, mode_t) = dlsym(RTLD_NEXT, "mkdir");
  const int result = real(path, mode);
  if (result == 0 && is_ours(path)) note("M %s\n", path);
  return result;
}

int link(const char* from, const char* to) {
  int (*real)(const char*, const char*) = dlsym(RTLD_NEXT, "link");
  const int result = real(from, to);
  if (result == 0 && is_ours(to)) note("L %s\t%s\n", from, to);
  return result;
}

int rename(const char* from, const char* to) {
  int (*real)(const char*, const char*) = dlsym(RTLD_NEXT, "rename");
  const int number = is_ours(to) ? keep(to) : 0;
  const int result = real(from, to);
  if (result == 0 && is_ours(to)) note("R %d\t%s\t%s\n", number, from, to);
  return result;
}

int unlinkat(int directory, const char* path, int flags) {
  int (*real)(int, const char*, int) = dlsym(RTLD_NEXT, "unlinkat");
  char whole[PATH_MAX];
  absolute(directory, path, whole);
  const int number = !(flags & AT_REMOVEDIR) && is_ours(whole) ? keep(whole) : 0;
  const int result = real(directory, path, flags);
  if (result == 0 && number) note("U %d\t%s\n", number, whole);
  return result;
}
int unlink(const char* path) { return unlinkat(AT_FDCWD, path, 0); }
int remove(const char* path) {
  const int result = unlinkat(AT_FDCWD, path, 0);
  return result != 0 && (errno == EISDIR || errno == EPERM) ? rmdir(path) : result;
}

// Only what was in the file before the call is durable for certain.
static int sync_noting(const char* name, int file) {
  int (*real)(int) = dlsym(RTLD_NEXT, name);
  char link[64], path[PATH_MAX];
  struct stat status;
  snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  const ssize_t size = readlink(link, path, sizeof path - 1);
  path[size > 0 ? size : 0] = 0;
  const int known = fstat(file, &status) == 0 && (is_ours(path) || (data && strcmp(path, data) == 0 && journal >= 0));
  const int result = real(file);
  if (result == 0 && known && S_ISDIR(status.st_mode)) note("D %s\n", path);
  if (result == 0 && known && S_ISREG(status.st_mode)) note("S %lld\t%s\n", (long long)status.st_size, path);
  return result;
}
int fsync(int file) { return sync_noting("fsync", file); }
int fdatasync(int file) { return sync_noting("fdatasync", file); }

int clock_gettime(clockid_t which, struct timespec* now) {
  static int (*real)(clockid_t, struct timespec*);
  if (!real) real = dlsym(RTLD_NEXT, "clock_gettime");
  const int result = real(which, now);
  if (result == 0 && shift && which == CLOCK_REALTIME) {
    const int64_t moved = (int64_t)now->tv_sec * 1000000000 + now->tv_nsec + *shift;
    now->tv_sec = moved / 1000000000;
    now->tv_nsec = moved % 1000000000;
  }
  return result;
}
