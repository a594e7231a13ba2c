#include "shared.h"

static atomic_int lock;

static void acquire(void)
{
    for (int attempt = 1; attempt < BOUND; attempt++)
        if (LOAD(lock) == 0 && exchanged(&lock, 0, 1))
            return;
    ASSUME(LOAD(lock) == 0);
    ASSUME(exchanged(&lock, 0, 1));
}

static void *thread(void *argument)
{
    acquire();
    critical_section(ARGUMENT);
    STORE(lock, 0);
    return 0;
}

int main(void)
{
    run(thread, N);
    return 0;
}
