#include "shared.h"

static atomic_int want[N], x, y;

/* Whether the thread got in; stops it for good where the lock would wait. */
static int attempt(int i)
{
    STORE(want[i], 1);
    STORE(x, i + 1);
    if (LOAD(y) != 0) {
        STORE(want[i], 0);
        ASSUME(LOAD(y) == 0);
        return 0;
    }
    STORE(y, i + 1);
    if (LOAD(x) != i + 1) {
        STORE(want[i], 0);
        for (int j = 0; j < N; j++)
            if (j != i)
                ASSUME(LOAD(want[j]) == 0);
        if (LOAD(y) != i + 1) {
            ASSUME(LOAD(y) == 0);
            return 0;
        }
    }
    return 1;
}

static void *thread(void *argument)
{
    int i = ARGUMENT, in = 0;
    for (int round = 0; round < BOUND && !in; round++)
        in = attempt(i);
    ASSUME(in);
    critical_section(i);
    STORE(y, 0);
    STORE(want[i], 0);
    return 0;
}

int main(void)
{
    run(thread, N);
    return 0;
}
