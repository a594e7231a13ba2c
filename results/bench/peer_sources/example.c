#include "shared.h"

static atomic_int x = 1, y = 2, z;

static void *thread(void *argument)
{
    int consumes = ARGUMENT;
    for (int round = 0; round < N; round++) {
        if (consumes) {
            if (LOAD(z) == 1) {
                int u = LOAD(x);
                int v = LOAD(y);
                CHECKED(u + 1 == v);
            }
            continue;
        }
#ifdef ZRESET
        STORE(z, 0);
#endif
        STORE(x, 0);
        STORE(y, 0);
        STORE(x, 2);
        STORE(y, 3);
        STORE(z, 1);
    }
    return 0;
}

int main(void)
{
    run(thread, 2);
    return 0;
}
