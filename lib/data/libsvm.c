/* libsvm text: a row a line, LABEL [qid:QUERY] INDEX:VALUE ..., remarks behind '#'. */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/num.h"
#include "base/num_plain.h"
#include "data/encoding.h"
#include "data/format.h"
#include "data/lines.h"

enum {
    ROWS_AT_ONCE = 1024, /* lines that one call of next takes */
    SHOWN = 40,          /* bytes of a bad text that a message shows */
    ROWS_BID = 10,       /* that a bid looks at when the first tells nothing */
    SHORTEST = 4,        /* bytes of the shortest "1:2 " */
    INDEX_DIGITS = 11,   /* more are no index, whatever zeros stand in front */
    INDEX_MAX = INT32_MAX, /* of the index in the shard, which starts at 0 */
};

struct libsvm {
    struct lines lines;
    struct builder *builder;
    unsigned base; /* what indices start at */
    bool missing;  /* some value of the row in hand is */
};

static bool blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

static bool ends_word(char c)
{
    return blank(c) || c == '#';
}

static char *skip_blanks(char *p, const char *end)
{
    while (p < end && blank(*p))
        p++;
    return p;
}

static char *skip_word(char *p, const char *end)
{
    while (p < end && !ends_word(*p))
        p++;
    return p;
}

static const char *skip_digits(const char *p, const char *end)
{
    while (p < end && isdigit((unsigned char)*p))
        p++;
    return p;
}

static int shown(const char *word, const char *end)
{
    return end - word < SHOWN ? (int)(end - word) : SHOWN;
}

static bool is_query(const char *word, const char *end)
{
    return end - word >= 4 && memcmp(word, "qid:", 4) == 0;
}

static int blame_range(const struct libsvm *f, const char *word, const char *end, struct err *e)
{
    return err_set(e, ERR_DATA, "feature index %.*s is out of range: indices go from %u to %ld",
                   shown(word, end), word, f->base, (long)INDEX_MAX - 1 + f->base);
}

/* What is wrong with a text that is no INDEX:VALUE; always -1. */
static int blame_word(const struct libsvm *f, char *word, const char *end, struct err *e)
{
    end = skip_word(word, end);
    const char *colon = memchr(word, ':', (size_t)(end - word));
    if (is_query(word, end))
        return err_set(e, ERR_DATA, "'%.*s': a query number stands once, right behind the label",
                       shown(word, end), word);
    const char *digits = word + (*word == '-'), *p = skip_digits(digits, end);
    if (p == digits || p != colon)
        return err_set(e, ERR_DATA, "'%.*s' is not INDEX:VALUE", shown(word, end), word);
    if (*word != '-' && !(colon - word == 1 && *word == '0'))
        return blame_range(f, word, colon, e);
    return err_set(e, ERR_DATA, "feature index %.*s: indices start at %u%s", shown(word, colon),
                   word, f->base, *word == '0' ? " (--zero-based when they start at 0)" : "");
}

static int blame_value(char *word, const char *end, struct err *e)
{
    float v;
    end = skip_word(word, end);
    if (end > word && num_float(word, end, &v) == end)
        return err_set(e, ERR_DATA, "value '%.*s' is not a finite float", shown(word, end), word);
    return err_set(e, ERR_DATA, "value '%.*s' is not a number", shown(word, end), word);
}

/* Moves *p behind the query number, if one stands there. No objective ranks rows: it is only looked at. */
static int skip_query(struct libsvm *f, char **p, const char *end, struct err *e)
{
    const struct source *s = f->lines.source;
    char *word = skip_blanks(*p, end), *behind = skip_word(word, end);
    if (!is_query(word, behind))
        return 0;
    if (behind == word + 4 || skip_digits(word + 4, behind) < behind)
        return err_set(e, ERR_DATA, "'%.*s': the number of a query is a whole number from 0",
                       shown(word, behind), word);
    if (!f->builder->queries)
        log_note(s->log, "%s:%zu: query numbers (%.*s) are left out: no objective here ranks rows", s->name,
                 f->lines.line, shown(word, behind), word);
    f->builder->queries = true;
    *p = behind;
    return 0;
}

/* A value that stands for one that is missing, or is not finite. */
static int take_missing(struct libsvm *f, char *word, const char *end, float *value, struct err *e)
{
    const struct missing *m = &f->builder->encoding->missing;
    bool missing = missing_number(m, *value);
    if (missing && m->rule != MISSING_ERROR) {
        *value = NAN;
        f->missing = true;
        return 0;
    }
    if (missing)
        return err_set(e, ERR_DATA, "value '%.*s': it is missing" MISSING_ADVICE, shown(word, skip_word(word, end)),
                       word);
    return isfinite(*value) ? 0 : blame_value(word, end, e);
}

/* The entries from p on, into the room that is there for them. */
static int parse_entries(struct libsvm *f, char *p, const char *end, struct err *e)
{
    struct builder *b = f->builder;
    const struct missing *m = &b->encoding->missing;
    int32_t *index = b->indices + b->entries;
    float *value = b->values + b->entries;
    for (;;) {
        p = skip_blanks(p, end);
        if (p == end || *p == '#')
            break;
        char *word = p;
        uint64_t i;
        unsigned digits;
        i = digits_few(p, &digits);
        p += digits;
        if (digits == 8)
            p += digits_read(p, end, &i) - p;
        if (p == word || p - word > INDEX_DIGITS || *p != ':' || i < f->base || i - f->base >= INDEX_MAX)
            return blame_word(f, word, end, e);
        const char *behind = num_plain(++p, value);
        if (behind == NULL)
            behind = num_float(p, end, value);
        if (behind == NULL || (behind < end && !ends_word(*behind)))
            return blame_value(p, end, e);
        if ((!isfinite(*value) || m->n > 0) && take_missing(f, p, end, value, e) < 0)
            return -1;
        p += behind - p;
        *index++ = (int32_t)(i - f->base);
        value++;
    }
    b->entries = (size_t)(index - b->indices);
    return 0;
}

static int parse_row(struct libsvm *f, char *p, const char *end, struct err *e)
{
    struct builder *b = f->builder;
    const bool drops = b->encoding->missing.rule == MISSING_DROP; /* the label of a row that is left out is none */
    struct place at = { f->lines.source->name, ":", f->lines.line };
    char *label = p;
    p = skip_word(p, end);
    const size_t n = (size_t)(p - label);
    f->missing = false;
    if (memchr(label, ':', n) != NULL)
        return err_set(e, ERR_DATA, "'%.*s' stands where the label should be", shown(label, p),
                       label);
    if (builder_room(b, (size_t)(end - p) / SHORTEST + 1, e) < 0 ||
        (!drops && labels_put(&b->spellings, label, n, at, b->labels, b->n, e) < 0) ||
        skip_query(f, &p, end, e) < 0 || parse_entries(f, p, end, e) < 0)
        return -1;
    if (drops && f->missing) {
        b->entries = (size_t)b->indptr[b->n];
        return remark(&b->encoding->dropped, at, "", e);
    }
    if (drops && labels_put(&b->spellings, label, n, at, b->labels, b->n, e) < 0)
        return -1;
    return builder_end_sparse(b, f->base, at, e);
}

static int libsvm_next(void *self, struct err *e)
{
    struct libsvm *f = self;
    char *text;
    size_t n;
    for (int i = 0; i < ROWS_AT_ONCE; i++) {
        int more = lines_next(&f->lines, &text, &n, e);
        if (more <= 0)
            return more;
        char *end = text + n, *p = skip_blanks(text, end);
        if (p < end && *p != '#' && parse_row(f, p, end, e) < 0)
            return lines_blame(&f->lines, e);
    }
    return 1;
}

static void libsvm_close(void *self)
{
    struct libsvm *f = self;
    lines_free(&f->lines);
    free(f);
}

/* What the options say, else what the model learned from, else 1. */
static unsigned base_of(const struct input *in)
{
    json_t *base = json_object_get(in->like, "base");
    if (in->zero_based)
        return 0;
    return json_is_integer(base) ? json_integer_value(base) != 0 : 1;
}

static void *libsvm_open(struct source *s, struct builder *b, const struct input *in, struct err *e)
{
    struct libsvm *f = mem_new(1, sizeof *f, e);
    if (f == NULL)
        return NULL;
    f->lines.source = s;
    f->builder = b;
    f->base = base_of(in);
    if (builder_begin(b, "libsvm", ROWS_SPARSE, 0, e) == 0)
        return f;
    err_ctx(e, "%s", s->name);
    free(f);
    return NULL;
}

static json_t *libsvm_meta(const void *self)
{
    const struct libsvm *f = self;
    return json_pack("{s:s, s:i}", "format", "libsvm", "base", (int)f->base);
}

/* The first text that is no remark; NULL when all of the head are remarks. */
static const char *first_row(const char *p, const char *end)
{
    while (p != NULL && p < end && (blank(*p) || *p == '\n' || *p == '#'))
        p = *p == '#' ? memchr(p, '\n', (size_t)(end - p)) : p + 1;
    return p;
}

/* Behind the row that p is in. */
static const char *row_end(const char *p, const char *end)
{
    const char *newline = memchr(p, '\n', (size_t)(end - p));
    return newline ? newline : end;
}

/* Whether some word of a row is INDEX:VALUE, or meant to be: what stands before its colon is no more than
 * signs, digits and letters. */
static bool has_entry(const char *p, const char *end)
{
    for (; p < end && *p != '#'; p++) {
        while (p < end && (isalnum((unsigned char)*p) || *p == '-' || *p == '+' || *p == '.'))
            p++;
        if (p < end && *p == ':')
            return true;
        while (p < end && !ends_word(*p))
            p++;
        if (p == end || *p == '#')
            break;
    }
    return false;
}

/* A row as LABEL INDEX:... is written where the decimal mark is a comma: "0,5 1:0,5". */
static bool has_comma(const char *label, const char *end)
{
    const char *whole = label + (label < end && (*label == '-' || *label == '+')), *p = skip_digits(whole, end);
    if (p == whole || p == end || *p != ',')
        return false;
    const char *fraction = p + 1, *behind = skip_digits(fraction, end), *index = behind;
    while (index < end && blank(*index))
        index++;
    p = skip_digits(index, end);
    return behind > fraction && index > behind && p > index && p < end && *p == ':';
}

/* A row of the form LABEL INDEX:VALUE ..., or a number alone. */
static int bid_row(const char *label, const char *end)
{
    double value;
    const char *p = label;
    if (has_comma(label, end))
        return BID_LIKELY; /* and is refused as what it was meant to be */
    while (p < end && isgraph((unsigned char)*p) && *p != ',' && *p != '#')
        p++;
    if (p == label || (p < end && !ends_word(*p)))
        return BID_NO;
    if (has_entry(p, end))
        return BID_LIKELY;
    const char *behind = num_double(label, p, &value);
    while (p < end && blank(*p))
        p++;
    return behind != NULL && (p == end || *p == '#') ? BID_TEXT : BID_NO;
}

/* By the first row. Where that tells too little and is no CSV either, having no separator, one of the next may show
 * what it is, or should have been. A file without any row is as good as one of these. */
static int libsvm_bid(const struct source *s)
{
    size_t n = s->head_n;
    const char *p = (const char *)s->head, *end = p + n;
    const char *row = first_row(n >= 3 && memcmp(p, "\xef\xbb\xbf", 3) == 0 ? p + 3 : p, end);
    if (row == NULL || row == end)
        return BID_TEXT;
    const char *behind = row_end(row, end);
    int bid = bid_row(row, behind);
    if (behind == end) /* of a row that is cut here an entry alone tells something */
        return bid == BID_LIKELY ? BID_LIKELY : BID_NO;
    bool separated = memchr(row, ',', (size_t)(behind - row)) != NULL ||
                     memchr(row, '\t', (size_t)(behind - row)) != NULL;
    for (int i = 0; i < ROWS_BID && bid < BID_LIKELY && !separated; i++) {
        row = first_row(behind, end);
        if (row == NULL || row == end)
            break;
        behind = row_end(row, end);
        if (bid_row(row, behind) == BID_LIKELY)
            bid = BID_LIKELY;
    }
    return bid;
}

const struct format format_libsvm = {
    .plug = { .name = "libsvm",
              .help = "LABEL INDEX:VALUE ... a line, sparse; remarks behind '#'" },
    .bid = libsvm_bid,
    .open = libsvm_open,
    .next = libsvm_next,
    .close = libsvm_close,
    .meta = libsvm_meta,
};
