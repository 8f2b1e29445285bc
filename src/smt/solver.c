/* SPDX-License-Identifier: Apache-2.0
 *
 * solver: the list of engines. */
#include "smt/smt.h"

#include <string.h>

const struct engine *const engines[] = {&engine_cadical, &engine_z3, NULL};

struct solver *solver_new(const struct engine *engine, struct term_pool *p,
                          const struct solver_opts *opts)
{
    return (engine ? engine : engines[0])->start(p, opts);
}

void solver_free(struct solver *s)
{
    if (s)
        s->engine->end(s);
}
