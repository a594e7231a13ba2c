/* Cycles among the states of core.c, which includes this file: the twin of `components` and `_fairness`
 * (../progress.py).
 *
 * It leaves out components that can have no run which is asked about; those that are left are looked at in Python.
 */

typedef struct { u32 place; int32_t thread, action, looks; u64 mover; } Edge; /* a step of a state; what is next */

/* `Progress._all_steps`: where the next step of a state leads; NO_STATE if there is none. An action without a mover
 * does not count (`Demand.counts`). */
static u32 next_step(Core *c, Edge *at, const u64 *movers) {
    const u64 *s = c->states + (u64)at->place * c->width;
    c->moving = c->threads;
    int kept = c->one_by_one && is_kept(c, s);
    for (; at->thread < c->threads; at->thread++, at->action = 0) {
        const Thread *t = c->thread + at->thread;
        const Process *p = t->held + get(s, c->component + t->component);
        while (at->action < p->count && (!kept || (p->flags & AT_ONCE))) {
            int32_t number = p->first + at->action++;
            const Action *a = c->action + number;
            Entry e = look_up(a, found_in(c, a, s));
            if (!movers[number] || (e.kind != STEP && e.kind != STAY)) continue;
            at->mover = movers[number];
            at->looks = e.looks;
            if (e.kind == STAY) return at->place;
            u64 slot;
            memcpy(c->state, s, c->width * sizeof(u64));
            apply(c, c->state, t, a, (u32)e.process, e.value);
            return (u32)find(c, c->state, hash_of(c->state, c->width), c->width, &slot);
        }
    }
    return NO_STATE;
}

/* `Progress._fairness`: may a fair run stay in the component of these states, and change something? */
static int is_suspect(Core *c, const u32 *states, u32 count, const u32 *component, const u64 *movers, u64 wanted,
                      int fair) {
    u64 always = ~0ull, moved = 0;
    int changes = 0;
    for (u32 i = 0; i < count; i++) {
        Edge at = {states[i], 0, 0, 0, 0};
        u64 able = 0;
        for (u32 after; (after = next_step(c, &at, movers)) != NO_STATE; able |= at.mover) {
            if (component[after] != component[states[0]]) continue;
            moved |= at.mover;
            changes |= !at.looks;
        }
        always &= able;
    }
    return moved && !(always & wanted & ~moved) && (changes || !fair);
}

/* `components`: Tarjan's algorithm. Numbers the strongly connected components that may have a run which is asked for,
 * from 1; 0 for all other states. `movers`: a bit for each action; `wanted`: those that a run has to be fair to.
 * Returns how many components these are; -1 if there is no memory. */
EXPORT int64_t core_cycles(Core *c, const u64 *movers, u64 wanted, int fair, u32 *component) {
    u32 *number = calloc(c->n, sizeof(u32)), *lowest = malloc(c->n * sizeof(u32)), *open = malloc(c->n * sizeof(u32));
    Edge *path = malloc(c->n * sizeof(Edge));
    int64_t found = number && lowest && open && path ? 0 : -1;
    u32 met = 0, opened = 0, depth = 0;
    for (u32 root = 0; found >= 0 && root < c->n; root++) {
        for (u32 next = number[root] ? NO_STATE : root; next != NO_STATE || depth;) {
            if (next != NO_STATE) {
                number[next] = lowest[next] = ++met;
                open[opened++] = next;
                path[depth++] = (Edge){next, 0, 0, 0, 0};
            }
            u32 here = path[depth - 1].place, after = next_step(c, path + depth - 1, movers);
            next = after != NO_STATE && !number[after] ? after : NO_STATE;
            if (after != NO_STATE) {
                int is_open = number[after] && lowest[after] != NO_STATE;
                if (is_open && number[after] < lowest[here]) lowest[here] = number[after];
                continue;
            }
            if (--depth && lowest[here] < lowest[path[depth - 1].place]) lowest[path[depth - 1].place] = lowest[here];
            if (lowest[here] != number[here]) continue;
            u32 first = opened;
            do component[open[--first]] = (u32)found + 1, lowest[open[first]] = NO_STATE;
            while (open[first] != here);
            if (is_suspect(c, open + first, opened - first, component, movers, wanted, fair)) found++;
            else for (u32 i = first; i < opened; i++) component[open[i]] = 0;
            opened = first;
        }
    }
    free(number); free(lowest); free(open); free(path);
    return found;
}
