#include "shared.h"

static atomic_int cells[2] = {1, 1};

static void *thread(void *argument)
{
    int me = ARGUMENT;
    for (int round = 0; round < N; round++) {
        int u = LOAD(cells[me]);
        int v = LOAD(cells[1 - me]);
        STORE(cells[me], u + v);
    }
    return 0;
}

int main(void)
{
    run(thread, 2);
#ifdef CHECK
    int limit = 0, next = 1;
    for (int k = 0; k < 2 * N + 2; k++) {
        int sum = limit + next;
        limit = next;
        next = sum;
    }
    assert(LOAD(cells[0]) <= limit);
    assert(LOAD(cells[1]) <= limit);
#endif
    return 0;
}
