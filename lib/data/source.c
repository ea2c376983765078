/* Operands as bytes: a file or stdin, unpacked, and the members of archives. */
#include "data/source.h"

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/block.h"
#include "base/mem.h"
#include "data/opening.h"
#include "data/spool.h"
#include "data/unpack.h"

enum { BLOCK = BLOCK_SIZE(1 << 16, 256), RATIO = 1000 };

/* From the file up: file, its head, unpacked, archive or not, member, its head, unpacked. */
struct source_state {
    char *member;           /* the only one wanted, or NULL */
    bool found;             /* it was there */
    bool ended;             /* there are no more members */
    off_t begin;            /* where stdin stood; -1: cannot seek */
    size_t got;             /* bytes of the block in hand */
    la_int64_t fed;         /* where it ends, from the start of what libarchive reads */
    uint64_t fed_raw;       /* bytes read from the file */
    struct flow_peek file;
    struct unpack outer;
    struct flow_limit stretch; /* of outer */
    struct flow whole;      /* what libarchive reads */
    struct archive *archive;
    struct err below;       /* what went wrong beneath libarchive */
    struct flow_peek entry;
    struct unpack inner;
    struct flow_peek unpacked;
    struct flow_limit swell; /* of all that was unpacked */
    struct flow data;
    unsigned char block[BLOCK];
};

static int file_read(void *self, unsigned char *to, size_t room, size_t *got, struct err *e)
{
    struct source *s = self;
    ssize_t n;
    while ((n = read(s->fd, to, room)) < 0) {
        struct pollfd p = { .fd = s->fd, .events = POLLIN };
        if (errno == EAGAIN || errno == EWOULDBLOCK)
            poll(&p, 1, -1);
        else if (errno != EINTR)
            return err_sys(e, "cannot read");
    }
    *got = (size_t)n;
    s->state->fed_raw += (uint64_t)n;
    return 0;
}

/* libarchive's side of the flow beneath it. */
static la_ssize_t feed(struct archive *a, void *self, const void **block)
{
    struct source_state *t = ((struct source *)self)->state;
    (void)a;
    *block = t->block;
    if (flow_get(&t->whole, t->block, sizeof t->block, &t->got, &t->below) < 0)
        return -1;
    t->fed += (la_int64_t)t->got;
    return (la_ssize_t)t->got;
}

static la_int64_t seek(struct archive *a, void *self, la_int64_t offset, int whence)
{
    const struct source *s = self;
    struct source_state *t = s->state;
    (void)a;
    if (whence == SEEK_SET)
        offset += t->begin;
    if (whence == SEEK_CUR)
        offset -= (la_int64_t)(t->file.n - t->file.at);
    off_t at = lseek(s->fd, (off_t)offset, whence);
    if (at < 0)
        return ARCHIVE_FATAL;
    t->file.n = t->file.at = FLOW_HEAD; /* the head is behind us */
    t->fed = at - t->begin;
    return t->fed;
}

/* What went wrong, without a name. */
static int archive_failed(struct source_state *t, struct err *e)
{
    const char *why = archive_error_string(t->archive);
    if (t->below.kind != ERR_OK)
        *e = t->below;
    else if (why == NULL || *why == '\0')
        err_set(e, ERR_DATA, "the archive ends early or is damaged");
    else
        err_set(e, ERR_DATA, "%s", why);
    return -1;
}

/* What libarchive finds wrong with a file that is none of its own. */
static int not_opened(const struct source *s, struct err *e)
{
    const unsigned char *head = s->state->file.head; /* where a file is shorter there are zeros */
    bool zeros = true;
    for (size_t i = 0; i < FLOW_HEAD && zeros; i++)
        zeros = head[i] == 0;
    if (zeros && s->state->below.kind == ERR_OK)
        err_set(e, ERR_DATA, "it begins with zeros: no data, and no archive of any");
    else
        archive_failed(s->state, e);
    return err_ctx(e, "%s", s->path);
}

/* Without filters: what is compressed was unpacked before. */
static int archive_begin(struct source *s, struct err *e)
{
    struct source_state *t = s->state;
    struct archive *a = t->archive = archive_read_new();
    if (a == NULL)
        return err_memory(e);
    archive_read_support_format_7zip(a);
    archive_read_support_format_cpio(a);
    archive_read_support_format_empty(a);
    archive_read_support_format_raw(a);
    archive_read_support_format_tar(a);
    archive_read_support_format_zip(a);
    /* tars one after the other, as cat joins them, are one */
    if (archive_read_set_format_option(a, "tar", "read_concatenated_archives", "1") < ARCHIVE_WARN)
        return archive_failed(t, e);
    archive_read_set_read_callback(a, feed);
    archive_read_set_callback_data(a, s);
    if (t->begin >= 0 && t->outer.state == NULL)
        archive_read_set_seek_callback(a, seek);
    return archive_read_open1(a) < ARCHIVE_WARN ? archive_failed(t, e) : 0;
}

static int entry_read(void *self, unsigned char *to, size_t room, size_t *got, struct err *e)
{
    const struct source *s = self;
    la_ssize_t n = archive_read_data(s->state->archive, to, room);
    if (n < 0)
        return archive_failed(s->state, e);
    *got = (size_t)n;
    return 0;
}

static int closed_stdin(const struct source *s)
{
    return s->fd == STDIN_FILENO && fcntl(s->fd, F_GETFD) < 0;
}

/* 7zip tells at its end what is in it: what comes from a pipe is kept in a file. */
static int make_seekable(struct source *s, struct err *e)
{
    static const unsigned char magic[] = { '7', 'z', 0xbc, 0xaf, 0x27, 0x1c };
    struct source_state *t = s->state;
    if (t->begin >= 0 || t->file.n < sizeof magic || memcmp(t->file.head, magic, sizeof magic) != 0)
        return 0;
    int fd = spool_open(&(struct flow){ flow_peek_read, &t->file }, e);
    if (fd < 0)
        return -1;
    if (s->fd > STDIN_FILENO)
        close(s->fd);
    s->fd = fd;
    t->begin = 0;
    return flow_peek(&t->file, (struct flow){ file_read, s }, e);
}

static int open_flow(struct source *s, struct err *e)
{
    struct source_state *t = s->state;
    t->begin = lseek(s->fd, 0, SEEK_CUR);
    if (flow_peek(&t->file, (struct flow){ file_read, s }, e) < 0 || make_seekable(s, e) < 0)
        return -1;
    t->whole = (struct flow){ flow_peek_read, &t->file };
    if (unpack_open(&t->outer, t->file.head, t->file.n, t->whole, &t->whole, e) < 0)
        return -1;
    t->stretch.below = t->whole;
    t->stretch.fed = t->swell.fed = &t->fed_raw;
    t->whole = (struct flow){ flow_limit_read, &t->stretch };
    source_limit(s, 0);
    return 0;
}

void source_limit(struct source *s, double ratio)
{
    s->state->stretch.ratio = s->state->swell.ratio = ratio > 0 ? ratio : RATIO;
}

int source_open(struct source *s, const char *path, const struct log *log, struct err *e)
{
    static const struct log quiet = { .name = "", .level = -1 };
    struct stat st;
    memset(s, 0, sizeof *s);
    s->fd = -1;
    s->state = mem_new(1, sizeof *s->state, e);
    if (s->state == NULL || (s->fd = opening(path, SOURCE_STDIN, &s->path, &s->state->member, e)) < 0)
        goto fail;
    s->log = log ? log : &quiet;
    s->name = mem_text(s->path, e);
    if (s->name == NULL)
        goto fail;
    if (closed_stdin(s)) {
        err_set(e, ERR_DATA, "%s: no rows: standard input is closed", s->path);
        goto fail;
    }
    if (open_flow(s, e) < 0) {
        err_ctx(e, "%s", s->path);
        goto fail;
    }
    s->plain = s->state->outer.state == NULL && s->state->member == NULL &&
               fstat(s->fd, &st) == 0 && S_ISREG(st.st_mode) && s->state->begin == 0;
    s->head = s->state->file.head;
    s->head_n = s->state->file.n;
    return 0;
fail:
    source_close(s);
    return -1;
}

static const char *last_part(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static const char *without_dot(const char *path)
{
    while (strncmp(path, "./", 2) == 0)
        path += 2;
    return path;
}

static const char *entry_path(struct archive_entry *entry)
{
    const char *path = archive_entry_pathname_utf8(entry);
    if (path == NULL)
        path = archive_entry_pathname(entry);
    return path ? path : "?";
}

/* A member whose rows are wanted. */
static bool is_data(struct source *s, struct archive_entry *entry)
{
    struct source_state *t = s->state;
    const char *path = entry_path(entry);
    if (archive_entry_filetype(entry) != AE_IFREG || archive_entry_hardlink(entry) != NULL)
        return false;
    if (t->member != NULL)
        return strcmp(without_dot(path), without_dot(t->member)) == 0;
    if (strncmp(last_part(path), "._", 2) != 0)
        return true;
    log_note(s->log, "%s(%s): a side file of macOS, left out", s->path, path);
    return false;
}

static bool is_kind(struct archive *a, int kind)
{
    return (archive_format(a) & ARCHIVE_FORMAT_BASE_MASK) == kind;
}

/* Name and head of the entry that libarchive stands at. */
static int entry_open(struct source *s, struct archive_entry *entry, struct err *e)
{
    struct source_state *t = s->state;
    bool raw = archive_format(t->archive) == ARCHIVE_FORMAT_RAW;
    free(s->name);
    free(s->member);
    s->name = raw ? mem_text(s->path, e) : mem_print(e, "%s(%s)", s->path, entry_path(entry));
    s->member = raw ? NULL : mem_text(entry_path(entry), e);
    if (s->name == NULL || (s->member == NULL && !raw))
        return -1;
    s->chosen = t->member != NULL;
    s->zip = is_kind(t->archive, ARCHIVE_FORMAT_ZIP);
    if (flow_peek(&t->entry, (struct flow){ entry_read, s }, e) < 0)
        return err_ctx(e, "%s", s->name);
    t->data = (struct flow){ flow_peek_read, &t->entry };
    s->head = t->entry.head;
    s->head_n = t->entry.n;
    unpack_close(&t->inner);
    int packed = unpack_open(&t->inner, s->head, s->head_n, t->data, &t->data, e);
    if (packed < 0)
        return -1;
    if (packed > 0) {
        if (flow_peek(&t->unpacked, t->data, e) < 0)
            return err_ctx(e, "%s", s->name);
        t->data = (struct flow){ flow_peek_read, &t->unpacked };
        s->head = t->unpacked.head;
        s->head_n = t->unpacked.n;
    }
    t->swell.below = t->data;
    t->data = (struct flow){ flow_limit_read, &t->swell };
    return 0;
}

/* Reads what stands behind the end of an archive: only then compressed data have proved whole, and
 * a pipe's writer can finish. */
static int read_rest(struct source *s, struct err *e)
{
    struct source_state *t = s->state;
    size_t got = t->outer.state != NULL || t->begin < 0;
    while (got > 0)
        if (flow_get(&t->whole, t->block, sizeof t->block, &got, e) < 0)
            return err_ctx(e, "%s", s->path);
    return 0;
}

/* Behind the end of a cpio there may be zeros alone: of a second one nobody would hear. */
static int check_rest(struct source *s, struct err *e)
{
    struct source_state *t = s->state;
    la_int64_t unused = t->fed - archive_filter_bytes(t->archive, -1);
    bool zeros = unused <= (la_int64_t)t->got;
    if (!is_kind(t->archive, ARCHIVE_FORMAT_CPIO))
        return 0;
    if (zeros && flow_zeros(&t->whole, t->block, sizeof t->block, t->got - (size_t)unused, t->got, &zeros, e) < 0)
        return err_ctx(e, "%s", s->path);
    return zeros ? 0 : err_set(e, ERR_DATA, "%s: other bytes stand behind the end of the archive", s->path);
}

/* A tar ends in blocks of zeros: without them it may have been cut where a member ends. */
static int check_end(const struct source *s, struct err *e)
{
    struct archive *a = s->state->archive;
    if (!is_kind(a, ARCHIVE_FORMAT_TAR) || archive_filter_bytes(a, 0) > archive_read_header_position(a))
        return 0;
    return err_set(e, ERR_DATA, "%s: the archive ends early: its last blocks, of zeros, are missing", s->path);
}

static int no_more(const struct source *s, struct err *e)
{
    const struct source_state *t = s->state;
    if (t->member == NULL || t->found)
        return 0;
    return err_set(e, ERR_DATA, "%s: holds no file '%s'", s->path, t->member);
}

int source_next(struct source *s, struct err *e)
{
    struct source_state *t = s->state;
    struct archive_entry *entry;
    if (t->archive == NULL && archive_begin(s, e) < 0)
        return err_ctx(e, "%s", s->path);
    while (!t->ended) {
        int status = archive_read_next_header(t->archive, &entry);
        t->ended = status == ARCHIVE_EOF;
        if (t->ended)
            return check_rest(s, e) < 0 || read_rest(s, e) < 0 || check_end(s, e) < 0 ? -1 : no_more(s, e);
        if (status < ARCHIVE_WARN || status == ARCHIVE_RETRY) /* what cannot be read is not passed over */
            return not_opened(s, e);
        if (!is_data(s, entry))
            continue;
        t->found = true;
        return entry_open(s, entry, e) < 0 ? -1 : 1;
    }
    return 0;
}

int source_read(struct source *s, void *to, size_t room, size_t *got, struct err *e)
{
    size_t n = 1;
    for (*got = 0; *got < room && n > 0; *got += n)
        if (flow_get(&s->state->data, (unsigned char *)to + *got, room - *got, &n, e) < 0)
            return err_ctx(e, "%s", s->name);
    return 0;
}

void source_close(struct source *s)
{
    struct source_state *t = s->state;
    if (t != NULL) {
        unpack_close(&t->inner);
        if (t->archive != NULL)
            archive_read_free(t->archive);
        unpack_close(&t->outer);
        free(t->member);
        free(t);
    }
    if (s->fd > STDIN_FILENO)
        close(s->fd);
    free(s->name);
    free(s->member);
    free(s->path);
    memset(s, 0, sizeof *s);
    s->fd = -1;
}
