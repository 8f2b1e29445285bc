/* SPDX-License-Identifier: Apache-2.0
 *
 * claim: from a cut and an order of its window to a witness in numbers of the trace. All but
 * the window happens as recorded, each thread up to the end of the cut. */
#include "predict/engine.h"

ev_id cut_end(const struct predictor *p)
{
    ev_id end = 0;
    for (thr_id t = 0; t < p->k; t++) {
        ev_id last = len_of(p, t) ? model_at(p->m, t, len_of(p, t) - 1) : 0;
        end = last >= end ? last + 1 : end;
    }
    return end;
}

/* Events of the model that the list has to name. */
struct range {
    ev_id first, end;
};

static void range_add(struct range *r, ev_id e)
{
    r->first = e < r->first ? e : r->first;
    r->end = e >= r->end ? e + 1 : r->end;
}

/* Where each thread stops. One event of the trace may be several of the model: if the cut ends
 * between those, the first ones are listed. */
static void add_stops(const struct predictor *p, struct witness *out, struct range *list)
{
    const struct model *m = p->m;
    for (thr_id t = 0; t < p->k; t++) {
        uint32_t n = len_of(p, t);
        ev_id last = n ? model_at(m, t, n - 1) : NONE;
        bool inside = n && n < m->threads[t].len &&
                      model_number(m, model_at(m, t, n)) == model_number(m, last);
        if (inside)
            range_add(list, last);
        vec_push(&out->stop, n ? (uint64_t)model_number(m, last) + !inside : 0);
    }
}

/* An access to several objects is several rows of the model, and one event of the trace. */
static bool goes_on(const struct model *m, ev_id e)
{
    thr_id t = m->ev[e].thr;
    if (!(model_reads(m, e) || model_writes(m, e)) || m->idx[e] + 1 == m->threads[t].len)
        return false;
    ev_id next = model_at(m, t, m->idx[e] + 1);
    return model_number(m, next) == model_number(m, e) &&
           (model_reads(m, next) || model_writes(m, next));
}

static void list_event(const struct predictor *p, ev_id e, struct witness *out)
{
    if (!goes_on(p->m, e))
        vec_push(&out->order, model_number(p->m, e));
}

static void list_recorded(const struct predictor *p, ev_id from, ev_id end, struct witness *out)
{
    for (ev_id e = from; e < end; e++)
        if (in_cut(p, e))
            list_event(p, e, out);
}

void claim_make(const struct predictor *p, const struct query *q, struct witness *out)
{
    CHECK(q->count == p->count);
    const struct model *m = p->m;
    const struct window *w = &p->w;
    struct range list = {NONE, 0};
    bool has_window = w->lo <= w->hi;
    out->query = *q;
    out->mode = p->mode;
    out->prefix = UINT64_MAX;
    out->resume = 0;
    out->stop.len = out->order.len = 0;
    if (has_window) {
        range_add(&list, w->lo);
        range_add(&list, w->hi);
    }
    add_stops(p, out, &list);
    if (list.end == 0)
        return;
    while (list.first > 0 && model_number(m, list.first - 1) == model_number(m, list.first))
        list.first--;
    while (list.end < m->ev_count && model_number(m, list.end) == model_number(m, list.end - 1))
        list.end++;
    out->prefix = model_number(m, list.first);
    out->resume = (uint64_t)model_number(m, list.end - 1) + 1;
    list_recorded(p, list.first, has_window ? w->lo : list.end, out);
    for (uint32_t i = 0; has_window && i < p->order.len; i++)
        list_event(p, p->order.at[i], out);
    list_recorded(p, has_window ? w->hi + 1 : list.end, list.end, out);
}
