/* Global states, breadth first: the loop of `Space` (../space.py) in C.
 *
 * The loop in Python is the definition. This file finds the same states in the same order, from the same predecessors;
 * tests/stateful/test_in_c.py holds both against each other. Each function names the lines of Python that it stands
 * for. What a thread does is not known here: `System` tells it, one entry of a table at a time, when `core_run` says
 * MISS. So no line of this file knows a memory model, and none calls Python.
 *
 * A state has `width` words of 64 bits. Each component (a thread: the number of its process; a cell: the number of its
 * value) is a field inside one of the words, as narrow as its numbers allow, and gets more bits when they do not
 * (`widen`). `Layout` (../layout.py) writes states in another way, in which no field ever moves; `read_state` and
 * `write_state` translate.
 *
 * States lie in the order of their discovery, so the queue of the search is a place in that array. The hash table is
 * open, with linear probing. A slot has 32 bits: the place of a state, counted from 1, and above it as many bits of the
 * hash as are left. Successors wait in a small ring until their slots have come from memory into the cache.
 */
#if defined(__linux__)
#define _GNU_SOURCE
#include <sys/mman.h>
#endif
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#if defined(_MSC_VER)
#define EXPORT __declspec(dllexport)
#define INLINE static __forceinline
#define PREFETCH(address) ((void)0)
#else
#define EXPORT __attribute__((visibility("default")))
#define INLINE static inline __attribute__((always_inline))
#define PREFETCH(address) __builtin_prefetch(address)
#endif

typedef uint64_t u64;
typedef uint32_t u32;

#define VERSION 0xC3D9E30F /* checksum of the rest, and of cycles.c: tests/stateful/test_in_c.py says which it is */
enum { DONE, MISS, LAST, NO_MEMORY };                        /* why core_run returns */
enum { UNKNOWN, NOTHING, STEP, ONWARD, STAY };               /* what an entry says; STAY only for cycles */
enum { MAY_BE_STUCK = 1, HAS_ENDED = 2, AT_ONCE = 4, STOPS = 8 }; /* flags of a process */
enum { RING = 32, PIECES = 16, NARROW = 8 };
#define NO_STATE 0xffffffffu
#define MOST_STATES 0xfffffffeu

typedef struct { int16_t kind, looks; int32_t process, value; } Entry; /* where an action leads; value -1: as before */
typedef struct { int32_t looks_at, length; Entry *table; } Action; /* looks_at: a component, or -1; table: by number */
typedef struct { int32_t first, count, operations, flags; } Process; /* its actions; those that are no commits first */
typedef struct { int32_t component, group, place, alike, count; Process *held; } Thread; /* held: shared if alike */
typedef struct { int32_t count, *components; } Group;
typedef struct { int32_t place, bits; } Piece;               /* some bits of a number in a state of `Layout` */
typedef struct { int32_t word, shift, bits, pieces; u64 mask, largest; Piece piece[PIECES]; } Component;

typedef struct { u64 state; int32_t thread, process, action, value, outer; } Said; /* where core_run has stopped */

typedef struct {
    int32_t width, components, threads, groups, actions, action_room, final, final_begun, one_by_one, failed;
    Component *component;
    Thread *thread;                                          /* in the order of `Space._threads` */
    Group *group;
    Action *action;
    int32_t *used;                                           /* bits of each word that are taken */
    u64 n, room, *states;
    u32 *before;                                             /* by place: the place of the predecessor */
    u32 *slots, index_bits;
    u64 slot_mask;
    u64 here;                                                /* the state whose successors are seen */
    int32_t at_thread, at_action, moving, last_alike, last_number, resumes; /* inside of that state */
    u64 *ring, ring_hash[RING], *state;                      /* successors on their way; the state that is looked at */
    u32 ring_before[RING], head, tail;
} Core;

/* -- fields -------------------------------------------------------------------------------------------------------- */

INLINE u32 get(const u64 *s, const Component *p) { return (u32)(s[p->word] >> p->shift & p->mask); }

INLINE void put(u64 *s, const Component *p, u32 number) {
    s[p->word] = (s[p->word] & ~(p->mask << p->shift)) | (u64)number << p->shift;
}

static int32_t bits_of(u64 number) {
    int32_t bits = 1;
    while (number >> bits) bits++;
    return bits;
}

/* -- the set of states: `before` of space.py ----------------------------------------------------------------------- */

INLINE u64 hash_of(const u64 *s, int width) {
    u64 h = 0;
    for (int i = 0; i < width; i++) {
        h = (h ^ s[i]) * 0x9E3779B97F4A7C15ull;
        h ^= h >> 32;
    }
    h *= 0xD6E8FEB86659FD93ull;
    return h ^ h >> 32;
}

INLINE u32 place_bits(const Core *c) { return c->index_bits == 32 ? 0xffffffffu : (1u << c->index_bits) - 1; }

INLINE u32 tag_of(const Core *c, u64 h) { return c->index_bits == 32 ? 0 : (u32)(h >> 40) << c->index_bits; }

/* An empty hash table; NULL if there is no memory. Large pages, as every lookup is somewhere else. */
static u32 *new_slots(u64 count) {
#if defined(__linux__)
    if (count >= 1 << 20) {
        u32 *slots = aligned_alloc(1 << 21, count * sizeof(u32));
        if (slots) madvise(slots, count * sizeof(u32), MADV_HUGEPAGE);
        return slots;
    }
#endif
    return malloc(count * sizeof(u32));
}

/* Enter all states into a table with so many slots: a power of two. */
static int index_all(Core *c, u64 count) {
    u32 *slots = new_slots(count);
    if (!slots) return 0;
    free(c->slots); /* before the new one is written: only one of them takes real memory */
    memset(slots, 0, count * sizeof(u32));
    c->slots = slots;
    c->slot_mask = count - 1;
    c->index_bits = (u32)bits_of(count);
    if (c->index_bits > 32) c->index_bits = 32;
    for (u64 i = 0; i < c->n; i++) {
        u64 h = hash_of(c->states + i * c->width, c->width), at = h & c->slot_mask;
        while (c->slots[at]) at = (at + 1) & c->slot_mask;
        c->slots[at] = tag_of(c, h) | (u32)(i + 1);
    }
    return 1;
}

/* Room for states of `width` words. */
static int reserve(Core *c, u64 room, int32_t width) {
    u64 *states = realloc(c->states, room * width * sizeof(u64));
    if (!states) return 0;
    c->states = states;
    u32 *before = realloc(c->before, room * sizeof(u32));
    if (!before) return 0;
    c->before = before;
    c->room = room;
    return 1;
}

static int is_full(const Core *c, u64 n) { return n * 5 > (c->slot_mask + 1) * 4; }

static int make_room(Core *c) {
    if (c->n >= MOST_STATES) return 0;
    if (c->n == c->room && !reserve(c, c->room + c->room / 2, c->width)) return 0;
    return !is_full(c, c->n) || index_all(c, (c->slot_mask + 1) * 2);
}

/* The place of a state; c->n if it was not seen, and the slot where it belongs. */
INLINE u64 find(const Core *c, const u64 *s, u64 h, int width, u64 *slot) {
    u64 at = h & c->slot_mask;
    u32 keep = place_bits(c), tag = tag_of(c, h), held;
    for (; (held = c->slots[at]); at = (at + 1) & c->slot_mask) {
        if ((held ^ tag) & ~keep) continue;
        const u64 *other = c->states + (u64)((held & keep) - 1) * width;
        int same = 1;
        for (int i = 0; i < width; i++) same &= other[i] == s[i];
        if (same) return (held & keep) - 1;
    }
    *slot = at;
    return c->n;
}

/* `Space._see`: if after not in before: before[after] = state; found.append(after) */
INLINE void see(Core *c, const u64 *s, u64 h, u32 before, int width) {
    u64 slot = 0;
    if (find(c, s, h, width, &slot) < c->n || c->failed) return;
    for (int i = 0; i < width; i++) c->states[c->n * width + i] = s[i];
    c->before[c->n] = before;
    c->slots[slot] = tag_of(c, h) | (u32)(++c->n);
    if (!make_room(c)) c->failed = 1;
}

INLINE void see_oldest(Core *c, int width) {
    u32 r = c->head++ % RING;
    see(c, c->ring + r * width, c->ring_hash[r], c->ring_before[r], width);
}

INLINE void drain(Core *c, int width) {
    while (c->head != c->tail) see_oldest(c, width);
}

/* `Group.sorted` (layout.py): the numbers of a group descend, but for that of a thread that has just moved. */
INLINE void sort(const Core *c, u64 *s, const Thread *t) {
    const int32_t *components = c->group[t->group].components;
    int32_t at = t->place, count = c->group[t->group].count;
    u32 moved = get(s, c->component + t->component), other;
    for (; at > 0 && (other = get(s, c->component + components[at - 1])) < moved; at--)
        put(s, c->component + components[at], other);
    for (; at + 1 < count && (other = get(s, c->component + components[at + 1])) > moved; at++)
        put(s, c->component + components[at], other);
    put(s, c->component + components[at], moved);
}

/* after = state + added if sort is None else sort(state + added); it is seen when its slot is in the cache. */
INLINE void push(Core *c, const u64 *after, const Thread *t, int width) {
    if (c->tail - c->head == RING) see_oldest(c, width);
    u32 r = c->tail++ % RING;
    u64 *s = c->ring + r * width;
    for (int i = 0; i < width; i++) s[i] = after[i];
    if (t->group >= 0) sort(c, s, t);
    u64 h = c->ring_hash[r] = hash_of(s, width);
    c->ring_before[r] = (u32)c->here;
    PREFETCH(c->slots + (h & c->slot_mask));
    if (c->tail - c->head > RING / 2) { /* a slot that was asked for is there: ask for the state in it */
        u32 held = c->slots[c->ring_hash[(c->tail - RING / 2) % RING] & c->slot_mask] & place_bits(c);
        PREFETCH(c->states + (held ? (u64)held - 1 : 0) * width);
    }
}

/* -- the search ---------------------------------------------------------------------------------------------------- */

INLINE Entry look_up(const Action *a, u32 number) {
    static const Entry unknown = {UNKNOWN, 0, 0, -1};
    return number < (u32)a->length ? a->table[number] : unknown;
}

INLINE u32 found_in(const Core *c, const Action *a, const u64 *s) { /* `Action.found_in` */
    return a->looks_at < 0 ? 0 : get(s, c->component + a->looks_at);
}

INLINE void apply(const Core *c, u64 *s, const Thread *t, const Action *a, u32 process, int32_t value) {
    if (value >= 0) put(s, c->component + a->looks_at, (u32)value);
    put(s, c->component + t->component, process);
}

static int missed(Core *c, Said *said, int32_t thread, u32 process, int32_t action, u32 value) {
    *said = (Said){c->here, thread, (int32_t)process, action, (int32_t)value, c->at_action};
    return -1;
}

/* `Space._onward`, `System.onward` and `System._steps`: all that a step of several actions leads to from `s`, which is
 * as it was again afterwards. Returns how many; -1 if something is not known. */
static int go_on(Core *c, u64 *s, int32_t thread, Said *said) {
    const Thread *t = c->thread + thread;
    u32 number = get(s, c->component + t->component);
    const Process *p = t->held + number;
    int found = 0;
    for (int32_t k = 0; k < p->operations; k++) {
        const Action *a = c->action + p->first + k;
        u32 value = found_in(c, a, s);
        Entry e = look_up(a, value);
        if (e.kind == UNKNOWN) return missed(c, said, thread, number, k, value);
        if (e.kind == NOTHING) continue;
        apply(c, s, t, a, (u32)e.process, e.value);
        int more = 1;
        if (e.kind == STEP) push(c, s, t, c->width);
        else more = go_on(c, s, thread, said);
        apply(c, s, t, a, number, e.value >= 0 ? (int32_t)value : -1);
        if (more < 0) return -1;
        found += more;
    }
    if (found || !(p->flags & STOPS)) return found;
    push(c, s, t, c->width);
    return 1;
}

/* `System.may_be_deadlock`, where not all threads have ended: does no step change memory? */
static int leaves_memory_alone(const Core *c, const u64 *s) {
    for (int32_t k = 0; k < c->threads; k++) {
        const Thread *t = c->thread + k;
        const Process *p = t->held + get(s, c->component + t->component);
        for (int32_t i = 0; i < p->count; i++) {
            const Action *a = c->action + p->first + i;
            u32 value = found_in(c, a, s);
            Entry e = look_up(a, value);
            if (e.kind == STEP && e.value >= 0 && (u32)e.value != value) return 0;
        }
    }
    return 1;
}

/* `Space._look_at_last`: may all be stuck, or the final function begin? Returns LAST if Python has to say. */
INLINE int look_at_last(Core *c, u64 *s, int width) {
    int have_ended = 1;
    for (int32_t k = 0; k < c->threads; k++) {
        const Thread *t = c->thread + k;
        int32_t flags = t->held[get(s, c->component + t->component)].flags;
        if (!(flags & MAY_BE_STUCK)) return DONE;
        have_ended &= k == c->final || (flags & HAS_ENDED);
    }
    drain(c, width);
    if (c->before[c->n - 1] == (u32)c->here) return DONE; /* a new state was found from here */
    if (!have_ended) return leaves_memory_alone(c, s) ? LAST : DONE;
    if (c->final < 0) return DONE;
    const Thread *last = c->thread + c->final;
    u32 number = get(s, c->component + last->component);
    if (number) return last->held[number].flags & HAS_ENDED ? DONE : LAST;
    if (!c->final_begun) return LAST;
    put(s, c->component + last->component, (u32)c->final_begun); /* `System.begin_final` */
    see(c, s, hash_of(s, width), (u32)c->here, width);
    return DONE;
}

/* `System.moving`: under a global lock, if a thread keeps it, only that one moves. */
static int is_kept(const Core *c, const u64 *s) {
    for (int32_t k = 0; k < c->moving; k++)
        if (c->thread[k].held[get(s, c->component + c->thread[k].component)].flags & AT_ONCE) return 1;
    return 0;
}

/* `Space._expand`: the successors of the states before `end`. */
INLINE int run(Core *c, u64 end, Said *said, u64 *s, int width) {
    for (; c->here < end; c->here++) { /* for place in range(self._done, end): */
        for (int i = 0; i < width; i++) s[i] = c->states[c->here * width + i];
        if (c->at_thread < 0) {
            c->at_thread = c->at_action = 0;
            c->last_alike = -1;
            c->moving = c->threads;
        }
        int kept = c->one_by_one && is_kept(c, s);
        for (; c->at_thread < c->moving; c->at_thread++, c->at_action = 0) { /* for thread, ... in moving: */
            const Thread *t = c->thread + c->at_thread;
            const Component *own = c->component + t->component;
            u32 number = get(s, own);
            const Process *p = t->held + number;
            if (kept && !(p->flags & AT_ONCE)) continue;
            if (t->group >= 0 && !c->resumes) { /* an exchange of the two changes nothing */
                if (t->alike == c->last_alike && (int32_t)number == c->last_number) continue;
                c->last_alike = t->alike;
                c->last_number = (int32_t)number;
            }
            c->resumes = 0;
            for (; c->at_action < p->count; c->at_action++) { /* for mask, table, action in rows[written]: */
                const Action *a = c->action + p->first + c->at_action;
                u32 value = found_in(c, a, s);
                Entry e = look_up(a, value);
                if (e.kind == NOTHING) continue;
                if (e.kind == UNKNOWN) {
                    missed(c, said, c->at_thread, number, c->at_action, value);
                    goto miss;
                }
                u64 looked_at = a->looks_at < 0 ? 0 : s[c->component[a->looks_at].word];
                u64 process = s[own->word];
                apply(c, s, t, a, (u32)e.process, e.value);
                int more = 1;
                if (e.kind == STEP) push(c, s, t, width);
                else more = go_on(c, s, c->at_thread, said);
                s[own->word] = process;
                if (a->looks_at >= 0) s[c->component[a->looks_at].word] = looked_at;
                if (more < 0) goto miss;
            }
        }
        c->at_thread = -1;
        if (look_at_last(c, s, width) == LAST) {
            said->state = c->here; /* Python looks at it, and goes on behind it */
            return LAST;
        }
        if (c->failed) return NO_MEMORY;
    }
    drain(c, width);
    return c->failed ? NO_MEMORY : DONE;
miss:
    drain(c, width);
    c->resumes = 1;
    return c->failed ? NO_MEMORY : MISS;
}

EXPORT int core_run(Core *c, u64 end, Said *said) {
    u64 s[NARROW];
    switch (c->width) { /* a loop of its own for each of the small widths */
        case 1: return run(c, end, said, s, 1);
        case 2: return run(c, end, said, s, 2);
        case 3: return run(c, end, said, s, 3);
        default: return run(c, end, said, c->state, c->width);
    }
}

/* -- fields that do not fit ---------------------------------------------------------------------------------------- */

/* Give a component a field of so many bits; 0 if no word has room. */
static int settle(Core *c, Component *p, int32_t bits, int32_t words) {
    for (int32_t word = 0; word < words; word++) {
        if (c->used[word] + bits > 64) continue;
        p->word = word;
        p->shift = c->used[word];
        p->bits = bits;
        p->mask = (1ull << bits) - 1;
        c->used[word] += bits;
        return 1;
    }
    return 0;
}

/* Write all states anew, from the last one on as they may get longer: what was in the fields `old` is in those of
 * now. */
static int rewrite(Core *c, const Component *old, int32_t width) {
    u64 *ring = realloc(c->ring, RING * width * sizeof(u64)), *s;
    if (ring) c->ring = ring;
    if ((s = realloc(c->state, width * sizeof(u64)))) c->state = s;
    if (!ring || !s || !reserve(c, c->room, width)) return 0;
    for (u64 i = c->n; i-- > 0;) {
        memset(s, 0, width * sizeof(u64));
        for (int32_t k = 0; k < c->components; k++)
            if (old[k].bits) put(s, c->component + k, get(c->states + i * c->width, old + k));
        memcpy(c->states + i * width, s, width * sizeof(u64));
    }
    c->width = width;
    return index_all(c, c->slot_mask + 1);
}

/* `System._widen`: new fields for all components; where `added` is not NULL, for this one alone, in a word of its own.
 * No state changes what it says. */
static int widen(Core *c, Component *added) {
    int64_t needed = 0;
    for (int32_t k = 0; k < c->components; k++) needed += bits_of(c->component[k].largest);
    int32_t spare = (int32_t)((63 - (needed + 63) % 64) / 2 / c->components); /* half of what the last word has left */
    if (spare > 3) spare = 3;
    int32_t words = added ? c->width + 1 : (int32_t)((needed + spare * c->components) / 32) + c->width + 2;
    int32_t width = c->width;
    Component *old = malloc(c->components * sizeof(Component));
    int32_t *used = realloc(c->used, words * sizeof(int32_t));
    if (used) c->used = used;
    if (!old || !used) return free(old), 0;
    memcpy(old, c->component, c->components * sizeof(Component));
    memset(used + (added ? width : 0), 0, (added ? 1 : words) * sizeof(int32_t));
    for (int32_t k = 0; k < c->components; k++)
        if (!added || c->component + k == added)
            settle(c, c->component + k, bits_of(old[k].largest) + (added ? 2 : spare), words);
    while (width < words && used[width]) width++;
    int done = rewrite(c, old, width);
    free(old);
    return done;
}

/* Let a component hold a number. */
static void fit(Core *c, Component *p, u64 number) {
    if (number > p->largest) p->largest = number;
    if (!p->bits && settle(c, p, bits_of(number) + 2, c->width)) return;
    if (bits_of(p->largest) > p->bits && !widen(c, p->bits ? NULL : p)) c->failed = 1;
}

/* -- states as `Layout` writes them -------------------------------------------------------------------------------- */

static u64 bits_at(const u64 *words, Piece p) {
    u64 low = words[p.place / 64] >> p.place % 64;
    if (p.place % 64 + p.bits > 64) low |= words[p.place / 64 + 1] << (64 - p.place % 64);
    return low & ((1ull << p.bits) - 1);
}

static void put_bits(u64 *words, Piece p, u64 bits) { /* where all are 0 */
    words[p.place / 64] |= bits << p.place % 64;
    if (p.place % 64 + p.bits > 64) words[p.place / 64 + 1] |= bits >> (64 - p.place % 64);
}

static u64 number_in(const u64 *words, const Component *p) { /* `Component.read` */
    u64 number = 0;
    for (int32_t i = 0, lower = 0; i < p->pieces; lower += p->piece[i++].bits)
        number |= bits_at(words, p->piece[i]) << lower;
    return number;
}

/* Returns the state, which is good until the next call. */
static u64 *read_state(Core *c, const u64 *words) {
    for (int32_t k = 0; k < c->components; k++) fit(c, c->component + k, number_in(words, c->component + k));
    memset(c->state, 0, c->width * sizeof(u64));
    for (int32_t k = 0; k < c->components; k++)
        put(c->state, c->component + k, (u32)number_in(words, c->component + k));
    return c->state;
}

EXPORT void core_state(const Core *c, u64 place, u64 *words, int32_t count) {
    memset(words, 0, count * sizeof(u64));
    for (int32_t k = 0; k < c->components; k++) {
        const Component *p = c->component + k;
        u64 number = get(c->states + place * c->width, p);
        for (int32_t i = 0; i < p->pieces; number >>= p->piece[i++].bits)
            put_bits(words, p->piece[i], number & ((1ull << p->piece[i].bits) - 1));
    }
}

EXPORT int64_t core_find(Core *c, const u64 *words) { /* -1 if it was not seen */
    u64 slot, place;
    for (int32_t k = 0; k < c->components; k++)
        if (number_in(words, c->component + k) > c->component[k].largest) return -1;
    const u64 *s = read_state(c, words);
    place = find(c, s, hash_of(s, c->width), c->width, &slot);
    return place < c->n ? (int64_t)place : -1;
}

EXPORT int core_see(Core *c, const u64 *words, u32 before) { /* `Space._see`; 0 if there is no memory */
    const u64 *s = read_state(c, words);
    if (!c->failed) see(c, s, hash_of(s, c->width), before, c->width);
    return !c->failed;
}

/* -- what `System` tells ------------------------------------------------------------------------------------------- */

EXPORT u32 core_version(void) { return VERSION; }

EXPORT void core_free(Core *c) {
    for (int32_t i = 0; i < c->actions; i++) free(c->action[i].table);
    for (int32_t i = 0; i < c->threads; i++) if (c->thread[i].alike == i) free(c->thread[i].held);
    for (int32_t i = 0; i < c->groups; i++) free(c->group[i].components);
    free(c->component); free(c->thread); free(c->group); free(c->action); free(c->used);
    free(c->states); free(c->before); free(c->slots); free(c->ring); free(c->state); free(c);
}

/* An empty set of states; NULL if there is no memory. */
EXPORT Core *core_new(int one_by_one) {
    Core *c = calloc(1, sizeof(Core));
    if (!c) return NULL;
    c->at_thread = c->final = -1;
    c->one_by_one = one_by_one;
    c->width = 1;
    c->used = calloc(1, sizeof(int32_t));
    c->ring = malloc(RING * sizeof(u64));
    c->state = malloc(sizeof(u64));
    if (c->used && c->ring && c->state && reserve(c, 1024, 1) && index_all(c, 2048)) return c;
    core_free(c);
    return NULL;
}

/* `Layout.add` and `widen`: bits of the number of a component, the lowest first, as pieces. A number of `PIECES` pieces
 * has at least 64 bits. */
EXPORT void core_component(Core *c, int32_t number, int32_t count, const Piece *pieces) {
    if (number == c->components) {
        c->component = realloc(c->component, ++c->components * sizeof(Component));
        memset(c->component + number, 0, sizeof(Component));
    }
    c->component[number].pieces = count;
    memcpy(c->component[number].piece, pieces, count * sizeof(Piece));
    fit(c, c->component + number, 0);
}

EXPORT void core_group(Core *c, int32_t count, const int32_t *components) {
    c->group = realloc(c->group, ++c->groups * sizeof(Group));
    Group *g = c->group + c->groups - 1;
    g->count = count;
    g->components = malloc(count * sizeof(int32_t));
    memcpy(g->components, components, count * sizeof(int32_t));
}

/* The next thread. `place`: where its component is in its group; `alike`: the first thread like it, or itself. */
EXPORT void core_thread(Core *c, int32_t component, int32_t group, int32_t place, int32_t alike) {
    Thread *t = (c->thread = realloc(c->thread, (c->threads + 1) * sizeof(Thread))) + c->threads;
    *t = (Thread){component, group, place, alike, 0, NULL};
    if (alike < c->threads++) t->count = c->thread[alike].count, t->held = c->thread[alike].held;
}

/* The next process of a thread and of all that are alike; its actions look at these components. */
EXPORT void core_process(Core *c, int32_t thread, int32_t flags, int32_t operations, int32_t count, const int32_t *at) {
    Thread *first = c->thread + c->thread[thread].alike;
    if (c->actions + count > c->action_room)
        c->action = realloc(c->action, (c->action_room = 2 * c->action_room + count) * sizeof(Action));
    first->held = realloc(first->held, (first->count + 1) * sizeof(Process));
    first->held[first->count++] = (Process){c->actions, count, operations, flags};
    for (int32_t i = 0; i < count; i++) c->action[c->actions++] = (Action){at[i], 0, NULL};
    for (int32_t i = 0; i < c->threads; i++)
        if (c->thread[i].alike == first->alike) c->thread[i].held = first->held, c->thread[i].count = first->count;
}

/* `System.add`: what an action does where it finds `number`. 0 if there is no memory. */
EXPORT int core_entry(Core *c, int32_t thread, int32_t process, int32_t action, int32_t number, int32_t kind,
                      int32_t looks, int32_t process_after, int32_t value_after) {
    Thread *t = c->thread + thread;
    Action *a = c->action + t->held[process].first + action;
    if (number >= a->length) {
        int32_t length = 2 * a->length > number + 1 ? 2 * a->length : number + 1;
        a->table = realloc(a->table, length * sizeof(Entry));
        memset(a->table + a->length, 0, (length - a->length) * sizeof(Entry));
        a->length = length;
    }
    a->table[number] = (Entry){(int16_t)kind, (int16_t)looks, process_after, value_after};
    for (int32_t i = 0; i < c->threads; i++) /* an exchange gives it to any of them */
        if (c->thread[i].alike == t->alike) fit(c, c->component + c->thread[i].component, (u64)process_after);
    if (value_after >= 0) fit(c, c->component + a->looks_at, (u64)value_after);
    return !c->failed;
}

/* The thread of the final function, and its number when it has begun; 0 as long as that is not known. */
EXPORT void core_final(Core *c, int32_t thread, int32_t begun) {
    c->final = thread;
    c->final_begun = begun;
    fit(c, c->component + c->thread[thread].component, (u64)begun);
}

/* -- what is asked afterwards -------------------------------------------------------------------------------------- */

EXPORT u64 core_count(const Core *c) { return c->n; }
EXPORT u64 core_here(const Core *c) { return c->here; }
EXPORT u32 core_before(const Core *c, u64 place) { return c->before[place]; }
EXPORT void core_go_to(Core *c, u64 place) { c->here = place; } /* states before it have their successors */

/* Bytes that the hash table takes more if so many states come. */
EXPORT u64 core_growth(const Core *c, u64 more) {
    return is_full(c, c->n + more) ? (c->slot_mask + 1) * sizeof(u32) : 0;
}

/* Extensions of Python have this on Windows; it is never called, as this is loaded by ctypes. */
EXPORT void *PyInit__core(void) { return NULL; }

#include "cycles.c"
