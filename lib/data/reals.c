/* Arrays of real numbers in JSON. */
#include "data/reals.h"

json_t *reals_json(const double *v, size_t n)
{
    json_t *list = json_array();
    for (size_t i = 0; i < n; i++)
        json_array_append_new(list, json_real(v[i]));
    return list;
}

bool reals_take(double *v, size_t n, const json_t *list)
{
    for (size_t i = 0; i < n; i++) {
        const json_t *one = json_array_get(list, i);
        if (!json_is_number(one))
            return false;
        v[i] = json_number_value(one);
    }
    return true;
}
