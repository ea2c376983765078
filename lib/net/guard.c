/* Which files prove who this side is. */
#include "net/guard.h"

bool secrets_given(const struct secrets *s)
{
    return s->key_file != NULL || s->cert != NULL || s->cert_key != NULL || s->ca != NULL;
}

int secrets_check(const struct secrets *s, struct err *e)
{
    bool certificates = s->cert != NULL || s->cert_key != NULL || s->ca != NULL;
    if (!secrets_given(s))
        return err_set(e, ERR_USAGE,
                       "tls: needs a key (--key-file), or certificates (--cert, --cert-key, --ca)");
    if (s->key_file != NULL && certificates)
        return err_set(e, ERR_USAGE, "--key-file and certificates exclude each other");
    if (certificates && (s->cert == NULL || s->cert_key == NULL || s->ca == NULL))
        return err_set(e, ERR_USAGE, "--cert, --cert-key and --ca belong together");
    return 0;
}

int guard_suits(const struct secrets *s, const struct address *a, struct err *e)
{
    if (address_guarded(a))
        return secrets_check(s, e);
    if (secrets_given(s))
        return err_set(e, ERR_USAGE,
                       "a key or certificates protect tls: addresses alone, and this is none");
    return 0;
}
