/* SPECs, option rows, labels and result rows. */
#include <math.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/classes.h"
#include "base/opt.h"
#include "base/out.h"
#include "base/plug.h"
#include "base/tsv.h"
#include "lib/tap.h"

/* --- SPECs --- */

struct bag {
    uint64_t k;
    double mean, shape;
    const char *name;
    struct text_list more;
};

static int bag_check(void *conf, struct err *e)
{
    const struct bag *b = conf;
    return b->k > 9 ? err_set(e, ERR_USAGE, "K=%u is more than 9", (unsigned)b->k) : 0;
}

static const struct param bag_params[] = {
    { "K", set_count, offsetof(struct bag, k), NULL, "how many" },
    { "mean", set_duration, offsetof(struct bag, mean), "20ms", "how long" },
    { "shape", set_positive, offsetof(struct bag, shape), "2.5", "of the tail" },
    { "name", set_text, offsetof(struct bag, name), "none", "what it is called" },
    { "more", set_list, offsetof(struct bag, more), "first", "what else" },
    { 0 },
};
static const struct plug bag = { .name = "bag",
                                 .help = "holds things",
                                 .params = bag_params,
                                 .conf = sizeof(struct bag),
                                 .check = bag_check };
static const struct plug sack = { .name = "sack", .help = "holds nothing" };
static const struct plug *const rows[] = { &bag, &sack, NULL };
static const struct table holders = { "holder", rows };

static void specs_good(void)
{
    struct spec s = { 0 };
    struct err e = { 0 };
    char text[] = "bag:3,50ms,name=red,more=second,shape=1,shape=4,more=third";
    ok(spec_parse(&s, &holders, text, &e) == 0, "values come before keys, and keys in any order");
    memset(text, 'x', sizeof text - 1);
    const struct bag *b = s.conf;
    ok(s.plug == &bag && b->k == 3 && b->mean == 50e-3, "values fill the parameters in order");
    ok(b->shape == 4, "of a key given twice the last counts");
    ok(same_text(b->name, "red"), "texts outlive what was parsed");
    ok(b->more.n == 3 && same_text(b->more.v[0], "first") && same_text(b->more.v[2], "third"),
       "repeated keys are kept in order");
    ok(strncmp(s.text, "bag:3,50ms,name=red", 19) == 0, "the text is kept as it was given");
    ok(spec_parse(&s, &holders, "bag:K=6", &e) == 0, "a SPEC takes the place of another");
    b = s.conf;
    ok(b->k == 6 && b->mean == 20e-3 && b->shape == 2.5 && strcmp(b->name, "none") == 0,
       "what is not given has its default");
    ok(spec_parse(&s, &holders, "sack", &e) == 0 && s.plug == &sack, "a row may have no parameters");
    spec_free(&s);
    ok(s.plug == NULL && s.conf == NULL && s.text == NULL, "a freed SPEC is empty");
}

static void specs_bad(void)
{
    static const struct {
        const char *text, *message;
    } bad[] = {
        { "box", "unknown holder 'box': known are bag, sack" },
        { "", "unknown holder '': known are bag, sack" },
        { "Bag:1", "unknown holder 'Bag': known are bag, sack" },
        { "bag", "bag needs K (how many)" },
        { "bag:mean=1s", "bag needs K (how many)" },
        { "bag:1,colour=red", "unknown parameter 'colour': bag takes K, mean, shape, name, more" },
        { "sack:1", "no parameter is left for '1': sack takes none" },
        { "bag:1,1s,1,a,b,c", "no parameter is left for 'c': bag takes K, mean, shape, name, more" },
        { "bag:K=1,5s", "value '5s' after a key: write key=value" },
        { "bag:", "an item is empty: write bag:VALUE or bag:key=value" },
        { "bag:1,", "an item is empty: write bag:VALUE or bag:key=value" },
        { "bag:0", "K '0': must be at least 1" },
        { "bag:1.5", "K '1.5': not a whole number" },
        { "bag:1,shape=0", "shape '0': must be greater than 0" },
        { "bag:1,name=", "name '': empty" },
        { "bag:10", "K=10 is more than 9" },
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct spec s = { 0 };
        struct err e = { 0 };
        ok(spec_parse(&s, &holders, bad[i].text, &e) < 0 && e.kind == ERR_USAGE && s.plug == NULL &&
               same_text(e.text, bad[i].message),
           "'%s' is refused with what is allowed", bad[i].text);
        spec_free(&s);
    }
}

/* --- option rows --- */

struct conf {
    uint64_t batch;
    double step;
    bool flag;
    const char *output;
    struct text_list run;
    struct spec holder;
    struct log log;
};

static const struct opt opts[] = {
    { "batch", 'b', "B", "32", "rows a minibatch", set_count, offsetof(struct conf, batch), NULL },
    { "step", 'e', "RATE", NULL, "step", set_positive, offsetof(struct conf, step), NULL },
    { "flag", 0, NULL, NULL, "a flag", set_flag, offsetof(struct conf, flag), NULL },
    { "output", 'o', "FILE", NULL, "where to", set_text, offsetof(struct conf, output), NULL },
    { "run", 'x', "CMD", NULL, "what to start", set_list, offsetof(struct conf, run), NULL },
    { "holder", 0, "SPEC", "bag:2", "a holder, or 'help'", NULL, offsetof(struct conf, holder), &holders },
    { 0 },
};
static const struct program prog = { .name = "prog",
                                     .synopsis = "[OPTION]... FILE...",
                                     .purpose = "Tests options.",
                                     .opts = opts,
                                     .log = offsetof(struct conf, log) };

/* Splits at blanks and parses; "''" is an empty word. Every line has memory of its own: getopt
 * remembers where it stopped. */
static int parse(const char *line, struct conf *c, int *first, struct err *e)
{
    static char lines[4000];
    static size_t used;
    static char *argv[20];
    int argc = 0;
    *c = (struct conf){ 0 };
    *e = (struct err){ 0 };
    char *text = lines + used;
    used += (size_t)snprintf(text, sizeof lines - used, "prog %s", line) + 1;
    for (char *w = strtok(text, " "); w; w = strtok(NULL, " "))
        argv[argc++] = strcmp(w, "''") == 0 ? w + 2 : w;
    argv[argc] = NULL;
    return opt_parse(&prog, argc, argv, c, first, e);
}

static void options_good(void)
{
    struct conf c;
    struct err e;
    int first;
    ok(parse("", &c, &first, &e) == 0 && c.batch == 32 && c.holder.plug == &bag && first == 1,
       "rows have their defaults");
    ok(c.log.level == 0 && same_text(c.log.name, "prog"), "notices carry the program's name");
    opt_free(&prog, &c);
    ok(parse("a -b8 --flag b -x one --run=two --batch 1e3 -v -- -c", &c, &first, &e) == 0 && first == 10,
       "options and operands may be mixed");
    ok(c.batch == 1000, "of an option given twice the last counts");
    ok(c.flag && c.log.level == 1 && c.run.n == 2 && strcmp(c.run.v[1], "two") == 0, "all were taken");
    opt_free(&prog, &c);
    ok(parse("--holder=bag:9 -q", &c, &first, &e) == 0 && ((struct bag *)c.holder.conf)->k == 9 &&
           c.log.level == -1, "a SPEC replaces the default one");
    opt_free(&prog, &c);
}

static void options_bad(void)
{
    static const struct {
        const char *line, *message;
    } bad[] = {
        { "--batch 10.5", "--batch '10.5': not a whole number (see prog --help)" },
        { "-b -1", "--batch '-1': not a whole number (see prog --help)" },
        { "-e ''", "--step '': not a number (see prog --help)" },
        { "-o ''", "--output '': empty (see prog --help)" },
        { "--frob", "unknown option '--frob' (see prog --help)" },
        { "--frob=3 x", "unknown option '--frob=3' (see prog --help)" },
        { "-Z", "unknown option '-Z' (see prog --help)" },
        { "-qZv", "unknown option '-Z' (see prog --help)" },
        { "x --batch", "option '--batch' needs a value: B (see prog --help)" },
        { "-b", "option '--batch' needs a value: B (see prog --help)" },
        { "--flag=3", "option '--flag' takes no value (see prog --help)" },
        { "--quiet=3", "option '--quiet' takes no value (see prog --help)" },
        { "--holder=box", "--holder 'box': unknown holder 'box': known are bag, sack (see prog --help)" },
        { "--frob -b x", "unknown option '--frob' (see prog --help)" },
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct conf c;
        struct err e;
        int first;
        ok(parse(bad[i].line, &c, &first, &e) < 0 && e.kind == ERR_USAGE &&
               same_text(e.text, bad[i].message),
           "'%s' is refused by name", bad[i].line);
        opt_free(&prog, &c);
    }
}

/* --- labels --- */

static void add(struct classes *c, const char *name, double value, const char *where, uint64_t order)
{
    struct err e = { 0 };
    if (classes_add(c, name, value, where, order, &e) < 0)
        ok(false, "%s", e.text);
}

static void labels(void)
{
    struct classes c = { 0 }, d = { 0 };
    struct err e = { 0 };
    add(&c, "+1", 1, "a:1", 0);
    add(&c, "-1", -1, "a:2", 1);
    add(&c, "10", 10, "a:3", 2);
    add(&c, "1.0", 1, "a:4", 3);
    add(&c, "2", 2, "a:5", 4);
    ok(c.n == 4 && strcmp(c.v[0].name, "-1") == 0 && strcmp(c.v[3].name, "10") == 0,
       "numbers stand in order of value");
    ok(same_text(c.v[1].name, "+1"), "a label is spelled as it was seen first");
    ok(classes_find_value(&c, 10) == 3 && classes_find_value(&c, 3) == -1, "values are found");
    ok(same_text(classes_nth_seen(&c, 2)->name, "10") && same_text(classes_nth_seen(&c, 3)->where, "a:5"),
       "the third label seen is known");
    char *text = classes_text(&c, &e);
    ok(same_text(text, "[[\"-1\",-1.0,\"a:2\",1],[\"+1\",1.0,\"a:1\",0],[\"2\",2.0,\"a:5\",4],"
                       "[\"10\",10.0,\"a:3\",2]]"), "classes have a text");
    char *again = classes_parse(&d, text, &e) == 0 ? classes_text(&d, &e) : NULL;
    ok(same_text(again, text), "classes read back from their text");
    free(text);
    free(again);
    classes_name(&d);
    ok(d.named && strcmp(d.v[0].name, "+1") == 0 && strcmp(d.v[2].name, "10") == 0 &&
           classes_find_name(&d, "2") == 3 && classes_find_value(&d, 2) == -1,
       "numbers that became names stand in order of bytes");
    add(&d, "1.0", 0, "b:1", 9);
    ok(d.n == 5 && classes_find_name(&d, "1.0") >= 0, "names are told apart by their bytes");
    ok(classes_merge(&d, &c, &e) < 0 && e.kind == ERR_DATA &&
           same_text(e.text, "label '+1' (a:1) is a name, label '-1' (a:2) is a number"),
       "names and numbers do not mix");
    classes_free(&c);
    classes_free(&d);
}

static void merging(void)
{
    struct classes a = { 0 }, b = { 0 }, left = { 0 }, right = { 0 };
    struct err e = { 0 };
    add(&a, "1.0", 1, "a:5", 4);
    add(&a, "3", 3, "a:6", 5);
    add(&b, "1", 1, "b:1", 0);
    add(&b, "2", 2, "b:2", 1);
    classes_merge(&left, &a, &e), classes_merge(&left, &b, &e);
    classes_merge(&right, &b, &e), classes_merge(&right, &a, &e);
    char *one = classes_text(&left, &e), *two = classes_text(&right, &e);
    ok(left.n == 3 && strcmp(left.v[0].name, "1") == 0, "a union keeps the spelling seen first");
    ok(one && same_text(two, one), "a union does not depend on the order of merging");
    free(one);
    free(two);
    struct classes *all[] = { &a, &b, &left, &right };
    for (size_t i = 0; i < 4; i++)
        classes_free(all[i]);
}

static void too_many(void)
{
    struct classes c = { 0 }, d = { 0 };
    struct err e = { 0 };
    char name[20];
    for (int i = 0; i < CLASSES_MAX; i++) {
        snprintf(name, sizeof name, "%d", i);
        add(&c, name, i, "a:1", (uint64_t)i);
    }
    ok(c.n == CLASSES_MAX && !c.targets, "%d numbers are classes", CLASSES_MAX);
    add(&c, "-1", -1, "a:1", CLASSES_MAX);
    ok(c.n == 0 && c.targets, "one number more makes them targets");
    char *text = classes_text(&c, &e);
    ok(text && classes_parse(&d, text, &e) == 0 && d.targets, "targets read back from their text");
    free(text);
    classes_free(&c);
    classes_free(&d);
    static const char *const bad[] = {
        "", "{", "{}", "3", "[3]", "[[\"a\",1,\"x\"]]", "[[\"a\",1,\"x\",-1]]", "[[\"a\",\"b\",\"x\",1]]",
        "[[\"a\",null,\"x\",1],[\"1\",1,\"x\",2]]", "[[\"a\",1,\"x\",1,1]]", "\"others\"",
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        ok(classes_parse(&c, bad[i], &e) < 0 && e.kind == ERR_DATA && c.n == 0, "'%s' are no classes", bad[i]);
    add(&c, "caf\xe9", 0, "a:1", 0);
    classes_name(&c);
    ok(classes_text(&c, &e) == NULL && e.kind == ERR_DATA && strstr(e.text, "a:1: label") == e.text,
       "a label that is not UTF-8 is refused with its place");
    classes_free(&c);
}

/* --- result rows --- */

static void fill(FILE *f, bool json)
{
    static const char *const columns[] = { "name", "n", "f", "d", NULL };
    struct tsv t;
    tsv_open(&t, f, json, "a-table/1", columns);
    tsv_text(&t, "a\"\t\\"), tsv_whole(&t, 3), tsv_float(&t, 0.1f), tsv_real(&t, 0.1), tsv_end(&t);
    tsv_text(&t, NULL), tsv_whole(&t, UINT64_MAX), tsv_float(&t, NAN), tsv_real(&t, INFINITY), tsv_end(&t);
}

static void results(void)
{
    static const char *const want[] = {
        "name\tn\tf\td\n"
        "a\"?\\\t3\t0.100000001\t0.10000000000000001\n"
        "NA\tNA\tNA\tNA\n",
        "{\"schema\":\"a-table/1\",\"name\":\"a\\\"\\u0009\\\\\",\"n\":3,\"f\":0.100000001,\"d\":0.10000000000000001}\n"
        "{\"schema\":\"a-table/1\",\"name\":null,\"n\":null,\"f\":null,\"d\":null}\n",
    };
    for (int json = 0; json < 2; json++) {
        char got[400] = "";
        FILE *f = tmpfile();
        fill(f, json);
        rewind(f);
        got[fread(got, 1, sizeof got - 1, f)] = '\0';
        fclose(f);
        ok(same_text(got, want[json]), "rows are written as %s", json ? "JSON Lines" : "TSV");
    }
}

/* A process with an output file begun, that sends itself a signal (0: writes past the limit of a
 * file's size). Its wait status. */
static int end_while_writing(const char *path, int number)
{
    int status = -1;
    pid_t child = fork();
    if (child == 0) {
        struct err e = { 0 };
        struct out o;
        struct rlimit none = { 0, 0 };
        signal(SIGINT, SIG_DFL);
        signal(SIGHUP, SIG_DFL);
        if (out_open(&o, path, &e) < 0)
            _exit(100);
        if (number != 0)
            raise(number);
        setrlimit(RLIMIT_FSIZE, &none);
        int failed = out_write(&o, "x", 1, &e) < 0;
        out_abort(&o);
        _exit(failed ? (int)e.kind : 101);
    }
    waitpid(child, &status, 0);
    return status;
}

/* rmdir succeeds only when no file was left in the folder. */
static void signals(void)
{
    static const int numbers[] = { SIGHUP, SIGINT, SIGTERM };
    char folder[] = "/tmp/dsgd-base.XXXXXX", path[64];
    if (mkdtemp(folder) == NULL) {
        ok(0, "a folder for outputs");
        return;
    }
    snprintf(path, sizeof path, "%s/out", folder);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        int status = end_while_writing(path, numbers[i]);
        ok(WIFSIGNALED(status) && WTERMSIG(status) == numbers[i],
           "signal %d ends a program that writes", numbers[i]);
    }
    int status = end_while_writing(path, 0);
    ok(WIFEXITED(status) && WEXITSTATUS(status) == ERR_SYSTEM,
       "a file past its limit is an error, no signal");
    ok(rmdir(folder) == 0, "a signal leaves no temporary file");
}

int main(void)
{
    specs_good();
    specs_bad();
    options_good();
    options_bad();
    labels();
    merging();
    too_many();
    results();
    signals();
    return tap_done();
}
