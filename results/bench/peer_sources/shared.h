/* What the programs beside this file share: accesses as examples/reference.py has them.

   Loads and stores are relaxed, so that the memory model that a tool is told decides; updates are sequentially
   consistent, as a locked instruction is. N and BOUND are sizes, CHECK asks for the assertions. Written for GenMC,
   Nidhugg and CBMC; any other compiler gets programs whose assumptions end a thread. */

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

#ifndef N
#define N 2
#endif
#ifndef BOUND
#define BOUND 1
#endif
#ifdef CHECK
#define CHECKED(condition) assert(condition)
#else
#define CHECKED(condition) ((void)(condition))
#endif

#define LOAD(cell) atomic_load_explicit(&(cell), memory_order_relaxed)
#define STORE(cell, value) atomic_store_explicit(&(cell), value, memory_order_relaxed)
#define ADD(cell, value) atomic_fetch_add_explicit(&(cell), value, memory_order_seq_cst)

#if defined(__CPROVER)
#define ASSUME(condition) __CPROVER_assume(condition)
#elif defined(STANDALONE)
#define ASSUME(condition) do { if (!(condition)) pthread_exit(0); } while (0)
#else
void __VERIFIER_assume(int);
#define ASSUME(condition) __VERIFIER_assume(condition)
#endif

static inline int exchanged(atomic_int *cell, int expected, int value)
{
    return atomic_compare_exchange_strong_explicit(cell, &expected, value, memory_order_seq_cst, memory_order_seq_cst);
}

static inline pthread_t begin(void *(*code)(void *), int argument)
{
    pthread_t thread;
    pthread_create(&thread, 0, code, (void *)(intptr_t)argument);
    return thread;
}

#define ARGUMENT ((int)(intptr_t)argument)

static atomic_int cs;

/* What every lock protects: write who is inside, and look whether it still says so. */
static inline void critical_section(int me)
{
    STORE(cs, me + 1);
    CHECKED(LOAD(cs) == me + 1);
}

static inline void run(void *(*code)(void *), int count)
{
    pthread_t threads[count];
    for (int i = 0; i < count; i++)
        threads[i] = begin(code, i);
    for (int i = 0; i < count; i++)
        pthread_join(threads[i], 0);
}
