/* Bytes that others must not have: drawn, written and read. */
#include "net/secret.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"

int secret_draw(char *text, size_t n, struct err *e)
{
    static const char digits[] = "0123456789abcdef";
    FILE *f = fopen("/dev/urandom", "re");
    int byte = f == NULL ? EOF : 0;
    for (size_t i = 0; i < n && byte != EOF; i++) {
        byte = getc(f);
        text[2 * i] = digits[byte >> 4 & 15];
        text[2 * i + 1] = digits[byte & 15];
    }
    text[2 * n] = '\0';
    if (byte == EOF)
        err_sys(e, "/dev/urandom");
    if (f != NULL)
        fclose(f);
    return byte == EOF ? -1 : 0;
}

static int write_all(int fd, const char *text, size_t n)
{
    while (n > 0) {
        ssize_t k = write(fd, text, n);
        if (k < 0 && errno != EINTR)
            return -1;
        text += k < 0 ? 0 : k;
        n -= k < 0 ? 0 : (size_t)k;
    }
    return fsync(fd);
}

int secret_make(const char *path, struct err *e)
{
    char text[2 * SECRET_MIN + 2];
    if (secret_draw(text, SECRET_MIN, e) < 0)
        return -1;
    strcat(text, "\n");
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd < 0)
        return err_sys(e, "%s", path);
    int rc = fchmod(fd, 0600) < 0 || write_all(fd, text, strlen(text)) < 0 ? -1 : 0;
    if (rc < 0) {
        err_sys(e, "%s", path);
        unlink(path);
    }
    close(fd);
    return rc;
}

static int check(int fd, struct err *e)
{
    struct stat st;
    if (fstat(fd, &st) < 0)
        return err_sys(e, "cannot be read");
    if (!S_ISREG(st.st_mode))
        return err_set(e, ERR_DATA, "is no regular file");
    if (st.st_mode & 077)
        return err_set(e, ERR_DATA,
                       "group or others can use it (mode %04o), so it is no secret: chmod 600",
                       (unsigned)(st.st_mode & 07777));
    if (st.st_size == 0 || st.st_size > SECRET_MAX)
        return err_set(e, ERR_DATA, "has %jd bytes: 1 to %d are allowed", (intmax_t)st.st_size,
                       SECRET_MAX);
    return 0;
}

static char *read_all(int fd, size_t *n, struct err *e)
{
    char *bytes = mem_new(SECRET_MAX + 1, 1, e);
    ssize_t k = 1;
    for (*n = 0; bytes != NULL && k > 0 && *n < SECRET_MAX; *n += k > 0 ? (size_t)k : 0)
        k = read(fd, bytes + *n, SECRET_MAX - *n);
    if (bytes != NULL && k >= 0)
        return bytes;
    if (bytes != NULL)
        err_sys(e, "cannot be read");
    secret_free(bytes, *n);
    return NULL;
}

char *secret_read(const char *path, size_t *n, struct err *e)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0) {
        err_sys(e, "%s", path);
        return NULL;
    }
    char *bytes = check(fd, e) < 0 ? NULL : read_all(fd, n, e);
    if (bytes == NULL)
        err_ctx(e, "%s", path);
    close(fd);
    return bytes;
}

void secret_free(char *secret, size_t n)
{
    for (volatile char *p = secret; n > 0; n--)
        *p++ = 0;
    free(secret);
}
