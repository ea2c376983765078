/* Records: what is written is read again; what is wrong is refused; files appear whole or not at all. */
#include "base/record.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <signal.h>
#include <unistd.h>

#include "base/bytes.h"
#include "lib/tap.h"

static const double labels[3] = { 1, -1, 0.5 };
static const float x[6] = { 1, 2, 3, 4, 5, 6 };
static const uint8_t odd[3] = { 7, 8, 9 };

static const struct tensor tensors[] = {
    { .name = "labels", .dtype = DTYPE_F64, .dims = 1, .shape = { 3 }, .data = labels },
    { .name = "x", .dtype = DTYPE_F32, .dims = 2, .shape = { 3, 2 }, .data = x },
    { .name = "none", .dtype = DTYPE_I64, .dims = 2, .shape = { 0, 5 }, .data = "" },
    { .name = "odd", .dtype = DTYPE_U8, .dims = 1, .shape = { 3 }, .data = odd },
};
enum { TENSORS = sizeof tensors / sizeof tensors[0] };

static json_t *some_meta(void)
{
    struct err e = { 0 };
    json_t *meta = json_object();
    meta_set(meta, "format", &e, "dsgd-shard %d", 1);
    meta_set(meta, "rows", &e, "%d", 3);
    meta_set(meta, "scale", &e, "%.17g", 1.0 / 255);
    meta_set(meta, "source", &e, "caf\xe9.csv");
    return meta;
}

/* Writes n whole records to path. */
static int write_records(const char *path, int n, struct err *e)
{
    struct out o = { 0 };
    json_t *meta = some_meta();
    int status = out_open(&o, path, e);
    while (status == 0 && n-- > 0)
        status = record_write(&o, tensors, TENSORS, meta, e);
    if (status == 0)
        status = out_commit(&o, e);
    out_abort(&o);
    json_decref(meta);
    return status;
}

static int write_bytes(const char *path, const void *bytes, size_t n)
{
    FILE *f = fopen(path, "w");
    if (f == NULL || fwrite(bytes, 1, n, f) != n)
        return -1;
    return fclose(f);
}

static size_t read_bytes(const char *path, unsigned char *bytes, size_t room)
{
    FILE *f = fopen(path, "r");
    size_t n = f == NULL ? 0 : fread(bytes, 1, room, f);
    if (f != NULL)
        fclose(f);
    return n;
}

static bool as_written(const struct record *r)
{
    const struct tensor *t = record_find(r, "x");
    const struct tensor *u = record_find(r, "labels");
    const struct tensor *v = record_find(r, "odd");
    const struct tensor *w = record_find(r, "none");
    return r->n == TENSORS && t && u && v && w && record_find(r, "y") == NULL && t->dims == 2 &&
           t->shape[0] == 3 && t->shape[1] == 2 && t->dtype == DTYPE_F32 &&
           memcmp(t->data, x, sizeof x) == 0 && memcmp(u->data, labels, sizeof labels) == 0 &&
           memcmp(v->data, odd, sizeof odd) == 0 && w->shape[0] == 0 && w->shape[1] == 5;
}

static int map_path(struct record *r, const char *path, struct err *e)
{
    int fd = open(path, O_RDONLY);
    int status = record_map(r, fd, e);
    close(fd);
    return status;
}

static void test_round_trip(void)
{
    struct err e = { 0 };
    struct record r = { 0 };
    uint64_t rows = 0;
    double scale = 0;
    ok(write_records("a", 1, &e) == 0 && map_path(&r, "a", &e) == 0 && as_written(&r),
       "a record that was written maps to the same tensors %s", e.text);
    ok((uintptr_t)r.tensors[0].data % 64 == 0 && r.mapped, "its data begin at a multiple of 64");
    ok(same_text(meta_text(r.meta, "format"), "dsgd-shard 1"), "metadata text comes back");
    ok(same_text(meta_text(r.meta, "source"), "caf?.csv"), "a byte that is no UTF-8 is marked");
    ok(meta_whole(r.meta, "rows", &rows, &e) == 0 && rows == 3, "and a whole number");
    ok(meta_real(r.meta, "scale", &scale, &e) == 0 && scale == 1.0 / 255, "and a real, to the bit");
    ok(meta_whole(r.meta, "seed", &rows, &e) == -1 && e.kind == ERR_DATA && strstr(e.text, "'seed'"),
       "a missing key is named: %s", e.text);
    ok(meta_whole(r.meta, "format", &rows, &e) == -1 && e.kind == ERR_DATA &&
           strstr(e.text, "'format'"),
       "text where a number is due is ERR_DATA: %s", e.text);
    record_free(&r);
    write_records("b", 1, &e);
    ok(system("cmp -s a b") == 0, "the same input gives the same bytes");
}

/* Another reader of the format, by its words alone. */
static const char numpy_reader[] =
    "import json, struct, sys\n"
    "try: import numpy\n"
    "except ImportError: sys.exit(77)\n"
    "f = open('a', 'rb').read()\n"
    "n, = struct.unpack('<Q', f[:8])\n"
    "header = json.loads(f[8:8 + n])\n"
    "kinds = dict(F64='<f8', F32='<f4', U8='u1', I64='<i8')\n"
    "def load(name):\n"
    "    t = header[name]\n"
    "    begin, end = t['data_offsets']\n"
    "    return numpy.frombuffer(f[8 + n + begin:8 + n + end], kinds[t['dtype']]).reshape(t['shape'])\n"
    "assert header['__metadata__']['rows'] == '3'\n"
    "assert load('x').tolist() == [[1, 2], [3, 4], [5, 6]]\n"
    "assert load('labels').tolist() == [1, -1, .5]\n"
    "assert load('odd').tolist() == [7, 8, 9]\n"
    "assert load('none').shape == (0, 5)\n";

static void test_numpy(void)
{
    write_bytes("read.py", numpy_reader, strlen(numpy_reader));
    int status = system("py=/usr/bin/python3; test -x $py || py=python3; $py read.py 2> read.log");
    if (WIFEXITED(status) && (WEXITSTATUS(status) == 77 || WEXITSTATUS(status) == 127))
        ok(true, "numpy reads the record # SKIP no python3 with numpy");
    else
        ok(status == 0, "numpy reads the record");
}

static void test_stream(void)
{
    struct err e = { 0 };
    struct record r = { 0 };
    int n = 0, got;
    write_records("three", 3, &e);
    int fd = open("three", O_RDONLY);
    while ((got = record_read(&r, fd, &e)) == 1 && as_written(&r)) {
        record_free(&r);
        n++;
    }
    close(fd);
    ok(n == 3 && got == 0, "three records in a row are read one by one, then the end");
    ok(map_path(&r, "three", &e) == -1 && e.kind == ERR_DATA && strstr(e.text, "behind"),
       "mapping a file with more behind its record is refused: %s", e.text);
    unsigned char bytes[4096];
    size_t size = read_bytes("a", bytes, sizeof bytes), bad = 0;
    for (size_t cut = 1; cut < size; cut++) {
        struct err why = { 0 };
        write_bytes("cut", bytes, cut);
        fd = open("cut", O_RDONLY);
        bad += record_read(&r, fd, &why) != -1 || why.kind != ERR_DATA ||
               map_path(&r, "cut", &why) != -1 || why.kind != ERR_DATA || r.map != NULL;
        close(fd);
    }
    ok(bad == 0, "a record cut at any of its %zu bytes is refused", size);
}

static void test_pipe(void)
{
    struct err e = { 0 };
    struct record r = { 0 };
    FILE *p = popen("cat a", "r");
    ok(record_map(&r, fileno(p), &e) == 0 && as_written(&r) && !r.mapped, "a pipe can be mapped, too");
    record_free(&r);
    pclose(p);
    p = popen("head -c 200 a", "r");
    ok(record_read(&r, fileno(p), &e) == -1 && strstr(e.text, "200"),
       "a record that ends early says where: %s", e.text);
    pclose(p);
}

/* A file of this header and `data` zero bytes. */
static int map_header(const char *json, size_t length, size_t data, struct record *r, struct err *e)
{
    unsigned char bytes[2048] = { 0 };
    put_u64(bytes, length);
    memcpy(bytes + 8, json, strlen(json));
    write_bytes("made", bytes, 8 + strlen(json) + data);
    memset(e, 0, sizeof *e);
    return map_path(r, "made", e);
}

#define ENTRY(dtype, shape, offsets) \
    "{\"dtype\":\"" dtype "\",\"shape\":" shape ",\"data_offsets\":" offsets "}"

#define A32 "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
#define LONG_NAME A32 A32 A32 A32

static const struct {
    const char *json;
    size_t data;
    const char *word; /* that the message holds */
} wrong[] = {
    { "[]", 0, "no JSON object" },
    { "{", 0, "header" },
    { "{\"a\":1}", 0, "object" },
    { "{\"a\":" ENTRY("C64", "[2]", "[0,4]") "}", 4, "C64" },
    { "{\"a\":" ENTRY("F32", "2", "[0,8]") "}", 8, "shape" },
    { "{\"a\":" ENTRY("F32", "[1,1,1,1,1,1,1,1,2]", "[0,8]") "}", 8, "shape" },
    { "{\"a\":" ENTRY("F32", "[-2]", "[0,8]") "}", 8, "whole" },
    { "{\"a\":" ENTRY("F32", "[2.0]", "[0,8]") "}", 8, "whole" },
    { "{\"a\":" ENTRY("F32", "[4611686018427387905,4]", "[0,16]") "}", 16, "too large" },
    { "{\"a\":" ENTRY("F32", "[2]", "[8,0]") "}", 8, "ascending" },
    { "{\"a\":" ENTRY("F32", "[2]", "[0]") "}", 8, "two" },
    { "{\"a\":" ENTRY("F32", "[2]", "[0,12]") "}", 12, "needs 8" },
    { "{\"a\":" ENTRY("F32", "[2]", "[0,8]") "}", 4, "ends at byte" },
    { "{\"a\":" ENTRY("F32", "[2]", "[0,8]") "}", 9, "1 bytes behind" },
    { "{\"a\":" ENTRY("F32", "[2]", "[4,12]") "}", 12, "begins at 4" },
    { "{\"a\":" ENTRY("F32", "[2]", "[0,8]") ",\"b\":" ENTRY("F32", "[2]", "[4,12]") "}", 12, "'b'" },
    { "{\"a\":" ENTRY("F32", "[2]", "[0,8]") ",\"b\":" ENTRY("F32", "[1]", "[12,16]") "}", 16, "'b'" },
    { "{\"a\":" ENTRY("F32", "[2]", "[0,8]") ",\"a\":" ENTRY("F32", "[1]", "[8,12]") "}", 12,
      "duplicate" },
    { "{\"__metadata__\":[]}", 0, "__metadata__" },
    { "{\"__metadata__\":{\"rows\":3}}", 0, "'rows'" },
    { "{\"" LONG_NAME "\":"
      ENTRY("U8", "[1]", "[0,1]") "}", 1, "longer" },
};

static void test_wrong(void)
{
    struct err e;
    struct record r = { 0 };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        ok(map_header(wrong[i].json, strlen(wrong[i].json), wrong[i].data, &r, &e) == -1 &&
               e.kind == ERR_DATA && strstr(e.text, wrong[i].word) && r.map == NULL && r.meta == NULL,
           "refused: %s", e.text);
    ok(map_header("{}", 3, 0, &r, &e) == -1 && e.kind == ERR_DATA, "refused: %s", e.text);
    ok(map_header("{}", UINT64_MAX, 0, &r, &e) == -1 && e.kind == ERR_DATA, "refused: %s", e.text);
    ok(map_header("{}", 0, 0, &r, &e) == -1 && e.kind == ERR_DATA, "refused: %s", e.text);
    ok(map_header("{}", 2, 0, &r, &e) == 0 && r.n == 0, "a record without tensors is none of them");
    record_free(&r);
}

static void test_many(void)
{
    struct err e = { 0 };
    struct record r = { 0 };
    json_t *header = json_object();
    for (int i = 0; i < 3000; i++) {
        char name[16];
        snprintf(name, sizeof name, "t%d", i);
        json_object_set_new(header, name, json_pack("{s:s,s:[i],s:[i,i]}", "dtype", "U8", "shape", 0,
                                                    "data_offsets", 0, 0));
    }
    char *text = json_dumps(header, 0);
    unsigned char *bytes = calloc(1, strlen(text) + 8);
    put_u64(bytes, strlen(text));
    memcpy(bytes + 8, text, strlen(text));
    write_bytes("many", bytes, 8 + strlen(text));
    ok(map_path(&r, "many", &e) == 0 && r.n == 3000 && strcmp(r.tensors[2999].name, "t2999") == 0,
       "a record may have any number of tensors %s", e.text);
    record_free(&r);
    free(bytes);
    free(text);
    json_decref(header);
}

/* F32 at an odd byte, as another writer may leave it. */
static void test_unaligned(void)
{
    struct err e;
    struct record r = { 0 };
    const char *json = "{\"b\":" ENTRY("U8", "[1]", "[0,1]") ",\"a\":" ENTRY("F64", "[2]", "[1,17]") "}";
    ok(map_header(json, strlen(json), 17, &r, &e) == 0 && r.n == 2 &&
           (uintptr_t)record_find(&r, "a")->data % 8 == 0,
       "tensors that another writer did not align are moved %s", e.text);
    const double *a = record_find(&r, "a")->data;
    ok(a[0] == 0 && a[1] == 0, "and keep their values");
    record_free(&r);
}

/* A header that promises 2^40 bytes must not take them before they come. */
static void test_liar(void)
{
    struct err e = { 0 };
    struct record r = { 0 };
    const char *json = "{\"a\":" ENTRY("U8", "[1099511627776]", "[0,1099511627776]") "}";
    unsigned char bytes[256] = { 0 };
    put_u64(bytes, strlen(json));
    memcpy(bytes + 8, json, strlen(json));
    write_bytes("liar", bytes, 8 + strlen(json) + 10);
    int fd = open("liar", O_RDONLY);
    ok(record_read(&r, fd, &e) == -1 && e.kind == ERR_DATA && strstr(e.text, "missing"),
       "a length that lies takes no memory: %s", e.text);
    close(fd);
}

static int entries(void)
{
    DIR *d = opendir(".");
    int n = 0;
    while (readdir(d) != NULL)
        n++;
    closedir(d);
    return n;
}

static void test_out_files(void)
{
    struct err e = { 0 };
    struct out o = { 0 };
    struct stat s;
    mkdir("out", 0777);
    if (chdir("out") < 0)
        return;
    umask(027);
    out_open(&o, "new", &e);
    ok(stat("new", &s) == -1, "a file is not there under its name while it is written");
    out_write(&o, "whole", 5, &e);
    ok(out_commit(&o, &e) == 0 && stat("new", &s) == 0 && s.st_size == 5 && (s.st_mode & 0777) == 0640,
       "it is whole when it appears, with the mode that umask leaves");
    ok(entries() == 3 && o.path == NULL, "and nothing is beside it");
    chmod("new", 0604);
    out_open(&o, "new", &e);
    out_write(&o, "other", 5, &e);
    out_abort(&o);
    stat("new", &s);
    ok(entries() == 3 && system("grep -q whole new") == 0, "what is taken back leaves the old file");
    out_open(&o, "new", &e);
    out_commit(&o, &e);
    ok(stat("new", &s) == 0 && s.st_size == 0 && (s.st_mode & 0777) == 0604,
       "a file that is replaced keeps its mode");
    umask(022);
    ok(symlink("far/target", "link") == 0 && mkdir("far", 0777) == 0 && out_open(&o, "link", &e) == 0 &&
           out_write(&o, "x", 1, &e) == 0 && out_commit(&o, &e) == 0 && lstat("link", &s) == 0 &&
           S_ISLNK(s.st_mode) && stat("far/target", &s) == 0 && s.st_size == 1,
       "a symbolic link stays one, the file behind it is written, also when it was not there");
    ok(symlink("round", "round") == 0 && out_open(&o, "round", &e) == -1 && e.kind == ERR_SYSTEM &&
           strstr(e.text, "round: "),
       "a link to itself is refused: %s", e.text);
    ok(out_open(&o, "absent/file", &e) == -1 && e.kind == ERR_SYSTEM && o.path == NULL &&
           strstr(e.text, "absent/file: "),
       "a folder that is not there is refused: %s", e.text);
    char name[251];
    memset(name, 'n', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    ok(out_open(&o, name, &e) == 0 && out_commit(&o, &e) == 0 && stat(name, &s) == 0,
       "a name of 250 bytes leaves room for the temporary one");
    if (chdir("..") < 0)
        exit(99);
}

static void test_out_all(void)
{
    struct err e = { 0 };
    struct out o[2];
    int before = entries();
    out_open(&o[0], "first", &e);
    out_open(&o[1], "second", &e);
    out_write(&o[0], "1", 1, &e);
    out_write(&o[1], "2", 1, &e);
    ok(entries() == before + 2 && access("first", F_OK) < 0, "several files wait for each other");
    ok(out_commit_all(o, 2, &e) == 0 && access("first", F_OK) == 0 && access("second", F_OK) == 0 &&
           entries() == before + 2,
       "and then appear together");
    out_open(&o[0], "third", &e);
    out_open(&o[1], "fourth", &e);
    close(o[1].fd); /* makes its fsync fail */
    ok(out_commit_all(o, 2, &e) == -1 && e.kind == ERR_SYSTEM && strstr(e.text, "fourth: ") &&
           access("third", F_OK) < 0 && entries() == before + 2,
       "when one fails none appears: %s", e.text);
}

static void test_out_direct(void)
{
    struct err e = { 0 };
    struct out o = { 0 };
    static char block[1 << 20];
    int before = entries();
    ok(out_open(&o, "/dev/null", &e) == 0 && o.temp == NULL && out_write(&o, block, sizeof block, &e) == 0 &&
           out_commit(&o, &e) == 0,
       "a device is written directly");
    ok(access("/dev/full", F_OK) < 0 ||
           (out_open(&o, "/dev/full", &e) == 0 && out_write(&o, block, 1, &e) == -1 &&
            e.kind == ERR_SYSTEM && strstr(e.text, "/dev/full: ")),
       "a device that is full says so: %s", e.text);
    out_abort(&o);
    mkfifo("fifo", 0600);
    FILE *p = popen("wc -c < fifo > count", "w");
    ok(out_open(&o, "fifo", &e) == 0 && o.temp == NULL && out_write(&o, block, sizeof block, &e) == 0 &&
           out_commit(&o, &e) == 0 && pclose(p) == 0 && system("test $(cat count) = 1048576") == 0,
       "a FIFO is written directly, more than it holds");
    int fd = open("there", O_WRONLY | O_CREAT, 0600);
    char name[32];
    snprintf(name, sizeof name, "/dev/fd/%d", fd);
    ok(write(fd, "one ", 4) == 4 && out_open(&o, name, &e) == 0 && out_write(&o, "two ", 4, &e) == 0 &&
           out_commit(&o, &e) == 0 && write(fd, "three", 5) == 5 &&
           system("test \"$(cat there)\" = 'one two three'") == 0,
       "/dev/fd/N goes on where that descriptor is");
    close(fd);
    ok(entries() == before + 3, "and no temporary file was made");
}

/* A write past the limit of the file system fails; the old file must survive. */
static void test_out_full(void)
{
    static char block[8192];
    write_bytes("kept", "old", 3);
    int before = entries(), status = 0;
    fflush(stdout);
    pid_t pid = fork();
    if (pid == 0) {
        struct err e = { 0 };
        struct out o = { 0 };
        signal(SIGXFSZ, SIG_IGN);
        setrlimit(RLIMIT_FSIZE, &(struct rlimit){ 4096, 4096 });
        int failed = out_open(&o, "kept", &e) == 0 && out_write(&o, block, sizeof block, &e) == -1;
        out_abort(&o);
        _exit(failed && e.kind == ERR_SYSTEM && strstr(e.text, "kept: ") ? 0 : 1);
    }
    waitpid(pid, &status, 0);
    ok(status == 0 && entries() == before && system("grep -q old kept") == 0,
       "a write that does not fit fails, and leaves the old file and nothing else");
}

static void test_header(void)
{
    struct err e = { 0 };
    size_t length, total;
    struct stat s;
    json_t *meta = some_meta();
    unsigned char *header = record_header(tensors, TENSORS, meta, &length, &total, &e);
    stat("a", &s);
    ok(header && length % 64 == 0 && total == (size_t)s.st_size && get_u64(header) == length - 8,
       "record_header foretells the size of the record");
    free(header);
    json_decref(meta);
    struct tensor huge = { .name = "h", .dtype = DTYPE_F64, .dims = 2, .shape = { SIZE_MAX / 4, 8 } };
    ok(record_header(&huge, 1, NULL, &length, &total, &e) == NULL && e.kind == ERR_DATA,
       "a shape that overflows is refused: %s", e.text);
}

int main(void)
{
    char folder[] = "/tmp/record-test-XXXXXX", remove[64];
    if (mkdtemp(folder) == NULL || chdir(folder) < 0)
        return 99;
    test_round_trip();
    test_header();
    test_numpy();
    test_stream();
    test_pipe();
    test_wrong();
    test_many();
    test_unaligned();
    test_liar();
    test_out_files();
    test_out_all();
    test_out_direct();
    test_out_full();
    snprintf(remove, sizeof remove, "rm -rf %s", folder);
    if (chdir("/") < 0 || system(remove) != 0)
        return 99;
    return tap_done();
}
