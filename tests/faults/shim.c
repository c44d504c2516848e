/* Preloaded into a program, does harm at one of the calls by which it changes a folder. From the environment:
 *   FAULT_FOLDER  the folder: calls that touch it or something below it are counted, each name by itself
 *   FAULT_COUNTS  a file for the counts at the end of the program, one "name count" per line
 *   FAULT_POINT   "name number": the call at which to act, counted from 1
 *   FAULT_ACTION  kill-before, kill-after, kill-torn (a write that ends in the middle), short (a write of half the
 * bytes), ENOSPC, EIO, EDQUOT, EINTR (this call fails), full (it and all later calls that need space fail) The names:
 * open, write, fdatasync, fsync, rename, ftruncate, close, mkdir, unlink. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum Call { kOpen, kWrite, kFdatasync, kFsync, kRename, kFtruncate, kClose, kMkdir, kUnlink, kCalls };
static const char* const kNames[] = {"open",      "write", "fdatasync", "fsync", "rename",
                                     "ftruncate", "close", "mkdir",     "unlink"};

static const char* folder;
static char action[16];
static int point_call = -1;
static long point_number;
static atomic_long counts[kCalls];
static atomic_bool full;

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

__attribute__((constructor)) static void begin(void) {
  char name[16] = "";
  folder = getenv("FAULT_FOLDER");
  const char* point = getenv("FAULT_POINT");
  const char* what = getenv("FAULT_ACTION");
  if (point == NULL || what == NULL || sscanf(point, "%15s %ld", name, &point_number) != 2) return;
  snprintf(action, sizeof(action), "%s", what);
  for (int call = 0; call < kCalls; ++call) {
    if (strcmp(name, kNames[call]) == 0) point_call = call;
  }
}

__attribute__((destructor)) static void end(void) {
  const char* path = getenv("FAULT_COUNTS");
  FILE* file = path == NULL ? NULL : fopen(path, "w");
  if (file == NULL) return;
  for (int call = 0; call < kCalls; ++call) fprintf(file, "%s %ld\n", kNames[call], atomic_load(&counts[call]));
  fclose(file);
}

static bool is(const char* what) {
  return strcmp(action, what) == 0;
}

static bool below(const char* path) {
  const size_t length = folder == NULL ? 0 : strlen(folder);
  return length > 0 && strncmp(path, folder, length) == 0 && (path[length] == '/' || path[length] == '\0');
}

static bool concerns_path(int base, const char* path) {
  char name[PATH_MAX], link[64];
  if (path[0] == '/') return below(path);
  if (base == AT_FDCWD) return getcwd(name, sizeof(name)) != NULL && below(name);
  snprintf(link, sizeof(link), "/proc/self/fd/%d", base);
  const ssize_t length = readlink(link, name, sizeof(name) - 1);
  name[length < 0 ? 0 : length] = '\0';
  return below(name);
}

static bool concerns_file(int file) {
  return concerns_path(file, "");
}

static int error_of_action(void) {
  return is("ENOSPC") || is("full") ? ENOSPC : is("EIO") ? EIO : is("EDQUOT") ? EDQUOT : is("EINTR") ? EINTR : 0;
}

enum What { kProceed, kFail, kShorten, kTear, kKillAfter };

/* Counts a call that concerns the folder and says what to do with it; does not return if the program ends here. */
static enum What decide(enum Call call, bool needs_space) {
  const bool here = atomic_fetch_add(&counts[call], 1) + 1 == point_number && (int)call == point_call;
  if (here && is("full")) atomic_store(&full, true);
  if (atomic_load(&full) && (here || needs_space)) {
    errno = ENOSPC;
    return kFail;
  }
  if (!here) return kProceed;
  if (is("kill-before")) raise(SIGKILL);
  if (is("kill-after")) return kKillAfter;
  if (is("short")) return kShorten;
  if (is("kill-torn")) return kTear;
  errno = error_of_action();
  return errno == 0 ? kProceed : kFail;
}

#define AROUND(call, concerned, needs_space, perform) \
  do {                                                \
    if (!(concerned)) return perform;                 \
    const enum What what = decide(call, needs_space); \
    if (what == kFail) return -1;                     \
    const __typeof__(perform) result = perform;       \
    if (what == kKillAfter) raise(SIGKILL);           \
    return result;                                    \
  } while (0)

static mode_t mode_of(int flags, va_list more) {
  return (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(more, mode_t) : 0;
}

#define DEFINE_OPEN(name)                                                                                \
  int name(const char* path, int flags, ...) {                                                           \
    va_list more;                                                                                        \
    va_start(more, flags);                                                                               \
    const mode_t mode = mode_of(flags, more);                                                            \
    va_end(more);                                                                                        \
    AROUND(kOpen, concerns_path(AT_FDCWD, path), (flags & O_CREAT) != 0, REAL(name)(path, flags, mode)); \
  }
DEFINE_OPEN(open)
DEFINE_OPEN(open64)

#define DEFINE_OPENAT(name)                                                                                \
  int name(int base, const char* path, int flags, ...) {                                                   \
    va_list more;                                                                                          \
    va_start(more, flags);                                                                                 \
    const mode_t mode = mode_of(flags, more);                                                              \
    va_end(more);                                                                                          \
    AROUND(kOpen, concerns_path(base, path), (flags & O_CREAT) != 0, REAL(name)(base, path, flags, mode)); \
  }
DEFINE_OPENAT(openat)
DEFINE_OPENAT(openat64)

ssize_t write(int file, const void* bytes, size_t count) {
  if (!concerns_file(file)) return REAL(write)(file, bytes, count);
  const enum What what = decide(kWrite, true);
  if (what == kFail) return -1;
  const bool part = (what == kShorten || what == kTear) && count > 1;
  const ssize_t result = REAL(write)(file, bytes, part ? count / 2 : count);
  if (what == kTear || what == kKillAfter) raise(SIGKILL);
  return result;
}

int fdatasync(int file) {
  AROUND(kFdatasync, concerns_file(file), true, REAL(fdatasync)(file));
}

int fsync(int file) {
  AROUND(kFsync, concerns_file(file), true, REAL(fsync)(file));
}

int rename(const char* from, const char* to) {
  AROUND(kRename, concerns_path(AT_FDCWD, to), true, REAL(rename)(from, to));
}

int renameat(int from_base, const char* from, int to_base, const char* to) {
  AROUND(kRename, concerns_path(to_base, to), true, REAL(renameat)(from_base, from, to_base, to));
}

int ftruncate(int file, off_t size) {
  AROUND(kFtruncate, concerns_file(file), false, REAL(ftruncate)(file, size));
}

int ftruncate64(int file, off64_t size) {
  AROUND(kFtruncate, concerns_file(file), false, REAL(ftruncate64)(file, size));
}

/* Linux closes a file whatever the result is. */
int close(int file) {
  if (!concerns_file(file)) return REAL(close)(file);
  const enum What what = decide(kClose, false);
  const int error = errno;
  const int result = REAL(close)(file);
  if (what == kKillAfter) raise(SIGKILL);
  if (what == kFail) errno = error;
  return what == kFail ? -1 : result;
}

int mkdir(const char* path, mode_t mode) {
  AROUND(kMkdir, concerns_path(AT_FDCWD, path), true, REAL(mkdir)(path, mode));
}

int mkdirat(int base, const char* path, mode_t mode) {
  AROUND(kMkdir, concerns_path(base, path), true, REAL(mkdirat)(base, path, mode));
}

int unlink(const char* path) {
  AROUND(kUnlink, concerns_path(AT_FDCWD, path), false, REAL(unlink)(path));
}

int unlinkat(int base, const char* path, int flags) {
  AROUND(kUnlink, concerns_path(base, path), false, REAL(unlinkat)(base, path, flags));
}

int rmdir(const char* path) {
  AROUND(kUnlink, concerns_path(AT_FDCWD, path), false, REAL(rmdir)(path));
}

int remove(const char* path) {
  AROUND(kUnlink, concerns_path(AT_FDCWD, path), false, REAL(remove)(path));
}
