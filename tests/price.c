/* What workers cost: who has which price, and what comes of it. */
#include "run/price.h"

#include <math.h>

#include "lib/tap.h"

enum { WORKERS = 6 };

static int open_texts(struct prices *p, const char **price, const char **watts, struct err *e)
{
    struct price_conf c = { .price = { .v = price }, .watts = { .v = watts } };
    while (price && price[c.price.n])
        c.price.n++;
    while (watts && watts[c.watts.n])
        c.watts.n++;
    return prices_open(p, &c, WORKERS, e);
}

static void test_values(void)
{
    struct prices p;
    struct err e = { 0 };
    const char *price[] = { "1-2,4=3.6", "0.36", NULL }, *watts[] = { "0-3=300,80", "50", NULL };
    if (!ok(open_texts(&p, price, watts, &e) == 0, "prices of ranges and of all others: %s", e.text))
        return;
    ok(fabs(prices_money(&p, 2, 10) - 0.01) < 1e-15 && fabs(prices_money(&p, 5, 10) - 0.001) < 1e-15,
       "money is the price of an hour times the hours, whether a worker works or not");
    ok(prices_joules(&p, 3, 2, 10) == 300 * 2 + 80 * 8 && prices_joules(&p, 4, 2, 10) == 50 * 2,
       "energy is the power at work and the power at rest, which is 0 where it is not given");
    prices_close(&p);
    ok(open_texts(&p, NULL, NULL, &e) == 0 && isnan(prices_money(&p, 0, 1)) &&
           isnan(prices_joules(&p, 0, 1, 1)),
       "without an option nothing is known");
    prices_close(&p);
}

static void test_refusals(void)
{
    static const struct {
        const char *price[3], *watts[3], *text;
    } bad[] = {
        { { "0-6=1" }, { NULL }, "--price '0-6=1': worker 6 with 6 workers" },
        { { "0-2=1", "2-5=2" }, { NULL }, "--price: worker 2 is named twice" },
        { { "0-2=1", "4-5=2" }, { NULL }, "--price: worker 3 has no price" },
        { { "1", "2" }, { NULL }, "--price '2': a second price for all" },
        { { "-1" }, { NULL }, "--price '-1': must be 0 or more" },
        { { NULL }, { "300," }, "--watts '300,': " },
        { { NULL }, { "10000000000000000000000000000000000000000000000000000000000000000000000,1" },
          "--watts '10000000000000000000000000000000000000000000000000000000000000000000000,1': not a number of fewer than 64 characters" },
        { { NULL }, { "300,1,2" }, "--watts '300,1,2': " },
        { { NULL }, { "3-=3" }, "--watts '3-=3': '3-': workers are N or N-M" },
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct prices p;
        struct err e = { 0 };
        int status = open_texts(&p, (const char **)bad[i].price, (const char **)bad[i].watts, &e);
        ok(status < 0 && e.kind == ERR_USAGE && strncmp(e.text, bad[i].text, strlen(bad[i].text)) == 0,
           "%s (%s)", bad[i].text, e.text);
    }
}

int main(void)
{
    test_values();
    test_refusals();
    return tap_done();
}
