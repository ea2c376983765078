/* NumPy's .npz, stored and not deflated, by libarchive. */
#include "data/npz_write.h"

#include <archive.h>
#include <archive_entry.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/mem.h"

enum { HEADER = 256, ALIGN = 64, PREFIX = 10 /* magic number, version and length */ };

struct writer {
    struct archive *archive;
    struct out *out;
    struct err *e;
};

static la_ssize_t put(struct archive *a, void *self, const void *data, size_t n)
{
    struct writer *w = self;
    (void)a;
    return out_write(w->out, data, n, w->e) == 0 ? (la_ssize_t)n : -1;
}

static const char *descr_of(enum dtype t)
{
    static const char *const descr[] = {
        [DTYPE_U8] = "|u1", [DTYPE_I32] = "<i4", [DTYPE_I64] = "<i8", [DTYPE_F32] = "<f4", [DTYPE_F64] = "<f8"
    };
    return descr[t];
}

/* Version 1 of the header, padded so that the data are aligned. Returns its length. */
static size_t npy_header(char header[HEADER], const char *descr, const size_t *shape, unsigned dims)
{
    static const char magic[] = "\x93NUMPY\x01";
    char text[HEADER];
    int n = snprintf(text, sizeof text, "{'descr': '%s', 'fortran_order': False, 'shape': (", descr);
    for (unsigned i = 0; i < dims; i++)
        n += snprintf(text + n, sizeof text - (size_t)n, i == 0 ? "%zu," : " %zu,", shape[i]);
    n += snprintf(text + n, sizeof text - (size_t)n, "), }");
    size_t total = (PREFIX + (size_t)n + 1 + ALIGN - 1) / ALIGN * ALIGN;
    memset(header, ' ', total);
    memcpy(header, magic, sizeof magic); /* its last byte is the 0 of the minor version */
    header[8] = (char)((total - PREFIX) & 0xff);
    header[9] = (char)((total - PREFIX) >> 8);
    memcpy(header + PREFIX, text, (size_t)n);
    header[total - 1] = '\n';
    return total;
}

static int archive_failed(const struct writer *w, int status)
{
    if (status == ARCHIVE_OK)
        return 0;
    const char *why = archive_error_string(w->archive);
    return w->e->kind ? -1 : err_set(w->e, ERR_SYSTEM, "npz: %s", why ? why : "cannot be written");
}

static int put_array(struct writer *w, const char *name, const char *descr, const size_t *shape, unsigned dims,
                     const void *data, size_t bytes)
{
    char header[HEADER], file[HEADER];
    size_t n = npy_header(header, descr, shape, dims);
    struct archive_entry *entry = archive_entry_new();
    if (entry == NULL)
        return err_memory(w->e);
    snprintf(file, sizeof file, "%s.npy", name);
    archive_entry_set_pathname(entry, file);
    archive_entry_set_filetype(entry, AE_IFREG);
    archive_entry_set_perm(entry, 0644);
    archive_entry_set_size(entry, (la_int64_t)(n + bytes));
    archive_entry_set_mtime(entry, 315532800, 0); /* 1980, the first that a zip archive knows */
    int status = archive_failed(w, archive_write_header(w->archive, entry));
    if (status == 0 && archive_write_data(w->archive, header, n) != (la_ssize_t)n)
        status = archive_failed(w, ARCHIVE_FATAL);
    if (status == 0 && bytes > 0 && archive_write_data(w->archive, data, bytes) != (la_ssize_t)bytes)
        status = archive_failed(w, ARCHIVE_FATAL);
    archive_entry_free(entry);
    return status;
}

static int put_tensor(struct writer *w, const struct tensor *t)
{
    size_t bytes = dtype_size(t->dtype);
    for (unsigned i = 0; i < t->dims; i++)
        bytes *= t->shape[i];
    return put_array(w, t->name, descr_of(t->dtype), t->shape, t->dims, t->data, bytes);
}

/* The next character of UTF-8; a byte that begins none stands for itself. */
static uint32_t next_character(const unsigned char **at)
{
    const unsigned char *p = *at;
    unsigned more = p[0] >= 0xf0 ? 3 : p[0] >= 0xe0 ? 2 : p[0] >= 0xc2 ? 1 : 0;
    uint32_t c = more == 0 ? p[0] : p[0] & (0x3fu >> more);
    for (unsigned i = 1; i <= more; i++) {
        if ((p[i] & 0xc0) != 0x80) {
            *at = p + 1;
            return p[0];
        }
        c = c << 6 | (p[i] & 0x3f);
    }
    *at = p + more + 1;
    return c;
}

/* NumPy's U: as many characters of four bytes as the longest has, filled with zeros. */
static int put_texts(struct writer *w, const struct npz_texts *texts)
{
    size_t longest = 1;
    char descr[32];
    for (size_t i = 0; i < texts->n; i++)
        longest = strlen(texts->v[i]) > longest ? strlen(texts->v[i]) : longest;
    unsigned char *data = mem_new(texts->n * longest, 4, w->e);
    if (data == NULL)
        return -1;
    for (size_t i = 0; i < texts->n; i++) {
        const unsigned char *at = (const unsigned char *)texts->v[i];
        for (unsigned char *to = data + i * longest * 4; *at != 0; to += 4)
            put_u32(to, next_character(&at));
    }
    snprintf(descr, sizeof descr, "<U%zu", longest);
    int status = put_array(w, texts->name, descr, &texts->n, 1, data, texts->n * longest * 4);
    free(data);
    return status;
}

int npz_write(struct out *o, const struct tensor *tensors, size_t n, const struct npz_texts *texts, struct err *e)
{
    struct writer w = { archive_write_new(), o, e };
    if (w.archive == NULL)
        return err_memory(e);
    int status = archive_failed(&w, archive_write_set_format_zip(w.archive));
    if (status == 0)
        status = archive_failed(&w, archive_write_set_options(w.archive, "zip:compression=store"));
    if (status == 0)
        status = archive_failed(&w, archive_write_set_bytes_in_last_block(w.archive, 1));
    if (status == 0)
        status = archive_failed(&w, archive_write_open(w.archive, &w, NULL, put, NULL));
    for (size_t i = 0; status == 0 && i < n; i++)
        status = put_tensor(&w, &tensors[i]);
    if (status == 0 && texts != NULL)
        status = put_texts(&w, texts);
    if (status == 0)
        status = archive_failed(&w, archive_write_close(w.archive));
    archive_write_free(w.archive);
    return status;
}
