/* Makes one operation on an SQLite database's files fail, in a process that loads this library with
 * LD_PRELOAD. FILE_FAULTS names a file with the plan, which file_faults.rs writes and reads. */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum operation { READ = 1, WRITE, SYNC, LOCK, TRUNCATE };
enum mode { PASS, COUNT, FAIL, FAIL_AS_FULL };

#define OPERATIONS_MAX 4096

struct plan {
    _Atomic uint32_t mode;
    _Atomic uint32_t count;             /* operations so far */
    _Atomic uint32_t fails;             /* the number of the one that fails, from 1 */
    _Atomic uint32_t failed;            /* which operation has failed */
    uint8_t operations[OPERATIONS_MAX]; /* what was counted */
};

static struct plan *plan(void) {
    static _Atomic(struct plan *) shared;
    struct plan *found = shared;
    const char *path = getenv("FILE_FAULTS");
    if (found || !path) return found;
    int (*open_file)(const char *, int, ...) = dlsym(RTLD_NEXT, "open");
    int fd = open_file(path, O_RDWR);
    if (fd < 0) return NULL;
    found = mmap(NULL, sizeof *found, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    close(fd);
    if (found == MAP_FAILED) return NULL;
    shared = found;
    return found;
}

static int is_database(int fd) {
    char link[64], path[4096];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(link, path, sizeof path - 1);
    if (length < 0) return 0;
    path[length] = 0;
    return strstr(path, ".sqlite") != NULL;
}

/* True if this operation is to fail; errno is set. */
static int fails(int fd, enum operation operation) {
    int before = errno;
    struct plan *shared = plan();
    if (!shared || shared->mode == PASS || !is_database(fd)) {
        errno = before;
        return 0;
    }
    uint32_t number = atomic_fetch_add(&shared->count, 1) + 1;
    if (number <= OPERATIONS_MAX) shared->operations[number - 1] = operation;
    errno = before;
    if (shared->mode == COUNT || number != shared->fails) return 0;
    shared->failed = operation;
    errno = operation == LOCK ? EAGAIN : shared->mode == FAIL_AS_FULL ? ENOSPC : EIO;
    return 1;
}

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

ssize_t read(int fd, void *data, size_t length) {
    return fails(fd, READ) ? -1 : REAL(read)(fd, data, length);
}

ssize_t pread(int fd, void *data, size_t length, off_t at) {
    return fails(fd, READ) ? -1 : REAL(pread)(fd, data, length, at);
}

ssize_t pread64(int fd, void *data, size_t length, off64_t at) {
    return fails(fd, READ) ? -1 : REAL(pread64)(fd, data, length, at);
}

ssize_t write(int fd, const void *data, size_t length) {
    return fails(fd, WRITE) ? -1 : REAL(write)(fd, data, length);
}

ssize_t pwrite(int fd, const void *data, size_t length, off_t at) {
    return fails(fd, WRITE) ? -1 : REAL(pwrite)(fd, data, length, at);
}

ssize_t pwrite64(int fd, const void *data, size_t length, off64_t at) {
    return fails(fd, WRITE) ? -1 : REAL(pwrite64)(fd, data, length, at);
}

int fsync(int fd) { return fails(fd, SYNC) ? -1 : REAL(fsync)(fd); }

int fdatasync(int fd) { return fails(fd, SYNC) ? -1 : REAL(fdatasync)(fd); }

int ftruncate(int fd, off_t length) {
    return fails(fd, TRUNCATE) ? -1 : REAL(ftruncate)(fd, length);
}

int ftruncate64(int fd, off64_t length) {
    return fails(fd, TRUNCATE) ? -1 : REAL(ftruncate64)(fd, length);
}

/* Only taking a lock can fail, not releasing one. */
static int takes_lock(int command, void *argument) {
    return command == F_SETLK && ((struct flock *)argument)->l_type != F_UNLCK;
}

int fcntl(int fd, int command, ...) {
    va_list arguments;
    va_start(arguments, command);
    void *argument = va_arg(arguments, void *);
    va_end(arguments);
    if (takes_lock(command, argument) && fails(fd, LOCK)) return -1;
    return REAL(fcntl)(fd, command, argument);
}

int fcntl64(int fd, int command, ...) {
    va_list arguments;
    va_start(arguments, command);
    void *argument = va_arg(arguments, void *);
    va_end(arguments);
    if (takes_lock(command, argument) && fails(fd, LOCK)) return -1;
    return REAL(fcntl64)(fd, command, argument);
}
