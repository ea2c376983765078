/* What a model is: which labels suit it, and its record, read back field by field. */
#include "learn/model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/tap.h"

/* A set of labels from words: all numbers, or names when `named`; seen in the order given. */
static void set_labels(struct classes *c, bool named, const char *words)
{
    struct err e = { 0 };
    char word[16], where[24];
    int used, order = 0;
    *c = (struct classes){ .named = named };
    while (sscanf(words, "%15s%n", word, &used) == 1) {
        snprintf(where, sizeof where, "a.svm:%d", ++order);
        classes_add(c, word, named ? NAN : atof(word), where, (uint64_t)order, &e);
        words += used;
    }
}

static void test_fits(void)
{
    static const struct {
        const char *model, *labels;
        bool named, partial;
        const char *want; /* "": they suit */
    } rows[] = {
        { "logistic", "0 1", false, false, "" },
        { "logistic", "spam ham", true, false, "" },
        { "logistic", "1 2 3 1", false, false,
          "a.svm:3: label 3: more than two classes; logistic takes two, softmax any number" },
        { "hinge", "1 0.5 0", false, true,
          "a.svm:3: label 0: more than two classes; hinge takes two, softmax any number" },
        { "logistic", "1", false, true, "" },
        { "logistic", "1", false, false,
          "a.svm:1: label 1: the only label there is; logistic needs two classes" },
        { "softmax", "1 2 3", false, false, "" },
        { "softmax", "", false, true, "" },
        { "softmax", "", false, false, "no labels; softmax needs two classes" },
        { "least-squares", "1 0.5 0 7", false, false, "" },
        { "least-squares", "1", false, false, "" },
        { "least-squares", "1 ham", true, true,
          "a.svm:2: label ham: not a number, as least-squares needs" },
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct err e = { 0 };
        struct spec spec = { 0 };
        struct classes c;
        spec_parse(&spec, &model_table, rows[i].model, &e);
        set_labels(&c, rows[i].named, rows[i].labels);
        int rc = model_fits(&spec, &c, rows[i].partial, &e);
        ok(rc == (rows[i].want[0] ? -1 : 0) && (rc == 0 || e.kind == ERR_DATA)
               && same_text(e.text, rows[i].want),
           "%s takes or refuses labels '%s'", rows[i].model, rows[i].labels);
        classes_free(&c);
        spec_free(&spec);
    }
}

/* A model of three classes and two features as a record in memory. */
static void make_record(struct record *r, const char *model, const char *labels, const float *w)
{
    struct err e = { 0 };
    struct spec spec = { 0 };
    struct classes c;
    struct layout l;
    set_labels(&c, false, labels);
    spec_parse(&spec, &model_table, model, &e);
    struct dims d = { .features = 2, .classes = c.n, .bias = true };
    *r = (struct record){ .meta = json_object(), .tensors = calloc(LAYOUT_PARTS, sizeof *r->tensors) };
    ok(model_layout(&spec, &d, &l, &e) == 0
           && model_meta(r->meta, &spec, &d, &c, 12, 0.25, &e) == 0,
       "a %s model has metadata", model);
    r->n = model_tensors(&l, w, r->tensors);
    classes_free(&c);
    spec_free(&spec);
}

static void test_round_trip(void)
{
    static const float w[] = { 1, 2, 3, 4, 5, 6, 7, 8, 9 };
    struct err e = { 0 };
    struct record r;
    struct model m = { 0 };
    make_record(&r, "softmax", "0 1 7", w);
    ok(r.n == 2 && strcmp(r.tensors[0].name, "weight") == 0 && r.tensors[0].dims == 2
           && r.tensors[0].shape[0] == 3 && r.tensors[0].shape[1] == 2
           && strcmp(r.tensors[1].name, "bias") == 0 && r.tensors[1].data == w + 6,
       "the tensors are weight (C, d) and bias (C)");
    ok(model_read(&m, &r, &e) == 0 && m.iteration == 12 && m.time == 0.25 && m.dims.features == 2
           && m.dims.classes == 3 && m.dims.bias && m.classes.v[2].value == 7
           && memcmp(m.w, w, sizeof w) == 0,
       "a model that was written reads back");
    model_free(&m);
    record_free(&r);
    make_record(&r, "least-squares", "0 1 7", w);
    ok(model_read(&m, &r, &e) == 0 && m.classes.n == 0 && m.layout.size == 3,
       "a model of targets carries no classes");
    model_free(&m);
    record_free(&r);
}

/* Every field of the metadata, damaged. */
static void test_metadata(void)
{
    static const struct {
        const char *key, *value /* NULL: missing */, *want;
    } rows[] = {
        { "format", NULL, "no model: its metadata name no format" },
        { "format", "dsgd-shard 1", "format 'dsgd-shard 1' is no model; a model has 'dsgd-model 1'" },
        { "model", NULL, "metadata lack 'model'" },
        { "model", "softmin", NULL },
        { "model", "logistic", NULL },
        { "classes", NULL, "metadata lack 'classes'" },
        { "classes", "[[", NULL },
        { "classes", "[]", NULL },
        { "features", NULL, "metadata lack 'features'" },
        { "features", "-1", NULL },
        { "features", "0", NULL },
        { "features", "3", "tensor weight: dimension 1 is 2, its model has 3" },
        { "features", "2000000000", "tensor weight: dimension 1 is 2, its model has 2000000000" },
        { "features", "18446744073709551615", NULL },
        { "bias", NULL, "metadata lack 'bias'" },
        { "bias", "2", "metadata 'bias': '2': allowed are 0 and 1" },
        { "iteration", NULL, "metadata lack 'iteration'" },
        { "iteration", "x", NULL },
        { "time", NULL, "metadata lack 'time'" },
        { "time", "nan", NULL },
    };
    static const float w[9];
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct err e = { 0 };
        struct record r;
        struct model m = { 0 };
        make_record(&r, "softmax", "0 1 7", w);
        if (rows[i].value != NULL)
            meta_set(r.meta, rows[i].key, &e, "%s", rows[i].value);
        else
            json_object_del(r.meta, rows[i].key);
        ok(model_read(&m, &r, &e) < 0 && e.kind == ERR_DATA
               && (rows[i].want == NULL || same_text(e.text, rows[i].want)),
           "a model whose %s is '%s' is refused", rows[i].key,
           rows[i].value ? rows[i].value : "missing");
        record_free(&r);
    }
}

static void no_bias(struct record *r)
{
    r->n = 1;
}
static void wrong_type(struct record *r)
{
    r->tensors[1].dtype = DTYPE_I32;
}
static void wrong_dims(struct record *r)
{
    r->tensors[0].dims = 1;
}
static void wrong_shape(struct record *r)
{
    r->tensors[0].shape[0] = 4;
}
static void not_finite(struct record *r)
{
    static const float bad[] = { 0, 0, 0, 0, 0, NAN };
    r->tensors[0].data = bad;
}

static void test_tensors(void)
{
    static const struct {
        void (*damage)(struct record *r);
        const char *want;
    } rows[] = {
        { no_bias, "tensor bias: missing" },
        { wrong_type, "tensor bias: I32, must be F32" },
        { wrong_dims, "tensor weight: 1 dimensions, its model has 2" },
        { wrong_shape, "tensor weight: dimension 0 is 4, its model has 3" },
        { not_finite, "tensor weight: value 5 is not a finite number" },
    };
    static const float w[9];
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct err e = { 0 };
        struct record r;
        struct model m = { 0 };
        make_record(&r, "softmax", "0 1 7", w);
        rows[i].damage(&r);
        ok(model_read(&m, &r, &e) < 0 && e.kind == ERR_DATA && same_text(e.text, rows[i].want),
           "tensors that do not fit are refused: %s", rows[i].want);
        record_free(&r);
    }
}

int main(void)
{
    test_fits();
    test_round_trip();
    test_metadata();
    test_tensors();
    return tap_done();
}
